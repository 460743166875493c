/* SPDX-License-Identifier: MIT
 * server/signals.h — SIGTERM and SIGINT for a program of its own. A server on somebody else's loop
 * touches no signal. Main thread. */
#ifndef BH_SERVER_SIGNALS_H
#define BH_SERVER_SIGNALS_H

#include <uv.h>

typedef struct bh_signals {
    uv_signal_t term, interrupt;
    int seen;
    void (*on_stop)(void *arg);
    void *arg;
} bh_signals;

/* The first signal calls on_stop; the second ends the process with status 128 + its number. */
void bh_signals_start(bh_signals *s, uv_loop_t *loop, void (*on_stop)(void *arg), void *arg);
void bh_signals_close(bh_signals *s);

#endif
