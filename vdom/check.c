/* SPDX-License-Identifier: MIT */
#include "vdom/check.h"

#include <stdlib.h>
#include <string.h>

#include "vdom/mem.h"

typedef struct check {
    const bh_names *names;
    unsigned char *seen; /* bit per nid; NULL: not checked */
    uint32_t next_nid;
} check;

static int compare_keys(const void *pa, const void *pb)
{
    const bh_key *a = *(const bh_key *const *)pa, *b = *(const bh_key *const *)pb;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == BH_KEY_STR)
        return strcmp(a->u.str, b->u.str);
    return a->u.num < b->u.num ? -1 : a->u.num > b->u.num;
}

static const char *check_keys(const bh_node *parent)
{
    const bh_key **keys = NULL;
    size_t n = 0;
    for (const bh_node *c = parent->u.el.first; c; c = c->next) {
        if ((c->flags & BH_NODE_TWIN) && !c->key)
            return "a twin without a key";
        if (!c->key || (c->flags & BH_NODE_TWIN))
            continue;
        if (!keys)
            keys = bh_alloc(parent->len * sizeof *keys);
        keys[n++] = c->key;
    }
    const char *why = NULL;
    if (n > 1) {
        qsort(keys, n, sizeof *keys, compare_keys);
        for (size_t i = 1; i < n; i++)
            if (bh_key_equal(keys[i - 1], keys[i]))
                why = "two siblings with one key, neither a twin";
    }
    bh_free(keys);
    return why;
}

static const char *check_nid(check *ck, const bh_node *n)
{
    if (!ck->seen)
        return NULL;
    if (n->nid == 0 || n->nid >= ck->next_nid)
        return "a shown node without a valid nid";
    unsigned char bit = (unsigned char)(1u << (n->nid & 7)), *byte = &ck->seen[n->nid >> 3];
    if (*byte & bit)
        return "a nid that is used twice";
    *byte |= bit;
    return NULL;
}

static const char *check_element(const check *ck, const bh_node *n)
{
    const bh_name *name = bh_tag_name(ck->names, n->tag);
    bool raw = false, handlers = false;
    if (!name->len)
        return "an element without a tag";
    if ((name->flags & BH_NAME_VOID) && n->len)
        return "a void element with children";
    for (unsigned i = 0; i < n->n_attrs; i++) {
        const bh_attr *a = &n->u.el.attrs[i];
        raw |= a->kind == BH_VAL_RAW;
        handlers |= a->kind == BH_VAL_HANDLER;
        if (a->kind == BH_VAL_HANDLER ? !bh_event_dom_name((bh_event_type)a->atom)[0]
                                      : !!a->atom == (a->kind == BH_VAL_RAW))
            return "an attribute without a name";
        if ((a->kind == BH_VAL_STR || a->kind == BH_VAL_RAW) && a->u.str[a->len] != '\0')
            return "an attribute value that does not end where it says";
        for (unsigned k = 0; k < i; k++)
            if (n->u.el.attrs[k].atom == a->atom &&
                (n->u.el.attrs[k].kind == BH_VAL_HANDLER) == (a->kind == BH_VAL_HANDLER))
                return "an attribute that is there twice";
    }
    if (raw != !!(n->flags & BH_NODE_RAW) || handlers != !!(n->flags & BH_NODE_HANDLERS))
        return "an element whose flags do not agree with its attributes";
    return raw && n->len ? "raw HTML beside children" : NULL;
}

static const char *check_node(check *ck, const bh_node *n);

static const char *check_children(check *ck, const bh_node *n)
{
    uint32_t at = 0;
    bool slots = false;
    for (const bh_node *c = n->u.el.first; c; c = c->next, at++) {
        if (c->parent != n)
            return "a child whose parent is another node";
        if (c->index != at)
            return "a child whose index is not its position";
        const char *why = check_node(ck, c);
        if (why)
            return why;
        slots |= c->kind == BH_NODE_SLOT || (c->flags & BH_NODE_SLOTS);
    }
    if (at != n->len)
        return "a node that miscounts its children";
    if (slots != !!(n->flags & BH_NODE_SLOTS))
        return "a node that is wrong about slots below it";
    return check_keys(n);
}

static const char *check_node(check *ck, const bh_node *n)
{
    const char *why = NULL;
    if (n->parent && n->owner)
        return "an inner node with an owner";
    switch ((bh_node_kind)n->kind) {
    case BH_NODE_TEXT:
        if (n->u.text.str[n->len] != '\0')
            return "a text that does not end where it says";
        return check_nid(ck, n);
    case BH_NODE_ELEMENT:
        why = check_nid(ck, n);
        if (!why)
            why = check_element(ck, n);
        return why ? why : check_children(ck, n);
    case BH_NODE_FRAGMENT:
        return check_children(ck, n);
    case BH_NODE_SLOT: {
        const bh_slot *slot = n->u.slot.slot;
        if (!slot || !slot->cur)
            return NULL;
        if (slot->place != n)
            return "a slot that is shown elsewhere";
        if (slot->cur->owner != slot || slot->cur->parent || slot->cur->kind != BH_NODE_FRAGMENT)
            return "an output that is not its slot's";
        return check_node(ck, slot->cur);
    }
    }
    return "a node of no kind";
}

const char *bh_tree_check(const bh_names *names, const bh_node *root, uint32_t next_nid)
{
    check ck = {.names = names, .next_nid = next_nid};
    if (next_nid)
        ck.seen = bh_zalloc((next_nid >> 3) + 1u);
    const char *why = root->parent ? "a root with a parent" : check_node(&ck, root);
    bh_free(ck.seen);
    return why;
}
