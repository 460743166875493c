/* SPDX-License-Identifier: MIT
 * main — a whole program around a server: options, loop, signals, and the exit status.
 * 0: stopped in order. 1: could not start. 2: the command line is wrong. 128 + n: second signal. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "server/log.h"
#include "server/server.h"
#include "server/signals.h"

typedef struct program {
    uv_loop_t loop;
    bh_signals signals;
    bh_server *server;
    bool stopped;
} program;

static void on_stopped(bh_server *server BH_UNUSED, void *arg)
{
    program *p = arg;
    p->stopped = true;
    bh_signals_close(&p->signals);
}

static void on_stop(void *arg)
{
    program *p = arg;
    if (p->server) /* else it could not start, and ends by itself */
        bh_server_stop(p->server, on_stopped, p);
}

/* As many connections as the system lets us: the soft limit is for programs that select(). */
static void raise_nofile(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < lim.rlim_max) {
        lim.rlim_cur = lim.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &lim);
    }
}

static int pin(int cpu)
{
    if (cpu < 0)
        return 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) == 0)
        return 0;
    bh_log(BH_LOG_ERROR, "--cpu-main=%d: there is no such processor for us", cpu);
    return -EINVAL;
}

static int run(const bh_config *config, const bh_page *pages)
{
    program p = {0};
    bh_log_set_level(config->log_level);
    raise_nofile();
    if (!bh_files_left())
        return 1;
    if (uv_loop_init(&p.loop)) {
        bh_log(BH_LOG_ERROR, "cannot make an event loop: no file descriptors?");
        return 1;
    }
    bh_signals_start(&p.signals, &p.loop, on_stop, &p);
    int r = bh_server_new(config, pages, &p.loop, &p.server);
    /* The render thread is made above and must not inherit the pin. */
    if (!r && pin(config->cpu_main)) {
        bh_server_stop(p.server, on_stopped, &p);
        uv_run(&p.loop, UV_RUN_DEFAULT);
        r = -EINVAL;
    }
    if (!r) {
        bool v6 = strchr(config->host, ':') != NULL;
        printf("LISTENING http://%s%s%s:%d/\n", v6 ? "[" : "", config->host, v6 ? "]" : "",
               bh_server_port(p.server));
        fflush(stdout);
        uv_run(&p.loop, UV_RUN_DEFAULT);
    } else if (!p.server) {
        bh_signals_close(&p.signals);
        uv_run(&p.loop, UV_RUN_DEFAULT);
    }
    bh_server_free(p.server);
    int left = uv_loop_close(&p.loop);
    if (left)
        bh_log(BH_LOG_WARN, "the event loop still had work when it ended: %s", uv_strerror(left));
    return r ? 1 : 0;
}

int bh_main_pages(int argc, char **argv, const bh_page *pages)
{
    bh_config config;
    bh_config_init(&config);
    int r = bh_config_parse(&config, argc, argv);
    if (!r)
        r = run(&config, pages);
    else
        r = r > 0 ? 0 : 2;
    free((void *)(uintptr_t)config.allow_origins); /* made by the parser */
    return r;
}
