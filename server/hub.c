/* SPDX-License-Identifier: MIT
 * The network side: one turn, its messages, start and stop.
 *
 * ONE TURN (the check handle, after the loop's I/O): flush what the I/O staged to the inbox, one CAS
 * and at most one wake → let inline rendering take it → drain the outbox whole → one write for each
 * connection that got something → send home the blocks. docs/THREADING.md §3. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "server/conn.h"
#include "server/log.h"
#include "vdom/mem.h"

/* ---- towards the render side ---------------------------------------------------------------------- */

static void on_awake(uv_idle_t *h)
{
    (void)h; /* its being active is what matters: the loop does not sleep before the check */
}

static void flush(bh_hub *hub)
{
    hub->urgent = false;
    hub->n_staged = 0;
    bh_outq_flush(&hub->staged, &hub->worker.inbox);
}

static void on_lazy(uv_timer_t *t)
{
    bh_role_assert_main();
    flush(t->data);
}

void bh__hub_stage(bh_hub *hub, bh_msg *msg, bool urgent)
{
    if (!hub->inbox_open) { /* STOP was the last message */
        bh_msg_free(msg);
        return;
    }
    bh_outq_add(&hub->staged, msg);
    hub->n_staged++;
    if (urgent || hub->n_staged >= BH_LAZY_HOME_MAX)
        hub->urgent = true;
    if (hub->in_turn)
        return; /* the turn sees to it before it ends */
    if (hub->urgent) {
        if (!uv_is_active((uv_handle_t *)&hub->awake))
            uv_idle_start(&hub->awake, on_awake);
    } else if (!uv_is_active((uv_handle_t *)&hub->lazy)) {
        uv_timer_start(&hub->lazy, on_lazy, BH_LAZY_HOME_MS, 0);
    }
}

static void turn(bh_hub *hub)
{
    hub->in_turn = true;
    if (uv_is_active((uv_handle_t *)&hub->awake))
        uv_idle_stop(&hub->awake);
    flush(hub);
    hub->exec.ops->pump(&hub->exec);
    bh_mbox_drain(&hub->outbox);
    while (!bh_dlist_empty(&hub->dirty))
        bh__conn_flush(BH_CONTAINER(hub->dirty.next, bh_conn, dirty));
    if (hub->urgent) {
        flush(hub);
        hub->exec.ops->pump(&hub->exec);
    }
    hub->in_turn = false;
    if (hub->staged.first && !uv_is_active((uv_handle_t *)&hub->lazy) && hub->inbox_open)
        uv_timer_start(&hub->lazy, on_lazy, BH_LAZY_HOME_MS, 0);
}

static void on_check(uv_check_t *h)
{
    bh_role_assert_main();
    turn(h->data);
}

/* ---- from the render side ------------------------------------------------------------------------- */

static void on_page(bh_hub *hub, bh_msg *msg)
{
    for (bh_dlist *d = hub->pages.next; d != &hub->pages; d = d->next) {
        bh_page_request *req = BH_CONTAINER(d, bh_page_request, list);
        if (req->id != msg->sid)
            continue;
        bh_dlist_take(&req->list);
        const char *bytes = (const char *)bh_msg_data(msg);
        if (req->done)
            req->done(req->arg, bytes + msg->code, msg->len - msg->code, bytes);
        bh_free(req);
        return;
    }
    assert(false && "an answer to a page nobody asked for");
}

static void add_network_side(bh_hub *hub, bh_hub_stats *s)
{
    const bh_hub_stats *n = &hub->stats;
    s->conns_open = n->conns_open;
    s->conns_total = n->conns_total;
    s->conns_refused = n->conns_refused;
    s->messages_in = n->messages_in;
    s->bytes_in = n->bytes_in;
    s->frames_out = n->frames_out;
    s->bytes_out = n->bytes_out;
    s->sends = n->sends;
    s->stale_out = n->stale_out;
    s->stale_in += n->stale_in;
    s->outbox_high_water = hub->outbox.high_water;
    s->out_queue_high_water = n->out_queue_high_water;
    s->rx_pauses = n->rx_pauses;
}

static void on_stats(bh_hub *hub, bh_msg *msg)
{
    bh_stats_request *req = hub->stats_first;
    assert(req); /* answers come in the order of the questions */
    hub->stats_first = req->next;
    if (!hub->stats_first)
        hub->stats_last = &hub->stats_first;
    bh_hub_stats s;
    memcpy(&s, bh_msg_data(msg), sizeof s);
    add_network_side(hub, &s);
    req->done(req->arg, &s);
    bh_free(req);
}

static void on_outbox_closed(bh_mbox *mb)
{
    bh_hub *hub = mb->owner;
    hub->handles--;
    bh__hub_maybe_done(hub);
}

static void on_handle_closed(uv_handle_t *h)
{
    bh_hub *hub = h->data;
    hub->handles--;
    bh__hub_maybe_done(hub);
}

static void close_handles(bh_hub *hub)
{
    hub->handles = 4;
    bh_mbox_close(&hub->outbox, on_outbox_closed);
    uv_close((uv_handle_t *)&hub->check, on_handle_closed);
    uv_close((uv_handle_t *)&hub->awake, on_handle_closed);
    uv_close((uv_handle_t *)&hub->lazy, on_handle_closed);
}

static void on_batch(bh_mbox *mb, bh_msg *fifo)
{
    bh_role_assert_main();
    bh_hub *hub = mb->owner;
    bool stopped = false;
    while (fifo) {
        bh_msg *msg = fifo;
        fifo = msg->next;
        bh_conn *c = NULL;
        switch ((bh_msg_kind)msg->kind) {
        case BH_MSG_DATA:
            c = bh__conn_find(hub, msg->sid);
            if (c) {
                bh__conn_append(c, msg);
            } else {
                hub->stats.stale_out++;
                msg->kind = BH_MSG_DRAINED;
                msg->len = 0;
                bh__hub_stage(hub, msg, true);
            }
            continue;
        case BH_MSG_CLOSE:
            c = bh__conn_find(hub, msg->sid);
            if (c)
                bh__conn_close(c, msg->code, (const char *)bh_msg_data(msg));
            else
                hub->stats.stale_out++;
            break;
        case BH_MSG_CREDIT:
            c = bh__conn_find(hub, msg->sid);
            if (c)
                bh__conn_credit(c, msg->code);
            break;
        case BH_MSG_PAGE:
            on_page(hub, msg);
            break;
        case BH_MSG_STATS:
            on_stats(hub, msg);
            break;
        case BH_MSG_STOP:
            stopped = true;
            assert(!fifo);
            break;
        case BH_MSG_OPEN:
        case BH_MSG_DRAINED:
        case BH_MSG_CALL:
            assert(false && "a message of this kind goes in only");
            break;
        }
        bh_msg_free(msg);
    }
    if (stopped) {
        hub->exec.ops->join(&hub->exec);
        close_handles(hub);
    } else if (!hub->in_turn && !bh_dlist_empty(&hub->dirty) &&
               !uv_is_active((uv_handle_t *)&hub->awake)) {
        uv_idle_start(&hub->awake,
                      on_awake); /* drained outside of I/O: the check is still to come */
    }
}

/* ---- any thread --------------------------------------------------------------------------------------- */

static int call(bh_hub *hub, void (*fn)(void *data, size_t len), const void *data, size_t len,
                bool counted)
{
    bh_gate *gate = &hub->gate;
    if (counted &&
        atomic_fetch_add_explicit(&gate->waiting, 1, memory_order_relaxed) >= BH_POSTS_WAITING) {
        atomic_fetch_sub_explicit(&gate->waiting, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&gate->dropped, 1, memory_order_relaxed);
        return -ENOBUFS;
    }
    bh_msg *msg = bh_msg_new(BH_MSG_CALL, 0, BH_CALL_HEADER + len);
    bh_msg_call head = {fn};
    unsigned char *p = bh_msg_data(msg);
    memcpy(p, &head, sizeof head);
    if (len)
        memcpy(p + BH_CALL_HEADER, data, len);
    msg->len = BH_CALL_HEADER + len;
    msg->code = counted;
    uv_rwlock_rdlock(&gate->lock);
    bool closed = gate->closed;
    if (!closed)
        bh_mbox_post(&hub->worker.inbox, msg);
    uv_rwlock_rdunlock(&gate->lock);
    if (!closed)
        return 0;
    if (counted)
        atomic_fetch_sub_explicit(&gate->waiting, 1, memory_order_relaxed);
    bh_msg_free(msg);
    return -ESHUTDOWN;
}

int bh_hub_post(bh_hub *hub, void (*fn)(void *data, size_t len), const void *data, size_t len)
{
    return call(hub, fn, data, len, true);
}

int bh__hub_call(bh_hub *hub, void (*fn)(void *data, size_t len), const void *data, size_t len)
{
    return call(hub, fn, data, len, false);
}

/* ---- statistics ------------------------------------------------------------------------------------- */

void bh_hub_stats_get(bh_hub *hub, void (*done)(void *arg, const bh_hub_stats *stats), void *arg)
{
    bh_role_assert_main();
    if (hub->stopping) {
        bh_hub_stats s = {0};
        add_network_side(hub, &s);
        done(arg, &s);
        return;
    }
    bh_stats_request *req = bh_alloc(sizeof *req);
    *req = (bh_stats_request){.done = done, .arg = arg};
    *hub->stats_last = req;
    hub->stats_last = &req->next;
    bh__hub_stage(hub, bh_msg_new(BH_MSG_STATS, 0, 0), true);
}

/* ---- start and stop ------------------------------------------------------------------------------------ */

static void free_hub(bh_hub *hub)
{
    uv_rwlock_destroy(&hub->gate.lock);
    bh_free(hub->send_buf);
    bh_free(hub->conns);
    bh_free(hub->conn_gen);
    bh_free(hub->conn_free);
    bh_free(hub);
}

/* Start failed half-way: what is on the main loop has to be closed by that loop, which then frees. */
static void free_after_close(bh_hub *hub, void *arg)
{
    (void)arg;
    free_hub(hub);
}

int bh_hub_new(const bh_hub_params *params, bh_hub **ret_hub)
{
    bh_hub *hub = bh_zalloc(sizeof *hub);
    hub->config = *params->config;
    hub->loop = params->main_loop;
    while (params->pages[hub->n_pages].path)
        hub->n_pages++;
    hub->exec = (bh_exec){.ops = params->exec, .cpu = hub->config.cpu_render};
    hub->stats_last = &hub->stats_first;
    hub->send_buf = bh_alloc(BH_MSG_HEADROOM + BH_SEND_BUF);
    bh_dlist_init(&hub->dirty);
    bh_dlist_init(&hub->pages);
    bh_role_bind(BH_ROLE_MAIN);
    bh_role_assert_main();
    int r = uv_rwlock_init(&hub->gate.lock);
    if (r < 0) {
        bh_free(hub->send_buf);
        bh_free(hub);
        return r;
    }
    r = bh_mbox_init(&hub->outbox, hub->loop, on_batch, hub);
    if (r < 0) {
        free_hub(hub);
        return r;
    }
    uv_check_init(hub->loop, &hub->check);
    uv_idle_init(hub->loop, &hub->awake);
    uv_timer_init(hub->loop, &hub->lazy);
    hub->check.data = hub->awake.data = hub->lazy.data = hub;
    bh_worker *w = &hub->worker;
    w->config = &hub->config;
    w->pages = params->pages;
    w->n_pages = hub->n_pages;
    w->hub = hub;
    w->gate = &hub->gate;
    w->exec = &hub->exec;
    w->outbox = &hub->outbox;
    w->host.server = params->server;
    r = hub->exec.ops->start(&hub->exec, hub->loop, bh__worker_entry, w);
    if (r == 0 && w->error < 0) {
        r = w->error;
        hub->exec.ops->join(&hub->exec);
    }
    if (r < 0) {
        hub->stopping = true;
        hub->done = free_after_close;
        close_handles(hub);
        return r;
    }
    hub->inbox_open = true;
    uv_check_start(&hub->check, on_check);
    *ret_hub = hub;
    return 0;
}

void bh_hub_stop(bh_hub *hub, void (*done)(bh_hub *hub, void *arg), void *arg)
{
    bh_role_assert_main();
    assert(!hub->stopping);
    hub->stopping = true;
    hub->done = done;
    hub->done_arg = arg;
    for (uint32_t i = 0; i < hub->n_conns; i++) {
        if (hub->conns[i])
            bh__conn_close(hub->conns[i], BH_CLOSE_GOING_AWAY, "server stops");
    }
    flush(hub);
    uv_rwlock_wrlock(&hub->gate.lock);
    hub->gate.closed = true;
    bh_mbox_post(&hub->worker.inbox, bh_msg_new(BH_MSG_STOP, 0, 0));
    hub->inbox_open = false;
    uv_rwlock_wrunlock(&hub->gate.lock);
}

void bh__hub_maybe_done(bh_hub *hub)
{
    if (!hub->stopping || hub->handles || hub->inbox_open || hub->stats.conns_open ||
        !hub->outbox.closing)
        return;
    void (*done)(bh_hub *, void *) = hub->done;
    hub->done = NULL;
    if (done)
        done(hub, hub->done_arg);
}

void bh_hub_free(bh_hub *hub)
{
    if (!hub)
        return;
    assert(hub->stopping && !hub->handles && !hub->stats.conns_open && !hub->stats_first);
    assert(bh_dlist_empty(&hub->pages));
    free_hub(hub);
}
