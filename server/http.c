/* SPDX-License-Identifier: MIT
 * http — requests that stay HTTP. lws has read and decoded the head; we route and answer.
 *
 * An answer is one buffer (head and body) or a head and a file sent in pieces as the socket takes
 * them. Answers that are not at hand (a page to render, numbers of the render side) arrive later;
 * until then reading is stopped, so that a peer that hangs up meanwhile can't make the loop spin. */
#include <errno.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/embed.h"
#include "server/http.h"
#include "server/log.h"
#include "server/server.h"
#include "server/ws_upgrade.h"
#include "vdom/mem.h"

struct bh_http {
    bh_link *link; /* NULL: the connection is gone, the answer has nobody to go to */
    bh_buf out;    /* BH_MSG_HEADROOM bytes, then what is to be sent */
    bool head_only, keep, ready, waiting;
    uint64_t page_id; /* of bh_hub_page, 0: none */
    uint32_t page;
    bool metrics;
    int fd; /* file still to send, -1: none */
    uint64_t left;
};

static const char *status_text(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 301:
        return "Moved Permanently";
    case 304:
        return "Not Modified";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 426:
        return "Upgrade Required";
    case 503:
        return "Service Unavailable";
    default:
        return "Error";
    }
}

static const char security[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";

static void head(bh_buf *out, int status, const char *type, uint64_t length, bool has_length,
                 const char *extra, bool keep)
{
    bh_buf_printf(out, "HTTP/1.1 %d %s\r\n", status, status_text(status));
    if (type)
        bh_buf_printf(out, "Content-Type: %s\r\n", type);
    if (has_length)
        bh_buf_printf(out, "Content-Length: %llu\r\n", (unsigned long long)length);
    bh_buf_str(out, security);
    if (extra)
        bh_buf_str(out, extra);
    bh_buf_str(out, keep ? "\r\n" : "Connection: close\r\n\r\n");
}

/* ---- sending ------------------------------------------------------------------------------ */

static bh_http *begin(bh_link *link)
{
    bh_http_gone(link);
    bh_http *h = bh_zalloc(sizeof(*h));
    bh_buf_init(&h->out);
    h->fd = -1;
    h->link = link;
    bh_buf_room(&h->out, BH_MSG_HEADROOM);
    h->out.len = BH_MSG_HEADROOM;
    link->http = h;
    link->state = BH_LINK_HTTP;
    bh_wheel_set(link, BH_ANSWER_S);
    return h;
}

static void destroy(bh_http *h)
{
    bh_buf_fini(&h->out);
    if (h->fd >= 0)
        close(h->fd);
    bh_free(h);
}

void bh_http_gone(bh_link *link)
{
    bh_http *h = link->http;
    link->http = NULL;
    if (!h)
        return;
    h->link = NULL;
    if (h->page_id) {
        bh_hub_page_cancel(link->server->hub, h->page_id);
        h->page_id = 0;
        h->waiting = false;
    }
    if (!h->waiting) /* numbers that were asked for still come, and free it then */
        destroy(h);
}

/* The answer is out: the next request, or the end. */
static int finish(bh_link *link)
{
    bool keep = link->http->keep;
    bh_http_gone(link);
    if (!keep)
        return -1;
    link->state = BH_LINK_HEAD;
    bh_wheel_set(link, BH_KEEPALIVE_S);
    return lws_http_transaction_completed(link->wsi) ? -1 : 0;
}

static int send_piece(bh_link *link)
{
    bh_http *h = link->http;
    if (h->out.len > BH_MSG_HEADROOM) {
        size_t n = h->out.len - BH_MSG_HEADROOM;
        h->out.len = BH_MSG_HEADROOM;
        if (lws_write(link->wsi, h->out.data + BH_MSG_HEADROOM, n, LWS_WRITE_HTTP) < (int)n)
            return -1;
    }
    if (h->left && !lws_partial_buffered(link->wsi)) {
        unsigned char *room = bh_buf_room(&h->out, BH_STATIC_PIECE);
        ssize_t n = read(h->fd, room, h->left < BH_STATIC_PIECE ? h->left : BH_STATIC_PIECE);
        if (n <=
            0) /* shorter than it was: the length has been promised, so only closing is honest */
            return -1;
        h->left -= (uint64_t)n;
        if (lws_write(link->wsi, room, (size_t)n, LWS_WRITE_HTTP) < (int)n)
            return -1;
    }
    if (!h->left)
        return finish(link);
    bh_wheel_set(link, BH_ANSWER_S);
    lws_callback_on_writable(link->wsi);
    return 0;
}

int bh_http_writable(bh_link *link)
{
    if (!link->http || !link->http->ready)
        return 0;
    return send_piece(link);
}

/* Answers now, from inside the request's callback. */
static int answer(bh_link *link, int status, const char *type, const char *extra, const void *body,
                  size_t len)
{
    bh_http *h = link->http;
    head(&h->out, status, type, len, status != 304, extra, h->keep);
    if (!h->head_only && status != 304)
        bh_buf_put(&h->out, body, len);
    h->ready = true;
    return send_piece(link);
}

static int answer_text(bh_link *link, int status, const char *text)
{
    char body[160];
    int n = snprintf(body, sizeof(body), "%d %s\n", status, text);
    return answer(link, status, "text/plain; charset=utf-8", "Cache-Control: no-store\r\n", body,
                  (size_t)n);
}

int bh_http_refuse(bh_link *link, int status, const char *text, const char *extra)
{
    begin(link);
    char body[160], more[160];
    int n = snprintf(body, sizeof(body), "%d %s\n", status, text);
    snprintf(more, sizeof(more), "Cache-Control: no-store\r\n%s", extra ? extra : "");
    (void)answer(link, status, "text/plain; charset=utf-8", more, body, (size_t)n);
    return -1;
}

/* Answers later, from outside of lws's callbacks: the socket's next turn sends it. */
static void wait_for_it(bh_link *link)
{
    link->http->waiting = true;
    lws_set_timeout(link->wsi, NO_PENDING_TIMEOUT, 0); /* the wheel has its own */
    lws_rx_flow_control(link->wsi, 0);
}

static void arrived(bh_http *h, const char *type, const char *extra, const bh_buf *body)
{
    h->waiting = false;
    head(&h->out, 200, type, body->len, true, extra, h->keep);
    if (!h->head_only)
        bh_buf_put(&h->out, body->data, body->len);
    h->ready = true;
    lws_rx_flow_control(h->link->wsi, 1);
    lws_callback_on_writable(h->link->wsi);
}

/* ---- pages and numbers -------------------------------------------------------------------- */

static void on_page(void *arg, const char *html, size_t len, const char *token)
{
    bh_http *h = arg;
    h->page_id = 0;
    bh_buf body;
    bh_buf_init(&body);
    bh_page_document(&body, &h->link->server->pages[h->page], html, len, token,
                     h->link->server->config.max_message);
    arrived(h, "text/html; charset=utf-8", "Cache-Control: no-store\r\n", &body);
    bh_buf_fini(&body);
}

static void on_stats(void *arg, const bh_hub_stats *stats)
{
    bh_http *h = arg;
    h->waiting = false;
    if (!h->link) {
        destroy(h);
        return;
    }
    bh_buf body;
    bh_buf_init(&body);
    if (h->metrics)
        bh_metrics_text(&body, h->link->server, stats);
    else
        bh_stats_json(&body, h->link->server, stats);
    arrived(h, h->metrics ? "text/plain; version=0.0.4; charset=utf-8" : "application/json",
            "Cache-Control: no-store\r\n", &body);
    bh_buf_fini(&body);
}

static int serve_page(bh_link *link, int page, const char *path)
{
    bh_http *h = link->http;
    bh_server *server = link->server;
    if (h->head_only) { /* a HEAD must not cost a session */
        head(&h->out, 200, "text/html; charset=utf-8", 0, false, "Cache-Control: no-store\r\n",
             h->keep);
        h->ready = true;
        return send_piece(link);
    }
    if (server->stopping)
        return answer_text(link, 503, "stopping");
    h->page = (uint32_t)page;
    wait_for_it(link);
    char *query = bh_query_of(link->wsi);
    uint64_t id = bh_hub_page(server->hub, h->page, path, query, on_page, h);
    bh_free(query);
    if (link->http == h && h->waiting) /* not answered at once, as the inline executor might */
        h->page_id = id;
    return 0;
}

static int serve_numbers(bh_link *link, bool metrics)
{
    bh_server *server = link->server;
    if (server->stopping)
        return answer_text(link, 503, "stopping");
    link->http->metrics = metrics;
    wait_for_it(link);
    bh_hub_stats_get(server->hub, on_stats, link->http);
    return 0;
}

/* ---- files -------------------------------------------------------------------------------- */

static bool not_modified(bh_link *link, const char *etag)
{
    char seen[256];
    int n = lws_hdr_total_length(link->wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH);
    if (n <= 0 || lws_hdr_copy(link->wsi, seen, sizeof(seen), WSI_TOKEN_HTTP_IF_NONE_MATCH) < 0)
        return false;
    return strstr(seen, etag) != NULL;
}

static int serve_embedded(bh_link *link, const char *name)
{
    for (size_t i = 0; i < bh_embedded_count; i++) {
        const bh_embed *e = &bh_embedded[i];
        if (strcmp(e->name, name) != 0)
            continue;
        char extra[128];
        snprintf(extra, sizeof(extra), "ETag: %s\r\nCache-Control: no-cache\r\n", e->etag);
        return answer(link, not_modified(link, e->etag) ? 304 : 200, bh_mime(name), extra, e->data,
                      e->len);
    }
    return answer_text(link, 404, "not found");
}

static int serve_static(bh_link *link, const char *path)
{
    bh_http *h = link->http;
    char etag[48], extra[128];
    uint64_t size;
    if (link->server->static_fd < 0 ||
        bh_static_open(link->server->static_fd, path, &h->fd, &size, etag) < 0)
        return answer_text(link, 404, "not found");
    snprintf(extra, sizeof(extra), "ETag: %s\r\nCache-Control: no-cache\r\n", etag);
    if (not_modified(link, etag))
        return answer(link, 304, NULL, extra, NULL, 0);
    head(&h->out, 200, bh_mime(path), size, true, extra, h->keep);
    h->left = h->head_only ? 0 : size;
    h->ready = true;
    return send_piece(link);
}

/* ---- routing ------------------------------------------------------------------------------ */

static int route(bh_link *link, const char *path)
{
    bh_server *server = link->server;
    int page = bh_page_find(server->pages, path);
    if (page >= 0)
        return serve_page(link, page, path);
    if (strncmp(path, "/_bh/", 5) == 0)
        return serve_embedded(link, path + 5);
    if (strncmp(path, "/static/", 8) == 0)
        return serve_static(link, path + 8);
    if (strcmp(path, "/healthz") == 0)
        return server->stopping ? answer_text(link, 503, "stopping") : answer_text(link, 200, "ok");
    if (strcmp(path, "/stats") == 0)
        return serve_numbers(link, false);
    if (strcmp(path, "/metrics") == 0)
        return serve_numbers(link, true);
    size_t n = strlen(path);
    if (n > 1 &&
        path[n - 1] == '/') { /* /counter/ is /counter; a relative target survives a proxy */
        char bare[256];
        const char *slash = NULL;
        if (n <= sizeof(bare)) {
            memcpy(bare, path, n - 1);
            bare[n - 1] = '\0';
            slash = strrchr(bare, '/');
        }
        if (slash && bh_page_find(server->pages, bare) >= 0) {
            char extra[300];
            snprintf(extra, sizeof(extra), "Location: ..%s\r\n", slash);
            return answer(link, 301, "text/plain", extra, "", 0);
        }
    }
    return answer_text(link, 404, "not found");
}

int bh_http_request(bh_link *link, const char *path, size_t path_len)
{
    struct lws *wsi = link->wsi;
    link->server->stats.http_requests++;
    char *uri;
    int len;
    int method = lws_http_get_uri_and_method(wsi, &uri, &len);
    if (link->over)
        return bh_http_refuse(link, 503, "too many connections from this address", NULL);
    if (strlen(path) != path_len)
        return bh_http_refuse(link, 400, "a path without zero bytes, please", NULL);
    if (method != LWSHUMETH_GET && method != LWSHUMETH_HEAD)
        return bh_http_refuse(link, 405, "GET and HEAD only", "Allow: GET, HEAD\r\n");
    /* A body where none belongs is how a second request is smuggled past a proxy. */
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0 ||
        lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0) {
        char text[32] = "";
        bool zero = lws_hdr_copy(wsi, text, sizeof(text), WSI_TOKEN_HTTP_CONTENT_LENGTH) == 1 &&
                    text[0] == '0';
        if (!zero || lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
            return bh_http_refuse(link, 400, "no request bodies here", NULL);
    }
    char proto[16] = "", conn[64] = "";
    lws_hdr_copy(wsi, proto, sizeof(proto), WSI_TOKEN_HTTP);
    lws_hdr_copy(wsi, conn, sizeof(conn), WSI_TOKEN_CONNECTION);
    bool http11 = strcmp(proto, "HTTP/1.1") == 0;
    int host = lws_hdr_total_length(wsi, WSI_TOKEN_HOST);
    if ((http11 && host <= 0) || lws_hdr_fragment_length(wsi, WSI_TOKEN_HOST, 1) > 0)
        return bh_http_refuse(link, 400, "one Host, please", NULL);
    bh_http *h = begin(link);
    h->head_only = method == LWSHUMETH_HEAD;
    h->keep = http11 && strcasecmp(conn, "close") != 0;
    return route(link, path);
}
