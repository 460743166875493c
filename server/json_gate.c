/* SPDX-License-Identifier: MIT */
#include "server/json_gate.h"

#include <errno.h>
#include <string.h>

#include "server/json_plain.h"
#include "server/limits.h"
#include "server/utf8.h"

/* cJSON copies a number to 64 bytes and goes on behind them as if it had ended. */
enum { NUMBER_MAX = 63 };

struct scan {
    const unsigned char *at, *end;
    unsigned depth, values;
    uint32_t objects; /* bit d: level d + 1 is an object, else an array */
};
_Static_assert(BH_JSON_DEPTH <= 32, "scan.objects has a bit a level");

static void skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool eat(struct scan *s, char c)
{
    if (s->at == s->end || *s->at != (unsigned char)c)
        return false;
    s->at++;
    return true;
}

static int hex4(struct scan *s, unsigned *ret)
{
    unsigned v = 0;
    if (s->end - s->at < 4)
        return -EPROTO;
    for (int i = 0; i < 4; i++) {
        unsigned c = *s->at++;
        if (c >= '0' && c <= '9')
            v = v << 4 | (c - '0');
        else if ((c | 0x20u) >= 'a' && (c | 0x20u) <= 'f')
            v = v << 4 | ((c | 0x20u) - 'a' + 10);
        else
            return -EPROTO;
    }
    *ret = v;
    return 0;
}

/* After the backslash. */
static int escape(struct scan *s)
{
    if (s->at == s->end)
        return -EPROTO;
    unsigned char c = *s->at++;
    if (c != 'u')
        return c && strchr("\"\\/bfnrt", c) ? 0 : -EPROTO;
    unsigned high, low;
    int rc = hex4(s, &high);
    if (rc < 0)
        return rc;
    if (high == 0)
        return -EPROTO;
    if (high < 0xd800 || high > 0xdfff)
        return 0;
    if (high > 0xdbff || s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
        return -EILSEQ;
    s->at += 2;
    rc = hex4(s, &low);
    if (rc < 0)
        return rc;
    return low >= 0xdc00 && low <= 0xdfff ? 0 : -EILSEQ;
}

/* After the opening quote. */
static int string(struct scan *s)
{
    for (;;) {
        s->at += bh__json_plain(s->at, (size_t)(s->end - s->at));
        if (s->at == s->end)
            return -EPROTO;
        unsigned char c = *s->at;
        if (c == '"') {
            s->at++;
            return 0;
        }
        if (c == '\\') {
            s->at++;
            int rc = escape(s);
            if (rc < 0)
                return rc;
        } else if (c < 0x20) {
            return -EPROTO;
        } else {
            size_t n = bh_utf8_step(s->at, (size_t)(s->end - s->at));
            if (n == 0)
                return -EILSEQ;
            s->at += n;
        }
    }
}

static size_t digits(struct scan *s)
{
    const unsigned char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

static int number(struct scan *s)
{
    const unsigned char *from = s->at;
    (void)eat(s, '-');
    if (!eat(s, '0') && digits(s) == 0)
        return -EPROTO;
    if (eat(s, '.') && digits(s) == 0)
        return -EPROTO;
    if (eat(s, 'e') || eat(s, 'E')) {
        if (!eat(s, '+'))
            (void)eat(s, '-');
        if (digits(s) == 0)
            return -EPROTO;
    }
    return s->at - from <= NUMBER_MAX ? 0 : -EPROTO;
}

static int literal(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return -EPROTO;
    s->at += n;
    return 0;
}

static int member_name(struct scan *s)
{
    skip_space(s);
    if (!eat(s, '"'))
        return -EPROTO;
    int rc = string(s);
    if (rc < 0)
        return rc;
    skip_space(s);
    return eat(s, ':') ? 0 : -EPROTO;
}

/* The beginning of a value: a scalar whole, a container up to its first member. *ret_inside: the
 * next thing is a value inside of it. */
static int value(struct scan *s, bool *ret_inside)
{
    *ret_inside = false;
    skip_space(s);
    if (s->at == s->end)
        return -EPROTO;
    if (++s->values > BH_JSON_VALUES)
        return -E2BIG;
    unsigned char c = *s->at;
    switch (c) {
    case '"':
        s->at++;
        return string(s);
    case 't':
        return literal(s, "true");
    case 'f':
        return literal(s, "false");
    case 'n':
        return literal(s, "null");
    case '{':
    case '[':
        break;
    default:
        return number(s);
    }
    s->at++;
    if (s->depth == BH_JSON_DEPTH)
        return -E2BIG;
    skip_space(s);
    if (eat(s, c == '{' ? '}' : ']'))
        return 0;
    uint32_t bit = UINT32_C(1) << s->depth++;
    s->objects = c == '{' ? s->objects | bit : s->objects & ~bit;
    *ret_inside = true;
    return c == '{' ? member_name(s) : 0;
}

/* What follows a value. *ret_more: another value of the same container. */
static int after(struct scan *s, bool *ret_more)
{
    *ret_more = false;
    while (s->depth) {
        bool object = s->objects >> (s->depth - 1) & 1u;
        skip_space(s);
        if (eat(s, ',')) {
            *ret_more = true;
            return object ? member_name(s) : 0;
        }
        if (!eat(s, object ? '}' : ']'))
            return -EPROTO;
        s->depth--;
    }
    skip_space(s);
    return s->at == s->end ? 0 : -EPROTO;
}

int bh_json_gate(const unsigned char *data, size_t len)
{
    struct scan s = {.at = data, .end = data + len};
    bool more = true;
    while (more) {
        bool inside;
        int rc = value(&s, &inside);
        if (rc == 0 && !inside)
            rc = after(&s, &more);
        if (rc < 0)
            return rc;
    }
    return 0;
}
