/* SPDX-License-Identifier: MIT
 * The proof that no wake is lost: a poster wakes if and only if it pushed onto an empty list. An
 * empty list is written only by bh_mbox_init and by the exchange in bh_mbox_drain, so a poster that
 * saw NULL read it from such an exchange (acquire/release), and libuv had cleared the async's pending
 * flag before the callback that drained: the send cannot be taken for the one before. A poster that
 * saw a message leaves the wake to whoever pushed the first one. docs/THREADING.md §2. */
#include "server/mbox.h"

#include <assert.h>

static void on_async(uv_async_t *h) { bh_mbox_drain(h->data); }

static void on_idle(uv_idle_t *h) { bh_mbox_drain(h->data); }

int bh_mbox_init(bh_mbox *mb, uv_loop_t *loop, void (*on_batch)(bh_mbox *, bh_msg *), void *owner)
{
    *mb = (bh_mbox){.on_batch = on_batch, .owner = owner};
    atomic_init(&mb->head, NULL);
    atomic_init(&mb->wakes, 0);
    int r = uv_async_init(loop, &mb->async, on_async);
    if (r < 0)
        return r;
    uv_idle_init(loop, &mb->idle);
    mb->async.data = mb;
    mb->idle.data = mb;
    bh_mbox_bind_thread(mb);
    return 0;
}

void bh_mbox_bind_thread(bh_mbox *mb) { mb->thread = uv_thread_self(); }

static bool on_own_thread(const bh_mbox *mb)
{
    uv_thread_t self = uv_thread_self();
    return uv_thread_equal(&self, &mb->thread) != 0;
}

void bh_mbox_post_list(bh_mbox *mb, bh_msg *first, bh_msg *last)
{
    /* The list is last in, first out and the drain reverses it, so a run goes in reversed. */
    bh_msg *rev = NULL;
    for (bh_msg *m = first, *end = last->next; m != end;) {
        bh_msg *next = m->next;
        m->next = rev;
        rev = m;
        m = next;
    }
    assert(rev == last);
    bh_msg *old = atomic_load_explicit(&mb->head, memory_order_relaxed);
    do {
        first->next = old;
    } while (!atomic_compare_exchange_weak_explicit(&mb->head, &old, rev, memory_order_acq_rel,
                                                    memory_order_relaxed));
    /* From here on the messages are the receiver's. */
    if (old)
        return;
    if (on_own_thread(mb)) {
        uv_idle_start(&mb->idle, on_idle);
        return;
    }
    atomic_fetch_add_explicit(&mb->wakes, 1, memory_order_relaxed);
    int r = uv_async_send(&mb->async);
    assert(r == 0);
    (void)r;
}

void bh_mbox_post(bh_mbox *mb, bh_msg *msg)
{
    msg->next = NULL;
    bh_mbox_post_list(mb, msg, msg);
}

void bh_mbox_drain(bh_mbox *mb)
{
    assert(on_own_thread(mb));
    if (mb->closing)
        return;
    if (uv_is_active((uv_handle_t *)&mb->idle))
        uv_idle_stop(&mb->idle); /* before on_batch, which may post here again */
    if (!atomic_load_explicit(&mb->head, memory_order_relaxed))
        return;
    bh_msg *lifo = atomic_exchange_explicit(&mb->head, NULL, memory_order_acq_rel);
    bh_msg *fifo = NULL;
    uint64_t n = 0;
    while (lifo) {
        bh_msg *next = lifo->next;
        lifo->next = fifo;
        fifo = lifo;
        lifo = next;
        n++;
    }
    mb->batches++;
    mb->messages += n;
    if (n > mb->high_water)
        mb->high_water = n;
    mb->on_batch(mb, fifo);
}

static void on_closed(uv_handle_t *h)
{
    bh_mbox *mb = h->data;
    if (--mb->closing == 1 && mb->closed) /* 1: stays "closing" for late drains */
        mb->closed(mb);
}

void bh_mbox_close(bh_mbox *mb, void (*closed)(bh_mbox *mb))
{
    assert(on_own_thread(mb));
    assert(!mb->closing);
    assert(!atomic_load_explicit(&mb->head, memory_order_relaxed));
    mb->closed = closed;
    mb->closing = 3;
    uv_close((uv_handle_t *)&mb->idle, on_closed);
    uv_close((uv_handle_t *)&mb->async, on_closed);
}

void bh_outq_flush(bh_outq *q, bh_mbox *to)
{
    if (!q->first)
        return;
    bh_msg *first = q->first, *last = q->last;
    q->first = q->last = NULL;
    bh_mbox_post_list(to, first, last);
}
