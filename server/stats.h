/* SPDX-License-Identifier: MIT
 * server/stats.h — the names of all numbers, once, for /stats and /metrics. */
#ifndef BH_SERVER_STATS_H
#define BH_SERVER_STATS_H

#include <stddef.h>

typedef struct bh_hub_stat {
    const char *name;
    size_t offset; /* in bh_hub_stats */
    int counter;   /* 1: only grows; 0: a gauge */
    const char *help;
} bh_hub_stat;
extern const bh_hub_stat bh_hub_stat_list[];
extern const size_t bh_hub_stat_count;

typedef struct bh_front_stat {
    const char *name;
    size_t offset; /* in bh_front_stats */
    const char *help;
} bh_front_stat; /* all counters */
extern const bh_front_stat bh_front_stat_list[];
extern const size_t bh_front_stat_count;

#endif
