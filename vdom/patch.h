/* SPDX-License-Identifier: MIT
 * vdom/patch.h — what a diff writes into: a patch sink.
 *
 * The wire encoders, the reference applier (vdom/apply.h) and the tests' operation log are sinks.
 * Nodes handed over are nodes of the NEW tree, fully linked, with nids assigned (through slots too),
 * except in remove(). A sink derives what it needs: DOM position by bh_dom_parent/bh_dom_after,
 * logical path by bh_node_up and index. Operations come right to left within a parent, so what
 * bh_dom_after names is already in its final place. */
#ifndef BH_VDOM_PATCH_H
#define BH_VDOM_PATCH_H

#include "vdom/node.h"

typedef struct bh_patch_ops {
    /* n and all below it is new; it goes before bh_dom_after(n) in bh_dom_parent(n). */
    void (*insert)(void *self, const bh_node *n);
    /* n (all DOM nodes that stand for it) goes before bh_dom_after(n). */
    void (*move)(void *self, const bh_node *n);
    /* old is of the old tree; into is the node of the new tree that continues its logical parent. */
    void (*remove)(void *self, const bh_node *old, const bh_node *into);
    void (*set_text)(void *self, const bh_node *n);
    void (*set_attr)(void *self, const bh_node *n, const bh_attr *attr); /* handlers and RAW too */
    void (*del_attr)(void *self, const bh_node *n, const bh_attr *old);
} bh_patch_ops;

typedef struct bh_patch_sink {
    const bh_patch_ops *ops;
    void *self;
} bh_patch_sink;

#endif
