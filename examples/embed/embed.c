/* SPDX-License-Identifier: MIT
 * A program that was there first. It has a libuv loop and work of its own (here: it counts), and
 * lets backhaul serve two pages from that loop. The program publishes to the pages from its own
 * thread; the pages speak to the program through an atomic, for they may render on another one. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <backhaul/backhaul.h>
#include <backhaul/html.h>

struct program {
    uv_loop_t loop;
    uv_timer_t work;
    uv_signal_t interrupt, terminate;
    int64_t steps;
    atomic_int stride; /* how much a step adds; the pages set it */
    bh_topic *progress; /* int64_t */
    bh_server *server;
};

/* ---- the pages: on the thread that renders ---------------------------------------------------- */

BH_HANDLER(on_stride, { struct program *program; int by; }) { atomic_fetch_add(&cap->program->stride, cap->by); }

BH_COMPONENT(Progress, { struct program *program; })
{
    const int64_t *steps = bh_use_topic(cx, props->program->progress, &(size_t){0});
    MAIN(.class_name = "page") {
        H1() TEXT("Progress");
        P() OUTPUT(.class_name = "big") TEXTF("%" PRId64, steps ? *steps : 0);
        P() A(.href = "/control") TEXT("Control");
    }
}

BH_COMPONENT(Control, { struct program *program; })
{
    bh_use_topic(cx, props->program->progress, &(size_t){0});
    MAIN(.class_name = "page") {
        H1() TEXT("Control");
        DIV(.class_name = "row", .role = "group", .aria_label = "Stride") {
            BUTTON(.aria_label = "slower", ON(click, on_stride, props->program, -1)) TEXT("−");
            OUTPUT(.class_name = "big") TEXTF("%d", atomic_load(&props->program->stride));
            BUTTON(.aria_label = "faster", ON(click, on_stride, props->program, 1)) TEXT("+");
        }
        P() A(.href = "/") TEXT("Progress");
    }
}

/* ---- the program: on its own loop --------------------------------------------------------------- */

static void on_work(uv_timer_t *timer)
{
    struct program *p = timer->data;
    p->steps += atomic_load(&p->stride);
    bh_publish(p->progress, &p->steps, sizeof(p->steps));
}

static void on_stopped(bh_server *server, void *arg)
{
    struct program *p = arg;
    bh_server_free(server);
    p->server = NULL;
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct program *p = signal->data;
    (void)number;
    uv_close((uv_handle_t *)&p->work, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->terminate, NULL);
    bh_server_stop(p->server, on_stopped, p); /* uv_run returns when this is done, too */
}

int main(int argc, char **argv)
{
    struct program p = {.stride = 1};
    bh_config config;
    bh_config_init(&config);
    int r = bh_config_parse(&config, argc, argv);
    if (r) return r < 0 ? 2 : 0;

    uv_loop_init(&p.loop);
    p.progress = bh_topic_new("progress");
    const bh_page pages[] = {BH_PAGE("/", Progress, .program = &p), BH_PAGE("/control", Control, .program = &p),
                             {.path = NULL}};
    if (bh_server_new(&config, pages, &p.loop, &p.server)) return EXIT_FAILURE; /* it has said why */
    printf("LISTENING http://%s:%d/\n", config.host, bh_server_port(p.server));
    fflush(stdout);

    uv_timer_init(&p.loop, &p.work);
    uv_signal_init(&p.loop, &p.interrupt);
    uv_signal_init(&p.loop, &p.terminate);
    p.work.data = p.interrupt.data = p.terminate.data = &p;
    uv_timer_start(&p.work, on_work, 100, 100);
    uv_signal_start(&p.interrupt, on_signal, SIGINT);
    uv_signal_start(&p.terminate, on_signal, SIGTERM);
    uv_run(&p.loop, UV_RUN_DEFAULT);

    bh_topic_free(p.progress);
    return uv_loop_close(&p.loop) ? EXIT_FAILURE : EXIT_SUCCESS;
}
