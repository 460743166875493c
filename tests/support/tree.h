/* SPDX-License-Identifier: MIT
 * tests/support/tree.h — trees from a line of text, and a rig that shows one after the other.
 *
 *     a               <li> with the key "a"          p:a    <p> with the key "a"
 *     p:              <p> without key                p:#3   <p> with the integer key 3
 *     p:@7  a@7       from source line 7             'x'    a text (also 'x'@7)
 *     p:a( ... )      with children
 *     [ ... ] k[ ... ]       fragment, with key      { ... } k{ ... } C:k{ ... }  slot (of type C)
 *     p:.class=red.disabled.checked!.value='a b'.onclick.onclick=1.html='<b>'
 *       attributes: text, on, off (PROP), handlers with flags, raw HTML; by field name of bh_el,
 *       or by any HTML name
 * Nodes are separated by blanks. A slot holds an output of its own, as a component's would. */
#ifndef BH_TESTS_TREE_H
#define BH_TESTS_TREE_H

#include "support/oplog.h"
#include "vdom/apply.h"
#include "vdom/diff.h"

typedef struct tree_rig {
    bh_chunk_pool pool;
    bh_arena arena; /* all versions; cleared by tree_rig_reset */
    bh_names *names;
    bh_diff_scratch *scratch;
    bh_page_model *page;
    bh_patch_sink page_sink, log_sink;
    oplog log;
    bh_diff diff;
    bh_slot root;
    uint32_t next_nid, next_hid;
    unsigned twins;        /* of the last tree */
    unsigned expect_moves; /* by the O(n²) reference */
    const char *why;       /* first thing that went wrong; NULL: nothing */
} tree_rig;

void tree_rig_init(tree_rig *rig);
void tree_rig_reset(tree_rig *rig); /* as new, but for names and memory */
void tree_rig_fini(tree_rig *rig);

/* A fragment with the nodes of `source`; aborts on a mistake in it. */
bh_node *tree_parse(tree_rig *rig, const char *source);
bh_attr tree_attr(tree_rig *rig, const char *field, const char *value); /* value NULL: on */

/* Shows `root` (a fragment): matches, emits into log and page, and checks all there is to check:
 * the page equals the tree, invariants, moves against the reference, keys that had to match.
 * Returns the log of this step; rig->why is set if something is wrong. */
const char *tree_show_node(tree_rig *rig, bh_node *root);
const char *tree_show(tree_rig *rig, const char *source);

#endif
