/* SPDX-License-Identifier: MIT
 * backhaul.v1 out: golden frames, sizes, and the client model as judge of random pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/wire.h"
#include "support/v1_client.h"
#include "vdom/html.h"
#include "wire/random_tree.h"
#include "wire/tree.h"

static const struct {
    const char *name, *before, *after;
} frames[] = {
    {"counter", "<div class=\"counter\"><button on:click=1>+</><span>3</></>",
     "<div class=\"counter\"><button on:click=1>+</><span>4</></>"},
    {"text grows empty", "<p>a|b</>", "<p>|b</>"},
    {"text of all planes", "<p>x</>", "<p>\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa9 \xef\xbb\xbf</>"},
    {"first content", "", "<p>hello</>"},
    {"last content goes", "<p>hello</>tail", ""},
    {"insert first, middle, last", "<ul><li key=1>1</><li key=3>3</></>",
     "<ul><li key=0>0</><li key=1>1</><li key=2>2</><li key=3>3</><li key=4>4</></>"},
    {"insert before a text", "<p>b</>", "<p><em>a</>b</>"},
    {"move to the front", "<ul><li key=1>1</><li key=2>2</><li key=3>3</></>",
     "<ul><li key=3>3</><li key=1>1</><li key=2>2</></>"},
    {"move to the end", "<ul><li key=1>1</><li key=2>2</><li key=3>3</></>",
     "<ul><li key=2>2</><li key=3>3</><li key=1>1</></>"},
    {"reverse", "<ul><li key=1>1</><li key=2>2</><li key=3>3</><li key=4>4</></>",
     "<ul><li key=4>4</><li key=3>3</><li key=2>2</><li key=1>1</></>"},
    {"move at the top of the view", "<i key=1/><b key=2/><u key=3/>",
     "<u key=3/><i key=1/><b key=2/>"},
    {"move, remove and insert at once", "<ul><li key=1>1</><li key=2>2</><li key=3>3</></>",
     "<ul><li key=3>three</><li key=4>4</><li key=1>1</></>"},
    {"integer and string keys differ", "<i key=1>a</><i key='1'>b</>",
     "<i key='1'>b</><i key=1>a</>"},
    {"same key, another tag", "<p key=1>a</>", "<div key=1>a</>"},
    {"fragment of two moves", "<frag key=1><i/><b/></><frag key=2><u/>x</>",
     "<frag key=2><u/>x</><frag key=1><i/><b/></>"},
    {"fragment of two goes, one of three comes", "<frag key=1><i/><b/></><hr/>",
     "<frag key=2><u/>x<em>y</></><hr/>"},
    {"empty fragment fills before a neighbour", "<frag key=1/><hr/>",
     "<frag key=1><p>x</></><hr/>"},
    {"component changes inside", "<div><slot>a<b>1</></>z</>", "<div><slot>a<b>2</></>z</>"},
    {"component in a component moves with its contents",
     "<div><slot key=1><slot>a</><i/></><slot key=2>b</></>",
     "<div><slot key=2>b</><slot key=1><slot>a</><i/></></>"},
    {"component shows nothing, then something", "<div><slot/><p>x</></>",
     "<div><slot><b>now</></><p>x</></>"},
    {"attributes set, changed, deleted", "<a id=\"x\" href=\"/a\" title=\"t\">l</>",
     "<a id=\"x\" href=\"/b\" rel=\"next\">l</>"},
    {"names that are not known", "<x-box data-n=\"1\" aria-busy=\"true\"/>",
     "<x-box data-n=\"2\" data-m=\"&lt;\"/>"},
    {"tag that is not known comes", "", "<my-tag data-a=\"b\">x</>"},
    {"boolean on and off", "<button disabled>a</><details><summary>s</></>",
     "<button>a</><details open><summary>s</></>"},
    {"enumerated", "<p aria-expanded=\"false\" draggable=\"true\"/>",
     "<p aria-expanded=\"true\"/>"},
    {"style", "<p style=\"color: red\">x</>",
     "<p style=\"color: blue; background: url('a;b')\">x</>"},
    {"style comes and goes", "<p>x</><q style=\"top: 0\">y</>",
     "<p style=\"top: 1px\">x</><q>y</>"},
    {"handlers come, change flags, go",
     "<button on:click=1>a</><form on:submit=2:1/><p on:keydown=3/>",
     "<button on:click=1 on:dblclick=4:3>a</><form on:submit=2/><p/>"},
    {"input value", "<input value=\"a\" on:input=1/>", "<input value=\"ab\" on:input=1/>"},
    {"input value is given up", "<input value=\"a\"/>", "<input placeholder=\"p\"/>"},
    {"input that comes: value after type and limits", "",
     "<input value=\"150\" type=\"range\" min=\"100\" max=\"200\" on:input=1/>"},
    {"checkbox on, off, given up", "<input checked/><input checked!/><input checked/>",
     "<input checked!/><input checked/><input/>"},
    {"default value and default checked", "<input default-value=\"a\"/><input default-checked/>",
     "<input default-value=\"b\"/><input/>"},
    {"textarea", "<textarea value=\"a\" rows=\"2\"/>", "<textarea value=\"a\nb\" rows=\"3\"/>"},
    {"select", "<select value=\"1\"><option value=\"1\">a</><option value=\"2\">b</></>",
     "<select value=\"2\"><option value=\"1\">a</><option value=\"2\">b</></>"},
    {"select whose value comes with its option", "<select value=\"1\"><option value=\"1\">a</></>",
     "<select value=\"2\"><option value=\"1\">a</><option value=\"2\">b</></>"},
    {"multiple select", "<select multiple><option selected>a</><option selected!>b</></>",
     "<select multiple><option selected!>a</><option selected>b</></>"},
    {"value of a button is an attribute", "<button value=\"1\">b</>", "<button value=\"2\">b</>"},
    {"svg", "<svg width=\"10\"><g><circle r=\"1\"/></></>",
     "<svg width=\"10\"><g><circle r=\"2\"/><path d=\"M0 0\"/></></>"},
    {"svg, foreignObject, html and svg again", "<svg/>",
     "<svg viewBox=\"0 0 1 1\"><foreignObject><div><svg><a/></></></></>"},
    {"math", "<p/>", "<p><math><mi>x</></></>"},
    {"insert below foreignObject", "<svg><foreignObject/></>", "<svg><foreignObject><p>x</></></>"},
    {"raw html", "<div html=\"<b>a</b>\"/>", "<div html=\"<i>b</i>\"/>"},
    {"raw html to children", "<div html=\"<b>a</b>\"/>", "<div><p>x</></>"},
    {"children to raw html", "<div><p>x</>y</>", "<div html=\"<b>a</b>\"/>"},
    {"raw html comes", "", "<div class=\"c\" html=\"<b>a</b>\"/>tail"},
};

static void put_setup(tree_env *env, tree *t, bh_buf *out)
{
    bh_v1_encoder enc = {out, env->names};
    bh_v1_frame(out, 1, 0);
    bh_v1_reset(out);
    bh_v1_snapshot(&enc, t->root);
}

static void put_frame(tree_env *env, tree *old, tree *cur, uint32_t seq, uint32_t ack, bh_buf *out)
{
    bh_v1_encoder enc = {out, env->names};
    bh_patch_sink sink = bh_v1_sink(&enc);
    bh_v1_frame(out, seq, ack);
    tree_diff(env, old, cur, &sink);
}

/* The client's page must be what the tree says. */
static void assert_page(const v1_client *c, const tree_env *env, const tree *t)
{
    bh_buf is, want;
    bh_buf_init(&is);
    bh_buf_init(&want);
    v1_client_json(c, &is);
    tree_json(env, t, &want);
    bh_buf_byte(&is, 0);
    bh_buf_byte(&want, 0);
    assert_string_equal((char *)is.data, (char *)want.data);
    bh_buf_fini(&is);
    bh_buf_fini(&want);
}

static void apply(v1_client *c, const bh_buf *frame)
{
    if (v1_client_frame(c, frame->data, frame->len) < 0)
        fail_msg("client: %s", c->why);
}

static void one_vector(tree_env *env, size_t i, bh_buf *json)
{
    tree *old = tree_parse(env, frames[i].before), *cur = tree_parse(env, frames[i].after);
    bh_buf setup, frame;
    v1_client c;
    bh_buf_init(&setup);
    bh_buf_init(&frame);
    v1_client_init(&c);
    tree_number(env, old);
    put_setup(env, old, &setup);
    apply(&c, &setup);
    assert_page(&c, env, old);
    put_frame(env, old, cur, 2, 0, &frame);
    apply(&c, &frame);
    assert_page(&c, env, cur);
    assert_int_equal(c.next_nid, env->next_nid);

    bh_buf_str(json, i ? ",\n{\"name\":" : "[\n{\"name\":");
    put_json(json, frames[i].name);
    bh_buf_str(json, ",\"setup\":");
    put_hex(json, setup.data, setup.len);
    bh_buf_str(json, ",\"before\":");
    tree_json(env, old, json);
    bh_buf html;
    bh_buf_init(&html);
    bh_html_write(&html, env->names, old->root);
    bh_buf_byte(&html, 0);
    bh_buf_str(json, ",\"html\":");
    put_json(json, (char *)html.data);
    bh_buf_fini(&html);
    bh_buf_str(json, ",\"frame\":");
    put_hex(json, frame.data, frame.len);
    bh_buf_str(json, ",\"after\":");
    tree_json(env, cur, json);
    bh_buf_byte(json, '}');
    v1_client_fini(&c);
    bh_buf_fini(&setup);
    bh_buf_fini(&frame);
    tree_free(old);
    tree_free(cur);
}

static void test_golden(void **state)
{
    (void)state;
    tree_env env;
    bh_buf json;
    tree_env_init(&env);
    bh_buf_init(&json);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) one_vector(&env, i, &json);
    bh_buf_str(&json, "\n]\n");
    golden_check("v1_frames.json", &json);
    bh_buf_fini(&json);
    tree_env_fini(&env);
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

static size_t frame_size(const char *before, const char *after, uint32_t seq, uint32_t ack)
{
    tree_env env;
    bh_buf out;
    tree_env_init(&env);
    bh_buf_init(&out);
    tree *old = tree_parse(&env, before), *cur = tree_parse(&env, after);
    tree_number(&env, old);
    put_frame(&env, old, cur, seq, ack, &out);
    size_t len = out.len;
    bh_buf_fini(&out);
    tree_free(old);
    tree_free(cur);
    tree_env_fini(&env);
    return len;
}

static char *rows(unsigned n, unsigned changed, unsigned first)
{
    size_t size = (size_t)n * 120 + 64, len = 0;
    char *text = malloc(size);
    assert_non_null(text);
    len += (size_t)snprintf(text, size, "<table><tbody>");
    for (unsigned i = 0; i < n; i++) {
        unsigned key = first ? (i == 0 ? first : i <= first ? i - 1 : i) : i;
        len += (size_t)snprintf(text + len, size - len,
                                "<tr key=%u><td>%u</><td><a on:click=%u>%s</></></>", key, key,
                                key + 1, key == changed ? "new text" : "old text");
    }
    snprintf(text + len, size - len, "</></>");
    return text;
}

static void test_sizes(void **state)
{
    (void)state;
    size_t counter = frame_size("<div><button on:click=1>+</><span>9999</></>",
                                "<div><button on:click=1>+</><span>10000</></>", 16000, 16000);
    char *a = rows(300, 1000, 0), *b = rows(300, 299, 0), *c = rows(300, 1000, 299);
    size_t row = frame_size(a, b, 16000, 1), move = frame_size(a, c, 1, 1) - 2;
    free(a);
    free(b);
    free(c);
    a = rows(3000, 9999, 0);
    c = rows(3000, 9999, 2999);
    size_t move_far = frame_size(a, c, 1, 1) - 2;
    free(a);
    free(c);
    print_message("counter +1: %zu bytes, 1 of 300 rows: %zu, a move: %zu (of 15,000 nodes: %zu)\n",
                  counter, row, move, move_far);
    assert_in_range(counter, 1, 12);
    assert_in_range(row, 1, 16);
    assert_in_range(move, 1, 6);
    assert_in_range(move_far, 1, 6);
}

/* ---- the other ops ------------------------------------------------------------------------------------ */

static void test_session_ops(void **state)
{
    (void)state;
    bh_buf out;
    v1_client c;
    bh_buf_init(&out);
    v1_client_init(&c);
    bh_v1_frame(&out, 0, 300);
    bh_v1_welcome(&out, BH_V1_FRESH | BH_V1_LOST, "c0ffee");
    bh_v1_reset(&out);
    bh_v1_pong(&out);
    bh_v1_notice(&out, 7, "started again");
    static const unsigned char want[] = "\x00\xac\x02\x0d\x09\x06"
                                        "c0ffee\x0e\x0f\x10\x07\x0dstarted again";
    assert_int_equal(out.len, sizeof want - 1);
    assert_memory_equal(out.data, want, out.len);
    apply(&c, &out);
    assert_int_equal(c.welcome, 9);
    assert_string_equal(c.token, "c0ffee");
    assert_string_equal(c.notice, "started again");
    assert_int_equal(c.ack, 300);
    assert_int_equal(c.seq, 0);
    assert_int_equal(c.pongs, 1);
    v1_client_fini(&c);
    bh_buf_fini(&out);
}

static void test_adopted_handlers(void **state)
{
    (void)state;
    tree_env env;
    bh_buf out;
    tree_env_init(&env);
    bh_buf_init(&out);
    tree *t = tree_parse(&env, "<div>a<button on:click=300:1>b</></>");
    tree_number(&env, t);
    const bh_node *button = t->root->u.el.first->u.el.first->next;
    bh_v1_encoder enc = {&out, env.names};
    bh_v1_handler(&enc, button, &button->u.el.attrs[0]);
    static const unsigned char want[] = {9, 3, 1, 0xac, 0x02, 1};
    assert_int_equal(out.len, sizeof want);
    assert_memory_equal(out.data, want, sizeof want);
    tree_free(t);
    bh_buf_fini(&out);
    tree_env_fini(&env);
}

static void test_varints(void **state)
{
    (void)state;
    static const struct {
        uint64_t v;
        size_t len;
    } cases[] = {{0, 1},     {127, 1},     {128, 2},        {16383, 2},
                 {16384, 3}, {2097151, 3}, {UINT32_MAX, 5}, {UINT64_MAX, 10}};
    bh_buf out;
    bh_buf_init(&out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        out.len = 0;
        bh_v1_varint(&out, cases[i].v);
        assert_int_equal(out.len, cases[i].len);
        uint64_t v = 0;
        for (size_t k = out.len; k-- > 0;) v = v << 7 | (out.data[k] & 0x7fu);
        assert_true(v == cases[i].v);
    }
    bh_buf_fini(&out);
}

static void test_ws_header(void **state)
{
    (void)state;
    static const struct {
        uint64_t len;
        size_t n;
        unsigned char bytes[10];
    } cases[] = {
        {0, 2, {0x82, 0}},
        {125, 2, {0x82, 125}},
        {126, 4, {0x82, 126, 0, 126}},
        {65535, 4, {0x82, 126, 0xff, 0xff}},
        {65536, 10, {0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}},
        {UINT64_C(0x0102030405060708), 10, {0x82, 127, 1, 2, 3, 4, 5, 6, 7, 8}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char block[BH_WS_HEADER_MAX + 1];
        size_t n = bh_ws_header_before(block + BH_WS_HEADER_MAX, BH_WS_BINARY, cases[i].len);
        assert_int_equal(n, cases[i].n);
        assert_memory_equal(block + BH_WS_HEADER_MAX - n, cases[i].bytes, n);
    }
    unsigned char block[BH_WS_HEADER_MAX];
    bh_ws_header_before(block + BH_WS_HEADER_MAX, BH_WS_TEXT, 5);
    assert_int_equal(block[BH_WS_HEADER_MAX - 2], 0x81);
}

/* ---- random pages --------------------------------------------------------------------------------------- */

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = random_seed();
    tree_env env;
    bh_buf out;
    bh_buf_init(&out);
    for (unsigned round = 0; round < random_rounds(1500); round++) {
        v1_client c;
        tree_env_init(&env); /* names of one page */
        v1_client_init(&c);
        tree *old = tree_parse(&env, random_tree(&seed));
        tree_number(&env, old);
        out.len = 0;
        put_setup(&env, old, &out);
        apply(&c, &out);
        for (uint32_t step = 2; step < 6; step++) {
            const char *text = random_tree(&seed);
            tree *cur = tree_parse(&env, text);
            out.len = 0;
            put_frame(&env, old, cur, step, 0, &out);
            apply(&c, &out);
            assert_page(&c, &env, cur);
            tree_free(old);
            old = cur;
        }
        tree_free(old);
        v1_client_fini(&c);
        tree_env_fini(&env);
    }
    bh_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints),     cmocka_unit_test(test_ws_header),
        cmocka_unit_test(test_session_ops), cmocka_unit_test(test_adopted_handlers),
        cmocka_unit_test(test_golden),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
