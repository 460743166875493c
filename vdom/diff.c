/* SPDX-License-Identifier: MIT
 * vdom/diff.c — the emit phase: from matched trees to operations.
 *
 * Per parent: first what is gone is removed, then the new children are walked right to left (where
 * that matters: see emit_unmoved). A child
 * that continues an old one is emitted inside and then, if it has to move, moved; any other is
 * numbered and inserted. "Before what follows it" is a true place at that moment, because all that
 * follows is final already; nothing depends on positions, so no operation disturbs another's.
 *
 * Which ones move: number the matched new children by their old positions and keep a longest
 * increasing subsequence of them where it is; the others move, and no smaller number could.
 *
 *     old     a b c d e                 new     d a b e c
 *     old positions in new order        3 0 1 4 2
 *     a longest increasing run            0 1   2   -> a b c stay, d and e move
 *     right to left                     c stays; e before c; b, a stay; d before a */
#include <assert.h>

#include "vdom/mem.h"
#include "vdom/scratch.h"

#define MOVES ((uintptr_t)1)

static inline bh_node *entry_node(uintptr_t entry) { return (bh_node *)(void *)(entry & ~MOVES); }

static void push(bh_diff_scratch *s, bh_node *n)
{
    if (s->used == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 256;
        s->stack = bh_realloc(s->stack, s->cap * sizeof *s->stack);
    }
    s->stack[s->used++] = (uintptr_t)n;
}

/* Marks those of the n entries at `base` that have to move. Patience sorting, O(n log n):
 * tails[k] is the entry that ends an increasing run of length k + 1 with the smallest old position;
 * back[i] the entry before i in its run. Unmatched entries take no part. */
static void mark_moves(bh_diff_scratch *s, size_t base, uint32_t n)
{
    if (n > s->cap_lis) {
        s->cap_lis = (size_t)n * 2;
        s->pos = bh_realloc(s->pos, 3 * s->cap_lis * sizeof *s->pos);
        s->tails = s->pos + s->cap_lis;
        s->back = s->tails + s->cap_lis;
    }
    uint32_t *pos = s->pos, *tails = s->tails, *back = s->back, len = 0;
    for (uint32_t i = 0; i < n; i++) {
        const bh_node *old = entry_node(s->stack[base + i])->prev;
        if (!old)
            continue;
        pos[i] = old->index;
        s->stack[base + i] |= MOVES;
        uint32_t lo = len;
        if (len && pos[tails[len - 1]] > pos[i]) {
            lo = 0;
            for (uint32_t hi = len - 1; lo < hi;) {
                uint32_t mid = (lo + hi) / 2;
                if (pos[tails[mid]] < pos[i])
                    lo = mid + 1;
                else
                    hi = mid;
            }
        }
        if (lo)
            back[i] = tails[lo - 1];
        tails[lo] = i;
        if (lo == len)
            len++;
    }
    for (uint32_t i = len ? tails[len - 1] : 0; len; len--) {
        s->stack[base + i] &= ~MOVES;
        if (len > 1)
            i = back[i];
    }
}

void bh_diff_number(bh_diff *d, bh_node *n)
{
    bh_node *child = NULL;
    switch ((bh_node_kind)n->kind) {
    case BH_NODE_TEXT:
        n->nid = (*d->next_nid)++;
        return;
    case BH_NODE_ELEMENT:
        n->nid = (*d->next_nid)++;
        if (d->adopt)
            d->adopt(d->arg, n);
        child = n->u.el.first;
        break;
    case BH_NODE_FRAGMENT:
        child = n->u.el.first;
        break;
    case BH_NODE_SLOT:
        if (n->u.slot.slot && n->u.slot.slot->cur)
            child = n->u.slot.slot->cur->u.el.first;
        break;
    }
    for (; child; child = child->next)
        bh_diff_number(d, child);
}

static void emit_element(bh_diff *d, bh_node *cur)
{
    bh_node *old = cur->prev;
    /* Raw HTML would fall on children that are still there; and a select can only show a value that
     * one of its options has by then, and loses it when they change. */
    bool children_first = cur->tag == BH_TAG_SELECT || (cur->flags & BH_NODE_RAW);
    uint64_t ops = d->scratch->ops;
    if (children_first)
        bh_diff_emit_children(d, old, cur);
    if (cur->n_attrs | old->n_attrs)
        bh__diff_attrs(d, old, cur, cur->tag == BH_TAG_SELECT && d->scratch->ops != ops);
    if (!children_first && (cur->len | old->len))
        bh_diff_emit_children(d, old, cur);
}

static inline void emit_text(bh_diff *d, const bh_node *cur)
{
    const bh_node *old = cur->prev;
    if (cur->len == old->len && (cur->u.text.str == old->u.text.str ||
                                 bh__same_bytes(cur->u.text.str, old->u.text.str, cur->len)))
        return;
    d->scratch->ops++;
    d->sink->ops->set_text(d->sink->self, cur);
}

void bh_diff_emit_node(bh_diff *d, bh_node *cur)
{
    bh_node *old = cur->prev;
    assert(old && old->kind == cur->kind);
    switch ((bh_node_kind)cur->kind) {
    case BH_NODE_TEXT:
        cur->nid = old->nid;
        emit_text(d, cur);
        break;
    case BH_NODE_ELEMENT:
        cur->nid = old->nid;
        emit_element(d, cur);
        break;
    case BH_NODE_FRAGMENT:
        bh_diff_emit_children(d, old, cur);
        break;
    case BH_NODE_SLOT:
        if (d->visit_slot)
            d->visit_slot(d->arg, cur);
        break;
    }
}

/* The usual case: same children in the same order, each its own place in the page. Nothing at this
 * level names a neighbour, so the order of walking is free. False: not that case, nothing done. */
static bool emit_unmoved(bh_diff *d, const bh_node *prev, bh_node *cur)
{
    if (!prev || prev->len != cur->len)
        return false;
    const bh_node *old = prev->u.el.first;
    for (const bh_node *c = cur->u.el.first; c; c = c->next, old = old->next)
        if (c->prev != old || c->kind > BH_NODE_TEXT)
            return false;
    for (bh_node *c = cur->u.el.first; c; c = c->next) {
        c->nid = c->prev->nid;
        if (c->kind == BH_NODE_TEXT)
            emit_text(d, c);
        else
            emit_element(d, c);
    }
    return true;
}

static __attribute__((noinline)) void emit_any(bh_diff *d, bh_node *prev, bh_node *cur)
{
    bh_diff_scratch *s = d->scratch;
    size_t base = s->used;
    uint32_t matched = 0, last = 0;
    bool sorted = true;
    for (bh_node *c = cur->u.el.first; c; c = c->next) {
        push(s, c);
        if (c->prev) {
            sorted &= !matched || c->prev->index > last;
            last = c->prev->index;
            matched++;
        }
    }
    if (prev && matched < prev->len)
        for (const bh_node *old = prev->u.el.first; old; old = old->next)
            if (!(old->flags & BH_NODE_CLAIMED)) {
                s->ops++;
                d->sink->ops->remove(d->sink->self, old, cur);
            }
    if (!sorted)
        mark_moves(s, base, cur->len);
    for (size_t i = base + cur->len; i-- > base;) {
        uintptr_t entry = s->stack[i]; /* by index: recursion may move the stack */
        bh_node *c = entry_node(entry);
        if (!c->prev) {
            bh_diff_number(d, c);
            s->ops++;
            d->sink->ops->insert(d->sink->self, c);
            continue;
        }
        bh_diff_emit_node(d, c);
        if (entry & MOVES) {
            s->ops++;
            d->sink->ops->move(d->sink->self, c);
        }
    }
    s->used = base;
}

void bh_diff_emit_children(bh_diff *d, bh_node *prev, bh_node *cur)
{
    if (!emit_unmoved(d, prev, cur))
        emit_any(d, prev, cur);
}

static void match_below(bh_diff_scratch *s, bh_node *prev, bh_node *cur)
{
    bh_match_children(s, prev, cur);
    for (bh_node *c = cur->u.el.first; c; c = c->next)
        if (bh_node_has_children(c) && (c->len || (c->prev && c->prev->len))) /* new: for twins */
            match_below(s, c->prev, c);
}

void bh_diff_trees(bh_diff *d, bh_node *prev, bh_node *cur)
{
    match_below(d->scratch, prev, cur);
    bh_diff_emit_children(d, prev, cur);
}
