/* SPDX-License-Identifier: MIT
 * vdom/props.c — attributes of an element against those of the one it continues.
 *
 * Arrays come in a fixed order, so nearly always the i-th new one is the i-th old one; only from
 * where that ends on are attributes looked for. */
#include "vdom/scratch.h"

static inline bool same_slot(const bh_attr *a, const bh_attr *b)
{
    return a->atom == b->atom && (a->kind == BH_VAL_HANDLER) == (b->kind == BH_VAL_HANDLER);
}

static inline bool same_value(const bh_attr *a, const bh_attr *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == BH_VAL_STR) /* most are */
        return a->len == b->len &&
               (a->u.str == b->u.str || bh__same_bytes(a->u.str, b->u.str, a->len));
    switch ((bh_value_kind)a->kind) {
    case BH_VAL_TRUE:
    case BH_VAL_FALSE:
        return true;
    case BH_VAL_HANDLER:
        return a->u.handler->flags == b->u.handler->flags;
    case BH_VAL_STR:
    case BH_VAL_RAW:
        break;
    }
    return a->u.str == b->u.str || (a->len == b->len && bh__same_bytes(a->u.str, b->u.str, a->len));
}

static const bh_attr *find(const bh_node *n, unsigned hint, const bh_attr *like)
{
    const bh_attr *attrs = n->u.el.attrs;
    if (hint < n->n_attrs && same_slot(&attrs[hint], like))
        return &attrs[hint];
    for (unsigned i = 0; i < n->n_attrs; i++)
        if (same_slot(&attrs[i], like))
            return &attrs[i];
    return NULL;
}

static void set(bh_diff *d, const bh_node *cur, const bh_attr *attr)
{
    d->scratch->ops++;
    d->sink->ops->set_attr(d->sink->self, cur, attr);
}

/* The usual case, in a function that calls nothing but memcmp: all is as it was. */
static bool all_same(const bh_node *old, const bh_node *cur)
{
    const bh_attr *was = old->u.el.attrs, *now = cur->u.el.attrs;
    unsigned n = cur->n_attrs;
    if (n != old->n_attrs)
        return false;
    for (; n; n--, was++, now++) {
        if ((was->atom ^ now->atom) | (was->kind ^ now->kind) || !same_value(was, now))
            return false;
        if (now->kind == BH_VAL_HANDLER)
            now->u.handler->hid = was->u.handler->hid;
    }
    return true;
}

static __attribute__((noinline)) void diff_attrs(bh_diff *d, const bh_node *old, bh_node *cur,
                                                 bool force_value)
{
    const bh_attr *was = old->u.el.attrs, *now = cur->u.el.attrs;
    unsigned n = cur->n_attrs, i = 0;
    /* A handler keeps its id while its element has one for that event; only its flags show. */
    bool aligned = n == old->n_attrs;
    for (; aligned && i < n; i++)
        aligned = same_slot(&was[i], &now[i]);
    /* Deletions first: default_value may give way to value, which is one attribute in HTML. */
    for (i = 0; !aligned && i < old->n_attrs; i++)
        if (!find(cur, i, &was[i])) {
            d->scratch->ops++;
            d->sink->ops->del_attr(d->sink->self, cur, &was[i]);
        }
    for (i = 0; i < n; i++) {
        const bh_attr *before = aligned ? &was[i] : find(old, i, &now[i]);
        if (before && now[i].kind == BH_VAL_HANDLER)
            now[i].u.handler->hid = before->u.handler->hid;
        bool forced = force_value && now[i].atom == BH_A_value && now[i].kind == BH_VAL_STR;
        if (!before || forced || !same_value(before, &now[i]))
            set(d, cur, &now[i]);
    }
}

void bh__diff_attrs(bh_diff *d, const bh_node *old, bh_node *cur, bool force_value)
{
    if (force_value || !all_same(old, cur))
        diff_attrs(d, old, cur, force_value);
}
