/* SPDX-License-Identifier: MIT
 * vdom/mem.h — the one allocator of the library: mimalloc, or malloc in sanitizer builds (mimalloc
 * would hide use-after-free from them). Any thread may free what any thread allocated. */
#ifndef BH_VDOM_MEM_H
#define BH_VDOM_MEM_H

#include <backhaul/base.h>

void *bh_alloc(size_t size);                  /* never NULL: aborts on exhaustion; not zeroed */
void *bh_zalloc(size_t size);                 /* likewise, zeroed */
void *bh_realloc(void *p, size_t size);       /* likewise */
void *bh_try_alloc(size_t size) BH_NODISCARD; /* NULL on exhaustion: for what a peer sizes */
void bh_free(void *p);                        /* NULL is fine */

#endif
