/* SPDX-License-Identifier: MIT
 * server/hub.h — the network side without a network: connections, mailboxes, the executor and the
 * worker, joined. ws.c and http.c drive it with libwebsockets; tests/support/loopback.c drives it
 * with arrays. Everything here: main thread (the one that runs main_loop).
 *
 *   a message in:  bh_conn_receive → staged → (check, once a loop turn) inbox → worker
 *   frames out:    worker → outbox → (drained whole) per-connection list → one write a connection
 *
 * Writes go out directly from the drain; a connection waits for "writable" only while its transport
 * still holds bytes (bh_transport_ops.busy). */
#ifndef BH_SERVER_HUB_H
#define BH_SERVER_HUB_H

#include <uv.h>

#include <backhaul/app.h>

#include "server/exec.h"
#include "server/msg.h"

typedef struct bh_hub bh_hub;
typedef struct bh_conn bh_conn;

/* What a connection asks of the socket under it. */
typedef struct bh_transport_ops {
    /* Takes len bytes (whole frames or a piece of one; len <= BH_SEND_PIECE) or keeps a copy of what
     * it cannot send. Neither they nor what stands before them may be changed: they are kept for a
     * replay (LWS_WRITE_RAW changes nothing). 0, or -errno: the connection is dead; bh_conn_closed
     * follows, but not from within this call. */
    int (*write)(bh_conn *conn, unsigned char *bytes, size_t len);
    bool (*busy)(bh_conn *conn);              /* bytes of an earlier write are still held */
    void (*want_writable)(bh_conn *conn);     /* call bh_conn_writable once no longer busy */
    void (*pause)(bh_conn *conn, bool pause); /* stop or go on reading */
    /* Then bh_conn_closed, at once (from within this call) or later. */
    void (*close)(bh_conn *conn, unsigned code, const char *reason);
} bh_transport_ops;

typedef struct bh_hub_params {
    const bh_config *config; /* borrowed */
    const bh_page *pages;    /* borrowed */
    uv_loop_t *main_loop;
    const bh_exec_ops *exec; /* bh_exec_thread, bh_exec_inline, or the tests' */
    void *server;            /* what bh_cx_server returns */
} bh_hub_params;

int bh_hub_new(const bh_hub_params *params, bh_hub **ret_hub);
/* Refuses what is new, closes every connection (1001), stops the worker. `done` runs on the main
 * loop when no handle of the hub is left and every connection has said bh_conn_closed: who owns the
 * sockets cuts those that take too long. */
void bh_hub_stop(bh_hub *hub, void (*done)(bh_hub *hub, void *arg), void *arg);
void bh_hub_free(bh_hub *hub); /* after done */

/* A WebSocket has been accepted. Returns NULL if no more are taken (limits): refuse or close it. */
bh_conn *bh_conn_open(bh_hub *hub, const bh_transport_ops *ops, void *impl, uint32_t page,
                      bh_codec_id codec, const char *path, const char *query);
void *bh_conn_impl(const bh_conn *conn);
bh_sid bh_conn_sid(const bh_conn *conn);
/* One whole message, within the size limit and valid UTF-8 if text: the transport's duty. Copies. */
void bh_conn_receive(bh_conn *conn, const void *data, size_t len);
void bh_conn_writable(bh_conn *conn);
void bh_conn_closed(bh_conn *conn); /* the transport is gone; conn is invalid after */

/* A page's first HTML: done gets the fragment for inside <backhaul-view> and the token to put in
 * its data-token ("" when the session was not kept). Borrowed for the call. The returned id cancels.
 * 0: the hub is stopping, done will not be called. A page asked for before the stop is answered. */
uint64_t bh_hub_page(bh_hub *hub, uint32_t page, const char *path, const char *query,
                     void (*done)(void *arg, const char *html, size_t len, const char *token),
                     void *arg);
void bh_hub_page_cancel(bh_hub *hub, uint64_t id);

/* From any thread: runs fn(copy, len) on the render side. 0, -ESHUTDOWN, -ENOBUFS. */
int bh_hub_post(bh_hub *hub, void (*fn)(void *data, size_t len), const void *data, size_t len);

/* Numbers of both sides; the render side's are asked for by message and arrive by `done`. */
typedef struct bh_hub_stats {
    /* network side */
    uint64_t conns_open, conns_total, conns_refused;
    uint64_t messages_in, bytes_in, frames_out, bytes_out, sends, stale_out, stale_in;
    uint64_t inbox_high_water, outbox_high_water, out_queue_high_water, rx_pauses;
    /* render side */
    uint64_t sessions_live, sessions_parked, sessions_prerendered, sessions_total;
    uint64_t renders, component_renders, faults, frames, stale_refs, unknown_handlers;
    uint64_t refused_attrs, twin_keys, bad_messages, ignored_messages, dropped_posts;
    uint64_t resumed, resume_lost, taken_over, evicted, replayed_frames, stalls, commits;
    uint64_t session_bytes, retained_bytes, pool_bytes;
    uint64_t cpu_render_ns; /* CLOCK_THREAD_CPUTIME_ID of the rendering thread; inline: of main */
} bh_hub_stats;
/* done may be called at once when the hub is stopping (then with the network side's numbers only). */
void bh_hub_stats_get(bh_hub *hub, void (*done)(void *arg, const bh_hub_stats *stats), void *arg);

#endif
