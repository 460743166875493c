/* SPDX-License-Identifier: MIT
 * Escaped text and attributes hold no byte that could end them, and read back as they were; names
 * that are taken fit between < and > ; URLs that are allowed run no code. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vdom/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_back(const bh_buf *out, const char *s, size_t len)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"&amp;", '&'},  {"&lt;", '<'},   {"&gt;", '>'},
                    {"&quot;", '"'}, {"&#13;", '\r'}, {"\xef\xbf\xbd", '\0'}};
    const char *p = (const char *)out->data;
    size_t at = 0;
    for (size_t i = 0; i < len; i++) {
        if (at < out->len && p[at] == s[i] && s[i] != '&') {
            at++;
            continue;
        }
        size_t k = 0;
        while (k < 6 && entities[k].c != s[i]) k++;
        require(k < 6 && out->len - at >= strlen(entities[k].name));
        require(memcmp(p + at, entities[k].name, strlen(entities[k].name)) == 0);
        at += strlen(entities[k].name);
    }
    require(at == out->len);
}

static void escapes(const char *s, size_t len)
{
    bh_buf out;
    bh_buf_init(&out);
    bh_html_escape_text(&out, s, len);
    for (size_t i = 0; i < out.len; i++)
        require(out.data[i] != '<' && out.data[i] != '>' && out.data[i] != '\r' && out.data[i]);
    read_back(&out, s, len);
    out.len = 0;
    bh_html_escape_attr(&out, s, len);
    for (size_t i = 0; i < out.len; i++)
        require(out.data[i] != '"' && out.data[i] != '<' && out.data[i] != '\r' && out.data[i]);
    read_back(&out, s, len);
    bh_buf_fini(&out);
}

/* What a browser reduces to a scheme that runs code must not be allowed. */
static void url(const char *s, char *plain)
{
    size_t n = 0;
    const char *p = s;
    while (*p && (unsigned char)*p <= ' ') p++;
    for (; *p; p++)
        if (*p != '\t' && *p != '\n' && *p != '\r')
            plain[n++] = *p;
    plain[n] = '\0';
    if (!strncasecmp(plain, "javascript:", 11) || !strncasecmp(plain, "vbscript:", 9) ||
        !strncasecmp(plain, "data:text", 9))
        require(!bh_url_allowed(s, false) && !bh_url_allowed(s, true));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char unsafe[] = " \t\r\n\f\"'<>/=&`";
    char *s = malloc(size + 1), *plain = malloc(size + 1);
    require(s && plain);
    memcpy(s, data, size);
    s[size] = '\0';
    escapes(s, size);
    url(s, plain);
    bh_names *names = bh_names_new();
    uint16_t tag = bh_tag_atom(names, s), attr = bh_attr_atom_of(names, s);
    require(!tag || (!strpbrk(s, unsafe) && strcasecmp(s, "script")));
    require(!attr || (!strpbrk(s, unsafe) && strncasecmp(s, "on", 2)));
    require(!tag || !strcasecmp(bh_tag_name(names, tag)->html, s));
    bh_names_free(names);
    free(plain);
    free(s);
    return 0;
}
