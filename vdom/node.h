/* SPDX-License-Identifier: MIT
 * vdom/node.h — the virtual DOM: plain nodes in an arena.
 *
 * A render builds a tree of nodes; the tree is then immutable but for the fields that matching and
 * diffing write (nid, prev, and the CLAIMED flag), which belong to the newest tree.
 *
 * LOGICAL tree: element, text, fragment and slot nodes as the author wrote them.
 * DOM tree: what is in the page; fragments and slots have no DOM node of their own, their contents
 * stand in their place. Only elements and texts have a `nid`, the identity the client knows.
 *
 * Ownership: a node lives in the arena of the component output (bh_slot.cur) that contains it.
 * Threads: one, whichever renders. */
#ifndef BH_VDOM_NODE_H
#define BH_VDOM_NODE_H

#include "vdom/arena.h"
#include "vdom/names.h"

typedef enum bh_node_kind {
    BH_NODE_ELEMENT = 1,
    BH_NODE_TEXT,
    BH_NODE_FRAGMENT,
    BH_NODE_SLOT, /* stands for another output: a component's, or the children passed to it */
} bh_node_kind;

/* bh_node.flags */
enum {
    BH_NODE_CLAIMED = 1,  /* old tree: some new node continues this one (set by matching) */
    BH_NODE_HANDLERS = 2, /* element has at least one handler attribute */
    BH_NODE_TWIN = 4,     /* its explicit key is a sibling's already: counts as unkeyed */
    BH_NODE_RAW = 8,      /* element whose content is raw HTML: BH_VAL_RAW attribute, no children */
    BH_NODE_SLOTS = 16,   /* a slot node is somewhere below (in this same output) */
};

typedef enum bh_value_kind {
    BH_VAL_STR = 1, /* u.str, len */
    BH_VAL_TRUE,    /* BOOL: present; PROP: on; (ENUM attributes are BH_VAL_STR) */
    BH_VAL_FALSE,   /* PROP only: off; a BOOL that is off has no attribute */
    BH_VAL_RAW,     /* atom BH_A_NONE: raw inner HTML in u.str */
    BH_VAL_HANDLER, /* atom = bh_event_type; u.handler */
} bh_value_kind;

/* What the diff knows of a handler: its id for the client, and its flags. The record continues in
 * the layer above (render/handlers.h), which allocates it. */
typedef struct bh_handler_head {
    uint32_t hid;   /* assigned when matched or created; stable over renders of the same element */
    uint32_t flags; /* BH_PREVENT_DEFAULT ... */
} bh_handler_head;

typedef struct bh_attr {
    uint16_t atom; /* bh_attr_atom or interned; for handlers the bh_event_type */
    uint8_t kind;  /* bh_value_kind */
    uint32_t len;
    union {
        const char *str; /* NUL-terminated */
        bh_handler_head *handler;
    } u;
} bh_attr;

typedef struct bh_node bh_node;

/* A place that holds another output. `cur` is what is (to be) shown, `prev` what the client shows
 * now if it differs: set by the layer above when it renders anew, cleared by it after emission.
 * Both are fragment nodes whose `owner` is this. */
typedef struct bh_slot {
    bh_node *cur;
    bh_node *prev;  /* != NULL only between a render and the end of its emission */
    bh_node *place; /* the BH_NODE_SLOT node that shows this slot; NULL at the session's root */
} bh_slot;

struct bh_node {
    uint8_t kind;
    uint8_t flags;
    uint16_t site;     /* source line, 0 if none: part of the identity of unkeyed siblings */
    uint16_t tag;      /* element: tag atom */
    uint16_t n_attrs;  /* element */
    uint32_t nid;      /* element, text: identity in the client, 0 before it has been shown */
    uint32_t index;    /* position among its siblings in the logical tree */
    bh_node *parent;   /* NULL for the root of an output */
    bh_node *next;     /* sibling */
    bh_node *prev;     /* matching: the node of the old tree that this one continues, or NULL */
    const bh_key *key; /* NULL: unkeyed */
    union {
        struct {
            bh_node *first;       /* element, fragment; children in order */
            const bh_attr *attrs; /* element */
        } el;
        struct {
            const char *str;
        } text;
        struct {
            bh_slot *slot;    /* what it shows; NULL until the layer above mounts it */
            const void *type; /* identity of what the slot is for (component, context, ...); same
                                 type at the same key continues the slot */
            const void *desc; /* layer above: props and the rest */
        } slot;
    } u;
    uint32_t len;   /* text: bytes; element, fragment: number of children */
    bh_slot *owner; /* root of an output (parent == NULL): its slot; else NULL */
};

static inline bool bh_node_has_children(const bh_node *n)
{
    return n->kind == BH_NODE_ELEMENT || n->kind == BH_NODE_FRAGMENT;
}

/* Past the last attribute; an element without any may have attrs NULL, to which nothing is added. */
static inline const bh_attr *bh_attrs_end(const bh_node *n)
{
    return n->n_attrs ? n->u.el.attrs + n->n_attrs : n->u.el.attrs;
}

/* ---- building (tests and the layer above) -------------------------------------------------- */
bh_node *bh_node_element(bh_arena *a, uint16_t tag);
bh_node *bh_node_text(bh_arena *a, const char *s, size_t len); /* copies */
bh_node *bh_node_fragment(bh_arena *a);
bh_node *bh_node_slot(bh_arena *a, const void *type);
/* Appends in O(1); *tail is the parent's last child (kept by the builder), NULL when empty. */
void bh_node_append(bh_node *parent, bh_node **tail, bh_node *child);

/* ---- walking -------------------------------------------------------------------------------- */
/* The logical parent, through the place of an output's slot; NULL at the session's root. */
const bh_node *bh_node_up(const bh_node *n);
/* First DOM node of n itself or of its contents; NULL if it shows nothing. */
const bh_node *bh_dom_first(const bh_node *n);
/* The DOM node that follows n in the same DOM parent; NULL if n is last. */
const bh_node *bh_dom_after(const bh_node *n);
/* The element that holds n in the DOM; NULL: the root container. */
const bh_node *bh_dom_parent(const bh_node *n);
/* Calls fn for each DOM node that stands for n (itself, or its contents' topmost), in order. */
void bh_dom_each(const bh_node *n, void (*fn)(void *arg, const bh_node *dom), void *arg);
/* Number of elements and texts at and below n, through slots. */
size_t bh_dom_count(const bh_node *n);

const bh_attr *bh_node_attr(const bh_node *n, uint16_t atom); /* not handlers; NULL if absent */
bool bh_key_equal(const bh_key *a, const bh_key *b);          /* NULL only equals NULL */

#endif
