/* SPDX-License-Identifier: MIT
 * tests/support/spec.h — trees as plain data, to be made at random or from fuzz bytes, printed in
 * the language of tree.h, and shrunk. */
#ifndef BH_TESTS_SPEC_H
#define BH_TESTS_SPEC_H

#include "support/tree.h"

enum { SPEC_MAX = 128 };

typedef struct spec_node {
    uint8_t kind; /* bh_node_kind */
    uint8_t tag;  /* small number: of a tag, of a slot type */
    int8_t key;   /* -1: none */
    uint8_t site;
    uint8_t value; /* text; values of attributes */
    uint8_t attrs; /* bit mask */
    uint8_t depth; /* of nesting; preorder and depth make the tree */
} spec_node;

typedef struct spec_tree {
    unsigned n;
    spec_node nodes[SPEC_MAX];
} spec_tree;

/* Where choices come from: random numbers, or the bytes of a fuzzer. */
typedef struct spec_source {
    uint64_t state;
    const uint8_t *at, *end; /* at NULL: random */
} spec_source;
uint32_t spec_pick(spec_source *src, uint32_t below);

void spec_make(spec_tree *tree, spec_source *src, unsigned max_nodes);
/* A tree like `from`, with some subtrees moved, dropped, added and changed. */
void spec_mutate(spec_tree *tree, const spec_tree *from, spec_source *src, unsigned max_nodes);
bh_node *spec_build(tree_rig *rig, const spec_tree *tree);
void spec_print(bh_buf *out, const spec_tree *tree);
/* Drops node i and all below it; returns how many that were. */
unsigned spec_drop(spec_tree *tree, unsigned i);

#endif
