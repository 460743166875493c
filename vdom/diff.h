/* SPDX-License-Identifier: MIT
 * vdom/diff.h — from two trees to the operations that turn one into the other.
 *
 * Two phases, because a component must be matched before it can render, and all must be rendered
 * before operations can name their neighbours:
 *   match  pairs the children of two nodes that continue each other (sets cur->prev, CLAIMED);
 *   emit   walks matched trees right to left, writes operations, hands nids on.
 *
 * Identity of a child among its siblings: explicit key if it has one; else (kind, tag or slot type,
 * site) and its occurrence number among siblings that are equal in these. Two children continue
 * each other only if kind, tag or slot type, and identity agree: same key but another tag is
 * replaced. Reconciliation: children that continue each other at both ends of the lists are paired
 * first, from the left, then from the right; occurrences are counted in the middle that remains,
 * which goes through a hash map. Moves come from a longest increasing subsequence: moves ==
 * matched − LIS, the minimum. A key that occurs twice belongs to one of its nodes, the others are
 * flagged BH_NODE_TWIN and count as unkeyed.
 * Threads: one, whichever renders. */
#ifndef BH_VDOM_DIFF_H
#define BH_VDOM_DIFF_H

#include "vdom/patch.h"

/* Working memory, reused between diffs; one per thread. */
typedef struct bh_diff_scratch bh_diff_scratch;
bh_diff_scratch *bh_diff_scratch_new(void);
void bh_diff_scratch_free(bh_diff_scratch *scratch);

/* Pairs the children of prev with those of cur. prev may be NULL (nothing matches). Returns how many
 * explicit keys occurred twice in cur (they are flagged BH_NODE_TWIN). Not recursive. */
unsigned bh_match_children(bh_diff_scratch *scratch, bh_node *prev, bh_node *cur);

/* The usual pair, without a call: two unkeyed nodes that are not slots and that continue each other
 * if they stand at the same place of a common prefix. One branch says so. */
static inline bool bh_match_plain(const bh_node *old, const bh_node *cur)
{
    return !((uintptr_t)old->key | (uintptr_t)cur->key | (unsigned)(old->kind ^ cur->kind) |
             (unsigned)(old->tag ^ cur->tag) | (unsigned)(old->site ^ cur->site)) &&
           old->kind != BH_NODE_SLOT;
}
static inline void bh_match_pair(bh_node *old, bh_node *cur)
{
    cur->prev = old;
    old->flags |= BH_NODE_CLAIMED;
}

typedef struct bh_diff {
    const bh_patch_sink *sink;
    bh_diff_scratch *scratch;
    uint32_t *next_nid; /* counter of the session; first nid is 1; never reused */
    /* Called for a slot node of the new tree that continues one of the old tree, after its place has
     * been decided on and before it is moved: emit what changed inside. NULL: slots are opaque. */
    void (*visit_slot)(void *arg, bh_node *place);
    void *arg;
    /* Called with each new element before insert, in preorder (through slots): assign handler ids.
     * NULL: nothing. */
    void (*adopt)(void *arg, bh_node *element);
} bh_diff;

/* Emits the difference between the children of two nodes that continue each other; their subtrees
 * must have been matched (through every level of this output; slots are visited, not entered). */
void bh_diff_emit_children(bh_diff *d, bh_node *prev, bh_node *cur);
/* Emits attributes or text and then children of cur against cur->prev (children first for a select
 * and for raw HTML). Handlers get the id of the old handler for the same event; set_attr tells of
 * new ones and changed flags only. The value of a select is set again whenever its options change:
 * the browser loses it with them. */
void bh_diff_emit_node(bh_diff *d, bh_node *cur);
/* Gives nids to n and all below it, preorder, DOM nodes only, through slots; calls adopt. */
void bh_diff_number(bh_diff *d, bh_node *n);

/* Match and emit of two whole outputs without components: tests, fuzzing, benchmarks. */
void bh_diff_trees(bh_diff *d, bh_node *prev, bh_node *cur);

#endif
