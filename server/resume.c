/* SPDX-License-Identifier: MIT
 * Sessions whose client is away: parked after a drop, prerendered before the first socket; and HELLO,
 * which brings client and session together (docs/PROTOCOL.md §5).
 *
 * A claimed session first waits until its blocks are home (state WAITING): the network side returns
 * them as soon as it has dropped the old connection. Then frames can be sent again from the very
 * blocks that held them, and none can be on two ways at once. */
#include <assert.h>
#include <string.h>

#include "server/worker.h"
#include "vdom/html.h"

/* ---- leaving ---------------------------------------------------------------------------------------- */

static void unlink_client(bh_worker *w, bh_rec *rec)
{
    if (rec->state == BH_REC_LIVE)
        w->n_live--;
    if (rec->peer) {
        rec->peer->rec = NULL;
        rec->peer = NULL;
    }
    bh_sched_detach(&w->sched, &rec->sched);
    bh_dlist_take(&rec->flight);
    bh_session_detach(rec->session);
}

static void forget(bh_worker *w, bh_rec *rec)
{
    if (rec->state == BH_REC_PARKED) {
        w->n_parked--;
        w->parked_bytes -= rec->parked_bytes;
    } else if (rec->state == BH_REC_PRERENDERED) {
        w->n_prerendered--;
    }
    bh_dlist_take(&rec->age);
}

static void drop_oldest(bh_worker *w)
{
    bh_rec *rec = BH_CONTAINER(w->parked.next, bh_rec, age);
    forget(w, rec);
    bh__rec_free(w, rec);
    w->stats.evicted++;
}

static void park(bh_worker *w, bh_rec *rec)
{
    const bh_config *c = w->config;
    rec->state = BH_REC_PARKED;
    rec->since_ms = uv_now(w->loop);
    rec->parked_bytes = bh_session_bytes(rec->session) + rec->kept_bytes + sizeof *rec;
    /* Room is made before it is added: the limits are never passed, not even for a moment. */
    while (w->n_parked && (w->n_parked >= c->resume_sessions ||
                           w->parked_bytes + rec->parked_bytes > c->resume_bytes))
        drop_oldest(w);
    if (rec->parked_bytes > c->resume_bytes) {
        rec->state = BH_REC_WAITING; /* in no list */
        bh__rec_free(w, rec);
        w->stats.evicted++;
        return;
    }
    bh_dlist_append(&w->parked, &rec->age);
    w->n_parked++;
    w->parked_bytes += rec->parked_bytes;
    bh__deadline(w, rec->since_ms + (uint64_t)c->resume_seconds * 1000);
}

void bh__rec_leave(bh_worker *w, bh_rec *rec, bool keep)
{
    assert(rec->state == BH_REC_LIVE || rec->state == BH_REC_WAITING);
    const bh_config *c = w->config;
    unlink_client(w, rec);
    if (keep && rec->codec == BH_CODEC_V1 && rec->has_token && c->resume_seconds &&
        c->resume_sessions)
        park(w, rec);
    else
        bh__rec_free(w, rec);
}

uint64_t bh__resume_next(const bh_worker *w)
{
    uint64_t next = UINT64_MAX;
    if (!bh_dlist_empty(&w->parked)) {
        const bh_rec *rec = BH_CONTAINER(w->parked.next, const bh_rec, age);
        next = rec->since_ms + (uint64_t)w->config->resume_seconds * 1000;
    }
    if (!bh_dlist_empty(&w->prerendered)) {
        const bh_rec *rec = BH_CONTAINER(w->prerendered.next, const bh_rec, age);
        uint64_t at = rec->since_ms + (uint64_t)w->config->prerender_seconds * 1000;
        next = at < next ? at : next;
    }
    return next;
}

void bh__resume_expire(bh_worker *w, uint64_t now_ms)
{
    while (bh__resume_next(w) <= now_ms) {
        bh_dlist *lists[] = {&w->parked, &w->prerendered};
        unsigned seconds[] = {w->config->resume_seconds, w->config->prerender_seconds};
        for (size_t i = 0; i < 2; i++) {
            if (bh_dlist_empty(lists[i]))
                continue;
            bh_rec *rec = BH_CONTAINER(lists[i]->next, bh_rec, age);
            if (rec->since_ms + (uint64_t)seconds[i] * 1000 > now_ms)
                continue;
            forget(w, rec);
            bh__rec_free(w, rec);
        }
    }
}

/* ---- HELLO --------------------------------------------------------------------------------------------- */

static void start_fresh(bh_worker *w, bh_peer *peer, bool lost)
{
    bh_msg_open head;
    const char *bytes = (const char *)bh_msg_data(peer->open);
    memcpy(&head, bytes, sizeof head);
    bh_rec *rec = bh__rec_new(w, peer->page, bytes + head.path_off, bytes + head.query_off);
    bh__rec_attach(w, rec, peer);
    bh__rec_welcome(w, rec, BH_V1_FRESH | (lost ? BH_V1_LOST : 0));
    bh__rec_pending(w, rec);
}

/* The session moves to the new peer; one that had it, or had claimed it, is told. The token it was
 * claimed by stays good until this client has spoken (a WELCOME can be lost on its way), so the last
 * of several claims wins: never two live sockets. */
static void claim(bh_worker *w, bh_peer *peer, bh_rec *rec)
{
    rec->prerendered = rec->state == BH_REC_PRERENDERED;
    if (rec->peer) {
        /* Taken over: detach first, so that closing the old peer finds no session on it. */
        bh_peer *old = rec->peer;
        unlink_client(w, rec);
        w->stats.taken_over++;
        bh__peer_fail(w, old, BH_CLOSE_TAKEN_OVER, "taken over by another socket", false);
    } else {
        forget(w, rec);
    }
    rec->state = BH_REC_WAITING;
    rec->peer = peer;
    peer->rec = rec;
}

void bh__hello(bh_worker *w, bh_peer *peer, const bh_v1_message *m)
{
    bool has_token = m->token[0] != '\0';
    bh_rec *rec = has_token ? bh__token_find(w, m->token) : NULL;
    if (rec && (rec->page != peer->page || rec->codec != BH_CODEC_V1))
        rec = NULL; /* a token of another page is as good as unknown; its session is left alone */
    if (!rec) {
        w->stats.resume_lost += has_token;
        start_fresh(w, peer, has_token);
    } else {
        claim(w, peer, rec);
        rec->hello_last = m->seq;
        rec->hello_nodes = m->n_nodes;
        if (!rec->blocks_out)
            bh__resume_go(w, rec);
    }
    bh_msg_free(peer->open);
    peer->open = NULL;
}

void bh__resume_go(bh_worker *w, bh_rec *rec)
{
    assert(rec->state == BH_REC_WAITING && !rec->blocks_out);
    bh_peer *peer = rec->peer;
    if (rec->hello_last > rec->seq) { /* the secret is right and the number impossible */
        w->stats.bad_messages++;
        bh__peer_fail(w, peer, BH_CLOSE_BAD_MESSAGE, "applied a frame never sent", false);
        return;
    }
    unsigned flags = BH_V1_RESUMED;
    if (rec->prerendered) {
        bool agree = rec->hello_nodes == bh_dom_count(bh_session_root(rec->session));
        rec->first = agree ? BH_FIRST_ADOPT : BH_FIRST_PAGE;
        flags = agree ? BH_V1_ADOPTED : BH_V1_FRESH;
        rec->prerendered = false;
    } else if (rec->hello_last < rec->acked) {
        /* The client has gone back behind what it once acknowledged (a restored page): those frames
         * are no more, so it gets the whole page again, same state. */
        while (rec->kept_len)
            bh__kept_drop(w, rec);
        rec->acked = rec->seq;
        rec->first = BH_FIRST_PAGE;
        rec->renumber = rec->rendered;
        w->stats.resumed++;
    } else {
        bh__rec_acked(w, rec, rec->hello_last);
        w->stats.resumed++;
    }
    rec->ack_due = rec->pong_due = false; /* WELCOME says it */
    bh__rec_attach(w, rec, peer);
    bh__rec_welcome(w, rec, flags);
    bh__rec_replay(w, rec);
    if (rec->first != BH_FIRST_DONE || bh_session_pending(rec->session))
        bh__rec_pending(w, rec);
}

/* ---- prerendering ---------------------------------------------------------------------------------------- */

void bh__prerender(bh_worker *w, bh_msg *msg)
{
    bh_msg_open head;
    const char *bytes = (const char *)bh_msg_data(msg);
    memcpy(&head, bytes, sizeof head);
    bh_rec *rec = bh__rec_new(w, head.page, bytes + head.path_off, bytes + head.query_off);
    rec->codec = BH_CODEC_V1;
    bh_session_detach(rec->session);
    bh_session_render(rec->session, NULL);
    rec->rendered = true;
    char token[BH_TOKEN_LEN + 1] = "";
    /* When too many wait, new pages are served without a session of their own rather than at the
     * expense of those that came first: a flood of GETs then only costs the adoption. */
    bool keep = w->config->prerender_seconds && w->n_prerendered < BH_PRERENDERED_MAX;
    if (keep)
        bh__token_rotate(rec, token);
    size_t n = strlen(token) + 1;
    w->enc.len = 0;
    bh_html_write(&w->enc, w->env.names, bh_session_root(rec->session));
    bh_msg *out = bh_msg_new(BH_MSG_PAGE, msg->sid, n + w->enc.len);
    memcpy(bh_msg_data(out), token, n);
    if (w->enc.len)
        memcpy(bh_msg_data(out) + n, w->enc.data, w->enc.len);
    out->code = (uint32_t)n;
    out->len = n + w->enc.len;
    bh__worker_post(w, out);
    if (!keep) {
        bh__rec_free(w, rec);
        return;
    }
    rec->state = BH_REC_PRERENDERED;
    rec->since_ms = uv_now(w->loop);
    bh_dlist_append(&w->prerendered, &rec->age);
    w->n_prerendered++;
    bh__deadline(w, rec->since_ms + (uint64_t)w->config->prerender_seconds * 1000);
}
