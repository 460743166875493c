/* SPDX-License-Identifier: MIT
 * What clients send. Everything here is untrusted: a bad message costs its own session only. */
#include <errno.h>

#include "server/worker.h"
#include "vdom/mem.h"

bool bh__rec_acked(bh_worker *w, bh_rec *rec, uint32_t seq)
{
    if (seq > rec->seq)
        return false;
    bool progress = false;
    while (rec->kept_len && bh__kept_at(rec, 0)->seq <= seq) {
        size_t len = bh__kept_at(rec, 0)->len;
        bh__kept_drop(w, rec);
        bh_sched_credit(&w->sched, &rec->sched, 1, len);
        progress = true;
    }
    if (seq > rec->acked)
        rec->acked = seq;
    if (progress && rec->state == BH_REC_LIVE)
        bh__flight_update(w, rec, true);
    return true;
}

/* The kept frame of that number; NULL: acknowledged meanwhile. */
static bh_kept *kept_find(bh_rec *rec, uint32_t seq)
{
    if (!rec->kept_len)
        return NULL;
    uint32_t oldest = bh__kept_at(rec, 0)->seq;
    if (seq < oldest || seq - oldest >= rec->kept_len)
        return NULL;
    return bh__kept_at(rec, seq - oldest);
}

void bh__rec_drained(bh_worker *w, bh_msg *msg)
{
    bh_rec *rec = bh__rec_find(w, msg->owner);
    if (!rec) {
        bh_msg_pool_put(&w->pool, msg);
        return;
    }
    bool here = rec->state == BH_REC_LIVE && rec->peer->sid == msg->sid;
    if (!msg->seq) {
        if (here) {
            rec->loose_out--;
            if (rec->ack_due || rec->pong_due)
                bh__rec_pending(w, rec);
        }
        bh_msg_pool_put(&w->pool, msg);
        return;
    }
    if (rec->codec == BH_CODEC_REACTPY) { /* no acknowledgements: drained is all that is known */
        if (here) {
            bh_sched_credit(&w->sched, &rec->sched, 1, msg->len);
            bh__flight_update(w, rec, true);
        }
        bh_msg_pool_put(&w->pool, msg);
        return;
    }
    rec->blocks_out--;
    bh_kept *k = kept_find(rec, msg->seq);
    if (k)
        k->msg = msg;
    else
        bh_msg_pool_put(&w->pool, msg);
    if (!rec->blocks_out && rec->state == BH_REC_WAITING)
        bh__resume_go(w, rec);
}

/* Token bucket: max_event_rate a second, 4 s of it at once. */
static bool rate_ok(bh_worker *w, bh_rec *rec)
{
    uint64_t rate = w->config->max_event_rate;
    if (!rate)
        return true;
    uint64_t full = rate * (BH_EVENTS_BURST / BH_EVENTS_PER_S) * 1000, now = uv_now(w->loop) + 1;
    uint64_t gained = (now - rec->rate_ms) * rate;
    rec->rate_left =
        !rec->rate_ms || rec->rate_left + gained > full ? full : rec->rate_left + gained;
    rec->rate_ms = now;
    if (rec->rate_left < 1000)
        return false;
    rec->rate_left -= 1000;
    return true;
}

/* Types that come in runs, where only the last one counts: they share a render. */
static bool continuous(bh_event_type type)
{
    return type == BH_ON_pointermove || type == BH_ON_mouseover || type == BH_ON_mouseout ||
           type == BH_ON_wheel || type == BH_ON_scroll;
}

static void apply(bh_worker *w, bh_rec *rec, uint32_t hid, bh_event *ev)
{
    if (!continuous(bh_session_handler_type(rec->session, hid)))
        bh__rec_settle(w, rec);
    ev->type = bh_session_handler_type(rec->session, hid);
    bh_session_event(rec->session, hid, ev); /* an unknown handler is counted there */
}

static void v1_event(bh_worker *w, bh_peer *peer, bh_v1_message *m)
{
    bh_rec *rec = peer->rec;
    if (!bh__rec_acked(w, rec, m->ack)) {
        w->stats.bad_messages++;
        bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "acknowledges a frame never sent", false);
        return;
    }
    if (!rate_ok(w, rec)) {
        bh__peer_fail(w, peer, BH_CLOSE_RATE, "too many events", true);
        return;
    }
    if (m->seq <= rec->event_seq) { /* sent again after a drop, and applied before it */
        w->stats.ignored_messages++;
        return;
    }
    if (m->seq != rec->event_seq + 1) {
        w->stats.bad_messages++;
        bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "an event is missing", false);
        return;
    }
    apply(w, rec, m->hid, &m->event);
    rec->event_seq = m->seq; /* after: a frame that apply sends first does not contain it */
    rec->ack_due = true;
    bh__rec_pending(w, rec);
}

static void v1_input(bh_worker *w, bh_peer *peer, const unsigned char *data, size_t len)
{
    bh_v1_message m;
    int r = bh_v1_decode(data, len, &w->arena, &m);
    if (r < 0) {
        w->stats.bad_messages++;
        if (r == -EILSEQ)
            bh__peer_fail(w, peer, BH_CLOSE_BAD_UTF8, "bad UTF-8", false);
        else
            bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "malformed message", false);
        return;
    }
    if (m.kind == BH_V1_HELLO && !peer->greeted) {
        peer->greeted = true;
        bh_dlist_take(&peer->greet);
        bh__hello(w, peer, &m);
        return;
    }
    /* Before its WELCOME a client knows nothing it could speak about. */
    if (m.kind == BH_V1_HELLO || !peer->rec || peer->rec->state != BH_REC_LIVE) {
        w->stats.bad_messages++;
        bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE,
                      peer->greeted ? "out of turn" : "hello comes first", false);
        return;
    }
    bh__token_received(peer->rec);
    switch (m.kind) {
    case BH_V1_EVENT:
        v1_event(w, peer, &m);
        break;
    case BH_V1_ACK:
        if (!bh__rec_acked(w, peer->rec, m.seq)) {
            w->stats.bad_messages++;
            bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "acknowledges a frame never sent", false);
        }
        break;
    case BH_V1_PING:
        peer->rec->pong_due = true;
        bh__rec_pending(w, peer->rec);
        break;
    case BH_V1_HELLO:
        break; /* above */
    }
}

static void reactpy_input(bh_worker *w, bh_peer *peer, const unsigned char *data, size_t len)
{
    bh_reactpy_message m;
    int r = bh_reactpy_decode(data, len, &w->arena, &m);
    if (r == -ENOMSG) {
        w->stats.ignored_messages++;
        return;
    }
    if (r < 0) {
        w->stats.bad_messages++;
        if (r == -EILSEQ)
            bh__peer_fail(w, peer, BH_CLOSE_BAD_UTF8, "bad UTF-8", false);
        else
            bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "malformed message", false);
        return;
    }
    bh_rec *rec = peer->rec;
    if (!rate_ok(w, rec)) {
        bh__peer_fail(w, peer, BH_CLOSE_RATE, "too many events", false);
        return;
    }
    if (m.seq) {
        if (!rec->acks)
            rec->acks = bh_zalloc(sizeof *rec->acks);
        bh_reactpy_acks_note(rec->acks, m.hid, m.seq);
    }
    apply(w, rec, m.hid, &m.event);
}

void bh__peer_input(bh_worker *w, bh_peer *peer, const unsigned char *data, size_t len)
{
    if (peer->codec == BH_CODEC_V1)
        v1_input(w, peer, data, len);
    else
        reactpy_input(w, peer, data, len);
    bh_arena_clear(&w->arena);
}
