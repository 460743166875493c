/* SPDX-License-Identifier: MIT
 * render/fault.c — how a failed component and a left-out attribute are told to the host. */
#include <stdarg.h>
#include <stdio.h>

#include "render/internal.h"

void bh__fault_report(bh_session *s, const char *component, const char *doing, const char *reason)
{
    char text[640];
    snprintf(text, sizeof text, "%s: %s: %s", component, doing, reason);
    s->env->faults++;
    /* A component that fails beside a ticking topic fails at every tick: the log hears of it once. */
    int64_t hash = bh_dep_str(text);
    if (hash == s->last_fault)
        return;
    s->last_fault = hash;
    if (s->host->ops->fault)
        s->host->ops->fault(s->host, s, text);
}

void bh__warn_once(bh_session *s, unsigned kind, const char *format, ...)
{
    if (s->warned & kind)
        return;
    s->warned |= (uint8_t)kind;
    if (!s->host->ops->warn)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->host->ops->warn(s->host, s, text);
}
