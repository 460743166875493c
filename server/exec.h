/* SPDX-License-Identifier: MIT
 * server/exec.h — where rendering runs: the only thing that has more than one implementation.
 *
 *   bh_exec_thread  its own loop on its own thread, "bh-render"
 *   bh_exec_inline  the main loop
 *   bh_exec_manual  (tests/support) a loop pumped by hand, for chosen interleavings
 *
 * Nothing else knows the mode. Order: start → loop() → post and run → join. */
#ifndef BH_SERVER_EXEC_H
#define BH_SERVER_EXEC_H

#include <uv.h>

typedef struct bh_exec bh_exec;
typedef struct bh_exec_ops {
    const char *name; /* "thread", "inline", "manual" */
    /* Makes the render loop and has it run. `entry` is called once on the thread that will run it,
     * before it runs: bind roles and mailboxes there. start returns when entry has. */
    int (*start)(bh_exec *x, uv_loop_t *main_loop, void (*entry)(void *arg), void *arg);
    uv_loop_t *(*loop)(bh_exec *x);
    /* Once a turn of the main loop, after its I/O: inline drains the render side's mailbox now,
     * in the same turn; thread does nothing. */
    void (*pump)(bh_exec *x);
    /* Between slices of render work: thread gives the processor away; inline does nothing. */
    void (*yield)(bh_exec *x);
    /* The render side has closed its handles: wait until its loop has ended. Main thread. */
    void (*join)(bh_exec *x);
} bh_exec_ops;

struct bh_exec {
    const bh_exec_ops *ops;
    uv_loop_t *main_loop, *own_loop;
    uv_loop_t loop_storage;
    uv_thread_t thread;
    uv_sem_t ready;
    int cpu; /* -1: not pinned */
    void (*entry)(void *arg);
    void *arg;
    void (*pump_fn)(void *arg); /* set by the worker: drain its mailbox */
    void *pump_arg;
    int started;
};

extern const bh_exec_ops bh_exec_thread, bh_exec_inline;

#endif
