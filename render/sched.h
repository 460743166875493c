/* SPDX-License-Identifier: MIT
 * render/sched.h — which session renders next: a ring of ready sessions, with credit.
 *
 * A session is ready when it is pending, attached, and has credit: fewer than window_frames frames
 * and window_bytes bytes handed over and not yet drained (ReactPy) or acknowledged (backhaul.v1).
 * Without credit, changes only keep it pending; the next render carries them all. That bounds memory
 * for slow clients and makes many changes one message. Each turn renders a session at most once, in
 * ring order: one that renders without end cannot starve another.
 * Pure bookkeeping: no clock, no thread. Threads: one, whichever renders. */
#ifndef BH_RENDER_SCHED_H
#define BH_RENDER_SCHED_H

#include <backhaul/base.h>

typedef struct bh_sched_entry bh_sched_entry;
struct bh_sched_entry {          /* embedded in the owner's session record */
    bh_sched_entry *next, *prev; /* ring of ready sessions; NULL: not in it */
    uint32_t in_flight_frames;
    uint32_t turn; /* last turn that rendered it */
    size_t in_flight_bytes;
    bool pending, attached;
};

typedef struct bh_sched {
    bh_sched_entry ring; /* head */
    uint32_t window_frames;
    size_t window_bytes;
    uint32_t turn;
    size_t n_ready;
    uint64_t stalls; /* times a pending session had no credit */
} bh_sched;

void bh_sched_init(bh_sched *sched, uint32_t window_frames, size_t window_bytes);
void bh_sched_attach(bh_sched *sched, bh_sched_entry *e);
void bh_sched_detach(bh_sched *sched, bh_sched_entry *e); /* forgets what is in flight */
void bh_sched_pending(bh_sched *sched, bh_sched_entry *e);
void bh_sched_sent(bh_sched *sched, bh_sched_entry *e, uint32_t frames, size_t bytes);
void bh_sched_credit(bh_sched *sched, bh_sched_entry *e, uint32_t frames, size_t bytes);
/* Starts a turn; then next() yields each session that is ready now, once, taking it off the ring
 * and clearing pending. NULL: the turn is over. */
void bh_sched_turn(bh_sched *sched);
bh_sched_entry *bh_sched_next(bh_sched *sched);
/* Takes e out of turn if it is ready, as next() would. */
bool bh_sched_take(bh_sched *sched, bh_sched_entry *e);

#endif
