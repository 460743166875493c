/* SPDX-License-Identifier: MIT */
#include "server/msg.h"

#include <assert.h>
#include <string.h>

#include "vdom/mem.h"

static void reset(bh_msg *msg, bh_msg_kind kind, bh_sid sid)
{
    msg->next = NULL;
    msg->sid = sid;
    msg->kind = (uint32_t)kind;
    msg->code = 0;
    msg->owner = 0;
    msg->seq = 0;
    msg->off = BH_MSG_HEADROOM;
    msg->len = 0;
}

static bh_msg *make(bh_msg_kind kind, bh_sid sid, size_t room, uint32_t pool)
{
    assert(room <= UINT32_MAX);
    bh_msg *msg = bh_alloc(sizeof *msg + room);
    reset(msg, kind, sid);
    msg->cap = (uint32_t)room;
    msg->pool = pool;
    return msg;
}

bh_msg *bh_msg_new(bh_msg_kind kind, bh_sid sid, size_t cap)
{
    return make(kind, sid, BH_MSG_HEADROOM + cap, 0);
}

void bh_msg_free(bh_msg *msg) { bh_free(msg); }

static size_t class_bytes(unsigned k) { return (size_t)BH_MSG_CLASS_MIN << k; }

void bh_msg_pool_init(bh_msg_pool *pool, size_t cached_limit)
{
    *pool = (bh_msg_pool){.cached_limit = cached_limit};
}

void bh_msg_pool_fini(bh_msg_pool *pool)
{
    for (unsigned k = 0; k < BH_MSG_CLASSES; k++) {
        while (pool->free_by_class[k]) {
            bh_msg *msg = pool->free_by_class[k];
            pool->free_by_class[k] = msg->next;
            bh_free(msg);
        }
    }
    pool->cached_bytes = 0;
}

bh_msg *bh_msg_pool_get(bh_msg_pool *pool, bh_msg_kind kind, bh_sid sid, size_t cap)
{
    size_t room = BH_MSG_HEADROOM + cap;
    unsigned k = 0;
    while (k < BH_MSG_CLASSES && class_bytes(k) < room)
        k++;
    if (k == BH_MSG_CLASSES)
        return make(kind, sid, room, 0);
    bh_msg *msg = pool->free_by_class[k];
    if (!msg)
        return make(kind, sid, class_bytes(k), k + 1);
    pool->free_by_class[k] = msg->next;
    pool->cached_bytes -= class_bytes(k);
    reset(msg, kind, sid);
    return msg;
}

void bh_msg_pool_put(bh_msg_pool *pool, bh_msg *msg)
{
    if (!msg)
        return;
    if (!msg->pool || pool->cached_bytes + msg->cap > pool->cached_limit) {
        bh_free(msg);
        return;
    }
    unsigned k = msg->pool - 1;
    assert(k < BH_MSG_CLASSES && msg->cap == class_bytes(k));
    msg->next = pool->free_by_class[k];
    pool->free_by_class[k] = msg;
    pool->cached_bytes += msg->cap;
}
