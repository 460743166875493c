/* SPDX-License-Identifier: MIT */
#include "vdom/buf.h"

#include <stdlib.h>

#include "vdom/mem.h"

void bh_buf_init(bh_buf *buf) { *buf = (bh_buf){NULL, 0, 0}; }

void bh_buf_fini(bh_buf *buf)
{
    bh_free(buf->data);
    bh_buf_init(buf);
}

void bh__buf_grow(bh_buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->len)
        abort();
    size_t need = buf->len + more, cap = buf->cap ? buf->cap * 2 : 256;
    while (cap < need)
        cap *= 2;
    buf->data = bh_realloc(buf->data, cap);
    buf->cap = cap;
}
