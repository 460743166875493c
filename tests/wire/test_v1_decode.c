/* SPDX-License-Identifier: MIT
 * backhaul.v1 in: golden messages, what must be refused, every cut and every bit flip. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/limits.h"
#include "server/wire.h"
#include "support/v1_client.h"
#include "wire/random_tree.h"
#include "wire/tree.h"

static const bh_field form[] = {{"name", "Ada"}, {"name", ""}, {"", "x"}};
static const struct {
    const char *name;
    bh_v1_message m;
} messages[] = {
    {"hello, first", {.kind = BH_V1_HELLO, .token = ""}},
    {"hello, adopts a page", {.kind = BH_V1_HELLO, .token = "c0ffee", .n_nodes = 300}},
    {"hello, resumes", {.kind = BH_V1_HELLO, .token = "c0ffee", .seq = 4294967295u}},
    {"ack", {.kind = BH_V1_ACK, .seq = 128}},
    {"ping", {.kind = BH_V1_PING}},
    {"click", {.kind = BH_V1_EVENT, .seq = 1, .hid = 1}},
    {"click, late in a long session", {.kind = BH_V1_EVENT, .seq = 9999, .ack = 9999, .hid = 300}},
    {"click with shift on a button with a value",
     {.kind = BH_V1_EVENT,
      .seq = 2,
      .ack = 1,
      .hid = 5,
      .event = {.value = "7", .mods = BH_MOD_SHIFT}}},
    {"input",
     {.kind = BH_V1_EVENT,
      .seq = 3,
      .ack = 2,
      .hid = 4,
      .event = {.value = "h\xc3\xa9llo \xf0\x9f\x92\xa9"}}},
    {"checkbox",
     {.kind = BH_V1_EVENT,
      .seq = 4,
      .ack = 2,
      .hid = 4,
      .event = {.value = "on", .checked = true}}},
    {"keydown",
     {.kind = BH_V1_EVENT,
      .seq = 5,
      .ack = 2,
      .hid = 6,
      .event = {.value = "v", .key = "Enter", .mods = BH_MOD_CTRL | BH_MOD_META}}},
    {"pointer",
     {.kind = BH_V1_EVENT, .seq = 6, .ack = 2, .hid = 6, .event = {.x = 12, .y = -1, .button = 2}}},
    {"wheel far",
     {.kind = BH_V1_EVENT,
      .seq = 7,
      .ack = 2,
      .hid = 6,
      .event = {.x = -2147483648.0, .y = 2147483647.0}}},
    {"submit",
     {.kind = BH_V1_EVENT, .seq = 8, .ack = 3, .hid = 7, .event = {.fields = form, .n_fields = 3}}},
};

static void put(bh_buf *out, const bh_v1_message *m)
{
    switch (m->kind) {
    case BH_V1_HELLO:
        v1_put_hello(out, m->token, m->seq, m->n_nodes);
        break;
    case BH_V1_EVENT:
        v1_put_event(out, m->seq, m->ack, m->hid, &m->event);
        break;
    case BH_V1_ACK:
        v1_put_ack(out, m->seq);
        break;
    case BH_V1_PING:
        v1_put_ping(out);
        break;
    }
}

static void put_event_json(bh_buf *json, const bh_event *ev)
{
    if (ev->value && *ev->value) {
        bh_buf_str(json, ",\"value\":");
        put_json(json, ev->value);
    }
    if (ev->checked)
        bh_buf_str(json, ",\"checked\":true");
    if (ev->key && *ev->key) {
        bh_buf_str(json, ",\"key\":");
        put_json(json, ev->key);
    }
    if (ev->mods)
        put_fmt(json, ",\"mods\":%u", ev->mods);
    if (ev->x != 0 || ev->y != 0)
        put_fmt(json, ",\"x\":%.0f,\"y\":%.0f", ev->x, ev->y);
    if (ev->button)
        put_fmt(json, ",\"button\":%d", ev->button);
    for (size_t i = 0; i < ev->n_fields; i++) {
        bh_buf_str(json, i ? ",[" : ",\"fields\":[[");
        put_json(json, ev->fields[i].name);
        bh_buf_byte(json, ',');
        put_json(json, ev->fields[i].value);
        bh_buf_byte(json, ']');
    }
    if (ev->n_fields)
        bh_buf_byte(json, ']');
}

static void put_message_json(bh_buf *json, const bh_v1_message *m)
{
    static const char *const kinds[] = {"", "hello", "event", "ack", "ping"};
    put_fmt(json, "{\"kind\":\"%s\"", kinds[m->kind]);
    if (m->kind == BH_V1_HELLO) {
        bh_buf_str(json, ",\"token\":");
        put_json(json, m->token);
        put_fmt(json, ",\"last\":%u,\"nodes\":%u", m->seq, m->n_nodes);
    } else if (m->kind == BH_V1_EVENT) {
        put_fmt(json, ",\"seq\":%u,\"ack\":%u,\"hid\":%u", m->seq, m->ack, m->hid);
        put_event_json(json, &m->event);
    } else if (m->kind == BH_V1_ACK) {
        put_fmt(json, ",\"seq\":%u", m->seq);
    }
    bh_buf_byte(json, '}');
}

static const char *text(const char *s) { return s ? s : ""; }

static void assert_same(const bh_v1_message *is, const bh_v1_message *want)
{
    assert_int_equal(is->kind, want->kind);
    assert_int_equal(is->seq, want->seq);
    assert_int_equal(is->ack, want->ack);
    assert_int_equal(is->hid, want->hid);
    assert_int_equal(is->n_nodes, want->n_nodes);
    assert_string_equal(is->token, text(want->token));
    assert_int_equal(is->event.type, BH_ON_NONE);
    assert_string_equal(is->event.value, text(want->event.value));
    assert_string_equal(is->event.key, text(want->event.key));
    assert_int_equal(is->event.checked, want->event.checked);
    assert_int_equal(is->event.mods, want->event.mods);
    assert_int_equal(is->event.button, want->event.button);
    assert_true(is->event.x == want->event.x && is->event.y == want->event.y);
    assert_int_equal(is->event.n_fields, want->event.n_fields);
    for (size_t i = 0; i < want->event.n_fields; i++) {
        assert_string_equal(is->event.fields[i].name, want->event.fields[i].name);
        assert_string_equal(is->event.fields[i].value, want->event.fields[i].value);
    }
}

/* From a heap block of exact size, so that a sanitizer sees a read past the end. */
static int decode(const void *data, size_t len, bh_arena *arena, bh_v1_message *ret)
{
    unsigned char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, data, len);
    int rc = bh_v1_decode(exact, len, arena, ret);
    free(exact);
    return rc;
}

static void test_golden(void **state)
{
    (void)state;
    bh_chunk_pool pool;
    bh_arena arena;
    bh_buf json, out;
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    bh_buf_init(&json);
    bh_buf_init(&out);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        bh_v1_message m, untouched;
        out.len = 0;
        put(&out, &messages[i].m);
        assert_int_equal(decode(out.data, out.len, &arena, &m), 0);
        assert_same(&m, &messages[i].m);
        /* every proper beginning that is a message is another message, or it is refused */
        for (size_t n = 0; n < out.len; n++) {
            memset(&m, 0xa5, sizeof m);
            memset(&untouched, 0xa5, sizeof untouched);
            int rc = decode(out.data, n, &arena, &m);
            assert_true(rc == 0 || rc == -EPROTO || rc == -EILSEQ);
            if (rc < 0)
                assert_memory_equal(&m, &untouched, sizeof m);
            else
                assert_int_equal(m.kind, BH_V1_EVENT); /* its fields may be left out */
        }
        bh_buf_str(&json, i ? ",\n{\"name\":" : "[\n{\"name\":");
        put_json(&json, messages[i].name);
        bh_buf_str(&json, ",\"message\":");
        put_message_json(&json, &messages[i].m);
        bh_buf_str(&json, ",\"hex\":");
        put_hex(&json, out.data, out.len);
        bh_buf_byte(&json, '}');
        bh_arena_clear(&arena);
    }
    bh_buf_str(&json, "\n]\n");
    golden_check("v1_messages.json", &json);
    bh_buf_fini(&json);
    bh_buf_fini(&out);
    bh_chunk_pool_fini(&pool);
}

#define BYTES(s) s, sizeof(s) - 1
static const struct {
    const char *name, *bytes;
    size_t len;
    int error;
} refused[] = {
    {"empty", BYTES(""), EPROTO},
    {"kind 0", BYTES("\x00"), EPROTO},
    {"kind 5", BYTES("\x05"), EPROTO},
    {"ping with something behind", BYTES("\x04\x00"), EPROTO},
    {"ack without number", BYTES("\x03"), EPROTO},
    {"ack with something behind", BYTES("\x03\x01\x01"), EPROTO},
    {"number longer than needed", BYTES("\x03\x81\x00"), EPROTO},
    {"zero in two bytes", BYTES("\x03\x80\x00"), EPROTO},
    {"number above 32 bits", BYTES("\x03\xff\xff\xff\xff\x1f"), EPROTO},
    {"number without end", BYTES("\x03\x80\x80\x80\x80\x80\x80"), EPROTO},
    {"hello of another version", BYTES("\x01\x02\x00\x00\x00"), EPROTO},
    {"hello, token cut off",
     BYTES("\x01\x01\x05"
           "abc"),
     EPROTO},
    {"hello, token with NUL",
     BYTES("\x01\x01\x03"
           "a\x00"
           "b\x00\x00"),
     EPROTO},
    {"hello, token not UTF-8", BYTES("\x01\x01\x01\xff\x00\x00"), EILSEQ},
    {"event 0", BYTES("\x02\x00\x00\x01"), EPROTO},
    {"handler 0", BYTES("\x02\x01\x00\x00"), EPROTO},
    {"event without handler", BYTES("\x02\x01\x00"), EPROTO},
    {"field 0", BYTES("\x02\x01\x00\x01\x00"), EPROTO},
    {"field 8", BYTES("\x02\x01\x00\x01\x08"), EPROTO},
    {"field 33", BYTES("\x02\x01\x00\x01\x21"), EPROTO},
    {"value twice",
     BYTES("\x02\x01\x00\x01\x01\x01"
           "a\x01\x01"
           "b"),
     EPROTO},
    {"checked twice", BYTES("\x02\x01\x00\x01\x02\x02"), EPROTO},
    {"value longer than the message",
     BYTES("\x02\x01\x00\x01\x01\xff\xff\xff\xff\x0f"
           "a"),
     EPROTO},
    {"value with NUL", BYTES("\x02\x01\x00\x01\x01\x01\x00"), EPROTO},
    {"value with an overlong form", BYTES("\x02\x01\x00\x01\x01\x02\xc0\xaf"), EILSEQ},
    {"value with a surrogate", BYTES("\x02\x01\x00\x01\x01\x03\xed\xa0\x80"), EILSEQ},
    {"value with half a character", BYTES("\x02\x01\x00\x01\x01\x02\xe2\x82"), EILSEQ},
    {"key not UTF-8", BYTES("\x02\x01\x00\x01\x03\x01\x80"), EILSEQ},
    {"unknown modifier", BYTES("\x02\x01\x00\x01\x04\x10"), EPROTO},
    {"modifiers cut off", BYTES("\x02\x01\x00\x01\x04"), EPROTO},
    {"position cut off", BYTES("\x02\x01\x00\x01\x05\x02"), EPROTO},
    {"button cut off", BYTES("\x02\x01\x00\x01\x06"), EPROTO},
    {"form field without value",
     BYTES("\x02\x01\x00\x01\x07\x01"
           "a"),
     EPROTO},
};

static void test_refused(void **state)
{
    (void)state;
    bh_chunk_pool pool;
    bh_arena arena;
    bh_buf json;
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    bh_buf_init(&json);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bh_v1_message m;
        int rc = decode(refused[i].bytes, refused[i].len, &arena, &m);
        if (rc != -refused[i].error)
            fail_msg("%s: %d", refused[i].name, rc);
        bh_buf_str(&json, i ? ",\n{\"name\":" : "[\n{\"name\":");
        put_json(&json, refused[i].name);
        bh_buf_str(&json, ",\"hex\":");
        put_hex(&json, (const unsigned char *)refused[i].bytes, refused[i].len);
        put_fmt(&json, ",\"error\":\"%s\"}", refused[i].error == EPROTO ? "EPROTO" : "EILSEQ");
        bh_arena_clear(&arena);
    }
    bh_buf_str(&json, "\n]\n");
    golden_check("v1_bad.json", &json);
    bh_buf_fini(&json);
    bh_chunk_pool_fini(&pool);
}

static void test_limits(void **state)
{
    (void)state;
    bh_chunk_pool pool;
    bh_arena arena;
    bh_buf out;
    bh_v1_message m;
    bh_field fields[BH_MAX_FIELDS + 1];
    char token[200];
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    bh_buf_init(&out);
    for (size_t i = 0; i < BH_MAX_FIELDS + 1; i++) fields[i] = (bh_field){"n", "v"};
    bh_event ev = {.fields = fields, .n_fields = BH_MAX_FIELDS};
    v1_put_event(&out, 1, 0, 1, &ev);
    assert_int_equal(decode(out.data, out.len, &arena, &m), 0);
    assert_int_equal(m.event.n_fields, BH_MAX_FIELDS);
    assert_string_equal(m.event.fields[BH_MAX_FIELDS - 1].value, "v");
    ev.n_fields++;
    out.len = 0;
    v1_put_event(&out, 1, 0, 1, &ev);
    assert_int_equal(decode(out.data, out.len, &arena, &m), -EPROTO);
    memset(token, 'a', sizeof token - 1);
    token[sizeof token - 1] = '\0';
    out.len = 0;
    v1_put_hello(&out, token, 0, 0);
    assert_int_equal(decode(out.data, out.len, &arena, &m), -EPROTO);
    bh_arena_clear(&arena);
    bh_buf_fini(&out);
    bh_chunk_pool_fini(&pool);
}

static void test_click_is_small(void **state)
{
    (void)state;
    bh_buf out;
    bh_buf_init(&out);
    v1_put_event(&out, 16383, 16383, 16383, NULL);
    print_message("a click: %zu bytes\n", out.len);
    assert_in_range(out.len, 1, 8);
    bh_buf_fini(&out);
}

/* Any change of one byte gives a message or a refusal, and reads nothing that is not there. */
static void test_mutations(void **state)
{
    (void)state;
    uint64_t seed = random_seed();
    bh_chunk_pool pool;
    bh_arena arena;
    bh_buf out;
    unsigned taken = 0, refusals = 0;
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    bh_buf_init(&out);
    for (unsigned round = 0; round < random_rounds(20000); round++) {
        bh_v1_message m;
        out.len = 0;
        put(&out, &messages[random_below(&seed, sizeof messages / sizeof *messages)].m);
        for (unsigned n = 1 + random_below(&seed, 3); n; n--)
            out.data[random_below(&seed, (unsigned)out.len)] =
                (unsigned char)random_below(&seed, 256);
        int rc = decode(out.data, out.len, &arena, &m);
        assert_true(rc == 0 || rc == -EPROTO || rc == -EILSEQ);
        taken += rc == 0;
        refusals += rc != 0;
        bh_arena_clear(&arena);
    }
    assert_true(taken > 0 && refusals > 0);
    bh_buf_fini(&out);
    bh_chunk_pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_click_is_small),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
