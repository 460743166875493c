/* SPDX-License-Identifier: MIT
 * bench/load/client.h — one connection of the load generator: TCP, upgrade, WebSocket, and as much of
 * backhaul.v1 or ReactPy JSON as it takes to see the first page and to click its last button. */
#ifndef BH_BENCH_CLIENT_H
#define BH_BENCH_CLIENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bh_client bh_client;

typedef struct bh_target {
    struct sockaddr_in address;
    char host[80]; /* as in the Host header */
    char path[200];
    bool reactpy;
} bh_target;
/* http://a.b.c.d:port/path; 0, or -1 after a line on stderr. */
int bh_target_parse(bh_target *target, const char *url);

typedef struct bh_client_ops {
    void (*first)(bh_client *c);    /* the page has arrived */
    void (*answered)(bh_client *c); /* the answer to bh_client_click has arrived */
    void (*lost)(bh_client *c, bool live,
                 const char *why); /* closed already; live: it had its page */
} bh_client_ops;

struct bh_client {
    const bh_target *target;
    const bh_client_ops *ops;
    int fd; /* -1: not open */
    enum {
        BH_CLIENT_IDLE,
        BH_CLIENT_CONNECTS,
        BH_CLIENT_UPGRADES,
        BH_CLIENT_WAITS,
        BH_CLIENT_LIVE
    } state;
    bool clicked;
    uint32_t hid;        /* handler of the last button */
    uint32_t seq, acked; /* last frame received, last one acknowledged */
    uint32_t sent;       /* events */
    uint64_t since;      /* of the connect, or of the last click; for the caller */
    unsigned char *in;   /* what has arrived of an unfinished message */
    size_t in_len, in_cap;
    struct v1_client *page; /* until the first page is complete */
};

void bh_client_init(bh_client *c, const bh_target *target, const bh_client_ops *ops);
/* Begins; the caller watches fd for both directions until state is past CONNECTS. 0 or -errno. */
int bh_client_open(bh_client *c);
void bh_client_ready(bh_client *c); /* fd is readable, writable or broken */
void bh_client_click(bh_client *c);
void bh_client_close(bh_client *c); /* with a close frame if it is live; frees what it holds */

#endif
