/* SPDX-License-Identifier: MIT
 * server_lws — libwebsockets on our loop: its context, its one callback, and links.
 *
 * What is known of 4.1.6 and matters here:
 * - its libuv back end is a plugin of its own package; without it context creation fails;
 * - on a foreign loop it takes no signals; it is destroyed outside of its callbacks, in two calls
 *   with turns of the loop between them;
 * - after `Upgrade: foo` it answers, frees the request and then calls HTTP_CONFIRM_UPGRADE with a
 *   pointer into what it freed: `in` is not touched there, and -1 keeps it from looking again. */
#include <libwebsockets.h>
#include <string.h>
#include <unistd.h>

#include "server/log.h"
#include "server/server.h"
#include "vdom/mem.h"

_Static_assert(BH_MSG_HEADROOM >= LWS_PRE,
               "lws_write scribbles on LWS_PRE bytes before the payload");

/* lws logs what peers do as errors; it is told on only when we debug. The last line is kept: it says
 * why a context could not be made. */
static char last_line[160];

static void on_lws_log(int level, const char *line)
{
    size_t n = strcspn(line, "\n");
    if (n >= sizeof(last_line))
        n = sizeof(last_line) - 1;
    if (level & (LLL_ERR | LLL_WARN)) {
        memcpy(last_line, line, n);
        last_line[n] = '\0';
    }
    bh_log(BH_LOG_DEBUG, "lws: %.*s", (int)n, line);
}

/* ---- links -------------------------------------------------------------------------------- */

bh_link *bh_link_adopt(bh_server *server, int fd, bh_addr *addr, bool over)
{
    bh_link *link = bh_zalloc(sizeof(*link));
    link->server = server;
    link->addr = addr;
    link->over = over;
    link->state = BH_LINK_HEAD;
    server->n_links++;
    lws_adopt_desc_t info = {0};
    info.vh = server->vhost;
    info.type = LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP;
    info.fd.sockfd = fd;
    info.opaque = link;
    bh_wheel_set(link, BH_HEAD_S);
    server->adopting = link;
    struct lws *wsi = lws_adopt_descriptor_vhost_via_info(&info);
    bool destroyed = !server->adopting; /* link_destroyed has freed it */
    server->adopting = NULL;
    if (wsi && !destroyed)
        return link;
    /* lws has closed fd, and said so only if it got far enough */
    if (!destroyed) {
        bh_wheel_remove(link);
        bh_addr_release(server, addr);
        server->n_links--;
        bh_free(link);
    }
    return NULL;
}

void bh_link_kill(bh_link *link)
{
    bh_wheel_remove(link);
    if (link->state == BH_LINK_DEAD || !link->wsi)
        return;
    lws_set_timeout(link->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void link_closed(bh_link *link)
{
    if (link->state == BH_LINK_DEAD)
        return;
    bh_wheel_remove(link);
    bh_ws_closed(link);
    bh_http_gone(link);
    link->state = BH_LINK_DEAD;
}

static void link_destroyed(struct lws *wsi, bh_link *link)
{
    bh_server *server = link->server;
    if (server->adopting == link)
        server->adopting = NULL;
    link_closed(link);
    lws_set_opaque_user_data(wsi, NULL);
    bh_addr_release(server, link->addr);
    server->n_links--;
    bh_free(link);
    bh_listen_room(server);
}

/* ---- the callback: only dispatches -------------------------------------------------------- */

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, bh_link *link, void *in,
                   size_t len)
{
    switch ((int)reason) {
    case LWS_CALLBACK_HTTP:
        return bh_http_request(link, in, len);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return bh_http_writable(link);
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return -1; /* nothing here takes a body, and it has been told so */
    case LWS_CALLBACK_CLOSED_HTTP:
        link_closed(link);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return bh_ws_confirm(link);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return link->state == BH_LINK_WS ? 0 : -1;
    case LWS_CALLBACK_RAW_ADOPT: /* CONNECT would make a raw socket of it */
    case LWS_CALLBACK_RAW_RX:
        return -1;
    default:
        return lws_callback_http_dummy(wsi, reason, NULL, in, 0);
    }
}

static int on_lws(struct lws *wsi, enum lws_callback_reasons reason, void *user BH_UNUSED, void *in,
                  size_t len)
{
    bh_link *link = lws_get_opaque_user_data(wsi);
    if (!link)
        return 0; /* lws's own: the event pipe, protocol init and destroy */
    link->wsi = wsi;
    switch ((int)reason) {
    case LWS_CALLBACK_RECEIVE:
        return bh_ws_receive(link, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return bh_ws_writable(link);
    case LWS_CALLBACK_RECEIVE_PONG:
        bh_ws_pong(link);
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        return bh_ws_established(link);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return bh_ws_peer_closes(link, in, len);
    case LWS_CALLBACK_CLOSED:
        link_closed(link);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        link_destroyed(wsi, link);
        return 0;
    default:
        return on_http(wsi, reason, link, in, len);
    }
}

/* The first serves HTTP and sockets without subprotocol; a blank keeps its name from being asked for. */
static const struct lws_protocols protocols[] = {
    {"no subprotocol", on_lws, 1, 1024, 0, NULL, 1 << 20},
    {"backhaul.v1", on_lws, 1, 1024, 0, NULL, 1 << 20},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* ---- context ------------------------------------------------------------------------------ */

typedef struct seen {
    void *idle, *timer;
    unsigned n;
    void *before[1024];
} seen;

static void note_before(uv_handle_t *handle, void *arg)
{
    seen *s = arg;
    if (s->n < sizeof(s->before) / sizeof(s->before[0]))
        s->before[s->n++] = handle;
}

static void note_new(uv_handle_t *handle, void *arg)
{
    seen *s = arg;
    for (unsigned i = 0; i < s->n; i++)
        if (s->before[i] == handle)
            return;
    if (handle->type == UV_IDLE)
        s->idle = handle;
    if (handle->type == UV_TIMER)
        s->timer = handle;
}

int bh_front_lws_open(bh_server *server)
{
    lws_set_log_level(LLL_ERR | LLL_WARN, on_lws_log);
    void *loops[] = {server->loop};
    struct lws_context_creation_info info = {0};
    info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6;
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.foreign_loops = loops;
    info.protocols = protocols;
    info.gid = -1;
    info.uid = -1;
    info.timeout_secs = 10;
    info.timeout_secs_ah_idle = 10;
    info.keepalive_timeout = BH_KEEPALIVE_S;
    info.max_http_header_data = 8192;
    info.pt_serv_buf_size = 8192;
    info.server_string = "backhaul";
    info.pcontext = &server->lws_dying;
    last_line[0] = '\0';
    seen *s = bh_zalloc(sizeof(*s));
    uv_walk(server->loop, note_before, s);
    server->lws = lws_create_context(&info);
    if (server->lws)
        server->vhost = lws_create_vhost(server->lws, &info);
    uv_walk(server->loop, note_new, s);
    server->lws_idle = s->idle;
    server->lws_timer = s->timer;
    bh_free(s);
    if (server->vhost)
        return 0;
    bool plugin = strstr(last_line, "evlib") != NULL;
    bh_log(BH_LOG_ERROR, "libwebsockets cannot start%s%s%s",
           plugin ? " without its libuv plugin: install the package libwebsockets-evlib-uv" : "",
           plugin ? "" : ": ", plugin ? "" : last_line);
    return plugin ? -ENOENT : -EIO;
}

static void note_alive(uv_handle_t *handle, void *arg)
{
    void **pair = arg;
    if (handle == pair[0] || handle == pair[1])
        pair[2] = handle;
}

void bh_front_lws_destroy(bh_server *server)
{
    server->lws_dying = server->lws;
    server->lws = NULL;
    lws_context_destroy(server->lws_dying);
}

bool bh_front_lws_gone(bh_server *server)
{
    void *trio[3] = {server->lws_idle, server->lws_timer, NULL};
    uv_walk(server->loop, note_alive, trio);
    if (trio[2])
        return false;
    /* On a foreign loop the first call only closes; the second frees. Between them every handle has to
     * go (called too early it crashes), and lws clears our pointer if it has freed the context itself. */
    if (server->lws_dying)
        lws_context_destroy(server->lws_dying);
    server->lws_dying = NULL;
    return true;
}
