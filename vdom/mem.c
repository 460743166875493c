/* SPDX-License-Identifier: MIT */
#include "vdom/mem.h"

#include <stdlib.h>

#ifdef BH_HAVE_MIMALLOC
#include <mimalloc.h>
#else
#define mi_malloc malloc
#define mi_calloc calloc
#define mi_realloc realloc
#define mi_free free
#endif

/* Small allocations die on exhaustion: no caller could go on, and none has to check. */
static void *or_die(void *p)
{
    if (!p)
        abort();
    return p;
}

void *bh_alloc(size_t size) { return or_die(mi_malloc(size ? size : 1)); }
void *bh_zalloc(size_t size) { return or_die(mi_calloc(1, size ? size : 1)); }
void *bh_realloc(void *p, size_t size) { return or_die(mi_realloc(p, size ? size : 1)); }
void *bh_try_alloc(size_t size) { return mi_malloc(size ? size : 1); }
void bh_free(void *p) { mi_free(p); }
