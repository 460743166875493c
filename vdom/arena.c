/* SPDX-License-Identifier: MIT */
#include "vdom/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vdom/mem.h"

/* A recycled chunk hides use-after-free from AddressSanitizer, so its builds keep none. */
#if defined(__SANITIZE_ADDRESS__)
#define CACHE_DEFAULT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CACHE_DEFAULT 0
#endif
#endif
#ifndef CACHE_DEFAULT
#define CACHE_DEFAULT ((size_t)64 << 20)
#endif

struct bh_chunk {
    bh_chunk *next;
    uint32_t class;
    uint32_t spare; /* keeps what follows aligned to 16 */
};
enum { N_CLASSES = 24 };

static size_t class_size(unsigned class) { return (size_t)BH_ARENA_FIRST << class; }

static unsigned class_for(size_t size)
{
    if (size <= BH_ARENA_FIRST)
        return 0;
    unsigned class = 64 - (unsigned)__builtin_clzll((size - 1) / BH_ARENA_FIRST);
    if (class >= N_CLASSES)
        abort(); /* 8 GiB in one piece: a limit above us has failed */
    return class;
}

/* Big chunks are aligned to their page size, or the kernel could not use huge pages for them. */
static void *map_huge(size_t size)
{
    size_t total = size + BH_ARENA_HUGE;
    char *p = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    size_t head = (size_t)(-(uintptr_t)p & (BH_ARENA_HUGE - 1));
    if (head)
        munmap(p, head);
    if (total - head - size)
        munmap(p + head + size, total - head - size);
    madvise(p + head, size, MADV_HUGEPAGE); /* a wish: no kernel has to grant it */
    return p + head;
}

static void chunk_release(bh_chunk *c)
{
    if (class_size(c->class) >= BH_ARENA_HUGE)
        munmap(c, class_size(c->class));
    else
        bh_free(c);
}

void bh_chunk_pool_init(bh_chunk_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pool->cached_limit = CACHE_DEFAULT;
}

void bh_chunk_pool_fini(bh_chunk_pool *pool)
{
    assert(pool->live_bytes == 0);
    for (unsigned k = 0; k < N_CLASSES; k++) {
        for (bh_chunk *c = pool->free_by_class[k], *next; c; c = next) {
            next = c->next;
            chunk_release(c);
        }
        pool->free_by_class[k] = NULL;
    }
    pool->cached_bytes = 0;
}

void bh_arena_init(bh_arena *arena, bh_chunk_pool *pool)
{
    memset(arena, 0, sizeof *arena);
    arena->pool = pool;
}

void bh_arena_clear(bh_arena *arena)
{
    bh_chunk_pool *pool = arena->pool;
    for (bh_chunk *c = arena->chunks, *next; c; c = next) {
        size_t size = class_size(c->class);
        next = c->next;
        pool->live_bytes -= size;
        if (pool->cached_bytes + size > pool->cached_limit) {
            chunk_release(c);
            continue;
        }
        pool->cached_bytes += size;
        c->next = pool->free_by_class[c->class];
        pool->free_by_class[c->class] = c;
    }
    bh_arena_init(arena, pool);
}

void *bh__arena_more(bh_arena *arena, size_t size)
{
    bh_chunk_pool *pool = arena->pool;
    /* Half of what there is already: few chunks for big outputs, little waste for small ones. */
    size_t want = size + sizeof(bh_chunk);
    if (want < size)
        abort();
    unsigned class = class_for(want > arena->bytes / 2 ? want : arena->bytes / 2);
    size_t have = class_size(class);
    bh_chunk *c = pool->free_by_class[class];
    if (c) {
        pool->free_by_class[class] = c->next;
        pool->cached_bytes -= have;
    } else {
        c = have >= BH_ARENA_HUGE ? map_huge(have) : bh_alloc(have);
        c->class = class;
    }
    pool->live_bytes += have;
    c->next = arena->chunks;
    arena->chunks = c;
    arena->bytes += have;
    char *p = (char *)(c + 1);
    /* A piece of its own that leaves less than the current chunk has does not replace that. */
    size_t left = have - sizeof *c - size;
    if (!arena->at || left >= (size_t)(arena->end - arena->at)) {
        arena->at = p + size;
        arena->end = (char *)c + have;
    }
    return p;
}

const char *bh_arena_copy(bh_arena *arena, const char *s, size_t len)
{
    char *p = bh_arena_alloc(arena, len + 1);
    if (len)
        memcpy(p, s, len);
    p[len] = '\0';
    return p;
}
