/* SPDX-License-Identifier: MIT
 * Rendering on the main loop. */
#include "server/exec.h"

static int inline_start(bh_exec *x, uv_loop_t *main_loop, void (*entry)(void *arg), void *arg)
{
    x->main_loop = main_loop;
    x->started = 1;
    entry(arg);
    return 0;
}

static uv_loop_t *inline_loop(bh_exec *x) { return x->main_loop; }

static void inline_pump(bh_exec *x)
{
    if (x->pump_fn)
        x->pump_fn(x->pump_arg);
}

static void inline_yield(bh_exec *x) { (void)x; }

static void inline_join(bh_exec *x) { x->started = 0; }

const bh_exec_ops bh_exec_inline = {
    .name = "inline",
    .start = inline_start,
    .loop = inline_loop,
    .pump = inline_pump,
    .yield = inline_yield,
    .join = inline_join,
};
