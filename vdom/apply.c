/* SPDX-License-Identifier: MIT
 * vdom/apply.c — the page as a client would hold it: DOM nodes by number, nothing logical. */
#include "vdom/apply.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vdom/mem.h"

typedef struct page_attr {
    uint16_t atom;
    uint8_t kind; /* bh_value_kind */
    uint32_t len;
    uint32_t hid, flags; /* handler */
    char *str;
} page_attr;

typedef struct page_node page_node;
struct page_node {
    page_node *parent, *prev, *next, *first, *last;
    uint32_t nid, len;
    uint16_t tag; /* 0: text */
    uint16_t n_attrs;
    page_attr *attrs;
    char *text;
};

struct bh_page_model {
    const bh_names *names;
    page_node view; /* the root container, number 0 */
    page_node **by_nid;
    uint32_t cap;
    unsigned faults;
    char why[256];
};

static char *copy(const char *s, size_t len)
{
    char *p = bh_alloc(len + 1);
    if (len)
        memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

static page_node *lookup(bh_page_model *m, uint32_t nid)
{
    page_node *n = nid < m->cap ? m->by_nid[nid] : NULL;
    if (!n)
        m->faults++;
    return n;
}

/* ---- tree surgery --------------------------------------------------------------------------- */

static void unlink_node(page_node *n)
{
    page_node *p = n->parent;
    assert(p);
    *(n->prev ? &n->prev->next : &p->first) = n->next;
    *(n->next ? &n->next->prev : &p->last) = n->prev;
    n->parent = n->prev = n->next = NULL;
}

static void link_before(bh_page_model *m, page_node *parent, page_node *n, page_node *before)
{
    if (before && before->parent != parent) {
        m->faults++;
        before = NULL;
    }
    n->parent = parent;
    n->next = before;
    n->prev = before ? before->prev : parent->last;
    *(n->prev ? &n->prev->next : &parent->first) = n;
    *(before ? &before->prev : &parent->last) = n;
}

static void drop_attr(page_node *n, page_attr *a)
{
    bh_free(a->str);
    *a = n->attrs[--n->n_attrs];
}

static void destroy(bh_page_model *m, page_node *n)
{
    while (n->first) {
        page_node *c = n->first;
        unlink_node(c);
        destroy(m, c);
    }
    while (n->n_attrs)
        drop_attr(n, &n->attrs[0]);
    bh_free(n->attrs);
    bh_free(n->text);
    m->by_nid[n->nid] = NULL;
    if (n != &m->view)
        bh_free(n);
}

static page_attr *find_attr(page_node *n, const bh_attr *like)
{
    for (unsigned i = 0; i < n->n_attrs; i++)
        if (n->attrs[i].atom == like->atom &&
            (n->attrs[i].kind == BH_VAL_HANDLER) == (like->kind == BH_VAL_HANDLER))
            return &n->attrs[i];
    return NULL;
}

static void put_attr(page_node *n, const bh_attr *from)
{
    page_attr *a = find_attr(n, from);
    if (!a) {
        n->attrs = bh_realloc(n->attrs, (n->n_attrs + 1u) * sizeof *n->attrs);
        a = &n->attrs[n->n_attrs++];
        *a = (page_attr){.atom = from->atom};
    }
    bh_free(a->str);
    a->str = NULL;
    a->kind = from->kind;
    a->len = from->len;
    if (from->kind == BH_VAL_STR || from->kind == BH_VAL_RAW) {
        a->str = copy(from->u.str, from->len);
    } else if (from->kind == BH_VAL_HANDLER) {
        a->hid = from->u.handler->hid;
        a->flags = from->u.handler->flags;
    }
}

/* ---- the sink ------------------------------------------------------------------------------- */

static page_node *create(bh_page_model *m, uint32_t nid)
{
    if (nid >= m->cap) {
        uint32_t cap = m->cap * 2 > nid ? m->cap * 2 : nid + 1;
        m->by_nid = bh_realloc(m->by_nid, cap * sizeof(page_node *));
        memset(m->by_nid + m->cap, 0, (cap - m->cap) * sizeof(page_node *));
        m->cap = cap;
    }
    if (m->by_nid[nid]) {
        m->faults++;
        return NULL;
    }
    page_node *n = bh_zalloc(sizeof *n);
    n->nid = nid;
    return m->by_nid[nid] = n;
}

typedef struct build {
    bh_page_model *m;
    page_node *parent, *before;
} build;

static void build_one(void *arg, const bh_node *n)
{
    build *b = arg;
    page_node *made = create(b->m, n->nid);
    if (!made)
        return;
    link_before(b->m, b->parent, made, b->before);
    if (n->kind == BH_NODE_TEXT) {
        made->text = copy(n->u.text.str, n->len);
        made->len = n->len;
        return;
    }
    made->tag = n->tag;
    for (unsigned i = 0; i < n->n_attrs; i++)
        put_attr(made, &n->u.el.attrs[i]);
    build inner = {b->m, made, NULL};
    for (const bh_node *c = n->u.el.first; c; c = c->next)
        bh_dom_each(c, build_one, &inner);
}

/* Where n belongs, by number; false if the page has no such place. */
static bool place_of(bh_page_model *m, const bh_node *n, build *ret_at)
{
    const bh_node *parent = bh_dom_parent(n), *after = bh_dom_after(n);
    build at = {m, parent ? lookup(m, parent->nid) : &m->view, NULL};
    if (after)
        at.before = lookup(m, after->nid);
    if (!at.parent || (after && !at.before))
        return false;
    *ret_at = at;
    return true;
}

static void page_insert(void *self, const bh_node *n)
{
    build at;
    if (place_of(self, n, &at))
        bh_dom_each(n, build_one, &at);
}

static void move_one(void *arg, const bh_node *n)
{
    build *at = arg;
    page_node *moved = lookup(at->m, n->nid);
    if (!moved)
        return;
    if (moved->parent != at->parent || moved == at->before) {
        at->m->faults++; /* nothing ever changes its parent */
        return;
    }
    unlink_node(moved);
    link_before(at->m, at->parent, moved, at->before);
}

static void page_move(void *self, const bh_node *n)
{
    build at;
    if (place_of(self, n, &at))
        bh_dom_each(n, move_one, &at);
}

static void remove_one(void *arg, const bh_node *n)
{
    build *at = arg;
    page_node *gone = lookup(at->m, n->nid);
    if (!gone)
        return;
    if (gone->parent != at->parent) {
        at->m->faults++;
        return;
    }
    unlink_node(gone);
    destroy(at->m, gone);
}

static void page_remove(void *self, const bh_node *old, const bh_node *into)
{
    bh_page_model *m = self;
    const bh_node *parent = into->kind == BH_NODE_ELEMENT ? into : bh_dom_parent(into);
    build at = {m, parent ? lookup(m, parent->nid) : &m->view, NULL};
    if (at.parent)
        bh_dom_each(old, remove_one, &at);
}

static void page_set_text(void *self, const bh_node *n)
{
    bh_page_model *m = self;
    page_node *p = lookup(m, n->nid);
    if (!p)
        return;
    if (p->tag) {
        m->faults++;
        return;
    }
    bh_free(p->text);
    p->text = copy(n->u.text.str, n->len);
    p->len = n->len;
}

static page_node *element_of(bh_page_model *m, const bh_node *n)
{
    page_node *p = lookup(m, n->nid);
    if (p && !p->tag)
        m->faults++;
    return p && p->tag ? p : NULL;
}

static void page_set_attr(void *self, const bh_node *n, const bh_attr *attr)
{
    bh_page_model *m = self;
    page_node *p = element_of(m, n);
    if (!p)
        return;
    if (attr->kind == BH_VAL_RAW && p->first)
        m->faults++; /* it would fall on nodes that are still there */
    put_attr(p, attr);
}

static void page_del_attr(void *self, const bh_node *n, const bh_attr *old)
{
    bh_page_model *m = self;
    page_node *p = element_of(m, n);
    page_attr *a = p ? find_attr(p, old) : NULL;
    if (a)
        drop_attr(p, a);
    else
        m->faults++;
}

static const bh_patch_ops page_ops = {page_insert,   page_move,     page_remove,
                                      page_set_text, page_set_attr, page_del_attr};

/* ---- outside -------------------------------------------------------------------------------- */

bh_page_model *bh_page_model_new(const bh_names *names)
{
    bh_page_model *m = bh_zalloc(sizeof *m);
    m->names = names;
    m->cap = 64;
    m->by_nid = bh_zalloc(m->cap * sizeof(page_node *));
    m->by_nid[0] = &m->view;
    m->view.tag = 1;
    return m;
}

void bh_page_model_free(bh_page_model *m)
{
    if (!m)
        return;
    destroy(m, &m->view);
    bh_free(m->by_nid);
    bh_free(m);
}

bh_patch_sink bh_page_model_sink(bh_page_model *m) { return (bh_patch_sink){&page_ops, m}; }

unsigned bh_page_model_faults(const bh_page_model *m) { return m->faults; }

typedef struct compare {
    bh_page_model *m;
    const page_node *parent;
    const page_node *at; /* what the page has next in that parent */
    bool equal;
} compare;

static void differs(compare *c, const char *format, ...) BH_PRINTF(2, 3);
static void differs(compare *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (c->equal)
        vsnprintf(c->m->why, sizeof c->m->why, format, ap);
    va_end(ap);
    c->equal = false;
}

static bool same_attr(const page_attr *p, const bh_attr *a)
{
    if (p->kind != a->kind)
        return false;
    if (a->kind == BH_VAL_HANDLER)
        return p->hid == a->u.handler->hid && p->flags == a->u.handler->flags;
    if (a->kind == BH_VAL_TRUE || a->kind == BH_VAL_FALSE)
        return true;
    return p->len == a->len && memcmp(p->str, a->u.str, a->len) == 0;
}

static void compare_attrs(compare *c, page_node *p, const bh_node *n)
{
    if (p->n_attrs != n->n_attrs)
        differs(c, "element %u has %u attributes, not %u", n->nid, p->n_attrs, n->n_attrs);
    for (unsigned i = 0; i < n->n_attrs; i++) {
        const bh_attr *a = &n->u.el.attrs[i];
        const page_attr *have = find_attr(p, a);
        const char *name = a->kind == BH_VAL_HANDLER ? bh_event_dom_name((bh_event_type)a->atom)
                                                     : bh_attr_name(c->m->names, a->atom)->html;
        if (!have)
            differs(c, "element %u lacks attribute '%s'", n->nid, name);
        else if (!same_attr(have, a))
            differs(c, "element %u has another value for '%s'", n->nid, name);
    }
}

static void compare_one(void *arg, const bh_node *n)
{
    compare *c = arg;
    if (!c->equal)
        return;
    page_node *p = n->nid && n->nid < c->m->cap ? c->m->by_nid[n->nid] : NULL;
    if (!c->at || c->at->nid != n->nid || c->at != p) {
        differs(c, "in node %u: node %u where %u should be", c->parent->nid, c->at ? c->at->nid : 0,
                n->nid);
        return;
    }
    c->at = c->at->next;
    if (n->kind == BH_NODE_TEXT) {
        if (p->tag || p->len != n->len || memcmp(p->text, n->u.text.str, n->len) != 0)
            differs(c, "text %u reads '%s', not '%s'", n->nid, p->text ? p->text : "",
                    n->u.text.str);
        return;
    }
    if (p->tag != n->tag) {
        differs(c, "node %u is another element than <%s>", n->nid,
                bh_tag_name(c->m->names, n->tag)->html);
        return;
    }
    compare_attrs(c, p, n);
    compare inner = {c->m, p, p->first, c->equal};
    for (const bh_node *child = n->u.el.first; child; child = child->next)
        bh_dom_each(child, compare_one, &inner);
    if (inner.at)
        differs(&inner, "in node %u: node %u should be gone", n->nid, inner.at->nid);
    c->equal = inner.equal;
}

bool bh_page_model_equals(bh_page_model *m, const bh_node *root, const char **ret_why)
{
    compare c = {m, &m->view, m->view.first, true};
    bh_dom_each(root, compare_one, &c);
    if (c.at)
        differs(&c, "in the view: node %u should be gone", c.at->nid);
    if (!c.equal && ret_why)
        *ret_why = m->why;
    return c.equal;
}
