/* SPDX-License-Identifier: MIT
 * Pace: credit, slow readers, large frames, full inboxes, stale ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/hub_pages.h"
#include "server/limits.h"
#include "support/loopback.h"

static lb_server server;

static int setup(void **state)
{
    (void)state;
    the_topic = bh_topic_new("value");
    lb_init(&server, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lb_stop(&server);
    bh_topic_free(the_topic);
    return 0;
}

static void publish(int v) { bh_publish(the_topic, &v, sizeof v); }

/* A client that does not acknowledge gets one window; then states coalesce, and the newest arrives. */
static void test_credit_v1(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *c = lb_open_v1(&server, PAGE_TOPIC);
    for (int i = 0; i < 200; i++) {
        publish(i);
        lb_settle(&server);
    }
    assert_int_equal(c->page.seq, 16);
    assert_true(lb_stats(&server).stalls > 0);
    lb_ack(c);
    lb_settle(&server);
    assert_int_equal(c->page.seq, 17); /* one frame for all that was missed */
    assert_string_equal(lb_text(c, "p", 0), "199");
    lb_ack(c);
    lb_settle(&server);
    assert_int_equal(lb_stats(&server).retained_bytes, 0);
}

/* B75: a stopped reader: what is held never passes one window of bytes and a frame; no state skipped
 * in the end. ReactPy has no acknowledgements, so it is the socket that must say. */
static void test_stalled_reader(void **state)
{
    (void)state;
    server.config.window_bytes = 200000;
    lb_start(&server, pages);
    lb_conn *c = lb_open(&server, PAGE_HEAVY, BH_CODEC_REACTPY);
    c->room = 1000;
    lb_settle(&server);
    for (int i = 0; i < 100; i++) {
        publish(i);
        lb_settle(&server);
    }
    bh_hub_stats s = lb_stats(&server);
    assert_true(s.out_queue_high_water <= 200000 + 51000);
    assert_true(c->most_held <= 51000 * 2);
    assert_true(s.frames <= 8);
    lb_room(c, (size_t)1 << 30);
    lb_settle(&server);
    bh_buf_byte(&c->last, 0);
    assert_non_null(strstr((const char *)c->last.data, "99"));
}

/* A frame of many megabytes goes out in pieces, on only when the socket can take more. */
BH_COMPONENT0(Large)
{
    for (int i = 0; i < 100; i++) {
        P() { TEXTF("%050000d", i); }
    }
}
static const bh_page large_pages[] = {BH_PAGE0("/", Large), {.path = NULL}};

static void test_pieces(void **state)
{
    (void)state;
    lb_start(&server, large_pages);
    lb_conn *c = lb_open(&server, 0, BH_CODEC_V1);
    c->room = 100;
    lb_hello(c, "", 0, 0);
    lb_settle(&server);
    int waits = 0;
    for (int i = 0; i < 100 && c->page.seq == 0; i++) {
        waits += c->waiting;
        lb_room(c, 100000);
        lb_settle(&server);
    }
    assert_int_equal(c->page.seq, 1);
    assert_true(waits >= 40); /* 1 MiB at a time, taken in tenths; the last has nothing behind it */
    assert_true(c->most_held <= BH_SEND_PIECE);
    assert_true(c->written > 5000000);
    char last[64];
    snprintf(last, sizeof last, "%s", lb_text(c, "p", 99));
    assert_int_equal(strlen(last), 63);
}

static _Atomic int go;
static void block(void *data, size_t len)
{
    (void)data;
    (void)len;
    while (!atomic_load(&go)) uv_sleep(1);
}

/* B70: while rendering is blocked, reading stops at 256 messages; none is lost, in their order. */
static void test_inbox_full(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    atomic_store(&go, 0);
    if (server.exec == &bh_exec_thread)
        assert_int_equal(bh_hub_post(server.hub, block, NULL, 0), 0);
    unsigned sent = 0;
    while (!c->paused && sent < 1000) { /* one loop turn: nothing is taken meanwhile */
        lb_click(c, 0);
        sent++;
    }
    assert_int_equal(sent, BH_INBOX_PER_SESSION - 1); /* its HELLO has not been credited yet */
    if (server.exec == &bh_exec_thread) {
        lb_wait_ms(&server, 20);
        assert_true(c->paused);
    }
    atomic_store(&go, 1);
    lb_settle(&server);
    assert_false(c->paused);
    assert_string_equal(lb_text(c, "span", 0), "258");
    assert_int_equal(lb_stats(&server).rx_pauses, 1);
    for (int i = 0; i < 1000; i++) {
        lb_click(c, 0);
        if (i % 50 == 0)
            lb_settle(&server);
        assert_false(c->paused);
    }
}

/* B80: the answer comes just as the connection dies: ids name a generation, stale ones are dropped. */
static void test_stale_ids(void **state)
{
    (void)state;
    lb_start(&server, pages);
    for (int i = 0; i < 2000; i++) {
        lb_conn *c = lb_open(&server, PAGE_COUNTER, i % 2 ? BH_CODEC_V1 : BH_CODEC_REACTPY);
        if (i % 2)
            lb_hello(c, "", 0, 0);
        for (int k = i % 5; k > 0; k--) lb_turn(&server);
        lb_drop(c);
        if (i % 3 == 0)
            lb_turn(&server);
    }
    lb_settle(&server);
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.conns_open, 0);
    assert_int_equal(s.conns_total, 2000);
    assert_int_equal(s.sessions_live, 0);
    assert_true(s.sessions_parked <= 100);
    if (server.exec == &bh_exec_thread)
        print_message("%llu stale frames\n", (unsigned long long)s.stale_out);
}

static void test_write_fails(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    c->fail_writes = true;
    lb_click(c, 0);
    lb_settle(&server);
    lb_click(c, 0); /* said to a dead connection: counted */
    lb_settle(&server);
    assert_int_equal(c->close_code, 0); /* the transport says itself that it is gone */
    lb_drop(c);
    lb_settle(&server);
    assert_int_equal(lb_stats(&server).stale_in, 1);
    lb_conn *d = lb_resume(&server, PAGE_COUNTER, c);
    assert_int_equal(d->page.welcome, 2);
    assert_string_equal(lb_text(d, "span", 0), "4");
}

static void test_max_sessions(void **state)
{
    (void)state;
    server.config.max_sessions = 2;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    assert_non_null(lb_open_v1(&server, PAGE_COUNTER));
    assert_null(lb_open(&server, PAGE_COUNTER, BH_CODEC_V1));
    assert_int_equal(lb_stats(&server).conns_refused, 1);
    lb_drop(a);
    assert_non_null(lb_open_v1(&server, PAGE_COUNTER));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_credit_v1),    TEST(test_stalled_reader), TEST(test_pieces),
        TEST(test_inbox_full),   TEST(test_stale_ids),      TEST(test_write_fails),
        TEST(test_max_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
