/* SPDX-License-Identifier: MIT */
#include "server/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic int log_level = BH_LOG_WARN;

void bh_log_set_level(bh_log_level level)
{
    atomic_store_explicit(&log_level, (int)level, memory_order_relaxed);
}

void bh_log(bh_log_level level, const char *format, ...)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    if ((int)level > atomic_load_explicit(&log_level, memory_order_relaxed))
        return;
    char line[1024];
    int n = snprintf(line, sizeof line, "backhaul: %s: ", words[level]);
    va_list args;
    va_start(args, format);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    va_end(args);
    size_t len = (size_t)n;
    if (m > 0)
        len += (size_t)m < sizeof line - len - 1 ? (size_t)m : sizeof line - len - 2;
    for (size_t i = 0; i < len; i++) { /* one line a call, whatever a fault text holds */
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    }
    line[len++] = '\n';
    ssize_t w = write(STDERR_FILENO, line, len); /* one call: lines of threads do not mix */
    (void)w;
}
