/* SPDX-License-Identifier: MIT
 * server_wheel — deadlines of all links: a wheel of one-second slots. A link sits in the slot of the
 * next time it must be looked at; signs of life only note the tick, so they cost nothing here.
 *
 * Time is counted in ticks that fired, not in seconds that passed: after the process was stopped or
 * the machine slept, peers get their whole time again instead of all being dropped at once. */
#include <time.h>

#include "server/server.h"

void bh_wheel_remove(bh_link *link)
{
    if (!link->at)
        return;
    *link->at = link->next;
    if (link->next)
        link->next->at = link->at;
    link->at = NULL;
    link->next = NULL;
}

void bh_wheel_set(bh_link *link, uint32_t seconds)
{
    bh_server *server = link->server;
    bh_wheel_remove(link);
    link->due = server->tick + (seconds ? seconds : 1);
    bh_link **slot = &server->wheel[link->due % BH_WHEEL_SLOTS];
    link->next = *slot;
    link->at = slot;
    if (link->next)
        link->next->at = &link->next;
    *slot = link;
}

static void look(bh_link *link)
{
    if (link->state == BH_LINK_WS) {
        bh_ws_due(link);
        return;
    }
    link->server->stats.timeouts++;
    bh_link_kill(link);
}

/* Pings, and pongs without payload, are answered inside lws without a word to us. What they cost
 * shows as bytes received that never became a message; that is asked of the kernel, which is only
 * worth it in a second in which this thread was busy. */
static void check_floods(bh_server *server)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    uint64_t cpu = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    uint64_t used = cpu - server->cpu_at_tick;
    server->cpu_at_tick = cpu;
    if (used < 200000000u)
        return;
    for (unsigned i = 0; i < BH_WHEEL_SLOTS; i++)
        for (bh_link *link = server->wheel[i], *next; link; link = next) {
            next = link->next;
            if (link->state == BH_LINK_WS && !link->closing)
                bh_ws_flood_check(link);
        }
}

void bh_wheel_turn(bh_server *server)
{
    server->tick++;
    bh_link *due = server->wheel[server->tick % BH_WHEEL_SLOTS];
    for (bh_link *link = due, *next; link; link = next) {
        next = link->next;
        if (link->due == server->tick)
            look(link);
    }
    check_floods(server);
}
