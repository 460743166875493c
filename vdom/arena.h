/* SPDX-License-Identifier: MIT
 * vdom/arena.h — bump allocation for one render's output, and the pool its chunks come from.
 *
 * An arena is a list of chunks; it is filled by one render and dropped whole when the next render's
 * patch has been emitted. Chunks go back to the pool, which recycles them by size class, so a steady
 * page allocates nothing. Chunks of BH_ARENA_HUGE and more are mapped with transparent huge pages.
 * Threads: a pool and its arenas belong to one thread.
 * Errors: small allocations abort on exhaustion; sizes a peer chooses are limited by the caller. */
#ifndef BH_VDOM_ARENA_H
#define BH_VDOM_ARENA_H

#include <backhaul/base.h>

enum { BH_ARENA_FIRST = 512, BH_ARENA_HUGE = 2u << 20 };

typedef struct bh_chunk bh_chunk;
typedef struct bh_chunk_pool {
    bh_chunk *free_by_class[24]; /* class k holds chunks of 512 << k bytes */
    size_t cached_bytes;         /* on the free lists */
    size_t cached_limit;         /* beyond it a returned chunk is freed; default 64 MiB */
    size_t live_bytes;           /* handed out to arenas */
} bh_chunk_pool;

typedef struct bh_arena {
    char *at, *end;      /* free part of the newest chunk */
    bh_chunk *chunks;    /* newest first */
    bh_chunk_pool *pool; /* borrowed */
    size_t bytes;        /* sum of the chunks' sizes */
} bh_arena;

void bh_chunk_pool_init(bh_chunk_pool *pool);
void bh_chunk_pool_fini(bh_chunk_pool *pool); /* every arena of it must be empty */

void bh_arena_init(bh_arena *arena, bh_chunk_pool *pool);
void bh_arena_clear(bh_arena *arena); /* returns the chunks; the arena may be used again */
void *bh__arena_more(bh_arena *arena, size_t size);

/* `size` bytes aligned to 8, not zeroed. Never NULL. */
static inline void *bh_arena_alloc(bh_arena *arena, size_t size)
{
    size = (size + 7u) & ~(size_t)7u;
    if ((size_t)(arena->end - arena->at) < size)
        return bh__arena_more(arena, size);
    void *p = arena->at;
    arena->at += size;
    return p;
}
/* A NUL-terminated copy. */
const char *bh_arena_copy(bh_arena *arena, const char *s, size_t len);

#endif
