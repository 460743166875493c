/* SPDX-License-Identifier: MIT
 * vdom/buf.h — a growing byte buffer; aborts on exhaustion of memory. */
#ifndef BH_VDOM_BUF_H
#define BH_VDOM_BUF_H

#include <string.h>

#include <backhaul/base.h>

typedef struct bh_buf {
    unsigned char *data;
    size_t len, cap;
} bh_buf;

void bh_buf_init(bh_buf *buf); /* empty, allocates nothing */
void bh_buf_fini(bh_buf *buf);
void bh__buf_grow(bh_buf *buf, size_t more);

/* Room for `n` bytes at the end; the caller adds what it used to len. */
static inline unsigned char *bh_buf_room(bh_buf *buf, size_t n)
{
    if (buf->cap - buf->len < n)
        bh__buf_grow(buf, n);
    return buf->data + buf->len;
}
static inline void bh_buf_put(bh_buf *buf, const void *p, size_t n)
{
    if (n) {
        memcpy(bh_buf_room(buf, n), p, n);
        buf->len += n;
    }
}
static inline void bh_buf_byte(bh_buf *buf, unsigned char c)
{
    *bh_buf_room(buf, 1) = c;
    buf->len++;
}
static inline void bh_buf_str(bh_buf *buf, const char *s) { bh_buf_put(buf, s, strlen(s)); }

#endif
