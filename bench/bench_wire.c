/* SPDX-License-Identifier: MIT
 * bench/bench_wire.c — what the wire costs: a patch out, a first page, an event in, escaping.
 *
 * Prints the median of 15 runs of CPU time, and the lowest and highest. Pin it to one CPU for
 * numbers that can be compared:  taskset -c 1 build/release/bench/bench_wire */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/json_gate.h"
#include "server/utf8.h"
#include "server/wire.h"

enum { RUNS = 15, TIMES = 20000, ROWS = 300 };

static struct bench {
    bh_chunk_pool pool;
    bh_arena arena;
    bh_names *names;
    bh_slot slot;
    bh_node *root, *text, *button;
    bh_buf out;
    unsigned long sum; /* keeps the work from being thrown away */
} B;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs work(times) and prints ns a time; or MB/s if a time is `bytes` long. */
static void measure(const char *what, void (*work)(unsigned times), unsigned times, size_t bytes)
{
    double runs[RUNS];
    work(times); /* warm */
    for (unsigned i = 0; i < RUNS; i++) {
        double start = cpu_ns();
        work(times);
        runs[i] = (cpu_ns() - start) / times;
        if (bytes)
            runs[i] = (double)bytes * 1e3 / runs[i];
    }
    qsort(runs, RUNS, sizeof *runs, compare);
    printf("%-52s %9.1f %s  (%.1f to %.1f)\n", what, runs[RUNS / 2], bytes ? "MB/s" : "ns  ",
           runs[0], runs[RUNS - 1]);
}

/* ---- a page: a counter above a table ----------------------------------------------------------------- */

static bh_node *element(uint16_t tag, const char *class_name, uint32_t hid)
{
    bh_node *n = bh_node_element(&B.arena, tag);
    bh_attr *attrs = bh_arena_alloc(&B.arena, 2 * sizeof *attrs);
    if (class_name)
        attrs[n->n_attrs++] = (bh_attr){.atom = BH_A_class_name,
                                        .kind = BH_VAL_STR,
                                        .len = (uint32_t)strlen(class_name),
                                        .u.str = class_name};
    if (hid) {
        bh_handler_head *h = bh_arena_alloc(&B.arena, sizeof *h);
        *h = (bh_handler_head){.hid = hid};
        attrs[n->n_attrs++] =
            (bh_attr){.atom = BH_ON_click, .kind = BH_VAL_HANDLER, .u.handler = h};
        n->flags |= BH_NODE_HANDLERS;
    }
    n->u.el.attrs = attrs;
    return n;
}

static void number(bh_node *n, uint32_t *next)
{
    if (n->kind != BH_NODE_FRAGMENT)
        n->nid = (*next)++;
    if (n->kind != BH_NODE_TEXT)
        for (bh_node *c = n->u.el.first; c; c = c->next) number(c, next);
}

static void build(void)
{
    bh_node *tail = NULL, *in = NULL, *rows = NULL;
    uint32_t next = 1;
    B.root = bh_node_fragment(&B.arena);
    B.root->owner = &B.slot;
    B.slot.cur = B.root;
    bh_node *div = element(BH_TAG_DIV, "counter", 0), *table = element(BH_TAG_TABLE, NULL, 0);
    bh_node_append(B.root, &tail, div);
    bh_node_append(B.root, &tail, table);
    B.button = element(BH_TAG_BUTTON, NULL, 1);
    B.text = bh_node_text(&B.arena, "12345", 5);
    bh_node_append(div, &in, B.button);
    bh_node_append(div, &in, B.text);
    for (uint32_t i = 0; i < ROWS; i++) {
        bh_node *tr = element(BH_TAG_TR, "row", 0), *last = NULL;
        bh_node_append(table, &rows, tr);
        for (uint32_t k = 0; k < 3; k++) {
            bh_node *td = element(BH_TAG_TD, NULL, k == 2 ? i + 2 : 0), *inner = NULL;
            bh_node_append(tr, &last, td);
            bh_node_append(td, &inner, bh_node_text(&B.arena, "some text in a cell", 19));
        }
    }
    number(B.root, &next);
}

/* ---- out ------------------------------------------------------------------------------------------------ */

static void v1_patch(unsigned times)
{
    bh_v1_encoder enc = {&B.out, B.names};
    bh_patch_sink sink = bh_v1_sink(&enc);
    for (unsigned i = 0; i < times; i++) {
        B.out.len = BH_WS_HEADER_MAX;
        bh_v1_frame(&B.out, i, i / 2);
        sink.ops->set_text(sink.self, B.text);
        B.sum += bh_ws_header_before(B.out.data + BH_WS_HEADER_MAX, BH_WS_BINARY,
                                     B.out.len - BH_WS_HEADER_MAX);
    }
}

static void v1_move(unsigned times)
{
    bh_v1_encoder enc = {&B.out, B.names};
    bh_patch_sink sink = bh_v1_sink(&enc);
    for (unsigned i = 0; i < times; i++) {
        B.out.len = 0;
        bh_v1_frame(&B.out, i, i / 2);
        sink.ops->move(sink.self, B.button);
    }
}

static void v1_page(unsigned times)
{
    bh_v1_encoder enc = {&B.out, B.names};
    for (unsigned i = 0; i < times; i++) {
        B.out.len = 0;
        bh_v1_frame(&B.out, 1, 0);
        bh_v1_reset(&B.out);
        bh_v1_snapshot(&enc, B.root);
    }
}

static void reactpy_patch(unsigned times, bool diff)
{
    bh_reactpy_encoder enc = {.out = &B.out, .names = B.names, .diff = diff};
    bh_patch_sink sink = bh_reactpy_sink(&enc);
    for (unsigned i = 0; i < times; i++) {
        B.out.len = 0;
        bh_reactpy_begin(&enc);
        sink.ops->set_text(sink.self, B.text);
        bh_reactpy_finish(&enc);
        B.sum += B.out.len;
    }
}
static void reactpy_diff(unsigned times) { reactpy_patch(times, true); }
static void reactpy_subtree(unsigned times) { reactpy_patch(times, false); }

/* ---- escaping --------------------------------------------------------------------------------------------- */

enum { LONG = 1 << 20, SHORT = 20 };
static char text[LONG];

static void escape_long(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        B.out.len = 0;
        bh_json_string(&B.out, text, LONG);
    }
}
static void escape_short(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        if (i % 1024 == 0)
            B.out.len = 0;
        bh_json_string(&B.out, text + i % 64, SHORT);
    }
}
static void utf8(unsigned times)
{
    for (unsigned i = 0; i < times; i++) B.sum += bh_utf8_valid((const unsigned char *)text, LONG);
}

/* ---- in ----------------------------------------------------------------------------------------------------- */

static const unsigned char click_v1[] = {2, 0x8f, 0x4e, 0x8f, 0x4e, 0xac, 2};
static const unsigned char input_v1[] = "\x02\x05\x04\x07\x01\x0bhello world";
static const char click_json[] =
    "{\"type\":\"layout-event\",\"target\":\"300\",\"data\":[{\"type\":\"click\",\"bubbles\":true,"
    "\"target\":{\"tagName\":\"BUTTON\",\"boundingClientRect\":{},\"value\":\"\"},\"altKey\":false,"
    "\"ctrlKey\":false,\"metaKey\":false,\"shiftKey\":false,\"button\":0,\"clientX\":12,"
    "\"clientY\":34}]}";

static void decode_v1(const unsigned char *data, size_t len, unsigned times)
{
    bh_arena arena;
    bh_v1_message m;
    bh_arena_init(&arena, &B.pool);
    for (unsigned i = 0; i < times; i++) {
        if (bh_v1_decode(data, len, &arena, &m) != 0)
            abort();
        B.sum += m.hid;
        if (i % 64 == 63)
            bh_arena_clear(&arena);
    }
    bh_arena_clear(&arena);
}
static void decode_click(unsigned times) { decode_v1(click_v1, sizeof click_v1, times); }
static void decode_input(unsigned times) { decode_v1(input_v1, sizeof input_v1 - 1, times); }
static void decode_json(unsigned times)
{
    bh_arena arena;
    bh_reactpy_message m;
    bh_arena_init(&arena, &B.pool);
    for (unsigned i = 0; i < times; i++) {
        if (bh_reactpy_decode((const unsigned char *)click_json, sizeof click_json - 1, &arena,
                              &m) != 0)
            abort();
        B.sum += m.hid;
        if (i % 64 == 63)
            bh_arena_clear(&arena);
    }
    bh_arena_clear(&arena);
}
static void gate_json(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        if (bh_json_gate((const unsigned char *)click_json, sizeof click_json - 1) != 0)
            abort();
}

int main(void)
{
    bh_chunk_pool_init(&B.pool);
    bh_arena_init(&B.arena, &B.pool);
    bh_buf_init(&B.out);
    B.names = bh_names_new();
    build();
    (void)bh_buf_room(&B.out, BH_WS_HEADER_MAX);

    measure("v1: counter +1, head to WebSocket header", v1_patch, TIMES, 0);
    measure("v1: a move", v1_move, TIMES, 0);
    reactpy_diff(1);
    printf("%-52s %9zu bytes\n", "reactpy: counter +1, diff", B.out.len);
    measure("reactpy: counter +1, diff", reactpy_diff, TIMES, 0);
    reactpy_subtree(1);
    printf("%-52s %9zu bytes\n", "reactpy: counter +1, the page's only component", B.out.len);
    measure("reactpy: counter +1, the page's only component", reactpy_subtree, 50, 0);
    measure("reactpy: the same, as a rate", reactpy_subtree, 50, B.out.len);
    v1_page(1);
    printf("%-52s %9zu bytes\n", "v1: first page, 300 rows of 3 cells", B.out.len);
    measure("v1: first page, 300 rows of 3 cells", v1_page, 50, 0);

    memset(text, 'a', sizeof text);
    measure("JSON escape, plain text of 1 MiB", escape_long, 20, LONG);
    measure("JSON escape, plain strings of 20 bytes", escape_short, TIMES, SHORT);
    measure("UTF-8 check, plain text of 1 MiB", utf8, 20, LONG);
    for (size_t i = 0; i < sizeof text; i += 10) text[i] = '"';
    measure("JSON escape, a tenth quotes, strings of 20", escape_short, TIMES, SHORT);
    for (size_t i = 0; i + 2 <= sizeof text; i += 2) memcpy(text + i, "\xc3\xa9", 2);
    measure("JSON escape, no ASCII, 1 MiB", escape_long, 20, LONG);

    measure("v1: click in", decode_click, TIMES, 0);
    measure("v1: input of 11 bytes in", decode_input, TIMES, 0);
    measure("reactpy: click of 275 bytes in, gate and cJSON", decode_json, TIMES, 0);
    measure("reactpy: the gate alone", gate_json, TIMES, sizeof click_json - 1);

    bh_names_free(B.names);
    bh_arena_clear(&B.arena);
    bh_buf_fini(&B.out);
    bh_chunk_pool_fini(&B.pool);
    return B.sum ? 0 : 1;
}
