/* SPDX-License-Identifier: MIT
 * When things are due: timers of sessions, deadlines, the commit clock.
 *
 * One uv_timer serves every deadline. It is only ever moved nearer; when it fires, whatever is due is
 * done and the nearest of what is left is computed, so that the usual acknowledgement, which puts a
 * deadline off, costs nothing. */
#include <assert.h>
#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "server/worker.h"
#include "vdom/mem.h"

/* ---- timers of sessions: a binary heap by due_ms ------------------------------------------------ */

static void heap_put(bh_worker *w, size_t at, bh_rec *rec)
{
    w->heap[at] = rec;
    rec->heap_at = at;
}

static void heap_up(bh_worker *w, size_t at, bh_rec *rec)
{
    while (at) {
        size_t up = (at - 1) / 2;
        if (w->heap[up]->due_ms <= rec->due_ms)
            break;
        heap_put(w, at, w->heap[up]);
        at = up;
    }
    heap_put(w, at, rec);
}

static void heap_down(bh_worker *w, size_t at, bh_rec *rec)
{
    for (;;) {
        size_t below = 2 * at + 1;
        if (below >= w->heap_len)
            break;
        if (below + 1 < w->heap_len && w->heap[below + 1]->due_ms < w->heap[below]->due_ms)
            below++;
        if (rec->due_ms <= w->heap[below]->due_ms)
            break;
        heap_put(w, at, w->heap[below]);
        at = below;
    }
    heap_put(w, at, rec);
}

void bh__timer_set(bh_worker *w, bh_rec *rec, uint64_t due_ms)
{
    if (rec->heap_at == SIZE_MAX) {
        rec->due_ms = due_ms;
        if (due_ms == UINT64_MAX)
            return;
        if (w->heap_len == w->heap_cap) {
            w->heap_cap = w->heap_cap ? w->heap_cap * 2 : 64;
            w->heap = bh_realloc(w->heap, w->heap_cap * sizeof(bh_rec *));
        }
        heap_up(w, w->heap_len++, rec);
    } else if (due_ms == UINT64_MAX) {
        size_t at = rec->heap_at;
        bh_rec *last = w->heap[--w->heap_len];
        rec->heap_at = SIZE_MAX;
        rec->due_ms = due_ms;
        if (last != rec) {
            heap_down(w, at, last);
            heap_up(w, last->heap_at, last);
        }
        return;
    } else {
        rec->due_ms = due_ms;
        heap_down(w, rec->heap_at, rec);
        heap_up(w, rec->heap_at, rec);
    }
    bh__deadline(w, due_ms);
}

/* ---- deadlines ------------------------------------------------------------------------------------ */

void bh__deadline(bh_worker *w, uint64_t at_ms)
{
    if (at_ms >= w->timer_due || w->stopping)
        return;
    w->timer_due = at_ms;
    uint64_t now = uv_now(w->loop);
    uv_timer_start(&w->timer, bh__on_timer, at_ms > now ? at_ms - now : 0, 0);
}

void bh__flight_update(bh_worker *w, bh_rec *rec, bool progress)
{
    if (!rec->sched.in_flight_frames) {
        bh_dlist_take(&rec->flight);
    } else if (progress || bh_dlist_empty(&rec->flight)) {
        rec->progress_ms = uv_now(w->loop);
        bh_dlist_append(&w->flying, &rec->flight);
        bh__deadline(w, rec->progress_ms + BH_UNACKED_TIMEOUT_S * UINT64_C(1000));
    }
}

static uint64_t greeting_due(bh_worker *w)
{
    if (bh_dlist_empty(&w->greeting))
        return UINT64_MAX;
    bh_peer *peer = BH_CONTAINER(w->greeting.next, bh_peer, greet);
    return peer->opened_ms + BH_HELLO_TIMEOUT_S * UINT64_C(1000);
}

static uint64_t flying_due(bh_worker *w)
{
    if (bh_dlist_empty(&w->flying))
        return UINT64_MAX;
    bh_rec *rec = BH_CONTAINER(w->flying.next, bh_rec, flight);
    return rec->progress_ms + BH_UNACKED_TIMEOUT_S * UINT64_C(1000);
}

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

void bh__on_timer(uv_timer_t *timer)
{
    bh_role_assert_render();
    bh_worker *w = timer->data;
    uint64_t now = uv_now(w->loop);
    w->timer_due = UINT64_MAX;
    while (greeting_due(w) <= now) {
        bh_peer *peer = BH_CONTAINER(w->greeting.next, bh_peer, greet);
        bh__peer_fail(w, peer, BH_CLOSE_NO_HELLO, "no hello in time", false);
    }
    while (flying_due(w) <= now) {
        bh_rec *rec = BH_CONTAINER(w->flying.next, bh_rec, flight);
        bh_dlist_take(&rec->flight);
        bh__peer_fail(w, rec->peer, BH_CLOSE_SLOW, "client does not read", true);
    }
    bh__resume_expire(w, now);
    while (w->heap_len && w->heap[0]->due_ms <= now) {
        bh_rec *rec = w->heap[0];
        bh__timer_set(w, rec, UINT64_MAX); /* the session says anew when it is due */
        bh_session_timers(rec->session, now);
    }
    bh__deadline(w, min64(greeting_due(w), min64(flying_due(w), bh__resume_next(w))));
    if (w->heap_len)
        bh__deadline(w, w->heap[0]->due_ms);
    bh_outq_flush(&w->outq, w->outbox);
    bh__worker_kick(w);
}

/* ---- the commit clock --------------------------------------------------------------------------------
 *
 * Commits come at start + n·T: an absolute schedule does not drift with the length of commits. The
 * timerfd is armed one shot at a time and only while something waits, so an idle server sleeps, and a
 * stall of many T is followed by one commit, not by many. */

static uint64_t clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int bh__clock_init(bh_worker *w)
{
    w->interval_ns = w->config->commit_interval_us * 1000;
    if (!w->interval_ns)
        return 0;
    w->clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (w->clock_fd < 0)
        return -errno;
    w->clock_start_ns = clock_ns();
    return 0;
}

static void on_clock(uv_poll_t *poll, int status, int events)
{
    bh_role_assert_render();
    (void)status;
    (void)events;
    bh_worker *w = poll->data;
    uint64_t ticks = 0;
    if (read(w->clock_fd, &ticks, sizeof ticks) != (ssize_t)sizeof ticks)
        return; /* not due */
    w->clock_armed = false;
    if (!w->sched.n_ready)
        return; /* who waited has gone */
    w->committing = true;
    w->stats.commits++;
    bh_sched_turn(&w->sched); /* every session that is ready now is rendered once */
    bh__worker_slice(w);
    bh__worker_kick(w);
}

void bh__clock_arm(bh_worker *w)
{
    if (w->clock_armed)
        return;
    w->clock_armed = true;
    uint64_t now = clock_ns();
    uint64_t next =
        w->clock_start_ns + ((now - w->clock_start_ns) / w->interval_ns + 1) * w->interval_ns;
    struct itimerspec at = {.it_value = {.tv_sec = (time_t)(next / 1000000000u),
                                         .tv_nsec = (long)(next % 1000000000u)}};
    int r = timerfd_settime(w->clock_fd, TFD_TIMER_ABSTIME, &at, NULL);
    assert(r == 0);
    (void)r;
    if (!uv_is_active((uv_handle_t *)&w->clock))
        uv_poll_start(&w->clock, UV_READABLE, on_clock);
}
