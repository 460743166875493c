/* SPDX-License-Identifier: MIT
 * server_listen — the listening sockets: exactly what was asked for, and nothing else.
 *
 * Room: links are counted against the limit of file descriptors. When it is reached, or accept says
 * EMFILE, the descriptor kept in reserve is given up for a moment to tell one client (503), and
 * accepting pauses: the rest wait in the kernel's queue, which costs nothing. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/log.h"
#include "server/server.h"
#include "vdom/mem.h"

enum { ACCEPTS_A_TURN = 64, PAUSE_MS = 100, OVER_ANSWERED = 16 };

/* ---- addresses ---------------------------------------------------------------------------- */

static void addr_key(const struct sockaddr_storage *from, unsigned char key[17])
{
    memset(key, 0, 17);
    if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
        bool mapped = IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
        key[0] = mapped ? 4 : 6;
        memcpy(key + 1, in6->sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 8);
    } else {
        const struct sockaddr_in *in4 = (const struct sockaddr_in *)from;
        key[0] = 4;
        memcpy(key + 1, &in4->sin_addr, 4);
    }
}

static unsigned addr_slot(const unsigned char key[17])
{
    unsigned h = 2166136261u;
    for (int i = 0; i < 17; i++)
        h = (h ^ key[i]) * 16777619u;
    return (h ^ h >> 16) & 255;
}

static bh_addr *addr_take(bh_server *server, const struct sockaddr_storage *from)
{
    unsigned char key[17];
    addr_key(from, key);
    bh_addr **slot = &server->addrs[addr_slot(key)], *a = *slot;
    while (a && memcmp(a->key, key, 17) != 0)
        a = a->next;
    if (!a) {
        a = bh_zalloc(sizeof(*a));
        memcpy(a->key, key, 17);
        a->next = *slot;
        *slot = a;
    }
    a->count++;
    return a;
}

void bh_addr_release(bh_server *server, bh_addr *addr)
{
    if (--addr->count)
        return;
    bh_addr **at = &server->addrs[addr_slot(addr->key)];
    while (*at != addr)
        at = &(*at)->next;
    *at = addr->next;
    bh_free(addr);
}

/* ---- accept ------------------------------------------------------------------------------- */

static void on_acceptable(uv_poll_t *poll, int status, int events);

static void set_accepting(bh_server *server, bool on)
{
    server->accept_paused = !on;
    for (unsigned i = 0; i < server->n_listeners; i++) {
        if (on)
            uv_poll_start(&server->listeners[i].poll, UV_READABLE, on_acceptable);
        else
            uv_poll_stop(&server->listeners[i].poll);
    }
}

static void on_resume(uv_timer_t *timer)
{
    bh_server *server = timer->data;
    if (!server->stopping)
        set_accepting(server, true);
}

void bh_listen_room(bh_server *server)
{
    if (server->accept_paused && !server->stopping && server->n_links < server->max_links) {
        uv_timer_stop(&server->resume_accept);
        set_accepting(server, true);
    }
}

static void say_no(int fd)
{
    static const char text[] = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                               "Retry-After: 1\r\nContent-Length: 5\r\n\r\nfull\n";
    (void)!send(fd, text, sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    close(fd);
}

static void pause_accept(bh_server *server, const char *why)
{
    server->stats.accept_pauses++;
    uint64_t second = uv_now(server->loop) / 1000;
    if (second != server->log_second) { /* a full server must not fill the disk as well */
        server->log_second = second;
        bh_log(BH_LOG_WARN, "accepting is paused: %s (%u connections)", why, server->n_links);
    }
    set_accepting(server, false);
    uv_timer_start(&server->resume_accept, on_resume, PAUSE_MS, 0);
}

static void without_descriptors(bh_server *server, int listen_fd)
{
    if (server->reserve_fd >= 0) {
        close(server->reserve_fd);
        int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            server->stats.refused_full++;
            say_no(fd);
        }
        server->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    pause_accept(server, "no file descriptors left; raise the limit (ulimit -n)");
}

/* Returns false when accepting should end for this turn. */
static bool accept_one(bh_server *server, int listen_fd)
{
    struct sockaddr_storage from = {0};
    socklen_t len = sizeof(from);
    int fd = accept4(listen_fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            without_descriptors(server, listen_fd);
        return errno == EINTR || errno == ECONNABORTED;
    }
    if (server->n_links >= server->max_links) {
        server->stats.refused_full++;
        say_no(fd);
        pause_accept(server, "as many connections as file descriptors allow");
        return false;
    }
    bh_addr *addr = addr_take(server, &from);
    unsigned limit = server->config.max_per_address;
    bool over = limit && addr->count > limit;
    if (over)
        server->stats.refused_address++;
    if (over && addr->count > limit + OVER_ANSWERED) { /* politeness has its limit too */
        bh_addr_release(server, addr);
        say_no(fd);
        return true;
    }
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    server->stats.accepted++;
    bh_link_adopt(server, fd, addr, over);
    return true;
}

static void on_acceptable(uv_poll_t *poll, int status, int events BH_UNUSED)
{
    bh_server *server = poll->data;
    bh_listener *listener = (bh_listener *)(void *)poll; /* poll is its first member */
    if (status < 0)
        return;
    for (int i = 0; i < ACCEPTS_A_TURN; i++)
        if (!accept_one(server, listener->fd) || server->accept_paused)
            return;
}

/* ---- listen ------------------------------------------------------------------------------- */

static int open_one(bh_server *server, const struct addrinfo *ai, int port)
{
    struct sockaddr_storage at = {0};
    memcpy(&at, ai->ai_addr, ai->ai_addrlen);
    if (ai->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)&at)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)&at)->sin_port = htons((uint16_t)port);
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (ai->ai_family ==
        AF_INET6) /* "::" means IPv6; "0.0.0.0" IPv4: nobody gets more than asked */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    socklen_t len = sizeof(at);
    if (bind(fd, (struct sockaddr *)&at, ai->ai_addrlen) || listen(fd, 1024) ||
        getsockname(fd, (struct sockaddr *)&at, &len)) {
        int r = -errno;
        close(fd);
        return r;
    }
    server->port = ntohs(ai->ai_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                                   : ((struct sockaddr_in *)&at)->sin_port);
    bh_listener *listener = &server->listeners[server->n_listeners++];
    listener->fd = fd;
    listener->open = true;
    uv_poll_init_socket(server->loop, &listener->poll, fd);
    listener->poll.data = server;
    server->handles++;
    uv_poll_start(&listener->poll, UV_READABLE, on_acceptable);
    return 0;
}

static int cannot(const bh_server *server, int r)
{
    const bh_config *c = &server->config;
    if (r == -EADDRINUSE)
        bh_log(BH_LOG_ERROR,
               "port %d of %s is in use; stop what listens there or choose another --port (0: any)",
               c->port, c->host);
    else if (r == -EACCES)
        bh_log(BH_LOG_ERROR, "no permission to listen on port %d of %s; choose one above 1023",
               c->port, c->host);
    else
        bh_log(BH_LOG_ERROR, "cannot listen on port %d of %s: %s; check --host and --port", c->port,
               // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's has a buffer a thread
               c->host, strerror(-r));
    return r;
}

/* Asked before anything is made: short of descriptors, libuv aborts, libwebsockets says that its plugin
 * is missing, and a context of it that is half made never goes. */
bool bh_files_left(void)
{
    int fds[24]; /* a start takes 14; the rest is for the first clients */
    unsigned n = 0;
    for (; n < sizeof fds / sizeof fds[0]; n++)
        if ((fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
            break;
    bool enough = n == sizeof fds / sizeof fds[0] || (errno != EMFILE && errno != ENFILE);
    if (!enough)
        bh_log(BH_LOG_ERROR,
               "only %u file descriptors are left, %zu are needed; raise the limit (ulimit -n)", n,
               sizeof fds / sizeof fds[0]);
    while (n)
        close(fds[--n]);
    return enough;
}

int bh_listen_open(bh_server *server)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list = NULL;
    int r = getaddrinfo(server->config.host, NULL, &hints, &list);
    if (r) {
        bh_log(BH_LOG_ERROR, "--host=%s is no address of this machine: %s", server->config.host,
               gai_strerror(r));
        return -EINVAL;
    }
    int port = server->config.port;
    r = -EADDRNOTAVAIL;
    /* A name like localhost may have an address of each family; both get the same port. A family
     * that this machine lacks is passed over as long as one address works. */
    for (struct addrinfo *ai = list; ai && server->n_listeners < BH_LISTENERS; ai = ai->ai_next) {
        if (ai->ai_family != AF_INET && ai->ai_family != AF_INET6)
            continue;
        int one = open_one(server, ai, port);
        if (!one)
            port = server->port;
        if (!one || server->n_listeners == 0 || one == -EADDRINUSE)
            r = one;
        if (one == -EADDRINUSE)
            break;
    }
    freeaddrinfo(list);
    if (r)
        return cannot(server, r);
    server->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return 0;
}

static void on_listener_closed(uv_handle_t *handle)
{
    bh_server *server = handle->data;
    bh_listener *listener = (bh_listener *)(void *)handle;
    close(listener->fd);
    server->handles--; /* never the last: server.c closes its own after these */
}

void bh_listen_close(bh_server *server)
{
    uv_timer_stop(&server->resume_accept);
    for (unsigned i = 0; i < server->n_listeners; i++)
        if (server->listeners[i].open) {
            server->listeners[i].open = false;
            uv_poll_stop(&server->listeners[i].poll);
            uv_close((uv_handle_t *)&server->listeners[i].poll, on_listener_closed);
        }
    server->n_listeners = 0;
}
