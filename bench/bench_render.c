/* SPDX-License-Identifier: MIT
 * bench/bench_render.c — what one render costs: state set, render, match, diff, emission, effects; into a
 * sink that does nothing, and into the backhaul.v1 encoder. And what an idle session keeps.
 *
 * usage: bench_render [iterations [case]]   (default 300000; the median of 9 runs is printed; a case
 * is part of a line's name: for a profile of that line alone) */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <backhaul/component.h>

#include "render/session.h"
#include "server/wire.h"

#include <backhaul/html.h>

/* ---- a counter of 20 nodes: 10 elements, 10 texts; 1 state, 2 handlers, 1 effect -------------------- */

BH_HANDLER(on_add, {
    bh_ref n;
    int by;
})
{
    bh_add_int(cx, cap->n, cap->by);
}
BH_EFFECT(on_change, { int n; }) { return BH_NO_CLEANUP; }

BH_COMPONENT0(Counter)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT(cx, BH_DEPS(n.value), on_change, n.value);
    DIV(.class_name = "counter", .id = "c") {
        H1() { TEXT("Counter"); }
        P(.class_name = "lead") { TEXT("Counts up and down."); }
        BUTTON(.type = "button", ON(click, on_add, n.ref, 1)) { TEXT("+"); }
        BUTTON(.type = "button", ON(click, on_add, n.ref, -1)) { TEXT("-"); }
        SPAN(.class_name = "value") { TEXTF("%d", n.value); }
        UL() {
            LI(.class_name = "item") { TEXT("one"); }
            LI(.class_name = "item") { TEXT("two"); }
            LI() {
                TEXT("three");
                TEXT("four");
                TEXT("five");
            }
        }
    }
}

/* ---- 300 rows, one of them changes ------------------------------------------------------------------ */

BH_COMPONENT(Row, { int id; })
{
    bh_int n = bh_use_int(cx, 0);
    TR() {
        TD() { TEXTF("%d", props->id); }
        TD() { TEXTF("%d", n.value); }
        TD() {
            BUTTON(ON(click, on_add, n.ref, 1)) { TEXT("+"); }
        }
    }
}
BH_COMPONENT0(Rows)
{
    TABLE() {
        TBODY() {
            for (int i = 0; i < 300; i++) USE_KEYED(Row, KEY(i), i);
        }
    }
}

/* ---- host, sinks ------------------------------------------------------------------------------------- */

static uint64_t now_ms(bh_host *host)
{
    (void)host;
    return 1;
}
static void wake(bh_host *host, bh_session *s)
{
    (void)host;
    (void)s;
}
static void timer_at(bh_host *host, bh_session *s, uint64_t due)
{
    (void)host;
    (void)s;
    (void)due;
}
static void fault(bh_host *host, bh_session *s, const char *text)
{
    (void)host;
    (void)s;
    fprintf(stderr, "fault: %s\n", text);
    exit(1);
}
static const bh_host_ops host_ops = {now_ms, wake, timer_at, fault, NULL};

static void null_node(void *self, const bh_node *n)
{
    (void)self;
    (void)n;
}
static void null_remove(void *self, const bh_node *n, const bh_node *into)
{
    (void)self;
    (void)n;
    (void)into;
}
static void null_attr(void *self, const bh_node *n, const bh_attr *a)
{
    (void)self;
    (void)n;
    (void)a;
}
static const bh_patch_ops null_ops = {null_node, null_node, null_remove,
                                      null_node, null_attr, null_attr};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs on the machine do not count */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t first_hid;
static void take_hid(void *arg, const bh_node *n, const bh_attr *handler)
{
    (void)arg;
    (void)n;
    if (!first_hid)
        first_hid = handler->u.handler->hid;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *only; /* NULL: all cases */

static void run(const char *name, bh_render_env *env, bh_host *host, const bh_component *root,
                bool encode, int iterations)
{
    if (only && !strstr(name, only))
        return;
    bh_session *s = bh_session_new(&(bh_session_params){.host = host, .env = env, .root = root});
    bh_buf out;
    bh_buf_init(&out);
    bh_v1_encoder enc = {.out = &out, .names = env->names};
    bh_patch_sink null_sink = {&null_ops, NULL};
    bh_patch_sink sink = encode ? bh_v1_sink(&enc) : null_sink;
    bh_session_render(s, NULL);
    bh_session_effects(s, true);
    first_hid = 0;
    bh_session_each_handler(s, take_hid, NULL);
    double runs[9];
    size_t bytes = 0, ops = 0;
    for (int r = 0; r < 9; r++) {
        double t0 = seconds();
        for (int i = 0; i < iterations; i++) {
            bh_session_event(s, first_hid, &(bh_event){.type = BH_ON_click});
            out.len = 0;
            if (encode)
                bh_v1_frame(&out, (uint32_t)i + 1, (uint32_t)i);
            ops += bh_session_render(s, &sink);
            bytes += out.len;
            bh_session_effects(s, true);
        }
        runs[r] = (seconds() - t0) / iterations * 1e9;
    }
    qsort(runs, 9, sizeof runs[0], by_value);
    double all = (double)iterations * 9;
    printf("%-34s %7.0f ns median, %7.0f min   %.2f ops, %.1f bytes a render; session %zu bytes\n",
           name, runs[4], runs[0], (double)ops / all, (double)bytes / all, bh_session_bytes(s));
    bh_buf_fini(&out);
    bh_session_free(s);
}

/* What 10,000 idle counters take, by our own account and by the resident set. */
static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        fclose(f);
    }
    return resident * 4;
}

static void idle(bh_render_env *env, bh_host *host)
{
    enum { N = 10000 };
    static bh_session *sessions[N];
    long before = resident_kib();
    for (int i = 0; i < N; i++) {
        sessions[i] = bh_session_new(&(bh_session_params){
            .host = host, .env = env, .root = &Counter_component, .path = "/"});
        bh_session_render(sessions[i], NULL);
        bh_session_effects(sessions[i], true);
    }
    long after = resident_kib();
    printf("%d idle counter sessions: %zu bytes each by account, %.0f bytes each resident\n", N,
           env->session_bytes / N, (double)(after - before) * 1024 / N);
    for (int i = 0; i < N; i++) bh_session_free(sessions[i]);
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 300000;
    if (iterations < 1) {
        fprintf(stderr, "usage: bench_render [iterations [case]]\n");
        return 2;
    }
    only = argc > 2 ? argv[2] : NULL;
    bh_render_env env;
    bh_render_env_init(&env);
    bh_host host = {.ops = &host_ops, .show_errors = true};
    run("counter, 20 nodes, null sink", &env, &host, &Counter_component, false, iterations);
    run("counter, 20 nodes, backhaul.v1", &env, &host, &Counter_component, true, iterations);
    run("1 of 300 rows, backhaul.v1", &env, &host, &Rows_component, true, iterations);
    if (!only || strstr("idle", only))
        idle(&env, &host);
    bh_render_env_fini(&env);
    return 0;
}
