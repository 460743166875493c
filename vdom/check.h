/* SPDX-License-Identifier: MIT
 * vdom/check.h — walks a tree and asserts its invariants; debug, test and fuzz builds. */
#ifndef BH_VDOM_CHECK_H
#define BH_VDOM_CHECK_H

#include "vdom/node.h"

/* NULL if sound, else a sentence (static): links and indices agree, counts agree, shown trees have
 * distinct nids below `next_nid` (0: do not check nids), void elements are empty, no twin keys. */
const char *bh_tree_check(const bh_names *names, const bh_node *root, uint32_t next_nid);

#endif
