/* SPDX-License-Identifier: MIT
 * render/sched.c — the ring of ready sessions. An entry is in the ring exactly while it is pending,
 * attached and has credit; every function below restores that. */
#include "render/sched.h"

#include <assert.h>

void bh_sched_init(bh_sched *sched, uint32_t window_frames, size_t window_bytes)
{
    *sched = (bh_sched){.window_frames = window_frames ? window_frames : 1,
                        .window_bytes = window_bytes ? window_bytes : 1};
    sched->ring.next = sched->ring.prev = &sched->ring;
}

static void ring_take(bh_sched *sched, bh_sched_entry *e)
{
    if (!e->next)
        return;
    e->next->prev = e->prev;
    e->prev->next = e->next;
    e->next = e->prev = NULL;
    sched->n_ready--;
}

static bool has_credit(const bh_sched *sched, const bh_sched_entry *e)
{
    return e->in_flight_frames < sched->window_frames && e->in_flight_bytes < sched->window_bytes;
}

/* Puts a ready entry at the end of the ring: it waits behind all that were ready before it. */
static void ring_update(bh_sched *sched, bh_sched_entry *e)
{
    if (!e->pending || !e->attached || !has_credit(sched, e)) {
        ring_take(sched, e);
        return;
    }
    if (e->next)
        return;
    e->prev = sched->ring.prev;
    e->next = &sched->ring;
    e->prev->next = e;
    e->next->prev = e;
    sched->n_ready++;
}

void bh_sched_attach(bh_sched *sched, bh_sched_entry *e)
{
    e->attached = true;
    e->in_flight_frames = 0;
    e->in_flight_bytes = 0;
    ring_update(sched, e);
}

void bh_sched_detach(bh_sched *sched, bh_sched_entry *e)
{
    e->attached = false;
    e->in_flight_frames = 0;
    e->in_flight_bytes = 0;
    ring_update(sched, e);
}

void bh_sched_pending(bh_sched *sched, bh_sched_entry *e)
{
    if (!e->pending && e->attached && !has_credit(sched, e))
        sched->stalls++;
    e->pending = true;
    ring_update(sched, e);
}

void bh_sched_sent(bh_sched *sched, bh_sched_entry *e, uint32_t frames, size_t bytes)
{
    if (!e->attached)
        return;
    e->in_flight_frames += frames;
    e->in_flight_bytes += bytes;
    if (e->pending && !has_credit(sched, e))
        sched->stalls++;
    ring_update(sched, e);
}

void bh_sched_credit(bh_sched *sched, bh_sched_entry *e, uint32_t frames, size_t bytes)
{
    /* A detach forgot what was in flight; what then still comes home is not ours to count. */
    e->in_flight_frames -= frames < e->in_flight_frames ? frames : e->in_flight_frames;
    e->in_flight_bytes -= bytes < e->in_flight_bytes ? bytes : e->in_flight_bytes;
    ring_update(sched, e);
}

void bh_sched_turn(bh_sched *sched)
{
    if (++sched->turn == 0)
        sched->turn = 1; /* 0 is "never" in a zeroed entry */
}

bh_sched_entry *bh_sched_next(bh_sched *sched)
{
    /* Entries that become ready again during this turn queue up behind; the first one that this
     * turn has already rendered means all have had their share. */
    bh_sched_entry *e = sched->ring.next;
    if (e == &sched->ring || e->turn == sched->turn)
        return NULL;
    assert(e->pending && e->attached);
    ring_take(sched, e);
    e->pending = false;
    e->turn = sched->turn;
    return e;
}

bool bh_sched_take(bh_sched *sched, bh_sched_entry *e)
{
    if (!e->next)
        return false;
    ring_take(sched, e);
    e->pending = false;
    return true;
}
