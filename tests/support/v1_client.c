/* SPDX-License-Identifier: MIT */
#include "tests/support/v1_client.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names, as a client has them: plain lists in wire order --------------------------------------- */

static const char *const tag_names[] = {
    "",
#define BH_TAG(id, name, flags) name,
#include <backhaul/names.def>
};
enum { VOID, RAWTEXT, SVG, MATHML, URL, PROP, ENUM, BOOL, STYLE };
static const struct {
    const char *html;
    bool prop;
} attr_names[] = {
    {"", false},
#define BH_ATTR_STR(field, html, react, flags) {html, (flags) == PROP},
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags) {html, (flags) == PROP},
#include <backhaul/names.def>
};
static const char *const event_names[] = {
    "",
#define BH_EVENT(id, dom, react) dom,
#include <backhaul/names.def>
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- the page --------------------------------------------------------------------------------------- */

static void *grow(void *p, size_t size)
{
    void *q = realloc(p, size);
    if (!q)
        abort();
    return q;
}

static char *copy(const char *s, size_t len)
{
    char *p = grow(NULL, len + 1);
    if (len)
        memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

static v1_node *node_new(void)
{
    v1_node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    return n;
}

static void attr_clear(v1_attr *a)
{
    free(a->name);
    free(a->value);
}

static void node_free(v1_client *c, v1_node *n)
{
    for (size_t i = 0; i < n->n_children; i++) node_free(c, n->children[i]);
    for (size_t i = 0; i < n->n_attrs; i++) attr_clear(&n->attrs[i]);
    if (n->nid && n->nid < c->cap_nid)
        c->by_nid[n->nid] = NULL;
    free(n->tag);
    free(n->ns);
    free(n->text);
    free(n->style);
    free(n->attrs);
    free(n->children);
    free(n);
}

static void view_new(v1_client *c)
{
    c->view = node_new();
    c->view->tag = copy("", 0);
    c->view->ns = copy("", 0);
    c->next_nid = 1;
}

void v1_client_init(v1_client *c)
{
    memset(c, 0, sizeof *c);
    view_new(c);
}

void v1_client_fini(v1_client *c)
{
    node_free(c, c->view);
    free(c->by_nid);
    memset(c, 0, sizeof *c);
}

static void number(v1_client *c, v1_node *n)
{
    n->nid = c->next_nid++;
    if (n->nid >= c->cap_nid) {
        size_t cap = c->cap_nid ? c->cap_nid * 2 : 64;
        c->by_nid = grow(c->by_nid, cap * sizeof *c->by_nid);
        memset(c->by_nid + c->cap_nid, 0, (cap - c->cap_nid) * sizeof *c->by_nid);
        c->cap_nid = cap;
    }
    c->by_nid[n->nid] = n;
}

static size_t index_of(const v1_node *n)
{
    size_t i = 0;
    while (n->parent->children[i] != n) i++;
    return i;
}

static void detach(v1_node *n)
{
    v1_node *p = n->parent;
    size_t i = index_of(n);
    memmove(p->children + i, p->children + i + 1, (p->n_children - i - 1) * sizeof *p->children);
    p->n_children--;
    n->parent = NULL;
}

static void attach(v1_node *parent, v1_node *n, v1_node *before)
{
    if (parent->n_children == parent->cap_children) {
        parent->cap_children = parent->cap_children ? parent->cap_children * 2 : 4;
        parent->children = grow(parent->children, parent->cap_children * sizeof(v1_node *));
    }
    size_t i = before ? index_of(before) : parent->n_children;
    memmove(parent->children + i + 1, parent->children + i,
            (parent->n_children - i) * sizeof *parent->children);
    parent->children[i] = n;
    parent->n_children++;
    n->parent = parent;
}

/* ---- frames ------------------------------------------------------------------------------------------- */

struct in {
    v1_client *c;
    const unsigned char *at, *end;
    bool bad;
};

BH_PRINTF(2, 3) static void bad(struct in *in, const char *format, ...)
{
    va_list args;
    if (!in->bad) {
        va_start(args, format);
        vsnprintf(in->c->why, sizeof in->c->why, format, args);
        va_end(args);
    }
    in->bad = true;
    in->at = in->end;
}

static uint32_t num(struct in *in)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (in->at == in->end) {
            bad(in, "cut off in a number");
            return 0;
        }
        unsigned char b = *in->at++;
        v |= (uint64_t)(b & 0x7fu) << shift;
        if (b < 0x80) {
            if (v > UINT32_MAX)
                break;
            return (uint32_t)v;
        }
    }
    bad(in, "number too big");
    return 0;
}

static char *str(struct in *in)
{
    uint32_t len = num(in);
    if (len > (size_t)(in->end - in->at)) {
        bad(in, "cut off in a string");
        len = 0;
    }
    char *s = copy((const char *)in->at, len);
    in->at += len;
    return s;
}

static v1_node *node(struct in *in, uint32_t nid)
{
    v1_client *c = in->c;
    if (nid == 0)
        return c->view;
    if (nid >= c->cap_nid || !c->by_nid[nid]) {
        bad(in, "no node %u", nid);
        return NULL;
    }
    return c->by_nid[nid];
}

static v1_node *element(struct in *in, uint32_t nid)
{
    v1_node *n = node(in, nid);
    if (n && (!n->tag || nid == 0)) {
        bad(in, "node %u is no element", nid);
        return NULL;
    }
    return n;
}

static v1_attr *find_attr(const v1_node *n, const char *name, bool prop, bool handler)
{
    for (size_t i = 0; i < n->n_attrs; i++) {
        v1_attr *a = &n->attrs[i];
        if (strcmp(a->name, name) == 0 && a->prop == prop && a->handler == handler)
            return a;
    }
    return NULL;
}

static v1_attr *make_attr(v1_node *n, const char *name, bool prop, bool handler)
{
    v1_attr *a = find_attr(n, name, prop, handler);
    if (a)
        return a;
    n->attrs = grow(n->attrs, (n->n_attrs + 1) * sizeof *n->attrs);
    a = &n->attrs[n->n_attrs++];
    memset(a, 0, sizeof *a);
    a->name = copy(name, strlen(name));
    a->prop = prop;
    a->handler = handler;
    return a;
}

static void drop_attr(v1_node *n, v1_attr *a)
{
    if (!a)
        return;
    attr_clear(a);
    *a = n->attrs[--n->n_attrs];
}

static char *attr_name(struct in *in, bool *ret_prop)
{
    uint32_t code = num(in);
    *ret_prop = false;
    if (code == 0)
        return str(in);
    if (code >= COUNT(attr_names)) {
        bad(in, "no attribute %u", code);
        code = 0;
    }
    *ret_prop = attr_names[code].prop;
    return copy(attr_names[code].html, strlen(attr_names[code].html));
}

static uint32_t event_code(struct in *in)
{
    uint32_t code = num(in);
    if (code == 0 || code >= COUNT(event_names)) {
        bad(in, "no event %u", code);
        code = 0;
    }
    return code;
}

/* One of ATTR, DEL, BOOL, ON, OFF, HTML, STYLE on an element. */
static void attr_op(struct in *in, v1_node *n, unsigned op)
{
    bool prop;
    if (op == 2 || op == 3 || op == 4) {
        char *name = attr_name(in, &prop);
        if (op == 3) {
            if (!prop && strcmp(name, "style") == 0) {
                free(n->style);
                n->style = NULL;
            }
            drop_attr(n, find_attr(n, name, prop, false));
        } else {
            char *value = op == 2 ? str(in) : num(in) ? copy("true", 4) : copy("false", 5);
            v1_attr *a = make_attr(n, name, prop, false);
            free(a->value);
            a->value = value;
            a->boolean = op == 4;
            if (op == 4 && !prop && strcmp(value, "false") == 0)
                drop_attr(n, a);
        }
        free(name);
    } else if (op == 9) {
        uint32_t code = event_code(in);
        v1_attr *a = make_attr(n, event_names[code], false, true);
        a->code = code;
        a->hid = num(in);
        a->flags = num(in);
    } else if (op == 10) {
        v1_attr *a = find_attr(n, event_names[event_code(in)], false, true);
        if (!a)
            bad(in, "OFF of what is not on");
        drop_attr(n, a);
    } else if (op == 11) {
        free(n->text);
        n->text = str(in);
        if (!*n->text) {
            free(n->text);
            n->text = NULL;
        }
    } else {
        free(n->style);
        n->style = str(in);
    }
}

static const char *child_ns(const v1_node *parent)
{
    return strcmp(parent->tag, "foreignObject") == 0 ? "" : parent->ns;
}

static v1_node *build(struct in *in, const char *ns)
{
    v1_node *n = node_new();
    uint32_t kind = num(in);
    number(in->c, n);
    if (kind == 2) {
        n->text = str(in);
        return n;
    }
    if (kind != 1)
        bad(in, "no node kind %u", kind);
    uint32_t code = num(in);
    if (code >= COUNT(tag_names)) {
        bad(in, "no tag %u", code);
        code = 1;
    }
    n->tag = code ? copy(tag_names[code], strlen(tag_names[code])) : str(in);
    if (strcmp(n->tag, "svg") == 0 || strcmp(n->tag, "math") == 0)
        ns = n->tag;
    n->ns = copy(ns, strlen(ns));
    for (uint32_t i = num(in); i && !in->bad; i--) {
        uint32_t op = num(in);
        if (op == 2 || op == 4 || op == 9 || op == 11 || op == 12)
            attr_op(in, n, op);
        else
            bad(in, "no attribute kind %u", op);
    }
    for (uint32_t i = num(in); i && !in->bad; i--) attach(n, build(in, child_ns(n)), NULL);
    return n;
}

static void insert(struct in *in)
{
    uint32_t parent_nid = num(in), before_nid = num(in);
    v1_node *parent = parent_nid ? element(in, parent_nid) : in->c->view;
    v1_node *before = before_nid ? node(in, before_nid) : NULL;
    if (before && before->parent != parent)
        bad(in, "INSERT before a node of another parent");
    if (in->bad)
        return;
    v1_node *n = build(in, child_ns(parent));
    attach(parent, n, before);
}

static bool within(const v1_node *n, const v1_node *top)
{
    while (n && n != top) n = n->parent;
    return n != NULL;
}

static void move(struct in *in, bool last)
{
    uint32_t nid = num(in), to = num(in);
    v1_node *n = node(in, nid), *other = node(in, to);
    if (in->bad)
        return;
    v1_node *parent = last ? other : other->parent;
    if (!nid || !parent || !parent->tag || within(parent, n) || (!last && n == other)) {
        bad(in, "MOVE of %u to an impossible place", nid);
        return;
    }
    detach(n);
    attach(parent, n, last ? NULL : other);
}

static void welcome(struct in *in)
{
    in->c->welcome = num(in);
    char *token = str(in);
    snprintf(in->c->token, sizeof in->c->token, "%s", token);
    free(token);
}

static void notice(struct in *in)
{
    num(in);
    char *text = str(in);
    snprintf(in->c->notice, sizeof in->c->notice, "%s", text);
    in->c->notices++;
    free(text);
}

static void frame_op(struct in *in)
{
    v1_client *c = in->c;
    v1_node *n;
    uint32_t op = num(in);
    if (op == 0 || op >= COUNT(c->ops)) {
        bad(in, "no op %u", op);
        return;
    }
    c->ops[op]++;
    switch (op) {
    case 1:
        n = node(in, num(in));
        if (n && n->tag)
            bad(in, "TEXT of an element");
        if (n && !n->tag) {
            free(n->text);
            n->text = str(in);
        }
        break;
    case 5:
        insert(in);
        break;
    case 6:
    case 7:
        move(in, op == 7);
        break;
    case 8:
        n = node(in, num(in));
        if (n == c->view)
            bad(in, "REMOVE of the view");
        else if (n) {
            detach(n);
            node_free(c, n);
        }
        break;
    case 13:
        welcome(in);
        break;
    case 14:
        node_free(c, c->view);
        view_new(c);
        c->resets++;
        break;
    case 15:
        c->pongs++;
        break;
    case 16:
        notice(in);
        break;
    default:
        n = element(in, num(in));
        if (n)
            attr_op(in, n, op);
        break;
    }
}

int v1_client_frame(v1_client *c, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    struct in in = {c, bytes, bytes + len, false};
    uint32_t seq = num(&in), ack = num(&in);
    c->frames++;
    if (!in.bad && seq && seq <= c->seq) {
        c->replayed++;
        return 0;
    }
    if (!in.bad && seq && seq != c->seq + 1)
        bad(&in, "frame %u after %u", seq, c->seq);
    while (in.at < in.end) frame_op(&in);
    if (in.bad)
        return -1;
    if (seq)
        c->seq = seq;
    if (ack > c->ack)
        c->ack = ack;
    return 0;
}

/* ---- looking ------------------------------------------------------------------------------------------ */

static v1_node *find(v1_node *n, bool (*is)(const v1_node *n, const char *a, const char *b),
                     const char *a, const char *b, unsigned *nth)
{
    if (is(n, a, b) && (*nth)-- == 0)
        return n;
    for (size_t i = 0; i < n->n_children; i++) {
        v1_node *found = find(n->children[i], is, a, b, nth);
        if (found)
            return found;
    }
    return NULL;
}

static bool is_tag(const v1_node *n, const char *tag, const char *unused)
{
    (void)unused;
    return n->tag && strcmp(n->tag, tag) == 0;
}

static bool has_attr(const v1_node *n, const char *name, const char *value)
{
    const char *is = v1_node_attr(n, name);
    return is && strcmp(is, value) == 0;
}

v1_node *v1_client_tag(v1_client *c, const char *tag, unsigned nth)
{
    return find(c->view, is_tag, tag, NULL, &nth);
}

v1_node *v1_client_attr(v1_client *c, const char *name, const char *value)
{
    unsigned nth = 0;
    return find(c->view, has_attr, name, value, &nth);
}

const char *v1_node_attr(const v1_node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attrs; i++)
        if (!n->attrs[i].handler && strcmp(n->attrs[i].name, name) == 0)
            return n->attrs[i].value;
    return NULL;
}

const v1_attr *v1_node_handler(const v1_node *n, const char *event)
{
    return find_attr(n, event, false, true);
}

void v1_node_text(const v1_node *n, bh_buf *out)
{
    if (!n->tag)
        bh_buf_str(out, n->text);
    for (size_t i = 0; i < n->n_children; i++) v1_node_text(n->children[i], out);
}

bool v1_node_shows(const v1_node *n, const char *text)
{
    bh_buf buf;
    bh_buf_init(&buf);
    v1_node_text(n, &buf);
    bool same =
        buf.len == strlen(text) && memcmp(buf.len ? (char *)buf.data : "", text, buf.len) == 0;
    bh_buf_fini(&buf);
    return same;
}

/* ---- the notation -------------------------------------------------------------------------------------- */

static void json_str(bh_buf *out, const char *s)
{
    bh_buf_byte(out, '"');
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        char text[8];
        if (ch == '"' || ch == '\\') {
            bh_buf_byte(out, '\\');
            bh_buf_byte(out, ch);
        } else if (ch < 0x20) {
            snprintf(text, sizeof text, "\\u%04x", ch);
            bh_buf_str(out, text);
        } else {
            bh_buf_byte(out, ch);
        }
    }
    bh_buf_byte(out, '"');
}

static bool control(const v1_node *n)
{
    return strcmp(n->tag, "input") == 0 || strcmp(n->tag, "select") == 0 ||
           strcmp(n->tag, "textarea") == 0;
}

/* 0 attribute, 1 live property, 2 handler. `value` of a button is an attribute like any other. */
static int group_of(const v1_node *n, const v1_attr *a)
{
    if (a->handler)
        return 2;
    return a->prop && (control(n) || strcmp(a->name, "selected") == 0);
}

static int by_attr_name(const void *x, const void *y)
{
    const v1_attr *const *a = x, *const *b = y;
    return strcmp((*a)->name, (*b)->name);
}

static void json_group(const v1_node *n, int group, const char *title, bh_buf *out)
{
    const v1_attr *list[256];
    size_t used = 0;
    for (size_t i = 0; i < n->n_attrs && used < COUNT(list); i++)
        if (group_of(n, &n->attrs[i]) == group &&
            (group || !n->attrs[i].boolean || n->attrs[i].value[0] == 't'))
            list[used++] = &n->attrs[i];
    if (used == 0)
        return;
    qsort(list, used, sizeof *list, by_attr_name);
    bh_buf_str(out, title);
    for (size_t i = 0; i < used; i++) {
        const v1_attr *a = list[i];
        char text[48];
        bh_buf_byte(out, i ? ',' : '{');
        json_str(out, a->name);
        bh_buf_byte(out, ':');
        if (group == 2) {
            snprintf(text, sizeof text, "[%u,%u]", a->hid, a->flags);
            bh_buf_str(out, text);
        } else if (a->boolean && group == 1) {
            bh_buf_str(out, a->value);
        } else {
            json_str(out, a->boolean ? "" : a->value);
        }
    }
    bh_buf_byte(out, '}');
}

static void json_children(const v1_node *n, bh_buf *out);

static void json_node(const v1_node *n, bh_buf *out)
{
    if (!n->tag) {
        json_str(out, n->text);
        return;
    }
    bh_buf_str(out, "{\"tag\":");
    json_str(out, n->tag);
    if (*n->ns) {
        bh_buf_str(out, ",\"ns\":");
        json_str(out, n->ns);
    }
    json_group(n, 0, ",\"attrs\":", out);
    json_group(n, 1, ",\"props\":", out);
    if (n->style) {
        bh_buf_str(out, ",\"style\":");
        json_str(out, n->style);
    }
    json_group(n, 2, ",\"on\":", out);
    if (n->text) {
        bh_buf_str(out, ",\"html\":");
        json_str(out, n->text);
    }
    if (n->n_children) {
        bh_buf_str(out, ",\"children\":");
        json_children(n, out);
    }
    bh_buf_byte(out, '}');
}

static void json_children(const v1_node *n, bh_buf *out)
{
    bh_buf_byte(out, '[');
    for (size_t i = 0; i < n->n_children; i++) {
        if (i)
            bh_buf_byte(out, ',');
        json_node(n->children[i], out);
    }
    bh_buf_byte(out, ']');
}

void v1_client_json(const v1_client *c, bh_buf *out) { json_children(c->view, out); }

/* ---- what a browser sends ------------------------------------------------------------------------------- */

static void put_num(bh_buf *out, uint64_t v)
{
    for (; v >= 128; v /= 128) bh_buf_byte(out, (unsigned char)(128 + v % 128));
    bh_buf_byte(out, (unsigned char)v);
}

static void put_signed(bh_buf *out, double v)
{
    int64_t i = (int64_t)v;
    put_num(out, i < 0 ? (uint64_t)(-i) * 2 - 1 : (uint64_t)i * 2);
}

static void put_text(bh_buf *out, const char *s)
{
    put_num(out, strlen(s));
    bh_buf_str(out, s);
}

void v1_put_hello(bh_buf *out, const char *token, uint32_t last, uint32_t nodes)
{
    bh_buf_byte(out, 1);
    bh_buf_byte(out, 1);
    put_text(out, token);
    put_num(out, last);
    put_num(out, nodes);
}

void v1_put_event(bh_buf *out, uint32_t seq, uint32_t ack, uint32_t hid, const bh_event *ev)
{
    bh_buf_byte(out, 2);
    put_num(out, seq);
    put_num(out, ack);
    put_num(out, hid);
    if (!ev)
        return;
    if (ev->value && *ev->value) {
        bh_buf_byte(out, 1);
        put_text(out, ev->value);
    }
    if (ev->checked)
        bh_buf_byte(out, 2);
    if (ev->key && *ev->key) {
        bh_buf_byte(out, 3);
        put_text(out, ev->key);
    }
    if (ev->mods) {
        bh_buf_byte(out, 4);
        bh_buf_byte(out, (unsigned char)ev->mods);
    }
    if ((int)ev->x || (int)ev->y) {
        bh_buf_byte(out, 5);
        put_signed(out, ev->x);
        put_signed(out, ev->y);
    }
    if (ev->button) {
        bh_buf_byte(out, 6);
        bh_buf_byte(out, (unsigned char)ev->button);
    }
    for (size_t i = 0; i < ev->n_fields; i++) {
        bh_buf_byte(out, 7);
        put_text(out, ev->fields[i].name);
        put_text(out, ev->fields[i].value);
    }
}

void v1_put_ack(bh_buf *out, uint32_t seq)
{
    bh_buf_byte(out, 3);
    put_num(out, seq);
}

void v1_put_ping(bh_buf *out) { bh_buf_byte(out, 4); }

void v1_client_event(v1_client *c, bh_buf *out, uint32_t hid, const bh_event *ev)
{
    v1_put_event(out, ++c->sent, c->seq, hid, ev);
}
