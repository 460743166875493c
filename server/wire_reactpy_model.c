/* SPDX-License-Identifier: MIT
 * The VDOM JSON of ReactPy: a tree as `{"tagName":…,"key":…,"attributes":…,"eventHandlers":…,
 * "children":[…]}`. Children are objects and strings only: anything else kills a 0.3.2 page.
 * The walk keeps no stack: components in components may nest deeper than C frames should. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/json_plain.h"
#include "server/utf8.h"
#include "server/wire_reactpy.h"

#define PUT(out, literal) bh_buf_put(out, "" literal, sizeof(literal) - 1)

/* ---- strings -------------------------------------------------------------------------------------- */

/* Longest that one byte becomes: \u00XX, or three bytes for one that is not UTF-8. */
enum { ESCAPE_MAX = 6, BLOCK = 2048, STEP = 16 };

/* One character that does not stand for itself: at *s, written to p. Returns the new p. */
static unsigned char *special(unsigned char *p, const unsigned char **s, const unsigned char *end)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char c = **s;
    if (c >= 0x80) {
        size_t n = bh_utf8_step(*s, (size_t)(end - *s));
        if (n == 0) { /* a text message that is not UTF-8 would cost the connection */
            memcpy(p, "\xef\xbf\xbd", 3);
            ++*s;
            return p + 3;
        }
        for (size_t i = 0; i < n; i++)
            p[i] = (*s)[i];
        *s += n;
        return p + n;
    }
    ++*s;
    *p++ = '\\';
    switch (c) {
    case '"':
    case '\\':
        *p++ = c;
        return p;
    case '\n':
        *p++ = 'n';
        return p;
    case '\r':
        *p++ = 'r';
        return p;
    case '\t':
        *p++ = 't';
        return p;
    default:
        memcpy(p, "u00", 3);
        p[3] = (unsigned char)hex[c >> 4];
        p[4] = (unsigned char)hex[c & 15u];
        return p + 5;
    }
}

/* Escapes *at..stop, which may end inside a character that `end` lets it finish; there is room. */
static unsigned char *escape_block(unsigned char *p, const unsigned char **at,
                                   const unsigned char *stop, const unsigned char *end)
{
    const unsigned char *s = *at;
    while (s < stop) {
#ifdef __SSE2__
        while (stop - s >= STEP) { /* copies 16, keeps those before the first special one */
            __m128i x = _mm_loadu_si128((const __m128i *)(const void *)s);
            unsigned mask = bh__json_special(x);
            _mm_storeu_si128((__m128i *)(void *)p, x);
            unsigned n = mask ? (unsigned)__builtin_ctz(mask) : STEP;
            p += n;
            s += n;
            if (mask)
                break;
        }
#endif
        while (s < stop && bh__json_is_plain(*s))
            *p++ = *s++;
        while (s < stop && !bh__json_is_plain(*s))
            p = special(p, &s, end);
    }
    *at = s;
    return p;
}

static void put_escaped(bh_buf *out, const char *str, size_t len)
{
    const unsigned char *s = (const unsigned char *)str, *end = s + len;
    while (s < end) {
        size_t n = (size_t)(end - s) < BLOCK ? (size_t)(end - s) : BLOCK;
        unsigned char *p = bh_buf_room(out, n * ESCAPE_MAX + STEP);
        out->len += (size_t)(escape_block(p, &s, s + n, end) - p);
    }
}

void bh_json_string(bh_buf *out, const char *s, size_t len)
{
    bh_buf_byte(out, '"');
    put_escaped(out, s, len);
    bh_buf_byte(out, '"');
}

void bh__json_number(bh_buf *out, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    bh_buf_put(out, p, (size_t)(digits + sizeof digits - p));
}

/* ---- style ------------------------------------------------------------------------------------------ */

static bool css_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static const char *skip_comment(const char *s, const char *end)
{
    if (end - s < 2 || s[0] != '/' || s[1] != '*')
        return s;
    for (s += 2; end - s >= 2; s++)
        if (s[0] == '*' && s[1] == '/')
            return s + 2;
    return end;
}

/* End of a declaration's value: the `;` that is in no string, bracket or comment. */
static const char *css_value_end(const char *s, const char *end)
{
    unsigned depth = 0;
    while (s < end) {
        const char *past = skip_comment(s, end);
        if (past != s) {
            s = past;
            continue;
        }
        char c = *s++;
        if (c == ';' && depth == 0)
            return s - 1;
        if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (c == ')' || c == ']' || c == '}') {
            depth -= depth > 0;
        } else if (c == '\\') {
            s += s < end;
        } else if (c == '"' || c == '\'') {
            while (s < end && *s != c)
                s += *s == '\\' && end - s > 1 ? 2 : 1;
            s += s < end;
        }
    }
    return end;
}

/* `background-color` → backgroundColor, `-webkit-mask` → WebkitMask, `-ms-flex` → msFlex; custom
 * properties stay as they are. */
static void put_css_name(bh_buf *out, const char *s, size_t len)
{
    bh_buf_byte(out, '"');
    if (len >= 2 && s[0] == '-' && s[1] == '-') {
        put_escaped(out, s, len);
    } else {
        bool up = false;
        for (size_t i = len > 4 && strncmp(s, "-ms-", 4) == 0 ? 1 : 0; i < len; i++) {
            char c = s[i];
            if (c == '-') {
                up = true;
                continue;
            }
            if (up && c >= 'a' && c <= 'z')
                c = (char)(c - 'a' + 'A');
            else if (!up && c >= 'A' && c <= 'Z')
                c = (char)(c - 'A' + 'a');
            up = false;
            put_escaped(out, &c, 1);
        }
    }
    PUT(out, "\":");
}

static void trim_css(const char **from, const char **to)
{
    while (*from < *to && css_space(**from))
        (*from)++;
    while (*to > *from && css_space((*to)[-1]))
        (*to)--;
}

static void put_style(bh_buf *out, const char *s, size_t len)
{
    const char *end = s + len;
    bool first = true;
    bh_buf_byte(out, '{');
    while (s < end) {
        const char *past = skip_comment(s, end);
        if (past != s || css_space(*s) || *s == ';') {
            s = past != s ? past : s + 1;
            continue;
        }
        const char *stop = css_value_end(s, end), *name = s, *colon = s;
        while (colon < stop && *colon != ':')
            colon++;
        s = stop;
        if (colon == stop)
            continue; /* not a declaration: CSS drops it too */
        const char *name_end = colon, *value = colon + 1;
        trim_css(&name, &name_end);
        trim_css(&value, &stop);
        if (name_end == name || value == stop)
            continue;
        if (!first)
            bh_buf_byte(out, ',');
        first = false;
        put_css_name(out, name, (size_t)(name_end - name));
        bh_json_string(out, value, (size_t)(stop - value));
    }
    bh_buf_byte(out, '}');
}

/* ---- attributes and handlers ------------------------------------------------------------------------ */

const char *bh__reactpy_attr_name(const bh_reactpy_encoder *enc, uint16_t atom, unsigned kind)
{
    return kind == BH_VAL_RAW ? "dangerouslySetInnerHTML" : bh_attr_name(enc->names, atom)->react;
}

void bh__reactpy_value(const bh_reactpy_encoder *enc, const bh_attr *a)
{
    bh_buf *out = enc->out;
    switch ((bh_value_kind)a->kind) {
    case BH_VAL_STR:
        if (a->atom == BH_A_style)
            put_style(out, a->u.str, a->len);
        else
            bh_json_string(out, a->u.str, a->len);
        break;
    case BH_VAL_TRUE:
        PUT(out, "true");
        break;
    case BH_VAL_FALSE:
        PUT(out, "false");
        break;
    case BH_VAL_RAW:
        PUT(out, "{\"__html\":");
        bh_json_string(out, a->u.str, a->len);
        bh_buf_byte(out, '}');
        break;
    case BH_VAL_HANDLER: {
        const bh_handler_head *h = a->u.handler;
        PUT(out, "{\"target\":\"");
        bh__json_number(out, h->hid);
        if (h->flags & BH_PREVENT_DEFAULT)
            PUT(out, "\",\"preventDefault\":true,\"stopPropagation\":");
        else
            PUT(out, "\",\"preventDefault\":false,\"stopPropagation\":");
        if (h->flags & BH_STOP_PROPAGATION)
            PUT(out, "true}");
        else
            PUT(out, "false}");
        break;
    }
    }
}

bool bh__reactpy_ack(const bh_reactpy_encoder *enc, const bh_node *n, uint32_t *ret_seq)
{
    if (!enc->acks || n->kind != BH_NODE_ELEMENT ||
        (n->tag != BH_TAG_INPUT && n->tag != BH_TAG_SELECT && n->tag != BH_TAG_TEXTAREA))
        return false;
    uint32_t seq = 0;
    for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++)
        for (uint32_t i = 0; a->kind == BH_VAL_HANDLER && i < enc->acks->n; i++)
            if (enc->acks->at[i].hid == a->u.handler->hid && enc->acks->at[i].seq > seq)
                seq = enc->acks->at[i].seq;
    if (seq == 0)
        return false;
    *ret_seq = seq - 1; /* that client compares with the number before the one it sent */
    return true;
}

void bh_reactpy_acks_note(bh_reactpy_acks *acks, uint32_t hid, uint32_t seq)
{
    for (uint32_t i = 0; i < acks->n; i++) {
        if (acks->at[i].hid == hid) {
            if (acks->at[i].seq < seq)
                acks->at[i].seq = seq;
            return;
        }
    }
    uint32_t i = acks->n < BH_REACTPY_ACKS ? acks->n++ : acks->next++ % BH_REACTPY_ACKS;
    acks->at[i].hid = hid;
    acks->at[i].seq = seq;
}

/* React compares keys as strings, here 1 and "1" are two keys: a string that reads as a number or
 * begins with `$` gets a `$`. */
static void put_key(bh_buf *out, const bh_key *key)
{
    if (key->kind == BH_KEY_INT) {
        char text[24];
        int n = snprintf(text, sizeof text, "\"%" PRId64 "\"", key->u.num);
        bh_buf_put(out, text, (size_t)n);
        return;
    }
    const char *s = key->u.str, *digits = s + (*s == '-');
    bool number = *digits && digits[strspn(digits, "0123456789")] == '\0';
    bh_buf_byte(out, '"');
    if (number || *s == '$')
        bh_buf_byte(out, '$');
    put_escaped(out, s, strlen(s));
    bh_buf_byte(out, '"');
}

static const bh_key *key_of(const bh_node *n)
{
    return n->key && n->key->kind != BH_KEY_NONE && !(n->flags & BH_NODE_TWIN) ? n->key : NULL;
}

/* Members of `attributes` are written with a leading comma each; the first comma becomes the brace. */
static size_t put_attribute_members(const bh_reactpy_encoder *enc, const bh_node *n)
{
    bh_buf *out = enc->out;
    size_t start = out->len;
    if (n->kind == BH_NODE_ELEMENT) {
        for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++) {
            if (a->kind == BH_VAL_HANDLER)
                continue;
            const char *name = bh__reactpy_attr_name(enc, a->atom, a->kind);
            PUT(out, ",\"");
            bh_buf_str(out, name);
            PUT(out, "\":");
            bh__reactpy_value(enc, a);
        }
    }
    uint32_t ack;
    if (bh__reactpy_ack(enc, n, &ack)) {
        PUT(out, ",\"_reactpy_ack_seq\":");
        bh__json_number(out, ack);
    }
    const bh_key *key = key_of(n);
    if (key) {
        PUT(out, ",\"key\":");
        put_key(out, key);
    }
    return start;
}

static void put_members(bh_buf *out, size_t start)
{
    if (out->len == start)
        bh_buf_byte(out, '{');
    else
        out->data[start] = '{';
    bh_buf_byte(out, '}');
}

void bh__reactpy_attributes(const bh_reactpy_encoder *enc, const bh_node *n)
{
    put_members(enc->out, put_attribute_members(enc, n));
}

/* React's onChange is what the DOM calls input, and that client keeps a control in step with what is
 * typed only if it has one. */
static const char *handler_name(const bh_node *n, const bh_attr *a)
{
    bool control = n->tag == BH_TAG_INPUT || n->tag == BH_TAG_TEXTAREA || n->tag == BH_TAG_SELECT;
    if (a->atom == BH_ON_input && control) {
        const bh_attr *other = n->u.el.attrs, *end = bh_attrs_end(n);
        while (other < end && !(other->kind == BH_VAL_HANDLER && other->atom == BH_ON_change))
            other++;
        if (other == end)
            return "onChange";
    }
    return bh_event_react_name((bh_event_type)a->atom);
}

void bh__reactpy_handlers(const bh_reactpy_encoder *enc, const bh_node *n)
{
    bh_buf *out = enc->out;
    size_t start = out->len;
    for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++) {
        if (a->kind != BH_VAL_HANDLER)
            continue;
        PUT(out, ",\"");
        bh_buf_str(out, handler_name(n, a));
        PUT(out, "\":");
        bh__reactpy_value(enc, a);
    }
    put_members(out, start);
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static const bh_node *first_child(const bh_node *n)
{
    if (n->kind == BH_NODE_SLOT)
        return n->u.slot.slot && n->u.slot.slot->cur ? n->u.slot.slot->cur->u.el.first : NULL;
    return bh_node_has_children(n) ? n->u.el.first : NULL;
}

/* Writes n up to its children; true if there are some, then the array is open. */
static bool put_open(const bh_reactpy_encoder *enc, const bh_node *n)
{
    bh_buf *out = enc->out;
    if (n->kind == BH_NODE_TEXT) {
        bh_json_string(out, n->u.text.str, n->len);
        return false;
    }
    bool element = n->kind == BH_NODE_ELEMENT, handlers = false;
    PUT(out, "{\"tagName\":\"");
    if (element) {
        bh_buf_str(out, bh_tag_name(enc->names, n->tag)->html);
        for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++)
            handlers |= a->kind == BH_VAL_HANDLER;
    }
    bh_buf_byte(out, '"');
    const bh_key *key = key_of(n);
    if (key) { /* here for 0.3.x, among the attributes for 1.x */
        PUT(out, ",\"key\":");
        put_key(out, key);
    }
    size_t mark = out->len;
    PUT(out, ",\"attributes\":");
    size_t start = put_attribute_members(enc, n);
    if (out->len == start)
        out->len = mark;
    else
        put_members(out, start);
    if (handlers) {
        PUT(out, ",\"eventHandlers\":");
        bh__reactpy_handlers(enc, n);
    }
    if (first_child(n)) {
        PUT(out, ",\"children\":[");
        return true;
    }
    if (element) /* none, not an empty list: void elements and raw HTML must not have any */
        bh_buf_byte(out, '}');
    else
        PUT(out, ",\"children\":[]}");
    return false;
}

void bh__reactpy_model(const bh_reactpy_encoder *enc, const bh_node *n)
{
    const bh_node *top = n = bh__reactpy_object(n);
    for (;;) {
        if (put_open(enc, n)) {
            n = first_child(n);
            continue;
        }
        for (;;) {
            if (n == top)
                return;
            if (n->next) {
                bh_buf_byte(enc->out, ',');
                n = n->next;
                break;
            }
            n = bh__reactpy_object(n->parent);
            PUT(enc->out, "]}");
        }
    }
}

void bh__reactpy_children(const bh_reactpy_encoder *enc, const bh_node *n)
{
    bh_buf_byte(enc->out, '[');
    for (const bh_node *c = first_child(n); c; c = c->next) {
        bh__reactpy_model(enc, c);
        if (c->next)
            bh_buf_byte(enc->out, ',');
    }
    bh_buf_byte(enc->out, ']');
}
