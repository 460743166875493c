/* SPDX-License-Identifier: MIT
 * bench/load/hist.h — times in nanoseconds, in 32 buckets for each power of two: at most 3 % off. */
#ifndef BH_BENCH_HIST_H
#define BH_BENCH_HIST_H

#include <stdint.h>

typedef struct bh_hist {
    uint64_t count, max;
    uint64_t buckets[64][32];
} bh_hist;

static inline void bh_hist_add(bh_hist *h, uint64_t ns)
{
    /* The five bits after the leading one; below 32 the value itself. */
    unsigned shift = ns < 32 ? 0 : 63U - 5U - (unsigned)__builtin_clzll(ns);
    unsigned row = ns < 32 ? 0 : shift + 1;
    h->buckets[row][(ns >> shift) & 31]++;
    h->count++;
    if (ns > h->max)
        h->max = ns;
}

/* The upper edge of the bucket that holds the sample of that rank; 0 when there is none. */
static inline uint64_t bh_hist_at(const bh_hist *h, double quantile)
{
    uint64_t rank = (uint64_t)(quantile * (double)h->count), seen = 0;
    for (unsigned row = 0; row < 64; row++) {
        for (unsigned i = 0; i < 32; i++) {
            seen += h->buckets[row][i];
            if (seen > rank) {
                uint64_t edge = row == 0 ? i : ((33ULL + i) << (row - 1)) - 1;
                return edge < h->max ? edge : h->max;
            }
        }
    }
    return h->max;
}

#endif
