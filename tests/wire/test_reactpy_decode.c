/* SPDX-License-Identifier: MIT
 * ReactPy in: the gate, the shapes both client generations send, and hostile text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/json_gate.h"
#include "server/limits.h"
#include "server/utf8.h"
#include "server/wire.h"
#include "wire/random_tree.h"

struct world {
    bh_chunk_pool pool;
    bh_arena arena;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    bh_chunk_pool_init(&w->pool);
    bh_arena_init(&w->arena, &w->pool);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    bh_arena_clear(&w->arena);
    bh_chunk_pool_fini(&w->pool);
    free(w);
    return 0;
}

/* From a heap block of exact size: a sanitizer sees a read past the end. */
static int gate(const void *data, size_t len)
{
    unsigned char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, data, len);
    int rc = bh_json_gate(exact, len);
    free(exact);
    return rc;
}

static int decode(struct world *w, const void *data, size_t len, bh_reactpy_message *m)
{
    unsigned char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, data, len);
    int rc = bh_reactpy_decode(exact, len, &w->arena, m);
    free(exact);
    return rc;
}

#define BYTES(s) s, sizeof(s) - 1
static const struct {
    const char *text;
    size_t len;
    int rc;
} gated[] = {
    {BYTES("{}"), 0},
    {BYTES(" [ ] "), 0},
    {BYTES("\t\r\n{ \"a\" : [ 1 , -0.5e+10 , true , false , null , \"x\" ] , \"b\" : { } } "), 0},
    {BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""), 0},
    {BYTES("\"\xc3\xa9\xef\xbf\xbe\xf4\x8f\xbf\xbf\""), 0},
    {BYTES("0"), 0},
    {BYTES("-0"), 0},
    {BYTES("1e999"), 0},
    {BYTES(""), -EPROTO},
    {BYTES("  "), -EPROTO},
    {BYTES("\xef\xbb\xbf{}"), -EPROTO},
    {BYTES("{} x"), -EPROTO},
    {BYTES("{}{}"), -EPROTO},
    {BYTES("{}\0"), -EPROTO},
    {BYTES("[1,]"), -EPROTO},
    {BYTES("[,1]"), -EPROTO},
    {BYTES("[1 2]"), -EPROTO},
    {BYTES("[1}"), -EPROTO},
    {BYTES("{\"a\"}"), -EPROTO},
    {BYTES("{\"a\":}"), -EPROTO},
    {BYTES("{\"a\":1,}"), -EPROTO},
    {BYTES("{a:1}"), -EPROTO},
    {BYTES("{1:1}"), -EPROTO},
    {BYTES("{'a':1}"), -EPROTO},
    {BYTES("{\"a\":1"), -EPROTO},
    {BYTES("]"), -EPROTO},
    {BYTES("01"), -EPROTO},
    {BYTES("1."), -EPROTO},
    {BYTES(".5"), -EPROTO},
    {BYTES("+1"), -EPROTO},
    {BYTES("-"), -EPROTO},
    {BYTES("1e"), -EPROTO},
    {BYTES("1e+"), -EPROTO},
    {BYTES("0x10"), -EPROTO},
    {BYTES("NaN"), -EPROTO},
    {BYTES("Infinity"), -EPROTO},
    {BYTES("True"), -EPROTO},
    {BYTES("nul"), -EPROTO},
    {BYTES("truex"), -EPROTO},
    {BYTES("\"abc"), -EPROTO},
    {BYTES("\"a\\"), -EPROTO},
    {BYTES("\"\\x\""), -EPROTO},
    {BYTES("\"\\u12\""), -EPROTO},
    {BYTES("\"\\u12g4\""), -EPROTO},
    {BYTES("\"\\u0000\""), -EPROTO},
    {BYTES("\"a\0b\""), -EPROTO},
    {BYTES("\"a\nb\""), -EPROTO},
    {BYTES("\"\x1f\""), -EPROTO},
    {BYTES("/* c */ 1"), -EPROTO},
    {BYTES("\"\\ud83d\""), -EILSEQ},
    {BYTES("\"\\ud83dx\""), -EILSEQ},
    {BYTES("\"\\ud83d\\u0041\""), -EILSEQ},
    {BYTES("\"\\ude00\""), -EILSEQ},
    {BYTES("\"\xff\""), -EILSEQ},
    {BYTES("\"\xc0\xaf\""), -EILSEQ},
    {BYTES("\"\xed\xa0\x80\""), -EILSEQ},
    {BYTES("\"\xf4\x90\x80\x80\""), -EILSEQ},
    {BYTES("\"\xe2\x82\""), -EILSEQ},
};

static void test_gate(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gated / sizeof *gated; i++) {
        int rc = gate(gated[i].text, gated[i].len);
        if (rc != gated[i].rc)
            fail_msg("%s: %d, not %d", gated[i].text, rc, gated[i].rc);
    }
}

static void test_gate_limits(void **state)
{
    (void)state;
    size_t size = 1u << 20;
    char *text = malloc(size);
    assert_non_null(text);
    for (unsigned depth = BH_JSON_DEPTH; depth <= BH_JSON_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(gate(text, (size_t)2 * depth), depth > BH_JSON_DEPTH ? -E2BIG : 0);
    }
    memset(text, '[', size);
    assert_int_equal(gate(text, size), -E2BIG);
    for (size_t i = 0; i + 5 <= size; i += 5) memcpy(text + i, "{\"\": ", 5);
    assert_int_equal(gate(text, size), -E2BIG);
    for (unsigned n = BH_JSON_VALUES - 1; n <= BH_JSON_VALUES; n++) { /* and the array itself */
        text[0] = '[';
        for (unsigned i = 0; i < n; i++) memcpy(text + 1 + 2 * i, i + 1 < n ? "1," : "1]", 2);
        assert_int_equal(gate(text, 1 + (size_t)2 * n), n < BH_JSON_VALUES ? 0 : -E2BIG);
    }
    memset(text, '1', 64);
    assert_int_equal(gate(text, 63), 0);
    assert_int_equal(gate(text, 64), -EPROTO);
    free(text);
}

static void test_utf8(void **state)
{
    (void)state;
    unsigned valid = 0;
    for (uint32_t c = 0; c < 0x120000; c++) { /* every code point in its own and in longer forms */
        unsigned char s[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        uint32_t rest = c;
        for (size_t i = n; i-- > 1; rest >>= 6) s[i] = (unsigned char)(0x80 | (rest & 0x3f));
        s[0] = (unsigned char)(lead[n] | rest);
        bool want = c < 0x110000 && (c < 0xd800 || c > 0xdfff);
        valid += bh_utf8_valid(s, n);
        if (bh_utf8_valid(s, n) != want)
            fail_msg("U+%04X", c);
        if (n > 1 && bh_utf8_valid(s, n - 1))
            fail_msg("U+%04X cut off", c);
    }
    assert_int_equal(valid, 0x110000 - 0x800);
    char text[80];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)0x80;
        assert_false(bh_utf8_valid((unsigned char *)text, sizeof text));
        assert_true(bh_utf8_valid((unsigned char *)text, i));
        text[i] = 'a';
    }
}

#define EVENT(target, data)                                                                        \
    "{\"type\":\"layout-event\",\"target\":\"" target "\",\"data\":[" data "]}"

static bh_reactpy_message ok(struct world *w, const char *text)
{
    bh_reactpy_message m;
    int rc = decode(w, text, strlen(text), &m);
    if (rc)
        fail_msg("%s: %d", text, rc);
    assert_int_equal(m.event.type, BH_ON_NONE);
    return m;
}

static void test_events_03(void **state)
{
    struct world *w = *state;
    bh_reactpy_message m =
        ok(w, EVENT("12",
                    "{\"bubbles\":true,\"type\":\"click\",\"target\":{\"tagName\":\"BUTTON\","
                    "\"boundingClientRect\":{},\"value\":\"7\"},\"altKey\":true,\"ctrlKey\":false,"
                    "\"shiftKey\":true,\"metaKey\":false,\"button\":1,\"clientX\":100.5,"
                    "\"clientY\":-3,\"selection\":null}"));
    assert_int_equal(m.hid, 12);
    assert_int_equal(m.seq, 0);
    assert_string_equal(m.event.value, "7");
    assert_string_equal(m.event.key, "");
    assert_int_equal(m.event.mods, BH_MOD_ALT | BH_MOD_SHIFT);
    assert_int_equal(m.event.button, 1);
    assert_true(m.event.x == 100.5 && m.event.y == -3);
    assert_false(m.event.checked);
    m = ok(w, EVENT("1", "{\"type\":\"mousedown\",\"clientX\":10,\"clientY\":20,\"offsetX\":1,"
                         "\"offsetY\":2}"));
    assert_true(m.event.x == 1 && m.event.y == 2);
    m = ok(w, EVENT("1", "{\"type\":\"wheel\",\"deltaX\":0,\"deltaY\":-120,\"clientX\":5,"
                         "\"clientY\":5}"));
    assert_true(m.event.x == 0 && m.event.y == -120);
    m = ok(w, EVENT("4294967295", "{\"type\":\"keydown\",\"key\":\"Enter\",\"metaKey\":true,"
                                  "\"target\":{\"value\":\"h\\u00e9\"}}"));
    assert_int_equal(m.hid, 4294967295u);
    assert_string_equal(m.event.key, "Enter");
    assert_string_equal(m.event.value, "h\xc3\xa9");
    assert_int_equal(m.event.mods, BH_MOD_META);
    m = ok(w, EVENT("2", ""));
    assert_string_equal(m.event.value, "");
    m = ok(w, EVENT("2", "5,\"x\"")); /* a callback of a JavaScript component */
    assert_string_equal(m.event.value, "");
}

static void test_events_1x(void **state)
{
    struct world *w = *state;
    bh_reactpy_message m = ok(
        w, "{\"seq\":41,\"type\":\"layout-event\",\"target\":\"3\",\"data\":[{\"type\":\"change\","
           "\"target\":{\"type\":\"checkbox\",\"value\":\"on\",\"checked\":true}}]}");
    assert_int_equal(m.seq, 41);
    assert_true(m.event.checked);
    m = ok(w, EVENT("3", "{\"target\":[{\"value\":\"a\",\"selected\":false},{\"value\":\"b\","
                         "\"selected\":true},{\"value\":\"c\",\"selected\":true}]}"));
    assert_string_equal(m.event.value, "b");
    assert_int_equal(m.event.n_fields, 2);
    assert_string_equal(m.event.fields[0].name, "");
    assert_string_equal(m.event.fields[1].value, "c");
    m = ok(w,
           EVENT("3", "{\"type\":\"submit\",\"target\":[{\"name\":\"who\",\"type\":\"text\","
                      "\"value\":\"Ada\"},{\"name\":\"yes\",\"type\":\"checkbox\",\"value\":\"1\","
                      "\"checked\":true},{\"name\":\"no\",\"type\":\"radio\",\"value\":\"2\","
                      "\"checked\":false},{\"name\":\"off\",\"value\":\"3\",\"disabled\":true},"
                      "{\"type\":\"text\",\"value\":\"nameless\"},{\"name\":\"go\",\"type\":"
                      "\"submit\",\"value\":\"Go\"},{\"name\":\"m\",\"value\":5},{}]}"));
    assert_int_equal(m.event.n_fields, 3);
    assert_string_equal(m.event.fields[0].name, "who");
    assert_string_equal(m.event.fields[0].value, "Ada");
    assert_string_equal(m.event.fields[1].name, "yes");
    assert_string_equal(m.event.fields[2].value, "5");
    m = ok(w, EVENT("3", "{\"target\":[]}"));
    assert_int_equal(m.event.n_fields, 0);
    assert_string_equal(m.event.value, "");
    m = ok(w, EVENT("3", "{\"type\":\"toggle\",\"target\":{\"open\":true}}"));
    assert_true(m.event.checked);
}

static const struct {
    const char *text;
    int rc;
} messages[] = {
    {"[]", -EPROTO},
    {"5", -EPROTO},
    {"{}", -EPROTO},
    {"{\"type\":5}", -EPROTO},
    {"{\"type\":\"mount-component\"}", -ENOMSG},
    {"{\"TYPE\":\"layout-event\",\"target\":\"1\",\"data\":[]}", -EPROTO},
    {"{\"type\":\"layout-event\",\"data\":[]}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":1,\"data\":[]}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\"}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":{}}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":[],\"seq\":\"1\"}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":[],\"seq\":-1}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":[],\"seq\":1.5}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":[],\"seq\":1e999}", -EPROTO},
    {"{\"type\":\"layout-event\",\"target\":\"1\",\"data\":[],\"type\":\"x\"}", -EPROTO},
    {EVENT("1", "{\"target\":{\"value\":\"a\",\"v\\u0061lue\":\"b\"}}"), -EPROTO},
    {EVENT("1", "{\"x\":[[[{\"k\":1,\"l\":2,\"k\":3}]]]}"), -EPROTO},
    {EVENT("1", "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"
                "\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"c\":0}"),
     -EPROTO},
    {EVENT("", ""), -ENOMSG},
    {EVENT("0", ""), -ENOMSG},
    {EVENT("01", ""), -ENOMSG},
    {EVENT("-1", ""), -ENOMSG},
    {EVENT("1 ", ""), -ENOMSG},
    {EVENT("4294967296", ""), -ENOMSG},
    {EVENT("99999999999999999999", ""), -ENOMSG},
    {EVENT("8b2f-uuid", ""), -ENOMSG},
    {EVENT("1", "{\"target\":5,\"key\":5,\"shiftKey\":1,\"clientX\":\"1\",\"clientY\":2,"
                "\"button\":1e300,\"deltaX\":1e999,\"deltaY\":1}"),
     0},
    {EVENT("1", "{\"target\":{\"value\":{},\"checked\":\"true\",\"elements\":5}}"), 0},
    {EVENT("1", "{\"target\":null}"), 0},
};

static void test_messages(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        bh_reactpy_message m, untouched;
        memset(&m, 0xa5, sizeof m);
        memset(&untouched, 0xa5, sizeof untouched);
        int rc = decode(w, messages[i].text, strlen(messages[i].text), &m);
        if (rc != messages[i].rc)
            fail_msg("%s: %d, not %d", messages[i].text, rc, messages[i].rc);
        if (rc < 0) {
            assert_memory_equal(&m, &untouched, sizeof m);
        } else { /* members of a wrong kind are absent ones */
            assert_string_equal(m.event.value, "");
            assert_string_equal(m.event.key, "");
            assert_false(m.event.checked);
            assert_int_equal(m.event.mods, 0);
            assert_int_equal(m.event.button, 0);
            assert_true(m.event.x == 0 && m.event.y == 0);
        }
    }
}

static void test_mutations(void **state)
{
    struct world *w = *state;
    static const char base[] = EVENT(
        "12", "{\"type\":\"change\",\"target\":{\"value\":\"h\\u00e9\xc3\xa9\",\"checked\":true,"
              "\"elements\":[{\"name\":\"a\",\"value\":\"b\"}]},\"clientX\":1.5e1,\"clientY\":2}");
    uint64_t seed = random_seed();
    unsigned taken = 0, refused = 0;
    for (unsigned round = 0; round < random_rounds(20000); round++) {
        char text[sizeof base];
        bh_reactpy_message m;
        memcpy(text, base, sizeof base);
        size_t len = sizeof base - 1;
        for (unsigned n = 1 + random_below(&seed, 3); n; n--)
            text[random_below(&seed, (unsigned)len)] =
                random_below(&seed, 2) ? (char)random_below(&seed, 256)
                                       : "{}[]\",:\\0e-"[random_below(&seed, 11)];
        if (random_below(&seed, 8) == 0)
            len = random_below(&seed, (unsigned)len);
        int rc = decode(w, text, len, &m);
        assert_true(rc == 0 || rc == -EPROTO || rc == -EILSEQ || rc == -ENOMSG || rc == -E2BIG);
        taken += rc == 0;
        refused += rc != 0;
        bh_arena_clear(&w->arena);
    }
    assert_true(taken && refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_limits),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test_setup_teardown(test_events_03, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events_1x, setup, teardown),
        cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mutations, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
