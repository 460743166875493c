/* SPDX-License-Identifier: MIT
 * Rendering on a thread of its own, "bh-render". */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "server/exec.h"
#include "server/log.h"

static void run(void *arg)
{
    bh_exec *x = arg;
    pthread_setname_np(pthread_self(), "bh-render");
    if (x->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        if (x->cpu < CPU_SETSIZE)
            CPU_SET((size_t)x->cpu, &set);
        int r = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
        if (r)
            bh_log(BH_LOG_WARN, "cannot pin the render thread to processor %d: %s", x->cpu,
                   strerrorname_np(r));
    }
    x->entry(x->arg);
    uv_sem_post(&x->ready);
    uv_run(x->own_loop, UV_RUN_DEFAULT);
}

static int thread_start(bh_exec *x, uv_loop_t *main_loop, void (*entry)(void *arg), void *arg)
{
    int r = uv_loop_init(&x->loop_storage);
    if (r < 0)
        return r;
    r = uv_sem_init(&x->ready, 0);
    if (r < 0)
        goto fail;
    x->main_loop = main_loop;
    x->own_loop = &x->loop_storage;
    x->entry = entry;
    x->arg = arg;
    /* Signals are the network thread's; the new thread inherits the mask. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    r = uv_thread_create(&x->thread, run, x);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (r < 0) {
        uv_sem_destroy(&x->ready);
        goto fail;
    }
    uv_sem_wait(&x->ready);
    uv_sem_destroy(&x->ready);
    x->started = 1;
    return 0;
fail:
    uv_loop_close(&x->loop_storage);
    return r;
}

static uv_loop_t *thread_loop(bh_exec *x) { return x->own_loop; }

static void thread_pump(bh_exec *x) { (void)x; }

static void thread_yield(bh_exec *x)
{
    (void)x;
    sched_yield();
}

static void thread_join(bh_exec *x)
{
    assert(x->started);
    uv_thread_join(&x->thread);
    int r = uv_loop_close(x->own_loop);
    assert(r == 0); /* a handle was left open */
    (void)r;
    x->started = 0;
}

const bh_exec_ops bh_exec_thread = {
    .name = "thread",
    .start = thread_start,
    .loop = thread_loop,
    .pump = thread_pump,
    .yield = thread_yield,
    .join = thread_join,
};
