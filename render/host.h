/* SPDX-License-Identifier: MIT
 * render/host.h — all that rendering asks of the world; implemented by server/worker.c and by
 * tests/support/fake_host.c. Called on the thread that renders. */
#ifndef BH_RENDER_HOST_H
#define BH_RENDER_HOST_H

#include <backhaul/base.h>

typedef struct bh_session bh_session;
typedef struct bh_host bh_host;

typedef struct bh_host_ops {
    uint64_t (*now_ms)(bh_host *host); /* monotonic */
    /* The session became dirty or has effects or timers to run: put it on the run queue. Called at
     * most once until the session has been rendered (bh_session_render clears it). */
    void (*wake)(bh_host *host, bh_session *session);
    /* The next timer of the session is due at this time; UINT64_MAX: none. Replaces the last. */
    void (*timer_at)(bh_host *host, bh_session *session, uint64_t due_ms);
    /* A component failed; text says component, file, line, reason. Log it; it already shows. The same
     * text several times in a row is reported once (all are counted). */
    void (*fault)(bh_host *host, bh_session *session, const char *text);
    /* Something was left out or odd (a refused attribute, twin keys): log it; at most once per
     * session and kind. NULL: not wanted. */
    void (*warn)(bh_host *host, bh_session *session, const char *text);
} bh_host_ops;

struct bh_host {
    const bh_host_ops *ops;
    bool show_errors; /* fault texts in the page, or a neutral sentence */
    void *server;     /* what bh_cx_server returns */
};

#endif
