/* SPDX-License-Identifier: MIT
 * signals — through libuv, so that a handler is an ordinary callback. */
#include <signal.h>
#include <unistd.h>

#include "server/signals.h"

static void on_signal(uv_signal_t *handle, int number)
{
    bh_signals *s = handle->data;
    if (s->seen++)
        _exit(128 + number);
    s->on_stop(s->arg);
}

void bh_signals_start(bh_signals *s, uv_loop_t *loop, void (*on_stop)(void *arg), void *arg)
{
    s->seen = 0;
    s->on_stop = on_stop;
    s->arg = arg;
    uv_signal_init(loop, &s->term);
    uv_signal_init(loop, &s->interrupt);
    s->term.data = s->interrupt.data = s;
    uv_signal_start(&s->term, on_signal, SIGTERM);
    uv_signal_start(&s->interrupt, on_signal, SIGINT);
    uv_unref((uv_handle_t *)&s->term);
    uv_unref((uv_handle_t *)&s->interrupt);
    signal(SIGPIPE, SIG_IGN); /* a peer that is gone is an error code, not the end */
}

void bh_signals_close(bh_signals *s)
{
    uv_close((uv_handle_t *)&s->term, NULL);
    uv_close((uv_handle_t *)&s->interrupt, NULL);
}
