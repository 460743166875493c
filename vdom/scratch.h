/* SPDX-License-Identifier: MIT
 * vdom/scratch.h — working memory of the diff; private to vdom/.
 *
 * Everything here only grows and is reused, so a steady page allocates nothing. `stack` is used by
 * stack discipline through recursion (always index it: it moves when it grows); the rest is free
 * for whoever runs between two recursions. */
#ifndef BH_VDOM_SCRATCH_H
#define BH_VDOM_SCRATCH_H

#include <string.h>

#include "vdom/diff.h"

typedef struct bh_map_entry {
    uint32_t stamp; /* entry is live if this is the map's */
    uint32_t hash;
    uint32_t head;  /* next node to give out: index into the list that was mapped, or none */
    uint32_t first; /* whose identity this entry holds: likewise, never advanced */
} bh_map_entry;

struct bh_diff_scratch {
    uintptr_t *stack; /* children of the nodes being emitted; bit 0: has to move */
    size_t used, cap;
    bh_map_entry *map; /* power of two entries; cleared by a new stamp */
    uint32_t map_size, stamp;
    bh_node **olds, **news; /* middle parts of two lists of children */
    uint32_t *chain;        /* of olds: next one with equal identity */
    size_t cap_olds, cap_news;
    uint32_t *pos, *tails, *back; /* longest increasing subsequence */
    size_t cap_lis;
    uint64_t ops;  /* operations emitted so far; lets a select see that its options changed */
    uint64_t seed; /* of the hash: keys may come from users who would like them to collide */
};

/* Strings of attributes and texts are short, and mostly equal: two overlapping words then say so
 * without a call. */
static inline bool bh__same_bytes(const char *a, const char *b, size_t len)
{
    uint64_t x, y, v, w;
    if (len > 16)
        return memcmp(a, b, len) == 0;
    if (len >= 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        memcpy(&v, a + len - 8, 8);
        memcpy(&w, b + len - 8, 8);
        return ((x ^ y) | (v ^ w)) == 0;
    }
    if (len >= 4) {
        uint32_t p, q, r, s;
        memcpy(&p, a, 4);
        memcpy(&q, b, 4);
        memcpy(&r, a + len - 4, 4);
        memcpy(&s, b + len - 4, 4);
        return ((p ^ q) | (r ^ s)) == 0;
    }
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Attributes of an element against those of the one it continues: deletions, then settings. */
void bh__diff_attrs(bh_diff *d, const bh_node *old, bh_node *cur, bool force_value);

#endif
