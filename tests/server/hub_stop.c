/* SPDX-License-Identifier: MIT
 * The end: with 0, 1 and 100 sessions, messages under way, and threads that post all the while.
 * lb_stop checks that the loop is empty; sanitizers check the rest. */
#include <errno.h>
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
    atomic_store(&effects, 0);
    atomic_store(&cleanups, 0);
    the_topic = bh_topic_new("value");
    lb_init(&server, NULL);
    lb_start(&server, pages);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bh_topic_free(the_topic);
    return 0;
}

static void test_nobody(void **state)
{
    (void)state;
    lb_stop(&server);
}

static void with(int n)
{
    for (int i = 0; i < n; i++) {
        lb_conn *c = lb_open(&server, (uint32_t)i % 2, BH_CODEC_V1);
        lb_hello(c, "", 0, 0);
    }
    lb_settle(&server);
    for (lb_conn *c = server.conns; c; c = c->next) lb_click(c, 0); /* under way */
    lb_stop_begin(&server);
    for (lb_conn *c = server.conns; c; c = c->next)
        assert_int_equal(c->close_code, BH_CLOSE_GOING_AWAY);
    assert_null(lb_open(&server, 0, BH_CODEC_V1));
    assert_int_equal(bh_hub_page(server.hub, 0, "/", "", NULL, NULL), 0);
    while (!server.stopped) lb_turn(&server);
    lb_stop(&server);
    assert_int_equal(atomic_load(&effects), (n + 1) / 2);
    assert_int_equal(atomic_load(&cleanups), atomic_load(&effects)); /* each exactly once */
}

static void test_one(void **state)
{
    (void)state;
    with(1);
}

static void test_hundred(void **state)
{
    (void)state;
    with(100);
}

static void page_done(void *arg, const char *html, size_t len, const char *token)
{
    (void)html;
    (void)len;
    (void)token;
    ++*(int *)arg;
}

/* Everything half-done at once: staged opens, parked and prerendered sessions, held bytes, pages and
 * numbers asked for, a slow close. */
static void test_in_flight(void **state)
{
    (void)state;
    int answered = 0;
    lb_conn *a = lb_open_v1(&server, PAGE_TOPIC), *b = lb_open_v1(&server, PAGE_COUNTER);
    lb_drop(b);
    bh_hub_page(server.hub, PAGE_COUNTER, "/", "", page_done, &answered);
    lb_settle(&server);
    a->room = a->written;
    bh_publish(the_topic, &(int){1}, sizeof(int));
    lb_settle(&server);
    bh_publish(the_topic, &(int){2}, sizeof(int));
    a->slow_close = true;
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_hello(c, "", 0, 0);
    bh_hub_page(server.hub, PAGE_COUNTER, "/", "", page_done, &answered);
    lb_stop_begin(&server);
    for (int i = 0; i < 50; i++) lb_turn(&server);
    assert_false(server.stopped); /* a socket is still closing */
    lb_drop(a);
    lb_stop(&server);
    assert_int_equal(answered, 2);
}

struct poster {
    uv_thread_t thread;
    _Atomic int refused, taken;
};
static _Atomic int ran, quit;

static void run(void *data, size_t len)
{
    (void)data;
    (void)len;
    atomic_fetch_add(&ran, 1);
}

static void post(void *arg)
{
    struct poster *p = arg;
    int i = 0;
    while (!atomic_load(&quit)) {
        int r = bh_hub_post(server.hub, run, "x", 1);
        if (r == 0)
            atomic_fetch_add(&p->taken, 1);
        else if (r == -ESHUTDOWN)
            atomic_fetch_add(&p->refused, 1);
        bh_publish(the_topic, &i, sizeof i);
        i++;
        if (i % 16 == 0)
            uv_sleep(1);
    }
}

/* B83: posts and publishes of three threads before, during and after the stop. */
static void test_posts_during_stop(void **state)
{
    (void)state;
    struct poster p[3] = {0};
    atomic_store(&ran, 0);
    atomic_store(&quit, 0);
    lb_conn *c = lb_open_v1(&server, PAGE_TOPIC);
    for (int i = 0; i < 3; i++) assert_int_equal(uv_thread_create(&p[i].thread, post, &p[i]), 0);
    for (int i = 0; i < 30; i++) {
        lb_wait_ms(&server, 1);
        lb_ack(c);
    }
    lb_stop_begin(&server);
    while (!server.stopped) lb_turn(&server);
    uv_sleep(5);
    atomic_store(&quit, 1);
    int taken = 0, refused = 0;
    for (int i = 0; i < 3; i++) {
        uv_thread_join(&p[i].thread);
        taken += atomic_load(&p[i].taken);
        refused += atomic_load(&p[i].refused);
    }
    lb_stop(&server);
    assert_true(taken > 0);
    assert_true(refused > 0);
    assert_int_equal(atomic_load(&ran), taken); /* what was taken has run */
}

static _Atomic int go;
static void wait_go(void *data, size_t len)
{
    (void)data;
    (void)len;
    while (!atomic_load(&go)) uv_sleep(1);
}

static void test_posts_bounded(void **state)
{
    (void)state;
    atomic_store(&go, 0);
    atomic_store(&ran, 0);
    if (server.exec == &bh_exec_thread) {
        assert_int_equal(bh_hub_post(server.hub, wait_go, NULL, 0), 0);
        uv_sleep(20); /* it has been taken */
    }
    int n = 0, r;
    while ((r = bh_hub_post(server.hub, run, NULL, 0)) == 0) n++;
    assert_int_equal(r, -ENOBUFS);
    assert_int_equal(n, BH_POSTS_WAITING);
    atomic_store(&go, 1);
    lb_settle(&server);
    assert_int_equal(atomic_load(&ran), n);
    assert_int_equal(lb_stats(&server).dropped_posts, 1);
    assert_int_equal(bh_hub_post(server.hub, run, NULL, 0), 0);
    lb_stop(&server);
    assert_int_equal(atomic_load(&ran), n + 1);
}

/* One topic, two servers, on one main loop's thread. */
static void test_two_servers(void **state)
{
    (void)state;
    lb_server other;
    lb_init(&other, NULL);
    lb_start(&other, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_TOPIC), *b = lb_open_v1(&other, PAGE_TOPIC);
    bh_publish(the_topic, &(int){5}, sizeof(int));
    lb_settle(&server);
    lb_settle(&other);
    assert_string_equal(lb_text(a, "p", 0), "5");
    assert_string_equal(lb_text(b, "p", 0), "5");
    lb_stop(&other);
    bh_publish(the_topic, &(int){6}, sizeof(int));
    lb_settle(&server);
    assert_string_equal(lb_text(a, "p", 0), "6");
    lb_stop(&server);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nobody),
        TEST(test_one),
        TEST(test_hundred),
        TEST(test_in_flight),
        TEST(test_posts_during_stop),
        TEST(test_posts_bounded),
        TEST(test_two_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
