/* SPDX-License-Identifier: MIT
 * Connections: a queue of whole frames each, and as few writes as can be. */
#include "server/conn.h"

#include <assert.h>
#include <string.h>

#include "vdom/mem.h"

/* ---- the table ------------------------------------------------------------------------------------- */

bh_conn *bh__conn_find(bh_hub *hub, bh_sid sid)
{
    uint32_t slot = (uint32_t)sid;
    if (slot >= hub->n_conns || !hub->conns[slot] || hub->conns[slot]->sid != sid)
        return NULL;
    return hub->conns[slot];
}

static bh_sid slot_take(bh_hub *hub, bh_conn *c)
{
    if (!hub->n_free && hub->n_conns == hub->cap_conns) {
        hub->cap_conns = hub->cap_conns ? hub->cap_conns * 2 : 64;
        hub->conns = bh_realloc(hub->conns, hub->cap_conns * sizeof *hub->conns);
        hub->conn_gen = bh_realloc(hub->conn_gen, hub->cap_conns * sizeof *hub->conn_gen);
        hub->conn_free = bh_realloc(hub->conn_free, hub->cap_conns * sizeof *hub->conn_free);
    }
    uint32_t slot;
    if (hub->n_free) {
        slot = hub->conn_free[--hub->n_free];
    } else {
        slot = hub->n_conns++;
        hub->conn_gen[slot] = 0;
    }
    hub->conns[slot] = c;
    if (++hub->conn_gen[slot] == 0)
        hub->conn_gen[slot] = 1;
    return slot | (uint64_t)hub->conn_gen[slot] << 32;
}

/* bh_msg_open and its strings. */
static bh_msg *open_msg(bh_msg_kind kind, bh_sid sid, uint32_t page, uint32_t codec,
                        const char *path, const char *query)
{
    size_t path_len = strlen(path) + 1, query_len = strlen(query) + 1;
    bh_msg *msg = bh_msg_new(kind, sid, sizeof(bh_msg_open) + path_len + query_len);
    bh_msg_open head = {.page = page,
                        .codec = codec,
                        .path_off = sizeof head,
                        .query_off = (uint32_t)(sizeof head + path_len)};
    unsigned char *p = bh_msg_data(msg);
    memcpy(p, &head, sizeof head);
    memcpy(p + head.path_off, path, path_len);
    memcpy(p + head.query_off, query, query_len);
    msg->len = sizeof head + path_len + query_len;
    return msg;
}

bh_conn *bh_conn_open(bh_hub *hub, const bh_transport_ops *ops, void *impl, uint32_t page,
                      bh_codec_id codec, const char *path, const char *query)
{
    bh_role_assert_main();
    assert(page < hub->n_pages);
    if (hub->stopping || hub->stats.conns_open >= hub->config.max_sessions ||
        hub->stats.conns_open >= BH_SESSIONS_CEILING) {
        hub->stats.conns_refused++;
        return NULL;
    }
    bh_conn *c = bh_zalloc(sizeof *c);
    c->hub = hub;
    c->ops = ops;
    c->impl = impl;
    c->urgent_home = codec == BH_CODEC_REACTPY;
    c->sid = slot_take(hub, c);
    bh_dlist_init(&c->dirty);
    hub->stats.conns_open++;
    hub->stats.conns_total++;
    bh__hub_stage(
        hub,
        open_msg(BH_MSG_OPEN, c->sid, page, (uint32_t)codec, path ? path : "", query ? query : ""),
        true);
    return c;
}

void *bh_conn_impl(const bh_conn *conn) { return conn->impl; }

bh_sid bh_conn_sid(const bh_conn *conn) { return conn->sid; }

/* ---- in ---------------------------------------------------------------------------------------------- */

void bh_conn_receive(bh_conn *c, const void *data, size_t len)
{
    bh_role_assert_main();
    bh_hub *hub = c->hub;
    if (c->closing) {
        hub->stats.stale_in++;
        return;
    }
    hub->stats.messages_in++;
    hub->stats.bytes_in += len;
    bh_msg *msg = bh_msg_new(BH_MSG_DATA, c->sid, len);
    if (len)
        memcpy(bh_msg_data(msg), data, len);
    msg->len = len;
    bh__hub_stage(hub, msg, true);
    if (++c->in_flight >= BH_INBOX_PER_SESSION && !c->paused) {
        c->paused = true;
        hub->stats.rx_pauses++;
        c->ops->pause(c, true);
    }
}

void bh__conn_credit(bh_conn *c, uint32_t n)
{
    assert(n <= c->in_flight);
    c->in_flight -= n;
    if (c->paused && c->in_flight <= BH_INBOX_PER_SESSION / 2) {
        c->paused = false;
        if (!c->closing)
            c->ops->pause(c, false);
    }
}

/* ---- out --------------------------------------------------------------------------------------------- */

static void go_home(bh_conn *c, bh_msg *msg, bool urgent)
{
    msg->kind = BH_MSG_DRAINED;
    bh__hub_stage(c->hub, msg, urgent);
}

static bh_msg *pop(bh_conn *c)
{
    bh_msg *msg = c->first;
    c->first = msg->next;
    if (!c->first)
        c->last = NULL;
    c->queued -= msg->len;
    return msg;
}

/* Frames that will never be sent. Urgent: a session may be waiting for them to move on. */
static void drop_queue(bh_conn *c)
{
    while (c->first) {
        bh_msg *msg = pop(c);
        msg->len = 0;
        go_home(c, msg, true);
    }
    c->sent = 0;
}

void bh__conn_append(bh_conn *c, bh_msg *msg)
{
    if (c->closing) {
        c->hub->stats.stale_out++;
        msg->len = 0;
        go_home(c, msg, true);
        return;
    }
    msg->next = NULL;
    if (c->last)
        c->last->next = msg;
    else
        c->first = msg;
    c->last = msg;
    c->queued += msg->len;
    if (c->queued > c->hub->stats.out_queue_high_water)
        c->hub->stats.out_queue_high_water = c->queued;
    if (!c->waiting && bh_dlist_empty(&c->dirty))
        bh_dlist_append(&c->hub->dirty, &c->dirty);
}

static bool put(bh_conn *c, unsigned char *bytes, size_t len)
{
    c->hub->stats.sends++;
    c->hub->stats.bytes_out += len;
    if (c->ops->write(c, bytes, len) == 0)
        return true;
    c->closing = true; /* bh_conn_closed follows */
    drop_queue(c);
    return false;
}

static void sent_whole(bh_conn *c, bh_msg *msg)
{
    c->hub->stats.frames_out += msg->code;
    go_home(c, msg, c->urgent_home);
}

/* One piece of a frame that is larger than the coalescing buffer, from its own block. */
static bool put_piece(bh_conn *c)
{
    bh_msg *msg = c->first;
    size_t left = msg->len - c->sent, n = left < BH_SEND_PIECE ? left : BH_SEND_PIECE;
    if (!put(c, bh_msg_data(msg) + c->sent, n))
        return false;
    c->sent += n;
    if (c->sent == msg->len) {
        c->sent = 0;
        sent_whole(c, pop(c));
    }
    return true;
}

/* As many whole frames as fit, in one write; a single one straight from its block. */
static bool put_frames(bh_conn *c)
{
    bh_hub *hub = c->hub;
    size_t len = 0;
    unsigned frames = 0, n = 0;
    for (bh_msg *m = c->first; m && frames < BH_FRAMES_PER_SEND && len + m->len <= BH_SEND_BUF;
         m = m->next) {
        len += m->len;
        frames += m->code;
        n++;
    }
    unsigned char *bytes = bh_msg_data(c->first);
    if (n > 1) {
        bytes = hub->send_buf + BH_MSG_HEADROOM;
        unsigned char *p = bytes;
        bh_msg *m = c->first;
        for (unsigned i = 0; i < n; i++, m = m->next) {
            memcpy(p, bh_msg_data(m), m->len);
            p += m->len;
        }
    }
    if (!put(c, bytes, len))
        return false;
    while (n--)
        sent_whole(c, pop(c));
    return true;
}

void bh__conn_flush(bh_conn *c)
{
    bh_dlist_take(&c->dirty);
    while (c->first && !c->closing) {
        if (c->ops->busy(c)) {
            if (!c->waiting) {
                c->waiting = true;
                c->ops->want_writable(c);
            }
            return;
        }
        if (!(c->first->len > BH_SEND_BUF ? put_piece(c) : put_frames(c)))
            return;
    }
}

void bh_conn_writable(bh_conn *c)
{
    bh_role_assert_main();
    c->waiting = false;
    bh__conn_flush(c);
}

/* ---- the end ------------------------------------------------------------------------------------------ */

void bh__conn_close(bh_conn *c, unsigned code, const char *reason)
{
    if (c->closing)
        return;
    bh__conn_flush(c); /* what can still be said is said */
    if (c->closing)
        return; /* the write failed: closed will follow */
    c->closing = true;
    drop_queue(c);
    c->ops->close(c, code, reason);
}

void bh_conn_closed(bh_conn *c)
{
    bh_role_assert_main();
    bh_hub *hub = c->hub;
    c->closing = true;
    drop_queue(c);
    bh_dlist_take(&c->dirty);
    bh__hub_stage(hub, bh_msg_new(BH_MSG_CLOSE, c->sid, 0), true);
    uint32_t slot = (uint32_t)c->sid;
    hub->conns[slot] = NULL;
    hub->conn_free[hub->n_free++] = slot;
    hub->stats.conns_open--;
    bh_free(c);
    bh__hub_maybe_done(hub);
}

/* ---- pages ------------------------------------------------------------------------------------------- */

uint64_t bh_hub_page(bh_hub *hub, uint32_t page, const char *path, const char *query,
                     void (*done)(void *arg, const char *html, size_t len, const char *token),
                     void *arg)
{
    bh_role_assert_main();
    assert(page < hub->n_pages);
    if (hub->stopping)
        return 0;
    bh_page_request *req = bh_alloc(sizeof *req);
    *req = (bh_page_request){.id = ++hub->page_id, .done = done, .arg = arg};
    bh_dlist_init(&req->list);
    bh_dlist_append(&hub->pages, &req->list);
    bh__hub_stage(
        hub,
        open_msg(BH_MSG_PAGE, req->id, page, BH_CODEC_V1, path ? path : "", query ? query : ""),
        true);
    return req->id;
}

void bh_hub_page_cancel(bh_hub *hub, uint64_t id)
{
    bh_role_assert_main();
    for (bh_dlist *d = hub->pages.next; d != &hub->pages; d = d->next) {
        bh_page_request *req = BH_CONTAINER(d, bh_page_request, list);
        if (req->id == id) {
            req->done = NULL;
            return;
        }
    }
}
