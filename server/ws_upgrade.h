/* SPDX-License-Identifier: MIT
 * server/ws_upgrade.h — may this request become a WebSocket? libwebsockets checks neither method,
 * HTTP version, WebSocket version nor Origin, and lets a missing subprotocol pass: this does, before
 * the 101. Pure: no socket, no library; any thread. docs/PROTOCOL.md, first table. */
#ifndef BH_SERVER_WS_UPGRADE_H
#define BH_SERVER_WS_UPGRADE_H

#include <backhaul/app.h>

#include "server/msg.h"

/* What the request says. Strings are NUL-terminated; NULL: the header is absent. */
typedef struct bh_upgrade {
    bool is_get;
    bool http11;      /* HTTP/1.1 */
    const char *path; /* decoded, without query */
    const char *host, *origin, *version, *protocols;
    bool host_twice, origin_twice;
} bh_upgrade;

typedef struct bh_upgrade_answer {
    int status;         /* 101, or the error to answer */
    const char *reason; /* one sentence for the client and the log */
    uint32_t page;      /* 101 only, as are the rest */
    bh_codec_id codec;
    const char *page_path; /* where in path the page's own begins */
} bh_upgrade_answer;

bh_upgrade_answer bh_upgrade_check(const bh_config *config, const bh_page *pages,
                                   const bh_upgrade *up);
/* True if a page of `origin` may open a socket on `host` (the Host header). NULL origin: absent. */
bool bh_origin_allowed(const bh_config *config, const char *origin, const char *host);
/* True if the comma-separated list names `name` exactly (tokens are compared with case). */
bool bh_list_has(const char *list, const char *name);
/* The page served at path, or -1. */
int bh_page_find(const bh_page *pages, const char *path);

#define BH_SUBPROTOCOL "backhaul.v1"
#define BH_REACTPY_PREFIX "/_reactpy/stream"

#endif
