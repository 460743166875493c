/* SPDX-License-Identifier: MIT */
#include "support/loopback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/log.h"
#include "support/exec_manual.h"
#include "vdom/mem.h"

/* ---- the transport -------------------------------------------------------------------------------- */

static void parse(lb_conn *c)
{
    size_t end = c->bytes.len < c->room ? c->bytes.len : c->room;
    while (end - c->parsed >= 2) {
        const unsigned char *p = c->bytes.data + c->parsed;
        size_t have = end - c->parsed, head = 2;
        uint64_t len = p[1] & 127u;
        assert_int_equal(p[0], c->codec == BH_CODEC_V1 ? 0x82 : 0x81);
        assert_int_equal(p[1] & 128u, 0);
        if (len == 126) {
            if (have < 4)
                return;
            len = (uint64_t)p[2] << 8 | p[3];
            assert_true(len > 125);
            head = 4;
        } else if (len == 127) {
            if (have < 10)
                return;
            len = 0;
            for (int i = 2; i < 10; i++) len = len << 8 | p[i];
            assert_true(len > 65535);
            head = 10;
        }
        if (have - head < len)
            return;
        c->frames++;
        c->last.len = 0;
        bh_buf_put(&c->last, p + head, len);
        if (c->codec == BH_CODEC_V1 && !c->no_apply && v1_client_frame(&c->page, p + head, len) < 0)
            fail_msg("frame %u: %s", c->frames, c->page.why);
        c->parsed += head + len;
    }
}

static int tp_write(bh_conn *conn, unsigned char *bytes, size_t len)
{
    lb_conn *c = bh_conn_impl(conn);
    if (c->fail_writes)
        return -1;
    assert_true(c->written <= c->room); /* never while busy */
    bh_buf_put(&c->bytes, bytes, len);
    c->written += len;
    if (c->written > c->room && c->written - c->room > c->most_held)
        c->most_held = c->written - c->room;
    parse(c);
    return 0;
}

static bool tp_busy(bh_conn *conn)
{
    lb_conn *c = bh_conn_impl(conn);
    return c->room != SIZE_MAX && c->written >= c->room;
}

static void tp_want(bh_conn *conn)
{
    lb_conn *c = bh_conn_impl(conn);
    assert_false(c->waiting);
    c->waiting = true;
}

static void tp_pause(bh_conn *conn, bool pause)
{
    lb_conn *c = bh_conn_impl(conn);
    assert_true(c->paused != pause);
    c->paused = pause;
}

static void tp_close(bh_conn *conn, unsigned code, const char *reason)
{
    lb_conn *c = bh_conn_impl(conn);
    assert_non_null(reason);
    assert_int_equal(c->close_code, 0);
    c->close_code = code;
    if (!c->slow_close)
        lb_drop(c);
}

static const bh_transport_ops ops = {
    .write = tp_write,
    .busy = tp_busy,
    .want_writable = tp_want,
    .pause = tp_pause,
    .close = tp_close,
};

void lb_drop(lb_conn *c)
{
    bh_conn *conn = c->conn;
    c->conn = NULL;
    if (conn)
        bh_conn_closed(conn);
}

void lb_room(lb_conn *c, size_t more)
{
    c->room += more;
    parse(c);
    if (c->waiting && c->conn && !tp_busy(c->conn)) {
        c->waiting = false;
        bh_conn_writable(c->conn);
    }
}

/* ---- the server -------------------------------------------------------------------------------------- */

void lb_init(lb_server *s, const char *mode)
{
    memset(s, 0, sizeof *s);
    s->config = (bh_config){
        .backhaul = true,
        .cpu_main = -1,
        .cpu_render = -1,
        .max_sessions = 10240,
        .window_frames = 16,
        .window_bytes = 262144,
        .max_message = 32768,
        .resume_seconds = 180,
        .resume_sessions = 100,
        .resume_bytes = (size_t)64 << 20,
        .prerender_seconds = 10,
        .reactpy_diff = true,
    };
    bh_log_set_level(BH_LOG_ERROR);
    if (!mode)
        mode = getenv("BH_TEST_MODE");
    if (!mode)
        mode = "inline";
    s->exec = strcmp(mode, "thread") == 0   ? &bh_exec_thread
              : strcmp(mode, "manual") == 0 ? &bh_exec_manual
                                            : &bh_exec_inline;
    assert_string_equal(s->exec->name, mode);
    assert_int_equal(uv_loop_init(&s->loop), 0);
}

void lb_start(lb_server *s, const bh_page *pages)
{
    assert_int_equal(bh_hub_new(&(bh_hub_params){.config = &s->config,
                                                 .pages = pages,
                                                 .main_loop = &s->loop,
                                                 .exec = s->exec,
                                                 .server = s},
                                &s->hub),
                     0);
}

static void on_stopped(bh_hub *hub, void *arg)
{
    lb_server *s = arg;
    assert_ptr_equal(s->hub, hub);
    s->stopped = true;
}

void lb_stop_begin(lb_server *s)
{
    s->stopping = true;
    bh_hub_stop(s->hub, on_stopped, s);
}

static bool is_set(void *arg) { return *(bool *)arg; }

void lb_stop(lb_server *s)
{
    if (!s->stopping)
        lb_stop_begin(s);
    lb_until(s, is_set, &s->stopped);
    bh_hub_free(s->hub);
    while (uv_run(&s->loop, UV_RUN_NOWAIT)) {}
    assert_int_equal(uv_loop_close(&s->loop), 0);
    while (s->conns) {
        lb_conn *c = s->conns;
        s->conns = c->next;
        assert_null(c->conn);
        bh_buf_fini(&c->bytes);
        bh_buf_fini(&c->last);
        v1_client_fini(&c->page);
        bh_free(c);
    }
}

void lb_turn(lb_server *s)
{
    exec_manual_turn();
    uv_run(&s->loop, UV_RUN_NOWAIT);
}

void lb_until(lb_server *s, bool (*cond)(void *arg), void *arg)
{
    uint64_t end = uv_hrtime() + 30000000000u;
    while (!cond(arg)) {
        if (uv_hrtime() > end)
            fail_msg("waited 30 s for nothing");
        lb_turn(s);
        if (s->exec == &bh_exec_thread)
            uv_sleep(0);
    }
}

struct asked {
    bool done;
    bh_hub_stats stats;
};

static void on_stats(void *arg, const bh_hub_stats *stats)
{
    struct asked *a = arg;
    a->stats = *stats;
    a->done = true;
}

bh_hub_stats lb_stats(lb_server *s)
{
    struct asked a = {0};
    bh_hub_stats_get(s->hub, on_stats, &a);
    lb_until(s, is_set, &a.done);
    return a.stats;
}

void lb_settle(lb_server *s)
{
    bh_hub_stats last = lb_stats(s);
    for (int same = 0; same < 3;) {
        bh_hub_stats now = lb_stats(s);
        bool still = now.renders == last.renders && now.frames == last.frames &&
                     now.sends == last.sends && now.messages_in == last.messages_in &&
                     now.sessions_live == last.sessions_live &&
                     now.sessions_parked == last.sessions_parked;
        same = still ? same + 1 : 0;
        last = now;
    }
}

void lb_wait_ms(lb_server *s, unsigned ms)
{
    uint64_t end = uv_hrtime() + ms * 1000000ull;
    while (uv_hrtime() < end) {
        lb_turn(s);
        uv_sleep(1);
    }
}

lb_conn *lb_open(lb_server *s, uint32_t page, bh_codec_id codec)
{
    lb_conn *c = bh_zalloc(sizeof *c);
    c->server = s;
    c->codec = codec;
    c->room = SIZE_MAX;
    c->conn = bh_conn_open(s->hub, &ops, c, page, codec, "/path", "q=1");
    if (!c->conn) {
        bh_free(c);
        return NULL;
    }
    bh_buf_init(&c->bytes);
    bh_buf_init(&c->last);
    v1_client_init(&c->page);
    c->next = s->conns;
    s->conns = c;
    return c;
}

void lb_send(lb_conn *c, const void *data, size_t len)
{
    if (c->conn)
        bh_conn_receive(c->conn, data, len);
}

void lb_hello(lb_conn *c, const char *token, uint32_t last, uint32_t nodes)
{
    bh_buf b;
    bh_buf_init(&b);
    v1_put_hello(&b, token, last, nodes);
    lb_send(c, b.data, b.len);
    bh_buf_fini(&b);
}

lb_conn *lb_open_v1(lb_server *s, uint32_t page)
{
    lb_conn *c = lb_open(s, page, BH_CODEC_V1);
    assert_non_null(c);
    lb_hello(c, "", 0, 0);
    lb_settle(s);
    return c;
}

lb_conn *lb_resume(lb_server *s, uint32_t page, lb_conn *from)
{
    lb_conn *c = lb_open(s, page, BH_CODEC_V1);
    assert_non_null(c);
    v1_client_fini(&c->page);
    c->page = from->page;
    v1_client_init(&from->page);
    c->page.welcome = 0;
    lb_hello(c, c->page.token, c->page.seq, 0);
    lb_settle(s);
    return c;
}

void lb_ack(lb_conn *c)
{
    bh_buf b;
    bh_buf_init(&b);
    v1_put_ack(&b, c->page.seq);
    lb_send(c, b.data, b.len);
    bh_buf_fini(&b);
}

void lb_event(lb_conn *c, const char *tag, unsigned nth, const char *event, const bh_event *ev)
{
    v1_node *n = v1_client_tag(&c->page, tag, nth);
    assert_non_null(n);
    const v1_attr *h = v1_node_handler(n, event);
    assert_non_null(h);
    bh_buf b;
    bh_buf_init(&b);
    v1_client_event(&c->page, &b, h->hid, ev);
    lb_send(c, b.data, b.len);
    bh_buf_fini(&b);
}

void lb_click(lb_conn *c, unsigned nth_button) { lb_event(c, "button", nth_button, "click", NULL); }

const char *lb_text(lb_conn *c, const char *tag, unsigned nth)
{
    static char text[256];
    v1_node *n = v1_client_tag(&c->page, tag, nth);
    assert_non_null(n);
    bh_buf b;
    bh_buf_init(&b);
    v1_node_text(n, &b);
    size_t len = b.len < sizeof text - 1 ? b.len : sizeof text - 1;
    if (len)
        memcpy(text, b.data, len);
    text[len] = '\0';
    bh_buf_fini(&b);
    return text;
}
