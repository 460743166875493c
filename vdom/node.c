/* SPDX-License-Identifier: MIT
 * vdom/node.c — building and walking trees. */
#include "vdom/node.h"

#include <assert.h>
#include <string.h>

/* ---- building ------------------------------------------------------------------------------- */

static bh_node *node_new(bh_arena *a, bh_node_kind kind)
{
    bh_node *n = bh_arena_alloc(a, sizeof *n);
    memset(n, 0, sizeof *n);
    n->kind = (uint8_t)kind;
    return n;
}

bh_node *bh_node_element(bh_arena *a, uint16_t tag)
{
    assert(tag);
    bh_node *n = node_new(a, BH_NODE_ELEMENT);
    n->tag = tag;
    return n;
}

bh_node *bh_node_text(bh_arena *a, const char *s, size_t len)
{
    bh_node *n = node_new(a, BH_NODE_TEXT);
    n->u.text.str = bh_arena_copy(a, s, len);
    n->len = (uint32_t)len;
    return n;
}

bh_node *bh_node_fragment(bh_arena *a) { return node_new(a, BH_NODE_FRAGMENT); }

bh_node *bh_node_slot(bh_arena *a, const void *type)
{
    bh_node *n = node_new(a, BH_NODE_SLOT);
    n->u.slot.type = type;
    return n;
}

void bh_node_append(bh_node *parent, bh_node **tail, bh_node *child)
{
    assert(bh_node_has_children(parent) && !child->parent && !child->next);
    child->parent = parent;
    child->index = parent->len++;
    if (*tail)
        (*tail)->next = child;
    else
        parent->u.el.first = child;
    *tail = child;
    if (child->kind == BH_NODE_SLOT || (child->flags & BH_NODE_SLOTS))
        for (bh_node *p = parent; p && !(p->flags & BH_NODE_SLOTS); p = p->parent)
            p->flags |= BH_NODE_SLOTS;
}

/* ---- walking -------------------------------------------------------------------------------- */

static inline bool is_dom(const bh_node *n)
{
    return n->kind == BH_NODE_ELEMENT || n->kind == BH_NODE_TEXT;
}

/* First child of what stands in n's place: a fragment's own, or those of a slot's output. */
static inline const bh_node *contents(const bh_node *n)
{
    if (n->kind != BH_NODE_SLOT)
        return n->u.el.first;
    const bh_slot *slot = n->u.slot.slot;
    return slot && slot->cur ? slot->cur->u.el.first : NULL;
}

const bh_node *bh_node_up(const bh_node *n)
{
    if (n->parent)
        return n->parent;
    return n->owner ? n->owner->place : NULL;
}

const bh_node *bh_dom_first(const bh_node *n)
{
    if (is_dom(n))
        return n;
    for (const bh_node *c = contents(n); c; c = c->next) {
        const bh_node *d = bh_dom_first(c);
        if (d)
            return d;
    }
    return NULL;
}

const bh_node *bh_dom_after(const bh_node *n)
{
    for (;;) {
        for (const bh_node *s = n->next; s; s = s->next) {
            const bh_node *d = bh_dom_first(s);
            if (d)
                return d;
        }
        const bh_node *up = bh_node_up(n);
        if (!up || up->kind == BH_NODE_ELEMENT)
            return NULL;
        n = up; /* a fragment or slot: what follows it follows n */
    }
}

const bh_node *bh_dom_parent(const bh_node *n)
{
    do
        n = bh_node_up(n);
    while (n && n->kind != BH_NODE_ELEMENT);
    return n;
}

void bh_dom_each(const bh_node *n, void (*fn)(void *arg, const bh_node *dom), void *arg)
{
    if (is_dom(n)) {
        fn(arg, n);
        return;
    }
    for (const bh_node *c = contents(n); c; c = c->next)
        bh_dom_each(c, fn, arg);
}

size_t bh_dom_count(const bh_node *n)
{
    size_t count = is_dom(n);
    if (n->kind != BH_NODE_TEXT)
        for (const bh_node *c = contents(n); c; c = c->next)
            count += bh_dom_count(c);
    return count;
}

const bh_attr *bh_node_attr(const bh_node *n, uint16_t atom)
{
    if (n->kind == BH_NODE_ELEMENT)
        for (unsigned i = 0; i < n->n_attrs; i++)
            if (n->u.el.attrs[i].atom == atom && n->u.el.attrs[i].kind != BH_VAL_HANDLER)
                return &n->u.el.attrs[i];
    return NULL;
}

bool bh_key_equal(const bh_key *a, const bh_key *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    if (a->kind == BH_KEY_INT)
        return a->u.num == b->u.num;
    return a->kind == BH_KEY_STR && (a->u.str == b->u.str || strcmp(a->u.str, b->u.str) == 0);
}
