/* SPDX-License-Identifier: MIT
 * One script, three executors, one process: every byte that goes out is the same. Tokens are random,
 * so WELCOME frames are compared but for the token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/hub_pages.h"
#include "support/loopback.h"
#include "vdom/mem.h"

struct record {
    bh_buf out;
};

/* Appends what a connection got; 40 hexadecimal digits in a row are a token. */
static void note(struct record *r, lb_conn *c)
{
    size_t at = r->out.len;
    bh_buf_put(&r->out, c->bytes.data, c->bytes.len);
    unsigned char *p = r->out.data + at;
    for (size_t i = 0, run = 0; i < c->bytes.len; i++) {
        run = strchr("0123456789abcdef", p[i]) && p[i] ? run + 1 : 0;
        if (run == 40)
            memset(p + i - 39, '*', 32); /* the slot that follows must agree */
    }
    bh_buf_byte(&r->out, '\n');
}

static void collect(void *arg, const char *html, size_t len, const char *token)
{
    struct record *r = arg;
    bh_buf_put(&r->out, html, len);
    assert_int_equal(strlen(token), 40);
}

static void script(const char *mode, struct record *r)
{
    lb_server s;
    bh_buf_init(&r->out);
    the_topic = bh_topic_new("value");
    lb_init(&s, mode);
    lb_start(&s, pages);
    lb_conn *a = lb_open_v1(&s, PAGE_COUNTER);
    lb_conn *b = lb_open_v1(&s, PAGE_FORM);
    lb_conn *t = lb_open_v1(&s, PAGE_TOPIC);
    lb_conn *re = lb_open(&s, PAGE_FORM, BH_CODEC_REACTPY);
    lb_settle(&s);
    for (int i = 0; i < 30; i++) {
        char value[16];
        snprintf(value, sizeof value, "v%d", i);
        lb_click(a, (unsigned)i % 3);
        lb_click(b, 0);
        lb_event(b, "input", 0, "input", &(bh_event){.type = BH_ON_input, .value = value});
        if (i % 4 == 0)
            bh_publish(the_topic, &i, sizeof i);
        lb_settle(&s);
        if (i % 5 == 4) {
            lb_ack(a);
            lb_ack(b);
            lb_ack(t);
            lb_settle(&s);
        }
    }
    bh_hub_page(s.hub, PAGE_FORM, "/form", "", collect, r);
    lb_settle(&s);
    lb_drop(a);
    lb_drop(t);
    lb_settle(&s);
    bh_publish(the_topic, &(int){77}, sizeof(int));
    lb_settle(&s);
    lb_conn *a2 = lb_resume(&s, PAGE_COUNTER, a);
    lb_conn *t2 = lb_resume(&s, PAGE_TOPIC, t);
    lb_click(a2, 1);
    lb_settle(&s);
    assert_string_equal(lb_text(t2, "p", 0), "77");
    lb_conn *all[] = {a, b, t, re, a2, t2};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) note(r, all[i]);
    lb_stop(&s);
    bh_topic_free(the_topic);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const char *const modes[] = {"inline", "thread", "manual"};
    struct record r[3];
    for (size_t i = 0; i < 3; i++) {
        script(modes[i], &r[i]);
        assert_true(r[i].out.len > 2000);
        assert_int_equal(r[i].out.len, r[0].out.len);
        assert_memory_equal(r[i].out.data, r[0].out.data, r[0].out.len);
    }
    print_message("%zu bytes in %s, %s and %s\n", r[0].out.len, modes[0], modes[1], modes[2]);
    for (size_t i = 0; i < 3; i++) bh_buf_fini(&r[i].out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
