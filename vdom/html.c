/* SPDX-License-Identifier: MIT
 * vdom/html.c — a tree as HTML that parses back into the same nodes. */
#include "vdom/html.h"

#include <string.h>

/* What the parser would do to the next bytes, and what a select passes down to its options. */
typedef struct writer {
    bh_buf *out;
    const bh_names *names;
    const char *select_value; /* of the select that is open, until an option has matched */
    uint32_t select_len;
    bool after_text; /* a text would merge with the one before */
    bool at_start;   /* right after <pre>, <textarea>, <listing>: a newline would be dropped */
} writer;

/* ---- escaping ------------------------------------------------------------------------------- */

/* A carriage return would be read as a newline, and NUL be dropped. */
static void escape(bh_buf *out, const char *s, size_t len, bool attr)
{
    size_t from = 0;
    for (size_t i = 0; i < len; i++) {
        const char *entity;
        switch (s[i]) {
        case '&':
            entity = "&amp;";
            break;
        case '<':
            entity = "&lt;";
            break;
        case '>':
            entity = attr ? NULL : "&gt;";
            break;
        case '"':
            entity = attr ? "&quot;" : NULL;
            break;
        case '\r':
            entity = "&#13;";
            break;
        case '\0':
            entity = "\xef\xbf\xbd";
            break;
        default:
            continue;
        }
        if (!entity)
            continue;
        bh_buf_put(out, s + from, i - from);
        bh_buf_str(out, entity);
        from = i + 1;
    }
    if (from < len) /* an empty string may be NULL, from which nothing is computed */
        bh_buf_put(out, s + from, len - from);
}

void bh_html_escape_text(bh_buf *out, const char *s, size_t len) { escape(out, s, len, false); }
void bh_html_escape_attr(bh_buf *out, const char *s, size_t len) { escape(out, s, len, true); }

/* ---- nodes ---------------------------------------------------------------------------------- */

static void write_node(writer *w, const bh_node *n);

static const bh_node *contents(const bh_node *n)
{
    if (n->kind != BH_NODE_SLOT)
        return bh_node_has_children(n) ? n->u.el.first : NULL;
    return n->u.slot.slot && n->u.slot.slot->cur ? n->u.slot.slot->cur->u.el.first : NULL;
}

/* What sets a newline apart that would be the first thing in a pre. */
static void guard_newline(writer *w, const char *s, size_t len)
{
    if (w->at_start && len && s[0] == '\n')
        bh_buf_byte(w->out, '\n');
    w->at_start = false;
}

static void write_text(writer *w, const char *s, size_t len)
{
    if (len == 0) {
        bh_buf_str(w->out, "<!--e-->");
        w->after_text = false;
        w->at_start = false;
        return;
    }
    if (w->after_text)
        bh_buf_str(w->out, "<!---->");
    guard_newline(w, s, len);
    bh_html_escape_text(w->out, s, len);
    w->after_text = true;
}

static void write_attr(writer *w, const char *name, const char *value, size_t len)
{
    bh_buf_byte(w->out, ' ');
    bh_buf_str(w->out, name);
    bh_buf_str(w->out, "=\"");
    bh_html_escape_attr(w->out, value, len);
    bh_buf_byte(w->out, '"');
}

static void write_flag(writer *w, const char *name)
{
    bh_buf_byte(w->out, ' ');
    bh_buf_str(w->out, name);
    bh_buf_str(w->out, "=\"\"");
}

static void gather_text(bh_buf *out, const bh_node *n)
{
    if (n->kind == BH_NODE_TEXT)
        bh_buf_put(out, n->u.text.str, n->len);
    for (const bh_node *c = contents(n); c; c = c->next)
        gather_text(out, c);
}

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }

/* An option without a value has its text for one, blanks stripped and collapsed. */
static bool option_matches(const writer *w, const bh_node *option)
{
    const bh_attr *value = bh_node_attr(option, BH_A_value);
    if (!value)
        value = bh_node_attr(option, BH_A_default_value);
    if (value && value->kind == BH_VAL_STR)
        return value->len == w->select_len && !memcmp(value->u.str, w->select_value, value->len);
    bh_buf text;
    bh_buf_init(&text);
    gather_text(&text, option);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!is_space(text.data[i]))
            text.data[n++] = text.data[i];
        else if (n && text.data[n - 1] != ' ')
            text.data[n++] = ' ';
    if (n && text.data[n - 1] == ' ')
        n--;
    bool equal = n == w->select_len && (n == 0 || !memcmp(text.data, w->select_value, n));
    bh_buf_fini(&text);
    return equal;
}

/* Whether the attribute that is meant for the live property stands in the way of its default. */
static bool overruled(const bh_node *n, const bh_attr *a)
{
    if (a->atom == BH_A_default_value)
        return bh_node_attr(n, BH_A_value) != NULL;
    return a->atom == BH_A_default_checked && bh_node_attr(n, BH_A_checked) != NULL;
}

static void write_attrs(writer *w, const bh_node *n)
{
    bool value_inside = n->tag == BH_TAG_TEXTAREA || n->tag == BH_TAG_SELECT;
    bool selected = false;
    for (unsigned i = 0; i < n->n_attrs; i++) {
        const bh_attr *a = &n->u.el.attrs[i];
        if (a->kind == BH_VAL_HANDLER || overruled(n, a))
            continue;
        if (value_inside && (a->atom == BH_A_value || a->atom == BH_A_default_value))
            continue;
        if (a->kind == BH_VAL_RAW) {
            write_flag(w, "data-bh-raw");
            continue;
        }
        const bh_name *name = bh_attr_name(w->names, a->atom);
        if (a->kind == BH_VAL_TRUE) {
            selected |= a->atom == BH_A_selected;
            write_flag(w, name->html);
        } else if (a->kind == BH_VAL_STR) {
            write_attr(w, name->flags & BH_NAME_STYLE ? "data-bh-style" : name->html, a->u.str,
                       a->len);
        }
    }
    if (n->tag == BH_TAG_OPTION && w->select_value && option_matches(w, n)) {
        w->select_value = NULL; /* the first that matches */
        if (!selected)
            write_flag(w, "selected");
    }
}

static const bh_attr *value_of(const bh_node *n)
{
    const bh_attr *a = bh_node_attr(n, BH_A_value);
    if (!a)
        a = bh_node_attr(n, BH_A_default_value);
    return a && a->kind == BH_VAL_STR ? a : NULL;
}

static void write_children(writer *w, const bh_node *n)
{
    for (const bh_node *c = contents(n); c; c = c->next)
        write_node(w, c);
}

static void write_inside(writer *w, const bh_node *n)
{
    if (n->flags & BH_NODE_RAW) {
        for (unsigned i = 0; i < n->n_attrs; i++)
            if (n->u.el.attrs[i].kind == BH_VAL_RAW) {
                guard_newline(w, n->u.el.attrs[i].u.str, n->u.el.attrs[i].len);
                bh_buf_put(w->out, n->u.el.attrs[i].u.str, n->u.el.attrs[i].len);
            }
        return;
    }
    if (n->tag == BH_TAG_TEXTAREA) {
        /* No comment is recognised inside: its value goes in as it is, or texts one by one. */
        bh_buf text;
        bh_buf_init(&text);
        const bh_attr *value = value_of(n);
        if (value)
            bh_buf_put(&text, value->u.str, value->len);
        else
            gather_text(&text, n);
        guard_newline(w, (const char *)text.data, text.len);
        bh_html_escape_text(w->out, (const char *)text.data, text.len);
        bh_buf_fini(&text);
        return;
    }
    if (n->tag == BH_TAG_SELECT) {
        const char *outer = w->select_value;
        uint32_t outer_len = w->select_len;
        const bh_attr *value = value_of(n);
        w->select_value = value ? value->u.str : NULL;
        w->select_len = value ? value->len : 0;
        write_children(w, n);
        w->select_value = outer;
        w->select_len = outer_len;
        return;
    }
    write_children(w, n);
}

static void write_element(writer *w, const bh_node *n)
{
    const bh_name *name = bh_tag_name(w->names, n->tag);
    bh_buf_byte(w->out, '<');
    bh_buf_put(w->out, name->html, name->len);
    write_attrs(w, n);
    bh_buf_byte(w->out, '>');
    w->after_text = false;
    w->at_start =
        n->tag == BH_TAG_PRE || n->tag == BH_TAG_TEXTAREA || !strcmp(name->html, "listing");
    if (!(name->flags & BH_NAME_VOID)) {
        write_inside(w, n);
        bh_buf_str(w->out, "</");
        bh_buf_put(w->out, name->html, name->len);
        bh_buf_byte(w->out, '>');
    }
    w->after_text = false;
    w->at_start = false;
}

static void write_node(writer *w, const bh_node *n)
{
    switch ((bh_node_kind)n->kind) {
    case BH_NODE_TEXT:
        write_text(w, n->u.text.str, n->len);
        break;
    case BH_NODE_ELEMENT:
        write_element(w, n);
        break;
    case BH_NODE_FRAGMENT:
    case BH_NODE_SLOT:
        write_children(w, n);
        break;
    }
}

void bh_html_write(bh_buf *out, const bh_names *names, const bh_node *root)
{
    writer w = {.out = out, .names = names};
    write_node(&w, root);
}
