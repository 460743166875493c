/* SPDX-License-Identifier: MIT
 * Dropped connections: docs/PROTOCOL.md §5, case by case. */
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

static void test_state_survives(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_click(a, 0);
    lb_settle(&server);
    char old[256];
    strcpy(old, a->page.token);
    int cleanups_before = atomic_load(&cleanups);
    lb_drop(a);
    lb_settle(&server);
    assert_int_equal(lb_stats(&server).sessions_parked, 1);
    lb_conn *b = lb_resume(&server, PAGE_COUNTER, a);
    assert_int_equal(b->page.welcome, 2);
    assert_string_not_equal(b->page.token, old); /* rotated */
    assert_int_equal(b->page.ack, 1);
    assert_string_equal(lb_text(b, "span", 0), "4");
    lb_click(b, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(b, "span", 0), "5");
    assert_int_equal(b->page.resets, 1); /* B69: the page was never built anew */
    assert_int_equal(atomic_load(&cleanups), cleanups_before);
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.resumed, 1);
    assert_int_equal(s.sessions_parked, 0);
    assert_int_equal(s.sessions_total, 1);
}

/* Frames that were written and never arrived are sent again, byte for byte, in order. */
static void test_replay(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_TOPIC);
    lb_ack(a);
    a->no_apply = true; /* lost on the way */
    for (int i = 0; i < 5; i++) {
        bh_publish(the_topic, &i, sizeof i);
        lb_settle(&server);
    }
    assert_int_equal(a->page.seq, 1);
    lb_drop(a);
    lb_settle(&server);
    int v = 50;
    bh_publish(the_topic, &v, sizeof v); /* B77: parked: this renders nothing */
    uint64_t renders = lb_stats(&server).renders;
    for (v = 51; v < 80; v++) {
        bh_publish(the_topic, &v, sizeof v);
        lb_settle(&server);
    }
    assert_int_equal(lb_stats(&server).renders, renders);
    lb_conn *b = lb_resume(&server, PAGE_TOPIC, a);
    assert_int_equal(b->page.seq, 7); /* 2..6 again, then one with all that changed */
    assert_string_equal(lb_text(b, "p", 0), "79");
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.replayed_frames, 5);
    assert_int_equal(s.renders, renders + 1);
}

/* The client does not know what arrived and sends again: each event is applied once. */
static void test_events_once(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    a->no_apply = true;
    lb_click(a, 0);
    lb_click(a, 0);
    lb_settle(&server);
    lb_drop(a);
    lb_conn *b = lb_resume(&server, PAGE_COUNTER, a);
    assert_int_equal(b->page.ack, 2);
    b->page.sent = 0;                           /* as if nothing had been acknowledged */
    for (int i = 0; i < 3; i++) lb_click(b, 0); /* events 1, 2, 3: two are known */
    lb_settle(&server);
    assert_string_equal(lb_text(b, "span", 0), "6");
    assert_int_equal(lb_stats(&server).ignored_messages, 2);
    assert_int_equal(b->close_code, 0);
}

static void test_takeover(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    a->room = a->written; /* frames are stuck in the old connection */
    lb_click(a, 0);
    lb_click(a, 1);
    lb_settle(&server);
    a->slow_close = true;
    lb_conn *b = lb_resume(&server, PAGE_COUNTER, a);
    assert_int_equal(a->close_code, BH_CLOSE_TAKEN_OVER);
    assert_int_equal(b->page.welcome, 2);
    assert_string_equal(lb_text(b, "span", 0), "7");
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.taken_over, 1);
    assert_int_equal(s.sessions_live, 1);
    /* What the old socket still says is not listened to; its end changes nothing. */
    lb_send(a, "\x04", 1);
    lb_drop(a);
    lb_settle(&server);
    lb_click(b, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(b, "span", 0), "8");
    assert_int_equal(lb_stats(&server).sessions_parked, 0);
}

static void lost(const char *token, uint32_t page)
{
    lb_conn *c = lb_open(&server, page, BH_CODEC_V1);
    lb_hello(c, token, 1, 0);
    lb_settle(&server);
    assert_int_equal(c->close_code, 0);
    assert_int_equal(c->page.welcome, 1 | 8);
    lb_drop(c);
    lb_settle(&server);
}

/* Three that claim one session in one turn: the last one has it, the others are told. */
static void test_claims(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    char token[256];
    strcpy(token, a->page.token);
    lb_drop(a);
    lb_conn *c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
        c[i]->no_apply = true;
        lb_hello(c[i], token, 1, 0);
    }
    lb_settle(&server);
    assert_int_equal(c[0]->close_code, BH_CLOSE_TAKEN_OVER);
    assert_int_equal(c[1]->close_code, BH_CLOSE_TAKEN_OVER);
    assert_int_equal(c[2]->close_code, 0);
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.sessions_live, 1);
    assert_int_equal(s.sessions_total, 1);
    assert_int_equal(s.resume_lost, 0);
}

/* A WELCOME that never arrives costs nothing: the client comes again with the token it has. Once it
 * has spoken, that token is dead. */
static void test_lost_welcome(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_click(a, 0);
    lb_settle(&server);
    char token[256];
    strcpy(token, a->page.token);
    uint32_t last = a->page.seq;
    lb_drop(a);
    for (int i = 0; i < 3; i++) {
        lb_conn *gone = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
        gone->no_apply = true; /* nothing of what is sent is received */
        lb_hello(gone, token, last, 0);
        lb_settle(&server);
        lb_drop(gone);
        lb_settle(&server);
    }
    lb_conn *b = lb_resume(&server, PAGE_COUNTER, a);
    assert_int_equal(b->page.welcome, 2);
    assert_string_equal(lb_text(b, "span", 0), "4");
    lb_send(b, "\x04", 1);
    lb_settle(&server);
    lost(token, PAGE_COUNTER);
    assert_int_equal(b->close_code, 0);
}

static void test_wrong_tokens(void **state)
{
    (void)state;
    server.config.resume_sessions = 1000;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_drop(a);
    lb_settle(&server);
    char token[256];
    for (size_t i = 0; i < 160; i++) { /* every bit of it */
        strcpy(token, a->page.token);
        unsigned v = (unsigned)(token[i / 4] >= 'a' ? token[i / 4] - 'a' + 10 : token[i / 4] - '0');
        token[i / 4] = "0123456789abcdef"[v ^ 1u << i % 4];
        lost(token, PAGE_COUNTER);
    }
    strcpy(token, a->page.token);
    token[39] = '\0';
    lost(token, PAGE_COUNTER);
    lost("x", PAGE_COUNTER);
    lost(a->page.token, PAGE_FORM); /* of another page */
    lb_conn *b = lb_resume(&server, PAGE_COUNTER, a);
    assert_int_equal(b->page.welcome, 2); /* and none of that hurt it */
    strcpy(token, b->page.token);
    lb_drop(b);
    lb_conn *c = lb_resume(&server, PAGE_COUNTER, b);
    assert_int_equal(c->page.welcome, 2);
    lb_send(c, "\x04", 1);
    lb_settle(&server);
    lost(token, PAGE_COUNTER); /* the old one is dead */
    assert_int_equal(c->close_code, 0);
}

static void test_impossible_position(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_drop(a);
    lb_conn *b = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_hello(b, a->page.token, 99, 0);
    lb_settle(&server);
    assert_int_equal(b->close_code, BH_CLOSE_BAD_MESSAGE);
}

/* A page restored from before its own acknowledgements: same state, whole page. */
static void test_gone_back(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_FORM);
    for (int i = 0; i < 5; i++) {
        lb_click(a, 0);
        lb_settle(&server);
    }
    lb_event(a, "input", 0, "input", &(bh_event){.type = BH_ON_input, .value = "kept"});
    lb_settle(&server);
    lb_ack(a);
    lb_settle(&server);
    lb_drop(a);
    lb_conn *b = lb_open(&server, PAGE_FORM, BH_CODEC_V1);
    b->page.seq = a->page.seq; /* its frame goes on from there */
    lb_hello(b, a->page.token, 2, 0);
    lb_settle(&server);
    assert_int_equal(b->page.welcome, 2);
    assert_int_equal(b->page.resets, 1);
    assert_string_equal(lb_text(b, "p", 0), "[kept]");
    assert_string_equal(lb_text(b, "li", 0), "row 5");
    b->page.sent = a->page.sent;
    lb_click(b, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(b, "li", 0), "row 6");
}

static void test_expiry(void **state)
{
    (void)state;
    server.config.resume_seconds = 1;
    lb_start(&server, pages);
    int before = atomic_load(&cleanups);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_drop(a);
    lb_wait_ms(&server, 500);
    assert_int_equal(lb_stats(&server).sessions_parked, 1);
    lb_wait_ms(&server, 800);
    assert_int_equal(lb_stats(&server).sessions_parked, 0);
    assert_int_equal(atomic_load(&cleanups), before + 1); /* B78: gone means gone */
    lost(a->page.token, PAGE_COUNTER);
}

static void test_limit_sessions(void **state)
{
    (void)state;
    server.config.resume_sessions = 3;
    lb_start(&server, pages);
    lb_conn *c[5];
    for (int i = 0; i < 5; i++) {
        c[i] = lb_open_v1(&server, PAGE_COUNTER);
        lb_click(c[i], 0);
        lb_settle(&server);
        lb_drop(c[i]);
        lb_settle(&server);
    }
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.sessions_parked, 3);
    assert_int_equal(s.evicted, 2);
    lb_conn *newest = lb_resume(&server, PAGE_COUNTER, c[4]);
    assert_int_equal(newest->page.welcome, 2);
    lost(c[0]->page.token, PAGE_COUNTER); /* the oldest went */
}

static void test_limit_bytes(void **state)
{
    (void)state;
    server.config.resume_bytes = 400000; /* the heavy page: >= 50 KB tree, 50 KB frame */
    lb_start(&server, pages);
    for (int i = 0; i < 20; i++) {
        lb_conn *c = lb_open_v1(&server, PAGE_HEAVY);
        lb_drop(c);
        lb_settle(&server);
    }
    bh_hub_stats s = lb_stats(&server);
    assert_true(s.sessions_parked >= 1 && s.sessions_parked <= 7);
    assert_int_equal(s.sessions_parked + s.evicted, 20);
    assert_true(s.session_bytes + s.retained_bytes <= 400000);
}

static void test_no_window(void **state)
{
    (void)state;
    server.config.resume_seconds = 0;
    lb_start(&server, pages);
    lb_conn *a = lb_open_v1(&server, PAGE_COUNTER);
    lb_drop(a);
    lb_settle(&server);
    assert_int_equal(lb_stats(&server).sessions_parked, 0);
    lost(a->page.token, PAGE_COUNTER);
}

/* B68: numbers have no gap and no twin, whatever mix of causes: the client is strict about it. */
static void test_numbers(void **state)
{
    (void)state;
    lb_start(&server, pages);
    lb_conn *c = lb_open_v1(&server, PAGE_TICKER);
    lb_conn *d = lb_open_v1(&server, PAGE_COUNTER);
    for (int i = 0; i < 3000; i++) {
        lb_click(d, (unsigned)i % 3);
        lb_turn(&server);
        lb_ack(c);
        if (i % 100 == 99) {
            lb_drop(d);
            d = lb_resume(&server, PAGE_COUNTER, d);
            assert_int_equal(d->page.welcome, 2);
        }
    }
    lb_settle(&server);
    assert_int_equal(d->page.ack, 3000);
    assert_int_equal(d->page.resets, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_state_survives), TEST(test_replay),
        TEST(test_events_once),    TEST(test_takeover),
        TEST(test_claims),         TEST(test_lost_welcome),
        TEST(test_wrong_tokens),   TEST(test_impossible_position),
        TEST(test_gone_back),      TEST(test_expiry),
        TEST(test_limit_sessions), TEST(test_limit_bytes),
        TEST(test_no_window),      TEST(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
