/* SPDX-License-Identifier: MIT
 * The render side's life, and where its messages go. */
#include "server/worker.h"

#include <assert.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/log.h"
#include "vdom/mem.h"

enum {
    CREDIT_EVERY = 64,      /* inputs taken in before the network side is told */
    POOL_CACHED = 64 << 20, /* bytes of idle out blocks */
};

/* ---- the host of render/ ------------------------------------------------------------------------ */

static bh_worker *of_host(bh_host *host) { return (bh_worker *)(void *)host; }

static uint64_t host_now_ms(bh_host *host) { return uv_now(of_host(host)->loop); }

static void host_wake(bh_host *host, bh_session *session)
{
    bh_worker *w = of_host(host);
    bh_rec *rec = bh_session_user(session);
    if (rec && !rec->dying) {
        bh__rec_pending(w, rec);
        bh__worker_kick(w);
    }
}

static void host_timer_at(bh_host *host, bh_session *session, uint64_t due_ms)
{
    bh_rec *rec = bh_session_user(session);
    if (rec && !rec->dying)
        bh__timer_set(of_host(host), rec, due_ms);
}

static const char *page_path(bh_worker *w, bh_session *session)
{
    bh_rec *rec = bh_session_user(session);
    return rec ? w->pages[rec->page].path : "?";
}

static void host_fault(bh_host *host, bh_session *session, const char *text)
{
    bh_log(BH_LOG_WARN, "page %s: %s", page_path(of_host(host), session), text);
}

static void host_warn(bh_host *host, bh_session *session, const char *text)
{
    bh_log(BH_LOG_WARN, "page %s: %s", page_path(of_host(host), session), text);
}

static const bh_host_ops host_ops = {
    .now_ms = host_now_ms,
    .wake = host_wake,
    .timer_at = host_timer_at,
    .fault = host_fault,
    .warn = host_warn,
};

bh_server *bh_cx_server(bh_cx *cx) { return bh__cx_host(cx)->server; }

/* ---- messages ------------------------------------------------------------------------------------ */

void bh__worker_post(bh_worker *w, bh_msg *msg) { bh_outq_add(&w->outq, msg); }

void bh__peer_fail(bh_worker *w, bh_peer *peer, unsigned code, const char *reason, bool park)
{
    if (peer->closing)
        return;
    peer->closing = true;
    bh_dlist_take(&peer->greet);
    size_t len = strlen(reason);
    bh_msg *msg = bh_msg_new(BH_MSG_CLOSE, peer->sid, len + 1);
    msg->code = code;
    memcpy(bh_msg_data(msg), reason, len + 1);
    msg->len = len;
    bh__worker_post(w, msg);
    if (peer->rec)
        bh__rec_leave(w, peer->rec, park);
}

static void on_open(bh_worker *w, bh_msg *msg /* taken */)
{
    bh_peer *peer = bh__peer_new(w, msg);
    if (peer->codec == BH_CODEC_V1) {
        bh_dlist_append(&w->greeting, &peer->greet);
        bh__deadline(w, peer->opened_ms + BH_HELLO_TIMEOUT_S * UINT64_C(1000));
        return;
    }
    bh_msg_open head;
    const char *bytes = (const char *)bh_msg_data(msg);
    memcpy(&head, bytes, sizeof head);
    bh_rec *rec = bh__rec_new(w, head.page, bytes + head.path_off, bytes + head.query_off);
    bh__rec_attach(w, rec, peer);
    bh__rec_pending(w, rec);
    bh_msg_free(peer->open);
    peer->open = NULL;
}

static void on_data(bh_worker *w, bh_msg *msg /* taken */)
{
    bh_peer *peer = bh__peer_find(w, msg->sid);
    if (!peer) {
        w->stats.stale_in++;
        bh_msg_free(msg);
        return;
    }
    if (++peer->consumed == CREDIT_EVERY) {
        bh_msg *credit = bh_msg_new(BH_MSG_CREDIT, msg->sid, 0);
        credit->code = peer->consumed;
        peer->consumed = 0;
        bh__worker_post(w, credit);
    }
    if (peer->closing)
        w->stats.ignored_messages++;
    else
        bh__peer_input(w, peer, bh_msg_data(msg), msg->len);
    bh_msg_free(msg);
}

static void on_close(bh_worker *w, bh_msg *msg /* taken */)
{
    bh_peer *peer = bh__peer_find(w, msg->sid);
    bh_msg_free(msg);
    if (!peer) {
        w->stats.stale_in++;
        return;
    }
    if (peer->rec)
        bh__rec_leave(w, peer->rec, true);
    bh__peer_free(w, peer);
}

static void on_call(bh_worker *w, bh_msg *msg /* taken */)
{
    bh_msg_call call;
    memcpy(&call, bh_msg_data(msg), sizeof call);
    if (msg->code) /* counted by bh_hub_post */
        atomic_fetch_sub_explicit(&w->gate->waiting, 1, memory_order_relaxed);
    /* The data keeps the block's alignment: the header is a multiple of 16 (asserted in msg.h). */
    call.fn(bh_msg_data(msg) + BH_CALL_HEADER, msg->len - BH_CALL_HEADER);
    bh_msg_free(msg);
}

static void on_stats(bh_worker *w, bh_msg *msg /* taken */)
{
    bh_msg *out = bh_msg_new(BH_MSG_STATS, msg->sid, sizeof(bh_hub_stats));
    bh_msg_free(msg);
    bh_hub_stats s = w->stats;
    struct timespec ts = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    s.cpu_render_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    s.inbox_high_water = w->inbox.high_water;
    s.sessions_live = w->n_live;
    s.sessions_parked = w->n_parked;
    s.sessions_prerendered = w->n_prerendered;
    s.renders = w->env.renders;
    s.component_renders = w->env.component_renders;
    s.faults = w->env.faults;
    s.stale_refs = w->env.stale_refs;
    s.unknown_handlers = w->env.unknown_handlers;
    s.refused_attrs = w->env.refused_attrs;
    s.twin_keys = w->env.twin_keys;
    s.session_bytes = w->env.session_bytes;
    s.stalls = w->sched.stalls;
    s.dropped_posts = atomic_load_explicit(&w->gate->dropped, memory_order_relaxed);
    s.pool_bytes = w->env.pool.cached_bytes + w->env.pool.live_bytes + w->pool.cached_bytes;
    memcpy(bh_msg_data(out), &s, sizeof s);
    out->len = sizeof s;
    bh__worker_post(w, out);
}

/* ---- stop ------------------------------------------------------------------------------------------- */

static void one_closed(bh_worker *w)
{
    if (--w->handles)
        return;
    /* Nothing of ours is left on the loop: the last word. After this the thread touches the hub no
     * more but by the mailbox's own wake, and the hub joins before it closes that. */
    bh_mbox_post(w->outbox, bh_msg_new(BH_MSG_STOP, 0, 0));
}

static void on_handle_closed(uv_handle_t *h) { one_closed(h->data); }

static void on_inbox_closed(bh_mbox *mb) { one_closed(mb->owner); }

static void on_clock_closed(uv_handle_t *h)
{
    bh_worker *w = h->data;
    close(w->clock_fd);
    w->clock_fd = -1;
    one_closed(w);
}

static void on_stop(bh_worker *w)
{
    assert(!w->stopping);
    w->stopping = true;
    bh__sessions_fini(w);
    bh__topics_fini(w);
    bh_arena_clear(&w->arena);
    bh_render_env_fini(&w->env);
    bh_msg_pool_fini(&w->pool);
    bh_buf_fini(&w->enc);
    bh_outq_flush(&w->outq, w->outbox);
    /* Main still holds the gate if it is not done with posting STOP. */
    uv_rwlock_wrlock(&w->gate->lock);
    uv_rwlock_wrunlock(&w->gate->lock);
    w->handles = 3 + (w->clock_fd >= 0);
    bh_mbox_close(&w->inbox, on_inbox_closed);
    uv_close((uv_handle_t *)&w->idle, on_handle_closed);
    uv_close((uv_handle_t *)&w->timer, on_handle_closed);
    if (w->clock_fd >= 0)
        uv_close((uv_handle_t *)&w->clock, on_clock_closed);
}

static void take(bh_worker *w, bh_msg *msg)
{
    switch ((bh_msg_kind)msg->kind) {
    case BH_MSG_OPEN:
        on_open(w, msg);
        return;
    case BH_MSG_DATA:
        on_data(w, msg);
        return;
    case BH_MSG_DRAINED:
        bh__rec_drained(w, msg);
        return;
    case BH_MSG_CLOSE:
        on_close(w, msg);
        return;
    case BH_MSG_PAGE:
        bh__prerender(w, msg);
        bh_msg_free(msg);
        return;
    case BH_MSG_CALL:
        on_call(w, msg);
        return;
    case BH_MSG_STATS:
        on_stats(w, msg);
        return;
    case BH_MSG_STOP:
        assert(!msg->next);
        bh_msg_free(msg);
        on_stop(w);
        return;
    case BH_MSG_CREDIT:
        break; /* goes out only */
    }
    assert(false && "a message of this kind comes in");
}

static void on_batch(bh_mbox *mb, bh_msg *fifo)
{
    bh_role_assert_render();
    bh_worker *w = mb->owner;
    w->batch++;
    w->settles = 0;
    while (fifo) {
        bh_msg *next = fifo->next;
        take(w, fifo);
        fifo = next;
    }
    if (w->stopping || w->in_slice)
        return;
    if (w->clock_fd < 0 && w->sched.n_ready)
        bh__worker_slice(w); /* the first slice at once: a loop turn less for the single event */
    else
        bh_outq_flush(&w->outq, w->outbox);
    bh__worker_kick(w);
}

void bh__worker_pump(void *worker)
{
    bh_worker *w = worker;
    if (!w->stopping)
        bh_mbox_drain(&w->inbox);
}

/* ---- start -------------------------------------------------------------------------------------------- */

void bh__worker_entry(void *worker)
{
    bh_worker *w = worker;
    bh_role_bind(BH_ROLE_RENDER);
    w->loop = w->exec->ops->loop(w->exec);
    w->clock_fd = -1;
    w->timer_due = UINT64_MAX;
    w->error = bh__clock_init(w);
    if (w->error < 0)
        return;
    w->error = bh_mbox_init(&w->inbox, w->loop, on_batch, w);
    if (w->error < 0) {
        if (w->clock_fd >= 0) {
            close(w->clock_fd); /* its handle is opened below */
            w->clock_fd = -1;
        }
        return;
    }
    if (w->clock_fd >= 0) {
        uv_poll_init(w->loop, &w->clock, w->clock_fd);
        w->clock.data = w;
    }
    uv_idle_init(w->loop, &w->idle);
    uv_timer_init(w->loop, &w->timer);
    w->idle.data = w;
    w->timer.data = w;
    w->host.ops = &host_ops;
    w->host.show_errors = w->config->show_errors;
    bh_render_env_init(&w->env);
    bh_sched_init(&w->sched, w->config->window_frames, w->config->window_bytes);
    bh_msg_pool_init(&w->pool, POOL_CACHED);
    bh_buf_init(&w->enc);
    bh_arena_init(&w->arena, &w->env.pool);
    bh_dlist_init(&w->greeting);
    bh_dlist_init(&w->flying);
    bh_dlist_init(&w->parked);
    bh_dlist_init(&w->prerendered);
    w->exec->pump_fn = bh__worker_pump;
    w->exec->pump_arg = w;
}
