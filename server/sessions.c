/* SPDX-License-Identifier: MIT
 * Session records and peers: tables, tokens, kept frames. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/log.h"
#include "server/worker.h"
#include "vdom/mem.h"

static uint32_t slot_of(uint64_t id) { return (uint32_t)id; }

static uint32_t grown(uint32_t cap) { return cap ? cap * 2 : 64; }

/* ---- records -------------------------------------------------------------------------------- */

static uint64_t rec_slot_take(bh_worker *w, bh_rec *rec)
{
    if (!w->n_rec_free && w->n_recs == w->cap_recs) {
        w->cap_recs = grown(w->cap_recs);
        w->recs = bh_realloc(w->recs, w->cap_recs * sizeof *w->recs);
        w->rec_gen = bh_realloc(w->rec_gen, w->cap_recs * sizeof *w->rec_gen);
        w->rec_free = bh_realloc(w->rec_free, w->cap_recs * sizeof *w->rec_free);
    }
    uint32_t slot;
    if (w->n_rec_free) {
        slot = w->rec_free[--w->n_rec_free];
    } else {
        slot = w->n_recs++;
        w->rec_gen[slot] = 0;
    }
    w->recs[slot] = rec;
    if (++w->rec_gen[slot] == 0)
        w->rec_gen[slot] = 1;
    return slot | (uint64_t)w->rec_gen[slot] << 32;
}

bh_rec *bh__rec_new(bh_worker *w, uint32_t page, const char *path, const char *query)
{
    assert(page < w->n_pages);
    bh_rec *rec = bh_zalloc(sizeof *rec);
    rec->id = rec_slot_take(w, rec);
    rec->page = page;
    rec->first = BH_FIRST_PAGE;
    rec->heap_at = SIZE_MAX;
    rec->due_ms = UINT64_MAX;
    bh_dlist_init(&rec->age);
    bh_dlist_init(&rec->flight);
    rec->session = bh_session_new(&(bh_session_params){
        .host = &w->host,
        .env = &w->env,
        .root = w->pages[page].component,
        .props = w->pages[page].props,
        .path = path,
        .query = query,
    });
    bh_session_set_user(rec->session, rec);
    w->stats.sessions_total++;
    return rec;
}

void bh__rec_free(bh_worker *w, bh_rec *rec)
{
    assert(!rec->peer);
    rec->dying = true; /* cleanups may set state: not to be rendered any more */
    bh_session_free(rec->session);
    bh__timer_set(w, rec, UINT64_MAX);
    bh_sched_detach(&w->sched, &rec->sched);
    bh_dlist_take(&rec->age);
    bh_dlist_take(&rec->flight);
    while (rec->kept_len)
        bh__kept_drop(w, rec);
    bh_free(rec->kept);
    bh_free(rec->acks);
    uint32_t slot = slot_of(rec->id);
    w->recs[slot] = NULL;
    w->rec_free[w->n_rec_free++] = slot;
    bh_free(rec);
}

bh_rec *bh__rec_find(bh_worker *w, uint64_t id)
{
    uint32_t slot = slot_of(id);
    if (slot >= w->n_recs || !w->recs[slot] || w->recs[slot]->id != id)
        return NULL;
    return w->recs[slot];
}

void bh__rec_attach(bh_worker *w, bh_rec *rec, bh_peer *peer)
{
    assert(rec->state != BH_REC_LIVE);
    rec->state = BH_REC_LIVE;
    rec->peer = peer;
    rec->codec = (uint8_t)peer->codec;
    bh_session_echo_inputs(rec->session, rec->codec == BH_CODEC_REACTPY);
    rec->loose_out = 0;
    peer->rec = rec;
    w->n_live++;
    bh_sched_attach(&w->sched, &rec->sched);
    bh_session_attach(rec->session);
}

/* ---- kept frames ---------------------------------------------------------------------------- */

bh_kept *bh__kept_at(bh_rec *rec, uint32_t i)
{
    assert(i < rec->kept_len);
    return &rec->kept[(rec->kept_at + i) % rec->kept_cap];
}

void bh__kept_push(bh_rec *rec, bh_kept kept)
{
    if (rec->kept_len == rec->kept_cap) {
        uint32_t cap = rec->kept_cap ? rec->kept_cap * 2 : 4;
        bh_kept *more = bh_alloc(cap * sizeof *more);
        for (uint32_t i = 0; i < rec->kept_len; i++)
            more[i] = *bh__kept_at(rec, i);
        bh_free(rec->kept);
        rec->kept = more;
        rec->kept_cap = cap;
        rec->kept_at = 0;
    }
    rec->kept[(rec->kept_at + rec->kept_len++) % rec->kept_cap] = kept;
    rec->kept_bytes += kept.len;
}

void bh__kept_drop(bh_worker *w, bh_rec *rec)
{
    bh_kept *k = bh__kept_at(rec, 0);
    bh_msg_pool_put(&w->pool, k->msg); /* NULL: it will find no owner when it comes home */
    rec->kept_bytes -= k->len;
    w->stats.retained_bytes -= k->len;
    rec->kept_at = (rec->kept_at + 1) % rec->kept_cap;
    rec->kept_len--;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void random_bytes(unsigned char *p, size_t n)
{
    while (n) {
        ssize_t r = getrandom(p, n, 0);
        if (r < 0) {
            if (errno == EINTR)
                continue;
            bh_log(BH_LOG_ERROR, "no random numbers from the kernel: %s", strerrorname_np(errno));
            abort(); /* a guessable session token is worse */
        }
        p += r;
        n -= (size_t)r;
    }
}

void bh__token_rotate(bh_rec *rec, char ret_text[BH_TOKEN_LEN + 1])
{
    static const char hex[] = "0123456789abcdef";
    rec->has_old = rec->has_token;
    memcpy(rec->old_token, rec->token, sizeof rec->token);
    random_bytes(rec->token, sizeof rec->token);
    rec->has_token = true;
    for (size_t i = 0; i < BH_TOKEN_BYTES; i++) {
        ret_text[2 * i] = hex[rec->token[i] >> 4];
        ret_text[2 * i + 1] = hex[rec->token[i] & 15];
    }
    snprintf(ret_text + 2 * (size_t)BH_TOKEN_BYTES, 9, "%08x", slot_of(rec->id));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bh_rec *bh__token_find(bh_worker *w, const char *text)
{
    if (strlen(text) != BH_TOKEN_LEN)
        return NULL;
    unsigned char given[BH_TOKEN_BYTES + 4];
    for (size_t i = 0; i < sizeof given; i++) {
        int hi = hex_digit(text[2 * i]), lo = hex_digit(text[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return NULL;
        given[i] = (unsigned char)(hi << 4 | lo);
    }
    const unsigned char *at = given + BH_TOKEN_BYTES;
    uint32_t slot = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    if (slot >= w->n_recs || !w->recs[slot] || !w->recs[slot]->has_token)
        return NULL;
    bh_rec *rec = w->recs[slot];
    const volatile unsigned char *token = rec->token, *old = rec->old_token;
    unsigned differ = 0, differ_old = !rec->has_old; /* in constant time: how much agrees is
                                                        nobody's business */
    for (size_t i = 0; i < BH_TOKEN_BYTES; i++) {
        differ |= (unsigned)(given[i] ^ token[i]);
        differ_old |= (unsigned)(given[i] ^ old[i]);
    }
    if (differ && differ_old)
        return NULL;
    if (differ)
        memcpy(rec->token, rec->old_token, sizeof rec->token);
    return rec;
}

/* ---- peers ----------------------------------------------------------------------------------- */

bh_peer *bh__peer_find(bh_worker *w, bh_sid sid)
{
    uint32_t slot = slot_of(sid);
    if (slot >= w->cap_peers || !w->peers[slot] || w->peers[slot]->sid != sid)
        return NULL;
    return w->peers[slot];
}

bh_peer *bh__peer_new(bh_worker *w, bh_msg *open)
{
    uint32_t slot = slot_of(open->sid);
    if (slot >= w->cap_peers) {
        uint32_t cap = w->cap_peers;
        while (cap <= slot)
            cap = grown(cap);
        w->peers = bh_realloc(w->peers, cap * sizeof *w->peers);
        memset(w->peers + w->cap_peers, 0, (cap - w->cap_peers) * sizeof *w->peers);
        w->cap_peers = cap;
    }
    assert(!w->peers[slot]); /* CLOSE of the slot's last connection came before */
    bh_peer *peer = bh_zalloc(sizeof *peer);
    bh_msg_open head;
    memcpy(&head, bh_msg_data(open), sizeof head);
    peer->sid = open->sid;
    peer->open = open;
    peer->page = head.page;
    peer->codec = head.codec;
    peer->opened_ms = uv_now(w->loop);
    bh_dlist_init(&peer->greet);
    w->peers[slot] = peer;
    return peer;
}

void bh__peer_free(bh_worker *w, bh_peer *peer)
{
    assert(!peer->rec);
    bh_dlist_take(&peer->greet);
    w->peers[slot_of(peer->sid)] = NULL;
    bh_msg_free(peer->open);
    bh_free(peer);
}

void bh__sessions_fini(bh_worker *w)
{
    for (uint32_t i = 0; i < w->cap_peers; i++) {
        bh_peer *peer = w->peers[i];
        if (!peer)
            continue;
        if (peer->rec) {
            peer->rec->peer = NULL;
            peer->rec = NULL;
        }
        bh__peer_free(w, peer);
    }
    for (uint32_t i = 0; i < w->n_recs; i++) {
        if (w->recs[i])
            bh__rec_free(w, w->recs[i]);
    }
    bh_free(w->peers);
    bh_free(w->recs);
    bh_free(w->rec_gen);
    bh_free(w->rec_free);
    bh_free(w->heap);
    w->peers = NULL;
    w->recs = NULL;
    w->rec_gen = w->rec_free = NULL;
    w->heap = NULL;
    w->cap_peers = w->cap_recs = w->n_recs = w->n_rec_free = 0;
    w->heap_len = w->heap_cap = 0;
}
