/* SPDX-License-Identifier: MIT */
#include "support/exec_manual.h"

#include <assert.h>

static bh_exec *running;

static int manual_start(bh_exec *x, uv_loop_t *main_loop, void (*entry)(void *arg), void *arg)
{
    int r = uv_loop_init(&x->loop_storage);
    if (r < 0)
        return r;
    x->main_loop = main_loop;
    x->own_loop = &x->loop_storage;
    x->started = 1;
    running = x;
    entry(arg);
    return 0;
}

static uv_loop_t *manual_loop(bh_exec *x) { return x->own_loop; }

static void manual_nothing(bh_exec *x) { (void)x; }

static void manual_join(bh_exec *x)
{
    while (uv_run(x->own_loop, UV_RUN_NOWAIT)) {}
    int r = uv_loop_close(x->own_loop);
    assert(r == 0);
    (void)r;
    x->started = 0;
    if (running == x)
        running = NULL;
}

bool exec_manual_turn(void)
{
    if (!running)
        return false;
    uv_run(running->own_loop, UV_RUN_NOWAIT);
    return true;
}

const bh_exec_ops bh_exec_manual = {
    .name = "manual",
    .start = manual_start,
    .loop = manual_loop,
    .pump = manual_nothing,
    .yield = manual_nothing,
    .join = manual_join,
};
