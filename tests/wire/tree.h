/* SPDX-License-Identifier: MIT
 * tests/wire/tree.h — trees from a line of text, for tests of the wire.
 *
 *     <div class="a" key=1>text|second text<input value="x" checked on:click=7/></>
 *
 * `</>` closes what is open; `|` ends a text (so `||` has an empty text between); name="v" a string,
 * bare name: on, name! : off; key=1 or key='s'; on:event=hid or hid:flags; html="raw";
 * default-value, default-checked; <frag> a fragment; <slot> another output (a component). */
#ifndef BH_TESTS_WIRE_TREE_H
#define BH_TESTS_WIRE_TREE_H

#include "vdom/buf.h"
#include "vdom/diff.h"

typedef struct tree {
    bh_arena arena;
    bh_slot slot; /* of the root output */
    bh_node *root;
} tree;
typedef struct tree_env {
    bh_chunk_pool pool;
    bh_names *names;
    bh_diff_scratch *scratch;
    uint32_t next_nid;
} tree_env;

void tree_env_init(tree_env *env);
void tree_env_fini(tree_env *env);
tree *tree_parse(tree_env *env, const char *text); /* aborts on a mistake */
void tree_free(tree *t);
void tree_number(tree_env *env, tree *t); /* from env->next_nid = 1 */
/* Matches through slots and emits into the sink, as the layer above does; returns operations. */
void tree_diff(tree_env *env, tree *old, tree *cur, const bh_patch_sink *sink);
/* The notation of tests/wire/README.md, from the tree (what the page should be). */
void tree_json(const tree_env *env, const tree *t, bh_buf *out);

/* Compares out with vectors/<file>, or writes it when BH_UPDATE_GOLDEN=1. */
void golden_check(const char *file, const bh_buf *out);
void put_hex(bh_buf *out, const unsigned char *p, size_t n); /* with quotes */
void put_fmt(bh_buf *out, const char *format, ...) BH_PRINTF(2, 3);
void put_json(bh_buf *out, const char *s); /* as a JSON string */

#endif
