/* SPDX-License-Identifier: MIT
 * bench/bench_vdom.c — what a node costs: to build, to diff, to move.
 *
 * Prints the median of 15 runs of CPU time, and the lowest and highest. Pin it to one CPU for
 * numbers that can be compared:  taskset -c 1 build/release/bench/bench_vdom */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vdom/diff.h"
#include "vdom/html.h"

enum { RUNS = 15, ROWS = 1000 };

static struct bench {
    bh_chunk_pool pool;
    bh_names *names;
    bh_diff_scratch *scratch;
    uint32_t next_nid;
    unsigned long ops, moves;
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
    return x < y ? -1 : x > y;
}

static void report(const char *what, double *runs, double per, const char *unit)
{
    qsort(runs, RUNS, sizeof *runs, compare);
    printf("%-44s %9.2f %s  (%.2f to %.2f)\n", what, runs[RUNS / 2] / per, unit, runs[0] / per,
           runs[RUNS - 1] / per);
}

/* ---- a sink that only counts ------------------------------------------------------------------ */

static void on_node(void *self, const bh_node *n)
{
    (void)self;
    (void)n;
    B.ops++;
}
static void on_move(void *self, const bh_node *n)
{
    (void)self;
    B.ops += bh_dom_after(n) != NULL; /* what every encoder asks for */
    B.moves++;
}
static void on_remove(void *self, const bh_node *n, const bh_node *into)
{
    (void)self;
    (void)n;
    (void)into;
    B.ops++;
}
static void on_attr(void *self, const bh_node *n, const bh_attr *a)
{
    (void)self;
    (void)n;
    (void)a;
    B.ops++;
}
static const bh_patch_ops count_ops = {on_node, on_move, on_remove, on_node, on_attr, on_attr};
static const bh_patch_sink count_sink = {&count_ops, NULL};

static void diff(bh_node *prev, bh_node *cur)
{
    bh_diff d = {.sink = &count_sink, .scratch = B.scratch, .next_nid = &B.next_nid};
    bh_diff_trees(&d, prev, cur);
}

/* ---- the 20-node component: 11 elements and 9 texts ------------------------------------------- */

static void attr(bh_arena *a, bh_node *n, uint16_t atom, const char *value)
{
    size_t len = strlen(value);
    bh_attr *at = bh_arena_alloc(a, sizeof *at);
    *at = (bh_attr){.atom = atom, .kind = BH_VAL_STR, .len = (uint32_t)len};
    at->u.str = bh_arena_copy(a, value, len);
    n->u.el.attrs = at;
    n->n_attrs = 1;
}

static bh_node *element(bh_arena *a, bh_node *parent, bh_node **tail, uint16_t tag,
                        const char *class, const char *text)
{
    bh_node *n = bh_node_element(a, tag), *inner = NULL;
    attr(a, n, BH_A_class_name, class);
    if (text)
        bh_node_append(n, &inner, bh_node_text(a, text, strlen(text)));
    bh_node_append(parent, tail, n);
    return n;
}

static bh_node *component(bh_arena *a, unsigned count)
{
    char text[32] = "Count: 0000000";
    for (unsigned i = 13, c = count; i > 6; i--, c /= 10) text[i] = (char)('0' + c % 10);
    bh_node *root = bh_node_fragment(a), *root_tail = NULL, *tail = NULL, *items = NULL;
    bh_node *card = element(a, root, &root_tail, BH_TAG_DIV, "counter card", NULL);
    element(a, card, &tail, BH_TAG_P, "title", "Counter component");
    element(a, card, &tail, BH_TAG_P, "count", text);
    bh_node *list = element(a, card, &tail, BH_TAG_DIV, "list", NULL);
    for (char i = '0'; i < '6'; i++)
        element(a, list, &items, BH_TAG_SPAN, "item muted", (char[]){'i', i, '\0'});
    element(a, card, &tail, BH_TAG_BUTTON, "btn", "increment");
    return root;
}

static void bench_component(void)
{
    enum { TIMES = 20000 };
    double runs[RUNS];
    bh_arena arenas[2];
    bh_arena_init(&arenas[0], &B.pool);
    bh_arena_init(&arenas[1], &B.pool);
    double nodes = (double)bh_dom_count(component(&arenas[0], 0));
    printf("component of %.0f nodes\n", nodes);
    for (int r = 0; r < RUNS; r++) {
        double t = cpu_ns();
        for (unsigned i = 0; i < TIMES; i++) {
            bh_arena_clear(&arenas[0]);
            component(&arenas[0], i);
        }
        runs[r] = (cpu_ns() - t) / TIMES;
    }
    report("render into arena", runs, nodes, "ns/node");
    bh_arena_clear(&arenas[0]);
    bh_node *a = component(&arenas[0], 7), *b = component(&arenas[1], 7), *c;
    diff(NULL, a);
    for (int r = 0; r < RUNS; r++) {
        double t = cpu_ns();
        for (unsigned i = 0; i < TIMES; i++) {
            diff(a, b); /* back and forth: nids and flags are written anew each time */
            diff(b, a);
        }
        runs[r] = (cpu_ns() - t) / (2 * TIMES);
    }
    report("diff, nothing changed", runs, nodes, "ns/node");
    c = component(&arenas[1], 8);
    diff(a, c);
    for (int r = 0; r < RUNS; r++) {
        double t = cpu_ns();
        for (unsigned i = 0; i < TIMES; i++) {
            diff(a, c);
            diff(c, a);
        }
        runs[r] = (cpu_ns() - t) / (2 * TIMES);
    }
    report("diff, one text changed", runs, nodes, "ns/node");
    for (int r = 0; r < RUNS; r++) {
        double t = cpu_ns();
        bh_node *prev = a;
        for (unsigned i = 0; i < TIMES; i++) {
            bh_arena *into = &arenas[(i + 1) & 1];
            bh_arena_clear(into);
            bh_node *cur = component(into, i);
            diff(prev, cur);
            prev = cur;
        }
        runs[r] = (cpu_ns() - t) / TIMES;
        a = prev; /* TIMES is even: it is in arena 0 */
    }
    report("render and diff, two arenas", runs, 1, "ns");
    bh_buf out;
    bh_buf_init(&out);
    for (int r = 0; r < RUNS; r++) {
        double t = cpu_ns();
        for (unsigned i = 0; i < TIMES; i++) {
            out.len = 0;
            bh_html_write(&out, B.names, a);
        }
        runs[r] = (cpu_ns() - t) / TIMES;
    }
    report("write as HTML", runs, nodes, "ns/node");
    bh_buf_fini(&out);
    bh_arena_clear(&arenas[0]);
    bh_arena_clear(&arenas[1]);
}

/* ---- a thousand keyed rows -------------------------------------------------------------------- */

static bh_node *table(bh_arena *a, const int *order, bool string_keys)
{
    bh_node *root = bh_node_fragment(a), *tail = NULL, *rows = NULL;
    bh_node *body = element(a, root, &tail, BH_TAG_TBODY, "rows", NULL);
    for (int i = 0; i < ROWS; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "row-%d", order[i]);
        bh_node *row = element(a, body, &rows, BH_TAG_TR, "row", name);
        bh_key *key = bh_arena_alloc(a, sizeof *key);
        *key = string_keys ? bh_key_str(bh_arena_copy(a, name, (size_t)len)) : bh_key_int(order[i]);
        row->key = key;
    }
    return root;
}

static void bench_rows(const char *what, const int *to, bool string_keys)
{
    enum { TIMES = 50 };
    int from[ROWS];
    double runs[RUNS];
    char title[64];
    bh_arena arena;
    bh_arena_init(&arena, &B.pool);
    for (int i = 0; i < ROWS; i++) from[i] = i;
    bh_node *a = table(&arena, from, string_keys), *b = table(&arena, to, string_keys);
    diff(NULL, a);
    B.moves = 0;
    diff(a, b);
    unsigned long moves = B.moves;
    for (int r = 0; r < RUNS; r++) {
        runs[r] = 0;
        for (int i = 0; i < TIMES; i++) {
            double t = cpu_ns();
            diff(a, b);
            runs[r] += cpu_ns() - t;
            diff(b, a);
        }
        runs[r] /= TIMES;
    }
    snprintf(title, sizeof title, "%s, %s keys, %lu moves", what, string_keys ? "string" : "int",
             moves);
    report(title, runs, 1e3, "us");
    bh_arena_clear(&arena);
}

static void bench_orders(bool string_keys)
{
    int order[ROWS];
    for (int i = 0; i < ROWS; i++) order[i] = i;
    bench_rows("identity", order, string_keys);
    for (int i = 0; i < ROWS; i++) order[i] = ROWS - 1 - i;
    bench_rows("reverse", order, string_keys);
    for (int i = 0; i < ROWS; i++) order[i] = (i + 1) % ROWS;
    bench_rows("first to last", order, string_keys);
    for (int i = 0; i < ROWS; i++) order[i] = i;
    unsigned seed = 7;
    for (unsigned i = ROWS - 1; i > 0; i--) {
        seed = seed * 1103515245u + 12345u;
        unsigned j = (seed >> 8) % (i + 1);
        int t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    bench_rows("shuffle", order, string_keys);
}

int main(void)
{
    bh_chunk_pool_init(&B.pool);
    B.names = bh_names_new();
    B.scratch = bh_diff_scratch_new();
    B.next_nid = 1;
    printf("node: %zu bytes, attribute: %zu bytes\n", sizeof(bh_node), sizeof(bh_attr));
    bench_component();
    printf("%d keyed rows, each with a text: match and emit of the whole table\n", ROWS);
    bench_orders(true);
    bench_orders(false);
    bh_diff_scratch_free(B.scratch);
    bh_names_free(B.names);
    bh_chunk_pool_fini(&B.pool);
    return 0;
}
