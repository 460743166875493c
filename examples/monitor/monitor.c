/* SPDX-License-Identifier: MIT
 * CPU, memory and network of this machine. A thread of the program's own reads /proc and publishes;
 * the page shows the newest sample. The two share nothing but the topic, which copies. */
#include "monitor.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <backhaul/html.h>

enum { POINTS = 60 };
enum series { CPU, MEMORY, RECEIVED, SENT, SERIES };
struct sample { double mem_total, now[SERIES], past[SERIES][POINTS]; }; /* percent, bytes, bytes/s */
struct counters { double busy, total, received, sent; };
struct monitor { bh_topic *topic; pthread_t thread; sem_t stop; };

static struct counters read_counters(void)
{
    struct counters c = {0};
    char line[512];
    FILE *f = fopen("/proc/stat", "re");
    double t, idle[2]; /* user nice system idle iowait irq softirq steal */
    for (int i = 0; f && i < 8 && fscanf(f, i ? "%lf" : "cpu %lf", &t) == 1; i++) {
        if (i == 3 || i == 4) idle[i - 3] = t;
        c.total += t;
        if (i == 7) c.busy = c.total - idle[0] - idle[1];
    }
    if (f) fclose(f);
    f = fopen("/proc/net/dev", "re");
    while (f && fgets(line, sizeof(line), f)) {
        double in, out;
        char name[32];
        if (sscanf(line, " %31[^:]: %lf %*f %*f %*f %*f %*f %*f %*f %lf", name, &in, &out) != 3) continue;
        c.received += strcmp(name, "lo") ? in : 0;
        c.sent += strcmp(name, "lo") ? out : 0;
    }
    if (f) fclose(f);
    return c;
}

static void read_memory(struct sample *s)
{
    char line[256];
    double kib, available = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "MemTotal: %lf", &kib) == 1) s->mem_total = kib * 1024;
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1) available = kib * 1024;
    }
    if (f) fclose(f);
    s->now[MEMORY] = s->mem_total - available;
}

static void *sample_loop(void *arg)
{
    struct monitor *m = arg;
    struct sample s = {0};
    struct counters last = read_counters();
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    do {
        struct counters c = read_counters();
        s.now[CPU] = c.total > last.total ? 100 * (c.busy - last.busy) / (c.total - last.total) : 0;
        s.now[RECEIVED] = c.received > last.received ? c.received - last.received : 0;
        s.now[SENT] = c.sent > last.sent ? c.sent - last.sent : 0;
        read_memory(&s);
        for (int i = 0; i < SERIES; i++) {
            memmove(s.past[i], s.past[i] + 1, sizeof(s.past[i]) - sizeof(s.past[i][0]));
            s.past[i][POINTS - 1] = s.now[i];
        }
        bh_publish(m->topic, &s, sizeof(s));
        last = c;
        due.tv_sec++;
    } while (sem_clockwait(&m->stop, CLOCK_MONOTONIC, &due) && (errno == ETIMEDOUT || errno == EINTR));
    return NULL;
}

struct monitor *monitor_start(void)
{
    struct monitor *m = calloc(1, sizeof(*m));
    if (!m) abort();
    m->topic = bh_topic_new("monitor");
    sem_init(&m->stop, 0, 0);
    if (pthread_create(&m->thread, NULL, sample_loop, m)) abort();
    return m;
}

void monitor_stop(struct monitor *m)
{
    sem_post(&m->stop);
    pthread_join(m->thread, NULL);
    sem_destroy(&m->stop);
    bh_topic_free(m->topic);
    free(m);
}

bh_topic *monitor_samples(struct monitor *m) { return m->topic; }

static const char *bytes(bh_cx *cx, double n)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; n >= 999.5 && u < 4; u++) n /= 1000;
    return FMT("%.*f %s", u && n < 99.5 ? 1 : 0, n, units[u]);
}

static void graph(bh_cx *cx, const double *past, double top)
{
    char points[POINTS * 16], *p = points;
    for (int i = 0; i < POINTS; i++) if (past[i] > top) top = past[i];
    for (int i = 0; i < POINTS; i++) p += sprintf(p, "%d,%.1f ", i, 20 - 19 * past[i] / top);
    SVG(.height = "64", .width = "100%", .aria_hidden = BH_TRI(true),
        .attrs = ATTRS({"viewBox", "0 0 59 20"}, {"preserveAspectRatio", "none"})) {
        POLYLINE(.attrs = ATTRS({"points", points}, {"fill", "none"}, {"stroke", "currentColor"},
                                {"vector-effect", "non-scaling-stroke"})) {}
    }
}

BH_COMPONENT_DEFINE(Monitor)
{
    static const char *const names[SERIES] = {"CPU", "Memory", "Received", "Sent"};
    const struct sample *s = bh_use_topic(cx, props->samples, &(size_t){0});
    MAIN(.class_name = "page wide") {
        H1() TEXT("This machine");
        DIV(.class_name = "cards") for (int i = 0; s && i < SERIES; i++) {
            double top = i == CPU ? 100 : i == MEMORY ? s->mem_total : 1000;
            SECTION(.class_name = "card", .aria_label = names[i]) {
                H2() TEXT(names[i]);
                P(.class_name = "num")
                    if (i == CPU) TEXTF("%.0f %%", s->now[i]);
                    else TEXTF("%s%s", bytes(cx, s->now[i]), i == MEMORY ? "" : "/s");
                if (i <= MEMORY)
                    METER(.aria_label = names[i], .max = FMT("%.0f", top), .value = FMT("%.0f", s->now[i])) {}
                graph(cx, s->past[i], top);
            }
        }
        if (!s) P() TEXT("Waiting for the first sample.");
    }
}

int main(int argc, char **argv)
{
    struct monitor *m = monitor_start();
    int status = bh_main(argc, argv, BH_PAGE("/", Monitor, .samples = monitor_samples(m)));
    monitor_stop(m);
    return status;
}
