/* SPDX-License-Identifier: MIT
 * render/timers.c — interval hooks. The list of a session is short; it is scanned. */
#include <string.h>

#include "render/internal.h"
#include "render/role.h"

void bh__use_interval(bh_cx *cx, unsigned ms, const bh_handler *handler, const char *file, int line)
{
    size_t cap_size = handler->cap_size;
    bh_hook *h = bh__hook(cx, BH_HOOK_INTERVAL, sizeof(bh_timer) + cap_size, file, line);
    bh_timer *t = bh_hook_data(h);
    bh_session *s = cx->session;
    if (!t->linked) {
        t->linked = 1;
        t->inst = cx->inst;
        t->next = s->timers;
        s->timers = t;
    }
    if (t->every_ms != ms) {
        t->every_ms = ms;
        t->due_ms = 0;
    }
    t->fn = handler->fn;
    t->cap_size = cap_size;
    if (cap_size)
        memcpy(t + 1, handler->cap, cap_size);
    h->ready = 1;
}

void bh__timer_leave(bh_session *s, bh_timer *t)
{
    if (!t->linked)
        return;
    t->linked = 0;
    for (bh_timer **at = &s->timers; *at; at = &(*at)->next) {
        if (*at == t) {
            *at = t->next;
            return;
        }
    }
}

/* Arms what is not armed, and tells the host when the next one is due. */
void bh__timers_sync(bh_session *s)
{
    uint64_t due = UINT64_MAX;
    if (!s->timers && s->timer_due == due)
        return;
    uint64_t now = s->attached && s->timers ? s->host->ops->now_ms(s->host) : 0;
    for (bh_timer *t = s->timers; t; t = t->next) {
        if (!s->attached || !t->every_ms) {
            t->due_ms = 0;
            continue;
        }
        if (!t->due_ms)
            t->due_ms = now + t->every_ms;
        if (t->due_ms < due)
            due = t->due_ms;
    }
    if (due == s->timer_due)
        return;
    s->timer_due = due;
    s->host->ops->timer_at(s->host, s, due);
}

void bh_session_timers(bh_session *s, uint64_t now_ms)
{
    bh_role_assert_render();
    s->timer_due = 0; /* whatever the host had has fired */
    if (s->attached) {
        /* Handlers only set state; the list changes in renders alone. */
        for (bh_timer *t = s->timers; t; t = t->next) {
            if (!t->due_ms || t->due_ms > now_ms)
                continue;
            t->due_ms += t->every_ms;
            if (t->due_ms <= now_ms)
                t->due_ms = now_ms + t->every_ms; /* after a stall: one late tick, no burst */
            static const bh_event tick = {.value = "", .key = ""};
            if (t->fn)
                bh__handler_call(s, t->inst, t->fn, t->cap_size ? t + 1 : NULL, &tick);
        }
    }
    bh__timers_sync(s);
}
