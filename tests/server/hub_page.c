/* SPDX-License-Identifier: MIT
 * First pages: HTML from the server, and the socket that adopts it. */
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

struct got {
    char html[4000];
    char token[64];
    unsigned n;
};

static void on_page(void *arg, const char *html, size_t len, const char *token)
{
    struct got *g = arg;
    assert_true(len < sizeof g->html);
    memcpy(g->html, html, len);
    g->html[len] = '\0';
    snprintf(g->token, sizeof g->token, "%s", token);
    g->n++;
}

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

static void get(struct got *g, uint32_t page)
{
    memset(g, 0, sizeof *g);
    assert_true(bh_hub_page(server.hub, page, "/", "", on_page, g) != 0);
    lb_settle(&server);
    assert_int_equal(g->n, 1);
}

static void test_adopt(void **state)
{
    (void)state;
    lb_start(&server, pages);
    struct got g;
    int before = atomic_load(&effects);
    get(&g, PAGE_COUNTER);
    assert_non_null(strstr(g.html, "<span>3</span>"));
    assert_null(strstr(g.html, "onclick"));
    assert_int_equal(strlen(g.token), 40);
    assert_int_equal(atomic_load(&effects), before); /* not before its client is there */
    assert_int_equal(lb_stats(&server).sessions_prerendered, 1);
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    c->no_apply = true;         /* the model has no HTML parser: the frame itself is looked at */
    lb_hello(c, g.token, 0, 9); /* div 3 × (button, text) span text */
    lb_settle(&server);
    assert_int_equal(c->frames, 2);
    /* frame 1, ack 0, then ON ops only: click handlers of the buttons 2, 4 and 6 */
    assert_int_equal(c->last.data[0], 1);
    assert_int_equal(c->last.data[1], 0);
    assert_int_equal(c->last.data[2], 0x09);
    assert_int_equal(c->last.data[3], 2);
    unsigned ons = 0;
    for (size_t i = 2; i + 4 < c->last.len + 0; i += 5) ons += c->last.data[i] == 0x09;
    assert_true(ons >= 2);
    assert_int_equal(atomic_load(&effects), before + 1);
    bh_hub_stats s = lb_stats(&server);
    assert_int_equal(s.sessions_prerendered, 0);
    assert_int_equal(s.sessions_live, 1);
    assert_int_equal(s.sessions_total, 1);
    assert_true(memcmp(c->bytes.data + 4, "\x0d\x04", 2) == 0); /* WELCOME adopted */
}

static void test_nodes_disagree(void **state)
{
    (void)state;
    lb_start(&server, pages);
    struct got g;
    get(&g, PAGE_COUNTER);
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_hello(c, g.token, 0, 8);
    lb_settle(&server);
    assert_int_equal(c->page.welcome, 1);
    assert_int_equal(c->page.resets, 1);
    assert_string_equal(lb_text(c, "span", 0), "3");
    lb_click(c, 0);
    lb_settle(&server);
    assert_string_equal(lb_text(c, "span", 0), "4");
    assert_int_equal(lb_stats(&server).sessions_total, 1);
}

/* The state moved on between the page and its socket: seen after adoption. */
static void test_changed_meanwhile(void **state)
{
    (void)state;
    lb_start(&server, pages);
    struct got g;
    get(&g, PAGE_TOPIC);
    assert_non_null(strstr(g.html, "<p>-1</p>"));
    bh_publish(the_topic, &(int){8}, sizeof(int));
    lb_settle(&server);
    lb_conn *c = lb_open(&server, PAGE_TOPIC, BH_CODEC_V1);
    lb_hello(c, g.token, 0, 1); /* disagrees: the model gets a whole page, then the change */
    lb_settle(&server);
    assert_string_equal(lb_text(c, "p", 0), "8");
}

static void test_cancel_and_expiry(void **state)
{
    (void)state;
    server.config.prerender_seconds = 1;
    lb_start(&server, pages);
    struct got g = {0}, h;
    uint64_t id = bh_hub_page(server.hub, PAGE_COUNTER, "/", "", on_page, &g);
    bh_hub_page_cancel(server.hub, id);
    get(&h, PAGE_COUNTER);
    assert_int_equal(g.n, 0);
    assert_int_equal(lb_stats(&server).sessions_prerendered, 2);
    lb_wait_ms(&server, 1300);
    assert_int_equal(lb_stats(&server).sessions_prerendered, 0);
    lb_conn *c = lb_open(&server, PAGE_COUNTER, BH_CODEC_V1);
    lb_hello(c, h.token, 0, 9);
    lb_settle(&server);
    assert_int_equal(c->page.welcome, 1 | 8);
}

static void test_flood(void **state)
{
    (void)state;
    lb_start(&server, pages);
    struct got g;
    for (int i = 0; i < BH_PRERENDERED_MAX + 10; i++) {
        memset(&g, 0, sizeof g);
        bh_hub_page(server.hub, PAGE_COUNTER, "/", "", on_page, &g);
        while (!g.n) lb_turn(&server);
        assert_int_equal(strlen(g.token), i < BH_PRERENDERED_MAX ? 40 : 0);
        assert_non_null(strstr(g.html, "<span>3</span>"));
    }
    assert_int_equal(lb_stats(&server).sessions_prerendered, BH_PRERENDERED_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_adopt),
        TEST(test_nodes_disagree),
        TEST(test_changed_meanwhile),
        TEST(test_cancel_and_expiry),
        TEST(test_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
