/* SPDX-License-Identifier: MIT
 * server/conn.h — the network side's structs, shared by hub.c and conn.c. Main thread, but for the
 * gate and the outbox's head. */
#ifndef BH_SERVER_CONN_H
#define BH_SERVER_CONN_H

#include "server/hub.h"
#include "server/worker.h"

struct bh_conn {
    /* --- immutable */
    bh_hub *hub;
    const bh_transport_ops *ops;
    void *impl;
    bh_sid sid;
    /* --- main */
    bh_msg *first, *last; /* frames waiting, oldest first */
    size_t queued;        /* their bytes */
    size_t sent;          /* of first, when it goes out in pieces */
    uint32_t in_flight;   /* messages of it that the render side has not said it took */
    bool paused;          /* reading, because of those */
    bool waiting;         /* for the transport to become writable */
    bool closing;         /* close has been called, or a write failed */
    bool urgent_home;     /* its blocks are its credit: ReactPy */
    bh_dlist dirty;       /* in hub.dirty */
};

typedef struct bh_page_request bh_page_request;
struct bh_page_request {
    bh_dlist list;
    uint64_t id;
    void (*done)(void *arg, const char *html, size_t len, const char *token); /* NULL: cancelled */
    void *arg;
};

typedef struct bh_stats_request bh_stats_request;
struct bh_stats_request {
    bh_stats_request *next;
    void (*done)(void *arg, const bh_hub_stats *stats);
    void *arg;
};

struct bh_hub {
    /* --- immutable */
    bh_config config;
    uv_loop_t *loop;
    uint32_t n_pages;
    /* --- main */
    bh_exec exec;
    bh_worker worker; /* the render thread's, but for its inbox */
    uv_check_t check; /* once a loop turn, after its I/O */
    uv_idle_t awake;  /* no sleep while something is staged */
    uv_timer_t lazy;  /* for blocks whose way home is not urgent */
    bh_outq staged;   /* for the inbox */
    size_t n_staged;
    bool urgent, in_turn, inbox_open, stopping;
    int handles;
    bh_conn **conns; /* by slot */
    uint32_t *conn_gen, *conn_free;
    uint32_t n_conns, cap_conns, n_free;
    bh_dlist dirty;
    unsigned char *send_buf;
    bh_dlist pages;
    uint64_t page_id;
    bh_stats_request *stats_first, **stats_last;
    void (*done)(bh_hub *hub, void *arg);
    void *done_arg;
    bh_hub_stats stats; /* network side's part */
    /* --- any thread */
    bh_gate gate;
    bh_mbox outbox;
};

enum {
    BH_SEND_BUF = 64 << 10, /* what one coalesced write can hold; a larger frame goes by itself */
    BH_LAZY_HOME_MS = 20,   /* blocks that are no credit wait that long for company */
    BH_LAZY_HOME_MAX = 64,  /* or until there are so many */
};

/* For the inbox, with the next flush. Urgent: this turn; else the lazy timer sees to it. */
void bh__hub_stage(bh_hub *hub, bh_msg *msg /* taken */, bool urgent);
/* conn.c */
bh_conn *bh__conn_find(bh_hub *hub, bh_sid sid);
void bh__conn_append(bh_conn *c, bh_msg *msg /* taken */);
void bh__conn_flush(bh_conn *c);
void bh__conn_credit(bh_conn *c, uint32_t n);
void bh__conn_close(bh_conn *c, unsigned code, const char *reason); /* c may be gone after */
/* hub.c: a stopping hub may be done when its last connection is gone. */
void bh__hub_maybe_done(bh_hub *hub);

#endif
