/* SPDX-License-Identifier: MIT
 * server/log.h — the log: one line a call, on stderr. Any thread.
 * Event values never appear in it. BH_LOG_ONCE(level, counter, ...) logs the first time only. */
#ifndef BH_SERVER_LOG_H
#define BH_SERVER_LOG_H

#include <backhaul/app.h>

/* `counter` is a plain integer of the caller's, on one thread. */
#define BH_LOG_ONCE(level, counter, ...)                                                           \
    do {                                                                                           \
        if ((counter)++ == 0)                                                                      \
            bh_log(level, __VA_ARGS__);                                                            \
    } while (0)

void bh_log_set_level(bh_log_level level);
void bh_log(bh_log_level level, const char *format, ...) BH_PRINTF(2, 3);

#endif
