/* SPDX-License-Identifier: MIT
 * server/server.h — the front: what libwebsockets, the listener, HTTP and WebSockets share.
 * Everything here: main thread (the one that runs the loop). No libwebsockets type is named, so that
 * the parts without it can include this.
 *
 *   server.c         life of a server          server_listen.c  sockets, accept, room
 *   server_lws.c     context, callback, links  server_wheel.c   deadlines, once a second
 *   ws.c             WebSocket transport       ws_upgrade.c     the checks before 101
 *   http*.c          pages, files, numbers     stats.c metrics.c
 *
 * We accept ourselves and hand the socket to lws: what we bind, how many we take and what happens
 * without file descriptors is then ours to say. */
#ifndef BH_SERVER_SERVER_H
#define BH_SERVER_SERVER_H

#include <netinet/in.h>
#include <uv.h>

#include <backhaul/app.h>

#include "server/hub.h"
#include "server/msg.h"

struct lws;
struct lws_context;
struct lws_vhost;
typedef struct bh_link bh_link;

enum {
    BH_WHEEL_SLOTS = 64, /* one a second */
    BH_LISTENERS = 8,
    BH_LAG_BUCKETS = 14,
    BH_HEAD_S = 5,       /* accept or last answer to a whole request head */
    BH_KEEPALIVE_S = 15, /* HTTP connection without a request */
    BH_ANSWER_S = 30,    /* answer without progress */
    BH_CLOSE_S = 2,      /* our close frame to the peer's */
    BH_STATIC_PIECE = 64 * 1024,
};

/* Connections of one address; IPv6 by /64, which is what one subscriber gets. */
typedef struct bh_addr {
    struct bh_addr *next;
    unsigned char key[17]; /* family, then 4 or 8 bytes */
    unsigned count;
} bh_addr;

typedef enum bh_link_state { BH_LINK_HEAD, BH_LINK_HTTP, BH_LINK_WS, BH_LINK_DEAD } bh_link_state;

/* An answer being made or sent; http.c. */
typedef struct bh_http bh_http;

/* One accepted socket, from accept to close. */
struct bh_link {
    bh_server *server;
    struct lws *wsi;
    bh_addr *addr;
    bh_link *next, **at; /* in a wheel slot */
    uint32_t due;        /* tick at which the wheel looks */
    uint32_t alive;      /* WS: tick of the last sign of life. HTTP: of the last progress */
    uint8_t state;       /* bh_link_state */
    bool over;           /* over the limit by address: answered 503, whatever it asks */
    /* --- WebSocket */
    bool pinged, heard, closing, paused, want;
    uint8_t codec;
    uint16_t fragments; /* of the message being received */
    uint32_t page;
    bh_conn *conn;
    unsigned char *part; /* message so far; NULL while every message came in one piece */
    size_t part_len, part_cap;
    size_t frame_left;    /* outgoing frame handed over in pieces: payload still to come */
    uint64_t accounted;   /* bytes received that became messages or parts */
    uint64_t unaccounted; /* at the last flood check */
    uint8_t flood;        /* checks in a row above the limit */
    uint32_t frag_tick;   /* fragments and empty frames: count in this tick */
    uint32_t frag_count;
    char *path, *query; /* between the checks and ESTABLISHED */
    /* --- HTTP */
    bh_http *http;
};

typedef struct bh_listener {
    uv_poll_t poll;
    int fd;
    bool open;
} bh_listener;

typedef struct bh_front_stats {
    uint64_t accepted, refused_full, refused_address, accept_pauses, http_requests, ws_opened;
    uint64_t ws_refused, pings, timeouts, floods, protocol_errors;
    uint64_t turns, busy_ns, busy_max_ns, lag[BH_LAG_BUCKETS];
    uint64_t started_ms;
} bh_front_stats;

struct bh_server {
    /* --- immutable */
    bh_config config;
    const bh_page *pages;
    uv_loop_t *loop;
    bh_hub *hub;
    int static_fd; /* -1: none */
    /* --- main */
    struct lws_context *lws, *lws_dying;
    struct lws_vhost *vhost;
    void *lws_idle, *lws_timer; /* its static uv handles: gone means lws has let the loop go */
    int port;
    bh_listener listeners[BH_LISTENERS];
    unsigned n_listeners;
    bool accept_paused;
    int reserve_fd;
    bh_link *adopting; /* while lws takes it; NULL again if it has already destroyed it */
    unsigned max_links, n_links, n_ws;
    bh_addr *addrs[256];
    uint64_t log_second;
    bh_link *wheel[BH_WHEEL_SLOTS];
    uint32_t tick;
    uint64_t cpu_at_tick;
    uv_timer_t second, resume_accept, stopper;
    uv_prepare_t turn;
    uint64_t turn_at, turn_idle;
    unsigned handles; /* ours that are not closed yet */
    bool stopping, hub_gone, lws_gone;
    uint64_t stop_at;
    void (*done)(bh_server *server, void *arg);
    void *done_arg;
    bh_front_stats stats;
};

/* --- server_listen.c */
int bh_listen_open(bh_server *server); /* logs one line on failure */
/* True if there are enough for a start; else logs one line that says what to do. */
bool bh_files_left(void);
void bh_listen_close(bh_server *server);
void bh_listen_room(bh_server *server); /* a link is gone: accept again if that was paused */
void bh_addr_release(bh_server *server, bh_addr *addr);
/* --- server_lws.c */
int bh_front_lws_open(bh_server *server); /* logs one line on failure */
void bh_front_lws_destroy(bh_server *server);
bool bh_front_lws_gone(bh_server *server);
bh_link *bh_link_adopt(bh_server *server, int fd, bh_addr *addr, bool over);
void bh_link_kill(bh_link *link); /* at once; not from inside its own lws callback */
/* --- server_wheel.c */
void bh_wheel_set(bh_link *link, uint32_t seconds); /* look at it that many ticks from now */
void bh_wheel_remove(bh_link *link);
void bh_wheel_turn(bh_server *server);
/* --- server.c: upper bounds of the loop-lag buckets; the last bucket has none */
extern const uint64_t bh_lag_bounds_us[BH_LAG_BUCKETS - 1];
/* --- ws.c */
/* All of ?a=1&b=2, which lws has cut at the ampersands; the caller frees it. */
char *bh_query_of(struct lws *wsi);
int bh_ws_confirm(bh_link *link);     /* lws asks before 101; -1 after an answer of our own */
int bh_ws_established(bh_link *link); /* the rest are lws callbacks; -1 closes */
int bh_ws_receive(bh_link *link, const void *data, size_t len);
int bh_ws_writable(bh_link *link);
int bh_ws_peer_closes(bh_link *link, const unsigned char *data, size_t len);
void bh_ws_pong(bh_link *link);
void bh_ws_closed(bh_link *link);
void bh_ws_due(bh_link *link);
void bh_ws_flood_check(bh_link *link);
void bh_ws_close(bh_link *link, unsigned code, const char *reason);
/* --- http.c */
int bh_http_request(bh_link *link, const char *path, size_t path_len);
int bh_http_writable(bh_link *link);
void bh_http_gone(bh_link *link);
/* Writes a small answer with Connection: close and returns -1 for lws. */
int bh_http_refuse(bh_link *link, int status, const char *text, const char *extra);

#endif
