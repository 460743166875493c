/* SPDX-License-Identifier: MIT
 * server/mbox.h — a mailbox: messages to a thread that runs a uv loop.
 *
 * Queue: a push list with a CAS head, drained whole by one exchange and reversed, so FIFO a poster.
 * The happens-before edge is the head's own acquire/release, never uv_async_send, whose fast path is
 * a relaxed read that may return early: a poster wakes only if it pushed onto an empty list, which
 * it can only have seen after the receiver's drain.
 * Wake: from another thread uv_async_send; from the loop's own thread a uv_idle handle, which costs
 * no system call and only keeps the loop from sleeping.
 * Threads: bh_mbox_post* any; the rest on the loop's thread (init and close too).
 * Lifetime: stop posters, drain, close; free in the close callback. docs/THREADING.md §2. */
#ifndef BH_SERVER_MBOX_H
#define BH_SERVER_MBOX_H

#include <stdatomic.h>

#include <uv.h>

#include "server/msg.h"

typedef struct bh_mbox bh_mbox;
struct bh_mbox {
    /* --- immutable after init */
    void (*on_batch)(bh_mbox *mb, bh_msg *fifo); /* takes the list, linked by next */
    void *owner;
    uv_thread_t thread; /* that runs the loop; set by bh_mbox_bind_thread */
    /* --- loop's thread */
    uv_async_t async;
    uv_idle_t idle; /* keeps the loop awake after a post from its own thread */
    uint64_t batches, messages, high_water; /* high_water: most messages in one batch */
    int closing;                            /* handles that still have to say they are closed */
    void (*closed)(bh_mbox *mb);
    /* --- atomic */
    _Alignas(64) _Atomic(bh_msg *) head;
    _Atomic uint64_t wakes;
};

int bh_mbox_init(bh_mbox *mb, uv_loop_t *loop, void (*on_batch)(bh_mbox *, bh_msg *), void *owner);
/* Called once on the thread that will run the loop, before it runs. */
void bh_mbox_bind_thread(bh_mbox *mb);
void bh_mbox_post(bh_mbox *mb, bh_msg *msg /* taken */);
/* Posts first..last, linked by next, in that order, with one CAS and at most one wake. */
void bh_mbox_post_list(bh_mbox *mb, bh_msg *first, bh_msg *last /* taken */);
/* Delivers what is there now; the async callback calls it, and so may the loop's owner. */
void bh_mbox_drain(bh_mbox *mb);
void bh_mbox_close(bh_mbox *mb, void (*closed)(bh_mbox *mb)); /* must be empty */

/* A poster's own list, flushed once a loop turn: one CAS and one wake for many messages. */
typedef struct bh_outq {
    bh_msg *first, *last;
} bh_outq;
static inline void bh_outq_add(bh_outq *q, bh_msg *msg)
{
    msg->next = NULL;
    if (q->last)
        q->last->next = msg;
    else
        q->first = msg;
    q->last = msg;
}
void bh_outq_flush(bh_outq *q, bh_mbox *to);

#endif
