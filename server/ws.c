/* SPDX-License-Identifier: MIT
 * ws — WebSockets: what libwebsockets leaves to us, and the hub's transport over it.
 *
 * Out: frames come ready-made from the hub and go out as they are (LWS_WRITE_RAW), at once; lws is
 * asked for "writable" only while it holds an unsent rest. A frame that the hub hands over in pieces
 * leaves here as a fragmented message, a fragment a piece: lws may put a pong or a close between any
 * two writes, which is legal between fragments and would corrupt the middle of a frame.
 *
 * In: messages are collected against their declared length; the limit is enforced from what a frame
 * says it will be, not from what has arrived. Our close frame is our own too: then the peer has
 * BH_CLOSE_S for its own, and what it sends meanwhile is thrown away. */
#include <errno.h>
#include <libwebsockets.h>
#include <string.h>

#include "server/limits.h"
#include "server/log.h"
#include "server/server.h"
#include "server/server_tcp.h"
#include "server/ws_upgrade.h"
#include "vdom/mem.h"

enum {
    FRAGMENTS_A_SECOND = 1000, /* fragments and empty frames of one client */
    FLOOD_BYTES = 64 * 1024,   /* a second that no message accounts for */
    FLOOD_CHECKS = 2,
};

/* ---- out: the hub's transport ------------------------------------------------------------- */

static int raw(bh_link *link, unsigned char *bytes, size_t len)
{
    return lws_write(link->wsi, bytes, len, LWS_WRITE_RAW) < (int)len ? -EPIPE : 0;
}

/* Length of the header at p and of the payload it announces; 0 if it doesn't fit into len. */
static size_t frame_head(const unsigned char *p, size_t len, uint64_t *ret_payload)
{
    size_t head = len < 2 ? 0 : p[1] < 126 ? 2 : p[1] == 126 ? 4 : 10;
    if (!head || head > len)
        return 0;
    uint64_t n = p[1];
    if (head > 2) {
        n = 0;
        for (size_t i = 2; i < head; i++)
            n = n << 8 | p[i];
    }
    *ret_payload = n;
    return head;
}

/* Writes a header that ends just before p; returns where it begins. */
static unsigned char *head_before(unsigned char *p, unsigned first, size_t n)
{
    if (n < 126) {
        *--p = (unsigned char)n;
    } else {
        int bytes = n < 65536 ? 2 : 8;
        for (int i = 0; i < bytes; i++)
            *--p = (unsigned char)(n >> (8 * i));
        *--p = bytes == 2 ? 126 : 127;
    }
    *--p = (unsigned char)first;
    return p;
}

/* n payload bytes at p as one fragment. Its header is put over what stands before p, and that is put
 * back: the block is kept for a replay (lws copies what it can't send at once). */
static int fragment(bh_link *link, unsigned char *p, unsigned first, size_t n)
{
    unsigned char saved[10];
    memcpy(saved, p - sizeof(saved), sizeof(saved));
    unsigned char *from = head_before(p, first, n);
    int r = raw(link, from, (size_t)(p - from) + n);
    memcpy(p - sizeof(saved), saved, sizeof(saved));
    return r;
}

static int transport_write(bh_conn *conn, unsigned char *bytes, size_t len)
{
    bh_link *link = bh_conn_impl(conn);
    if (link->closing || link->state != BH_LINK_WS)
        return -EPIPE;
    unsigned char *from = bytes, *end = bytes + len, *p = bytes;
    if (link->frame_left) { /* the next piece of a frame */
        size_t n = len < link->frame_left ? len : link->frame_left;
        link->frame_left -= n;
        int r = fragment(link, p, link->frame_left ? 0x00 : 0x80, n);
        if (r)
            return r;
        from = p += n;
    }
    while (p < end) {
        uint64_t payload;
        size_t head = frame_head(p, (size_t)(end - p), &payload);
        if (!head)
            return -EINVAL; /* the hub never cuts a header */
        size_t here = (size_t)(end - p) - head;
        if (payload <= here) {
            p += head + payload;
            continue;
        }
        /* the first piece of a frame: what stands before it goes first */
        if (p > from) {
            int r = raw(link, from, (size_t)(p - from));
            if (r)
                return r;
        }
        link->frame_left = (size_t)payload - here;
        return fragment(link, p + head, p[0] & 0x0fu, here);
    }
    return from < end ? raw(link, from, (size_t)(end - from)) : 0;
}

static bool transport_busy(bh_conn *conn)
{
    bh_link *link = bh_conn_impl(conn);
    return link->state == BH_LINK_WS && lws_partial_buffered(link->wsi);
}

static void transport_want_writable(bh_conn *conn)
{
    bh_link *link = bh_conn_impl(conn);
    link->want = true;
    if (link->state == BH_LINK_WS)
        lws_callback_on_writable(link->wsi);
}

static void transport_pause(bh_conn *conn, bool pause)
{
    bh_link *link = bh_conn_impl(conn);
    link->paused = pause;
    if (link->state != BH_LINK_WS)
        return;
    lws_rx_flow_control(link->wsi, !pause);
    if (!pause) /* what lws read before the pause is delivered in its next turn: see that there is one */
        lws_callback_on_writable(link->wsi);
}

static void transport_close(bh_conn *conn, unsigned code, const char *reason)
{
    bh_ws_close(bh_conn_impl(conn), code, reason);
}

static const bh_transport_ops transport = {
    .write = transport_write,
    .busy = transport_busy,
    .want_writable = transport_want_writable,
    .pause = transport_pause,
    .close = transport_close,
};

/* ---- closing ------------------------------------------------------------------------------ */

void bh_ws_close(bh_link *link, unsigned code, const char *reason)
{
    if (link->closing || link->state != BH_LINK_WS)
        return;
    unsigned char buf[BH_MSG_HEADROOM + 2 + 2 + 123];
    unsigned char *p = buf + BH_MSG_HEADROOM;
    size_t n = reason ? strlen(reason) : 0;
    if (n > 123)
        n = 123;
    p[0] = 0x88;
    p[1] = (unsigned char)(2 + n);
    p[2] = (unsigned char)(code >> 8);
    p[3] = (unsigned char)code;
    if (n)
        memcpy(p + 4, reason, n);
    bh_free(link->part);
    link->part = NULL;
    link->closing = true;
    if (link->paused) /* the peer's own close frame has to get through */
        lws_rx_flow_control(link->wsi, 1);
    if (raw(link, p, 4 + n)) {
        bh_wheel_set(link, 1);
        return;
    }
    bh_wheel_set(link, BH_CLOSE_S);
}

int bh_ws_peer_closes(bh_link *link, const unsigned char *data, size_t len)
{
    if (link->closing)
        return -1; /* the answer to ours: done, and no second one */
    unsigned code = len >= 2 ? (unsigned)(data[0] << 8 | data[1]) : 1000;
    if (code < 5000 && len != 1) {
        link->closing = true; /* lws checks below 3000 and answers; nothing after it is heard */
        bh_wheel_set(link, BH_CLOSE_S);
        return 0;
    }
    link->server->stats.protocol_errors++;
    bh_ws_close(link, BH_CLOSE_PROTOCOL, "bad close code");
    return -1;
}

void bh_ws_closed(bh_link *link)
{
    bh_free(link->part);
    bh_free(link->path);
    bh_free(link->query);
    link->part = NULL;
    link->path = link->query = NULL;
    if (link->state == BH_LINK_WS)
        link->server->n_ws--;
    link->state = BH_LINK_DEAD;
    bh_conn *conn = link->conn;
    link->conn = NULL;
    if (conn)
        bh_conn_closed(conn);
}

/* ---- the upgrade -------------------------------------------------------------------------- */

static char *copy_header(struct lws *wsi, enum lws_token_indexes which, char *buf, size_t cap)
{
    int n = lws_hdr_total_length(wsi, which);
    if (n <= 0)
        return NULL;
    if (lws_hdr_copy(wsi, buf, (int)cap, which) < 0)
        buf[0] = '\0'; /* longer than any that could be right */
    return buf;
}

static char *dup_text(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(bh_alloc(n), s, n);
}

char *bh_query_of(struct lws *wsi)
{
    int total = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS);
    char *query = bh_zalloc((size_t)(total > 0 ? total : 0) + 66);
    size_t at = 0;
    for (int i = 0; i < 64 && total > 0; i++) {
        int n = lws_hdr_copy_fragment(wsi, query + at + (at > 0), total + 2,
                                      WSI_TOKEN_HTTP_URI_ARGS, i);
        if (n <= 0)
            break;
        if (at)
            query[at++] = '&';
        at += (size_t)n;
    }
    query[at] = '\0';
    return query;
}

int bh_ws_confirm(bh_link *link)
{
    struct lws *wsi = link->wsi;
    char up_to[16], version[16], host[300], origin[300], http[16], list[300];
    if (!copy_header(wsi, WSI_TOKEN_UPGRADE, up_to, sizeof(up_to)))
        return -1; /* lws has answered and freed the request: hang up before it looks at it again */
    if (strcasecmp(up_to, "websocket") != 0)
        return bh_http_refuse(link, 400, "only websocket upgrades", NULL);
    char *uri = NULL;
    int uri_len = 0;
    int method = lws_http_get_uri_and_method(wsi, &uri, &uri_len);
    char *path = bh_zalloc((size_t)(uri_len > 0 ? uri_len : 0) + 1);
    if (method >= 0 && uri && uri_len > 0)
        memcpy(path, uri, (size_t)uri_len);
    if (uri_len > 0 && strlen(path) != (size_t)uri_len) /* %00 */
        path[0] = '\0';
    const char *proto = copy_header(wsi, WSI_TOKEN_HTTP, http, sizeof(http));
    bh_upgrade up = {
        .is_get = method == LWSHUMETH_GET,
        .http11 = proto && strcmp(proto, "HTTP/1.1") == 0,
        .path = path,
        .host = copy_header(wsi, WSI_TOKEN_HOST, host, sizeof(host)),
        .origin = copy_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin)),
        .version = copy_header(wsi, WSI_TOKEN_VERSION, version, sizeof(version)),
        .protocols = copy_header(wsi, WSI_TOKEN_PROTOCOL, list, sizeof(list)),
        .host_twice = lws_hdr_fragment_length(wsi, WSI_TOKEN_HOST, 1) > 0,
        .origin_twice = lws_hdr_fragment_length(wsi, WSI_TOKEN_ORIGIN, 1) > 0,
    };
    bh_server *server = link->server;
    bh_upgrade_answer a = bh_upgrade_check(&server->config, server->pages, &up);
    if (a.status == 101 && (server->stopping || link->over))
        a = (bh_upgrade_answer){.status = 503,
                                .reason = server->stopping ? "stopping"
                                                           : "too many "
                                                             "connections from this address"};
    if (a.status == 101 && server->n_ws >= server->config.max_sessions)
        a = (bh_upgrade_answer){.status = 503, .reason = "no room for another session"};
    if (a.status != 101) {
        bh_free(path);
        server->stats.ws_refused++;
        return bh_http_refuse(link, a.status, a.reason,
                              a.status == 426   ? "Sec-WebSocket-Version: 13\r\n"
                              : a.status == 405 ? "Allow: GET, HEAD\r\n"
                                                : NULL);
    }
    link->page = a.page;
    link->codec = (uint8_t)a.codec;
    link->path = dup_text(a.page_path);
    link->query = bh_query_of(wsi);
    bh_free(path);
    bh_http_gone(link);
    link->state = BH_LINK_WS;
    server->n_ws++;
    return 0;
}

int bh_ws_established(bh_link *link)
{
    bh_server *server = link->server;
    if (link->state != BH_LINK_WS)
        return -1;
    link->alive = server->tick;
    link->conn = bh_conn_open(server->hub, &transport, link, link->page, (bh_codec_id)link->codec,
                              link->path, link->query);
    bh_free(link->path);
    bh_free(link->query);
    link->path = link->query = NULL;
    if (!link->conn) {
        server->stats.ws_refused++;
        bh_ws_close(link, 1013, "no room for another session");
        return 0;
    }
    server->stats.ws_opened++;
    link->heard = link->codec != BH_CODEC_V1; /* ReactPy's client has nothing to say at first */
    bh_wheel_set(link, BH_HELLO_TIMEOUT_S);
    return 0;
}

/* ---- in ----------------------------------------------------------------------------------- */

static int too_big(bh_link *link, const char *reason)
{
    link->server->stats.protocol_errors++;
    bh_ws_close(link, BH_CLOSE_TOO_BIG, reason);
    return 0;
}

/* Small frames that are no whole message cost us as much as messages and count nowhere else. */
static bool fragments_flood(bh_link *link)
{
    if (link->frag_tick != link->server->tick) {
        link->frag_tick = link->server->tick;
        link->frag_count = 0;
    }
    return ++link->frag_count > FRAGMENTS_A_SECOND;
}

static int flood(bh_link *link)
{
    link->server->stats.floods++;
    bh_ws_close(link, BH_CLOSE_RATE, "too many fragments");
    return 0;
}

static void deliver(bh_link *link, const void *data, size_t len)
{
    link->heard = true;
    bh_conn_receive(link->conn, data, len);
}

static int append(bh_link *link, const void *data, size_t len, size_t to_come)
{
    size_t need = link->part_len + len + to_come;
    if (!link->part || need > link->part_cap) {
        unsigned char *grown = bh_try_alloc(need);
        if (!grown)
            return too_big(link, "no memory for this message");
        if (link->part && link->part_len)
            memcpy(grown, link->part, link->part_len);
        bh_free(link->part);
        link->part = grown;
        link->part_cap = need;
    }
    if (len)
        memcpy(link->part + link->part_len, data, len);
    link->part_len += len;
    return 0;
}

int bh_ws_receive(bh_link *link, const void *data, size_t len)
{
    bh_server *server = link->server;
    struct lws *wsi = link->wsi;
    if (link->closing || !link->conn)
        return 0;
    link->alive = server->tick;
    size_t to_come = lws_remaining_packet_payload(wsi);
    bool first = lws_is_first_fragment(wsi), last = lws_is_final_fragment(wsi);
    link->accounted += len + (to_come ? 0 : 6); /* header and mask, at least */
    if (first) {
        link->fragments = 0;
        link->part_len = 0;
        if ((lws_frame_is_binary(wsi) != 0) != (link->codec == BH_CODEC_V1)) {
            bh_ws_close(link, BH_CLOSE_BAD_MESSAGE,
                        link->codec == BH_CODEC_V1 ? "binary messages, please"
                                                   : "text messages, please");
            return 0;
        }
    }
    if (to_come > server->config.max_message ||
        link->part_len + len + to_come > server->config.max_message)
        return too_big(link, "message over the limit");
    if (first && last) {
        if (len == 0 && fragments_flood(link))
            return flood(link);
        deliver(link, data, len);
        return 0;
    }
    if (!to_come) {
        if (++link->fragments > BH_MAX_FRAGMENTS)
            return too_big(link, "too many fragments");
        if (fragments_flood(link))
            return flood(link);
    }
    int r = append(link, data, len, to_come);
    if (r || link->closing || !last)
        return r;
    unsigned char *whole = link->part;
    link->part = NULL;
    deliver(link, whole, link->part_len);
    link->part_len = 0;
    bh_free(whole);
    return 0;
}

int bh_ws_writable(bh_link *link)
{
    if (!link->want || link->closing || !link->conn)
        return 0;
    link->want = false;
    link->alive = link->server->tick; /* the peer takes what we send: that is life too */
    bh_conn_writable(link->conn);
    return 0;
}

void bh_ws_pong(bh_link *link)
{
    link->alive = link->server->tick;
    link->pinged = false;
}

/* ---- deadlines ---------------------------------------------------------------------------- */

static void ping(bh_link *link)
{
    /* with payload: a pong without one is dropped inside lws and never seen here */
    unsigned char buf[BH_MSG_HEADROOM + 4] = {0};
    unsigned char *p = buf + BH_MSG_HEADROOM;
    p[0] = 0x89;
    p[1] = 2;
    p[2] = 'b';
    p[3] = 'h';
    link->server->stats.pings++;
    (void)raw(link, p, 4);
}

void bh_ws_due(bh_link *link)
{
    bh_server *server = link->server;
    uint32_t idle = server->tick - link->alive;
    if (link->closing || idle >= BH_PING_IDLE_S + BH_PING_TIMEOUT_S || !link->conn) {
        if (!link->closing)
            server->stats.timeouts++;
        bh_link_kill(link);
        return;
    }
    if (!link->heard) {
        server->stats.timeouts++;
        bh_ws_close(link, BH_CLOSE_NO_HELLO, "no HELLO");
        return;
    }
    if (idle < BH_PING_IDLE_S) {
        link->pinged = false;
        bh_wheel_set(link, BH_PING_IDLE_S - idle);
        return;
    }
    if (!link->pinged) {
        link->pinged = true;
        ping(link);
    }
    bh_wheel_set(link, BH_PING_IDLE_S + BH_PING_TIMEOUT_S - idle);
}

void bh_ws_flood_check(bh_link *link)
{
    uint64_t received;
    if (bh_tcp_received(lws_get_socket_fd(link->wsi), &received))
        return;
    uint64_t other = received - link->accounted;
    uint64_t more = other > link->unaccounted ? other - link->unaccounted : 0;
    bool known = link->unaccounted != 0;
    link->unaccounted = other;
    if (!known || link->paused || more < FLOOD_BYTES) {
        link->flood = 0;
        return;
    }
    if (++link->flood < FLOOD_CHECKS)
        return;
    link->server->stats.floods++;
    bh_log(BH_LOG_INFO, "a client floods with control frames (%llu bytes a second): closed",
           (unsigned long long)more);
    bh_ws_close(link, BH_CLOSE_RATE, "too many control frames");
}
