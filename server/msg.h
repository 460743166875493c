/* SPDX-License-Identifier: MIT
 * server/msg.h — THE NARROW INTERFACE between the network side and the render side.
 *
 * Only messages cross, and a message names a connection by a 64-bit id (slot and generation) and
 * carries one flat run of bytes: never a pointer to a connection, a session or a tree. A stale id is
 * dropped and counted.
 *
 * Ownership: the poster owns a message until it is posted, the receiver after. A DATA message going
 * out comes back as the same block with kind BH_MSG_DRAINED once its bytes have been handed to the
 * socket (or will never be: `len` 0): that is the credit, and the block goes back to the pool of the
 * render side, which alone allocates outgoing messages. Messages coming in are allocated on the
 * network side and freed on the render side. */
#ifndef BH_SERVER_MSG_H
#define BH_SERVER_MSG_H

#include <backhaul/base.h>

typedef uint64_t bh_sid; /* slot | generation << 32; 0 is never a connection */

typedef enum bh_msg_kind {
    /* in: network → render */
    BH_MSG_OPEN = 1, /* bytes: bh_msg_open */
    BH_MSG_DATA,    /* bytes: one whole WebSocket message; also out: whole frames, header and all */
    BH_MSG_DRAINED, /* an out DATA block coming home */
    BH_MSG_CLOSE,   /* in: the connection is gone. out: close it; code, bytes = reason */
    BH_MSG_PAGE,    /* in: GET of a page, bytes: bh_msg_open; out: its HTML */
    BH_MSG_CALL,    /* bytes: bh_msg_call and the data after it (bh_post, topics) */
    BH_MSG_STATS,   /* in: asked for; out: bytes = struct bh_render_stats */
    BH_MSG_STOP,    /* in: the last message. out: everything is cleaned up */
    BH_MSG_CREDIT,  /* out: `code` messages of this connection have been taken in */
} bh_msg_kind;

typedef enum bh_codec_id { BH_CODEC_V1 = 1, BH_CODEC_REACTPY } bh_codec_id;

typedef struct bh_msg bh_msg;
struct bh_msg {
    bh_msg *next;
    bh_sid sid;
    uint32_t kind;  /* bh_msg_kind */
    uint32_t code;  /* CLOSE: WebSocket close code; DATA out: number of frames in it */
    uint32_t cap;   /* room at bytes */
    uint32_t pool;  /* size class + 1, 0: not pooled */
    uint64_t owner; /* render side's own: which session record a DATA block belongs to */
    uint32_t seq;   /* render side's own: number of the frame in it, 0: not counted */
    size_t off;     /* first byte of content: leaves room in front for a frame header */
    size_t len;
    unsigned char bytes[];
};
/* Room kept in front of content: LWS_PRE (asserted in ws.c) and a 10-byte frame header. */
enum { BH_MSG_HEADROOM = 32 };

/* Payload of OPEN and PAGE. Strings follow the struct, NUL-terminated: path, query. */
typedef struct bh_msg_open {
    uint32_t page;                /* index into the server's pages */
    uint32_t codec;               /* bh_codec_id; PAGE: unused */
    uint32_t path_off, query_off; /* from the start of bytes+off */
} bh_msg_open;

typedef struct bh_msg_call {
    void (*fn)(void *data, size_t len);
} bh_msg_call;
enum { BH_CALL_HEADER = 16 }; /* of which bh_msg_call is the first part: the data stay aligned */
_Static_assert(sizeof(bh_msg_call) <= BH_CALL_HEADER, "");
_Static_assert(offsetof(bh_msg, bytes) % 16 == 0 && BH_MSG_HEADROOM % 16 == 0, "data are aligned");

bh_msg *bh_msg_new(bh_msg_kind kind, bh_sid sid, size_t cap); /* off = BH_MSG_HEADROOM, len 0 */
void bh_msg_free(bh_msg *msg);                                /* NULL is fine */
/* Out blocks, recycled by size class. Belongs to the render side; a block that is not put back may be
 * freed by bh_msg_free on any thread. */
enum { BH_MSG_CLASSES = 17, BH_MSG_CLASS_MIN = 256 }; /* 256 B ... 16 MiB of bytes[] */
typedef struct bh_msg_pool {
    bh_msg *free_by_class[BH_MSG_CLASSES];
    size_t cached_bytes, cached_limit;
} bh_msg_pool;
void bh_msg_pool_init(bh_msg_pool *pool, size_t cached_limit);
void bh_msg_pool_fini(bh_msg_pool *pool);
bh_msg *bh_msg_pool_get(bh_msg_pool *pool, bh_msg_kind kind, bh_sid sid, size_t cap);
void bh_msg_pool_put(bh_msg_pool *pool, bh_msg *msg /* taken; NULL is fine */);

static inline unsigned char *bh_msg_data(bh_msg *msg) { return msg->bytes + msg->off; }

#endif
