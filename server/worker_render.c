/* SPDX-License-Identifier: MIT
 * Slices: at most BH_RENDERS_PER_SLICE renders, then messages again. One render of one session is one
 * frame; the frames of a slice cross with one post; effects run after that. */
#include <assert.h>
#include <string.h>

#include "server/worker.h"

void bh__rec_pending(bh_worker *w, bh_rec *rec) { bh_sched_pending(&w->sched, &rec->sched); }

/* ---- frames -------------------------------------------------------------------------------------- */

void bh__rec_send(bh_worker *w, bh_rec *rec, uint32_t seq)
{
    size_t len = w->enc.len;
    bh_msg *msg = bh_msg_pool_get(&w->pool, BH_MSG_DATA, rec->peer->sid, len);
    unsigned char *payload = bh_msg_data(msg);
    memcpy(payload, w->enc.data, len);
    unsigned opcode = rec->codec == BH_CODEC_V1 ? BH_WS_BINARY : BH_WS_TEXT;
    size_t head = bh_ws_header_before(payload, opcode, len);
    assert(head <= msg->off);
    msg->off -= head;
    msg->len = head + len;
    msg->code = 1;
    msg->owner = rec->id;
    msg->seq = seq;
    w->stats.frames++;
    if (rec->codec == BH_CODEC_V1 && seq) {
        bh__kept_push(rec, (bh_kept){.seq = seq, .off = msg->off, .len = msg->len});
        rec->blocks_out++;
        w->stats.retained_bytes += msg->len;
    }
    if (seq) {
        bh_sched_sent(&w->sched, &rec->sched, 1, msg->len);
        bh__flight_update(w, rec, false);
    } else {
        rec->loose_out++;
    }
    bh__worker_post(w, msg);
}

void bh__rec_replay(bh_worker *w, bh_rec *rec)
{
    for (uint32_t i = 0; i < rec->kept_len; i++) {
        bh_kept *k = bh__kept_at(rec, i);
        bh_msg *msg = k->msg;
        assert(msg); /* resume waits until all are home */
        k->msg = NULL;
        rec->blocks_out++;
        msg->kind = BH_MSG_DATA;
        msg->sid = rec->peer->sid;
        msg->off = k->off;
        msg->len = k->len;
        msg->code = 1;
        w->stats.replayed_frames++;
        bh_sched_sent(&w->sched, &rec->sched, 1, k->len);
        bh__worker_post(w, msg);
    }
    bh__flight_update(w, rec, false);
}

void bh__rec_welcome(bh_worker *w, bh_rec *rec, unsigned flags)
{
    char token[BH_TOKEN_LEN + 1];
    bh__token_rotate(rec, token);
    w->enc.len = 0;
    bh_v1_frame(&w->enc, 0, rec->event_seq);
    bh_v1_welcome(&w->enc, flags, token);
    bh__rec_send(w, rec, 0);
}

struct adopt {
    bh_v1_encoder *enc;
};

static void adopt_handler(void *arg, const bh_node *n, const bh_attr *handler)
{
    struct adopt *a = arg;
    bh_v1_handler(a->enc, n, handler);
}

/* The frame a client begins with. */
static void render_first(bh_worker *w, bh_rec *rec)
{
    bh_first first = rec->first;
    rec->first = BH_FIRST_DONE;
    if (!rec->rendered) {
        bh_session_render(rec->session, NULL);
        rec->rendered = true;
    } else if (rec->renumber) {
        bh_session_renumber(rec->session);
    }
    rec->renumber = false;
    const bh_node *root = bh_session_root(rec->session);
    if (rec->codec == BH_CODEC_REACTPY) {
        bh_reactpy_encoder enc = {.out = &w->enc, .names = w->env.names, .acks = rec->acks};
        bh_reactpy_root(&enc, root);
    } else {
        bh_v1_encoder enc = {.out = &w->enc, .names = w->env.names};
        bh_v1_frame(&w->enc, rec->seq + 1, rec->event_seq);
        if (first == BH_FIRST_ADOPT) {
            struct adopt adopt = {&enc};
            bh_session_each_handler(rec->session, adopt_handler, &adopt);
        } else {
            bh_v1_reset(&w->enc);
            bh_v1_snapshot(&enc, root);
        }
    }
    rec->ack_due = false;
    bh__rec_send(w, rec, ++rec->seq);
    /* A page that had been rendered before went out without bh_session_render, which alone makes the
     * session wake us again: what effects and topics change from now on needs that. */
    bh__rec_pending(w, rec);
}

static void render_v1(bh_worker *w, bh_rec *rec)
{
    bh_v1_encoder enc = {.out = &w->enc, .names = w->env.names};
    bh_patch_sink sink = bh_v1_sink(&enc);
    bh_v1_frame(&w->enc, rec->seq + 1, rec->event_seq);
    if (bh_session_render(rec->session, &sink)) {
        rec->ack_due = false;
        bh__rec_send(w, rec, ++rec->seq); /* numbered when it is sent: no gap, no twin */
    }
    if ((rec->ack_due || rec->pong_due) && !rec->loose_out) {
        /* At most one of these is on its way: a client that sends and never reads cannot pile them
         * up. The next goes when it has come home. */
        w->enc.len = 0;
        bh_v1_frame(&w->enc, 0, rec->event_seq);
        if (rec->pong_due)
            bh_v1_pong(&w->enc);
        rec->ack_due = rec->pong_due = false;
        bh__rec_send(w, rec, 0);
    }
}

static void render_reactpy(bh_worker *w, bh_rec *rec)
{
    bh_reactpy_encoder enc = {
        .out = &w->enc, .names = w->env.names, .diff = w->config->reactpy_diff, .acks = rec->acks};
    bh_patch_sink sink = bh_reactpy_sink(&enc);
    bh_reactpy_begin(&enc);
    if (!bh_session_render(rec->session, &sink))
        return;
    bh_reactpy_finish(&enc);
    if (w->enc.len)
        bh__rec_send(w, rec, ++rec->seq);
}

static void render(bh_worker *w, bh_rec *rec)
{
    w->enc.len = 0;
    if (rec->first != BH_FIRST_DONE)
        render_first(w, rec);
    else if (rec->codec == BH_CODEC_V1)
        render_v1(w, rec);
    else
        render_reactpy(w, rec);
}

/* ---- slices --------------------------------------------------------------------------------------- */

void bh__worker_slice(bh_worker *w)
{
    assert(!w->stopping);
    bh_sched_entry *e = NULL;
    w->n_done = 0;
    if (!w->committing)
        bh_sched_turn(&w->sched);
    while (w->n_done < BH_RENDERS_PER_SLICE && (e = bh_sched_next(&w->sched))) {
        bh_rec *rec = BH_CONTAINER(e, bh_rec, sched);
        render(w, rec);
        w->done[w->n_done++] = rec;
    }
    if (w->committing && !e)
        w->committing = false;
    bh_outq_flush(&w->outq, w->outbox);
    /* Nothing frees a record here: render/ calls the author, the author can only set state. */
    for (uint32_t i = 0; i < w->n_done; i++) {
        bh_rec *rec = w->done[i];
        bh_session_effects(rec->session, true);
        if (bh_session_pending(rec->session))
            bh__rec_pending(w, rec);
    }
    w->n_done = 0;
}

void bh__rec_settle(bh_worker *w, bh_rec *rec)
{
    if (rec->settle_batch != w->batch) {
        rec->settle_batch = w->batch;
        rec->settles = 0;
    }
    if (rec->settles >= BH_SETTLES_PER_BATCH || w->settles >= BH_RENDERS_PER_SLICE)
        return;
    /* Half of the window at most: a burst of events must leave credit for its last picture. */
    if (w->clock_fd >= 0 || rec->first != BH_FIRST_DONE || !bh_session_pending(rec->session) ||
        rec->sched.in_flight_frames * 2 >= w->sched.window_frames ||
        !bh_sched_take(&w->sched, &rec->sched))
        return;
    rec->settles++;
    w->settles++;
    render(w, rec); /* its frame leaves with the batch's others: one wake, and few sends */
    bh_session_effects(rec->session, true);
    if (bh_session_pending(rec->session))
        bh__rec_pending(w, rec);
}

static bool work_now(const bh_worker *w)
{
    return w->sched.n_ready && (w->clock_fd < 0 || w->committing);
}

static void on_idle(uv_idle_t *idle)
{
    bh_role_assert_render();
    bh_worker *w = idle->data;
    w->in_slice = true;
    bh_mbox_drain(&w->inbox); /* events first */
    w->in_slice = false;
    if (w->stopping)
        return;
    if (w->clock_fd < 0 || w->committing)
        bh__worker_slice(w);
    else
        bh_outq_flush(&w->outq, w->outbox);
    bh__worker_kick(w);
    w->exec->ops->yield(w->exec);
}

void bh__worker_kick(bh_worker *w)
{
    if (w->stopping)
        return;
    if (w->committing && !w->sched.n_ready)
        w->committing = false;
    bool active = uv_is_active((uv_handle_t *)&w->idle);
    if (work_now(w)) {
        if (!active)
            uv_idle_start(&w->idle, on_idle);
    } else {
        if (active)
            uv_idle_stop(&w->idle);
        if (w->sched.n_ready)
            bh__clock_arm(w);
    }
}
