/* SPDX-License-Identifier: MIT
 * From an event to a patch; batching; what is malformed; rates; the commit interval. */
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

static void start(void) { lb_start(&server, pages); }

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

static void test_event_to_patch(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    assert_int_equal(c->page.welcome, 1);
    assert_int_equal(strlen(c->page.token), 40);
    assert_int_equal(c->page.resets, 1);
    assert_string_equal(lb_text(c, "span", 0), "3");
    lb_click(c, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(c, "span", 0), "4");
    assert_int_equal(c->page.ack, 1);
    assert_true(c->last.len <= 12); /* one text of one byte */
    assert_int_equal(atomic_load(&effects) - atomic_load(&cleanups), 1);
    lb_drop(c);
}

static void test_batching(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    unsigned before = c->frames;
    lb_click(c, 1); /* three sets in one handler */
    lb_settle(&server);
    assert_int_equal(c->frames, before + 1);
    assert_string_equal(lb_text(c, "span", 0), "6");
    for (int i = 0; i < 10; i++) lb_click(c, 0);
    lb_settle(&server);
    /* Each click meets the page that the one before left, until half of the window is out; the rest
     * is one frame. */
    assert_true(c->frames > before + 2 && c->frames <= before + 1 + 16 / 2 + 1);
    assert_string_equal(lb_text(c, "span", 0), "16");
    assert_int_equal(c->page.ack, 11);
    bh_hub_stats s = lb_stats(&server);
    assert_true(s.sends <= 4);
}

/* However much credit a client has, a burst of its events is a few renders, then one for the rest. */
static void test_burst(void **state)
{
    (void)state;
    server.config.window_frames = 4096;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    unsigned before = c->frames;
    for (int i = 0; i < 100; i++) lb_click(c, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(c, "span", 0), "103");
    assert_true(c->frames > before + 1 && c->frames <= before + BH_SETTLES_PER_BATCH + 1);
}

/* B34: two clicks that arrive together on a button that the first one takes away. */
static void test_second_click(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_ONCE);
    lb_click(c, 0);
    lb_click(c, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(c, "span", 0), "1");
    assert_int_equal(lb_stats(&server).unknown_handlers, 1);
    assert_int_equal(c->page.ack, 2);
    assert_int_equal(c->close_code, 0);
}

static void test_ack_without_change(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    lb_click(c, 2); /* adds 0 */
    lb_settle(&server);
    assert_int_equal(c->page.ack, 1);
    assert_int_equal(c->page.seq, 1);
    bh_buf b;
    bh_buf_init(&b);
    v1_put_ping(&b);
    lb_send(c, b.data, b.len);
    lb_settle(&server);
    assert_int_equal(c->page.pongs, 1);
    bh_buf_fini(&b);
}

static void test_input(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_FORM);
    lb_event(c, "input", 0, "input", &(bh_event){.type = BH_ON_input, .value = "h\xc3\xa9"});
    lb_settle(&server);
    assert_string_equal(lb_text(c, "p", 0), "[h\xc3\xa9]");
    for (int i = 0; i < 20; i++) {
        lb_click(c, 0);
        lb_settle(&server);
        lb_ack(c);
    }
    assert_string_equal(lb_text(c, "li", 0), "row 6");
}

static void test_reactpy(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_REACTPY);
    lb_settle(&server);
    assert_int_equal(c->frames, 1);
    bh_buf_byte(&c->last, 0);
    const char *json = (const char *)c->last.data;
    assert_non_null(strstr(json, "\"layout-update\""));
    const char *target = strstr(json, "\"target\":\"");
    assert_non_null(target);
    char ev[200];
    int n = snprintf(ev, sizeof ev, "{\"type\":\"layout-event\",\"target\":\"%d\",\"data\":[{}]}",
                     atoi(target + 10));
    for (int i = 0; i < 40; i++) { /* more than a window: drained is credit */
        lb_send(c, ev, (size_t)n);
        lb_settle(&server);
    }
    assert_int_equal(c->frames, 41);
    bh_buf_byte(&c->last, 0);
    assert_non_null(strstr((const char *)c->last.data, "43"));
    lb_send(c, "{\"type\":\"other\"}", 16);
    lb_settle(&server);
    assert_int_equal(c->close_code, 0);
    assert_int_equal(lb_stats(&server).ignored_messages, 1);
    lb_send(c, "{\"type\":", 8);
    lb_settle(&server);
    assert_int_equal(c->close_code, BH_CLOSE_BAD_MESSAGE);
    assert_int_equal(lb_stats(&server).sessions_live, 0);
}

static void expect_close(const void *bytes, size_t len, unsigned code)
{
    lb_conn *good = lb_open_v1(&server, PAGE_COUNTER);
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    lb_send(c, bytes, len);
    lb_settle(&server);
    assert_int_equal(c->close_code, code);
    lb_click(good, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(good, "span", 0), "4"); /* the others do not notice */
    lb_drop(good);
    lb_settle(&server);
}

static void test_bad_messages(void **state)
{
    (void)state;
    start();
    expect_close("\x09", 1, BH_CLOSE_BAD_MESSAGE);                         /* unknown kind */
    expect_close("", 0, BH_CLOSE_BAD_MESSAGE);                             /* empty */
    expect_close("\x03\xff\xff\xff\xff\xff\xff", 7, BH_CLOSE_BAD_MESSAGE); /* varint too long */
    expect_close("\x03\x09", 2, BH_CLOSE_BAD_MESSAGE);         /* acknowledges frame 9 */
    expect_close("\x02\x01\x09\x01", 4, BH_CLOSE_BAD_MESSAGE); /* event that does so */
    expect_close("\x02\x03\x00\x01", 4, BH_CLOSE_BAD_MESSAGE); /* event 3 is not the first */
    expect_close("\x02\x01\x01\x01\x01\x02\xc3\x28", 8, BH_CLOSE_BAD_UTF8);
    expect_close("\x01\x01\x00\x00\x00", 5, BH_CLOSE_BAD_MESSAGE); /* a second hello */
    assert_int_equal(lb_stats(&server).bad_messages, 8);
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_send(c, "\x04", 1); /* before hello */
    lb_settle(&server);
    assert_int_equal(c->close_code, BH_CLOSE_BAD_MESSAGE);
    /* A handler nobody has is counted and answered. */
    c = lb_open_v1(&server, PAGE_COUNTER);
    lb_send(c, "\x02\x01\x01\xff\xff\x03", 6);
    lb_settle(&server);
    assert_int_equal(c->close_code, 0);
    assert_int_equal(c->page.ack, 1);
    assert_int_equal(lb_stats(&server).unknown_handlers, 1);
}

static void test_rate(void **state)
{
    (void)state;
    server.config.max_event_rate = 10; /* bursts of 40 */
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    for (int i = 0; i < 40; i++) lb_click(c, 0);
    lb_settle(&server);
    assert_int_equal(c->close_code, 0);
    assert_string_equal(lb_text(c, "span", 0), "43");
    for (int i = 0; i < 20; i++) lb_click(c, 0);
    lb_settle(&server);
    assert_int_equal(c->close_code, BH_CLOSE_RATE);
    assert_int_equal(lb_stats(&server).sessions_parked, 1);
}

/* One that renders for ever has no advantage over one that is clicked. */
static void test_fairness(void **state)
{
    (void)state;
    start();
    lb_conn *spin =
        lb_open(&server, PAGE_SPINNER, BH_CODEC_REACTPY); /* its credit always returns */
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_hello(c, "", 0, 0);
    for (int i = 0; i < 20000 && c->page.seq == 0; i++) lb_turn(&server);
    assert_int_equal(c->page.seq, 1);
    for (uint32_t n = 1; n <= 50; n++) {
        lb_click(c, 0);
        unsigned before = spin->frames;
        uint64_t end = uv_hrtime() + 5000000000u;
        while (c->page.ack < n && uv_hrtime() < end) lb_turn(&server);
        assert_int_equal(c->page.ack, n);
        if (server.exec == &bh_exec_inline)
            assert_true(spin->frames - before < 20);
    }
    assert_true(spin->frames > 50);
    lb_drop(spin);
    lb_settle(&server);
}

/* With a commit interval, events of one interval are one frame, on an absolute clock. */
static void test_commit_interval(void **state)
{
    (void)state;
    server.config.commit_interval_us = 20000;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_COUNTER);
    lb_wait_ms(&server, 30);
    unsigned before = c->frames;
    assert_string_equal(lb_text(c, "span", 0), "3");
    uint64_t began = uv_hrtime();
    for (int i = 0; i < 100; i++) {
        lb_click(c, 0);
        lb_turn(&server);
        uv_sleep(1);
    }
    lb_wait_ms(&server, 45);
    lb_settle(&server);
    uint64_t intervals = (uv_hrtime() - began) / 20000000u + 2;
    assert_string_equal(lb_text(c, "span", 0), "103");
    assert_int_equal(c->page.ack, 100);
    assert_true(c->frames - before >= 2);
    assert_true(c->frames - before <= intervals);
    uint64_t commits = lb_stats(&server).commits;
    lb_wait_ms(&server, 60);
    assert_int_equal(lb_stats(&server).commits, commits); /* nothing waits: the clock sleeps */
}

/* B89: timers come back after a stall with one late tick, never with a burst. */
static void test_ticks_after_stall(void **state)
{
    (void)state;
    start();
    lb_conn *c = lb_open_v1(&server, PAGE_TICKER);
    lb_wait_ms(&server, 60);
    lb_ack(c);
    lb_settle(&server);
    assert_true(atomic_load(&ticks) > 2);
    lb_drop(c);
    lb_settle(&server);
    int parked = atomic_load(&ticks);
    lb_wait_ms(&server, 60);
    assert_int_equal(atomic_load(&ticks), parked); /* B77: a parked session stands still */
}

static void nothing(void *data, size_t len)
{
    (void)data;
    (void)len;
}

static void store(void *data, size_t len)
{
    assert_int_equal(len, sizeof(int *) + sizeof(int));
    int *p, v;
    memcpy(&p, data, sizeof p);
    memcpy(&v, (char *)data + sizeof p, sizeof v);
    assert_int_equal((uintptr_t)data % 16, 0);
    *p = *p * 10 + v;
}

static void test_posts_and_topics(void **state)
{
    (void)state;
    start();
    int sum = 0;
    for (int i = 1; i <= 3; i++) {
        char data[sizeof(int *) + sizeof(int)];
        int *p = &sum;
        memcpy(data, &p, sizeof p);
        memcpy(data + sizeof p, &i, sizeof i);
        assert_int_equal(bh_hub_post(server.hub, store, data, sizeof data), 0);
    }
    assert_int_equal(bh_hub_post(server.hub, nothing, NULL, 0), 0);
    lb_settle(&server);
    assert_int_equal(sum, 123); /* in order */
    lb_conn *c = lb_open_v1(&server, PAGE_TOPIC);
    assert_string_equal(lb_text(c, "p", 0), "-1");
    unsigned before = c->frames;
    for (int i = 0; i < 1000; i++) bh_publish(the_topic, &i, sizeof i);
    lb_settle(&server);
    assert_string_equal(lb_text(c, "p", 0), "999");
    if (server.exec == &bh_exec_inline)
        assert_int_equal(c->frames, before + 1);
    assert_true(c->frames <= before + 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_event_to_patch),   TEST(test_batching),           TEST(test_burst),
        TEST(test_second_click),     TEST(test_ack_without_change), TEST(test_input),
        TEST(test_reactpy),          TEST(test_bad_messages),       TEST(test_rate),
        TEST(test_fairness),         TEST(test_commit_interval),    TEST(test_ticks_after_stall),
        TEST(test_posts_and_topics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
