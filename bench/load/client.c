/* SPDX-License-Identifier: MIT
 * Reads are taken as they come and cut into messages; writes are small and must go out whole, a
 * client whose socket takes less has lost its server. The masking key is four zero bytes: legal,
 * and the payload stands on the wire as it is. */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/v1_client.h"

/* The key and answer of RFC 6455, section 1.3: the answer shows that the peer speaks WebSocket. */
#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

int bh_target_parse(bh_target *target, const char *url)
{
    char address[64];
    unsigned port;
    int at = 0;
    if (sscanf(url, "http://%63[0-9.]:%u%n", address, &port, &at) != 2 || !at || port < 1 ||
        port > 65535 || url[at] != '/' || strlen(url + at) >= sizeof(target->path) ||
        inet_pton(AF_INET, address, &target->address.sin_addr) != 1) {
        fprintf(stderr, "bh_load: '%s' is not http://A.B.C.D:PORT/path\n", url);
        return -1;
    }
    target->address.sin_family = AF_INET;
    target->address.sin_port = htons((uint16_t)port);
    snprintf(target->host, sizeof(target->host), "%s:%u", address, port);
    snprintf(target->path, sizeof(target->path), "%s", url + at);
    return 0;
}

void bh_client_init(bh_client *c, const bh_target *target, const bh_client_ops *ops)
{
    *c = (bh_client){.target = target, .ops = ops, .fd = -1};
}

static void drop_page(bh_client *c)
{
    if (c->page)
        v1_client_fini(c->page);
    free(c->page);
    c->page = NULL;
}

static void reset(bh_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->in);
    drop_page(c);
    bh_client_init(c, c->target, c->ops);
}

static void lose(bh_client *c, const char *why)
{
    bool live = c->state == BH_CLIENT_LIVE;
    reset(c);
    c->ops->lost(c, live, why);
}

static void send_all(bh_client *c, const void *data, size_t len)
{
    if (send(c->fd, data, len, MSG_NOSIGNAL) != (ssize_t)len && c->state != BH_CLIENT_IDLE)
        shutdown(c->fd, SHUT_RDWR); /* seen as an end by the next read */
}

static void send_message(bh_client *c, unsigned opcode, const void *payload, size_t len)
{
    unsigned char frame[8 + 1024] = {(unsigned char)(0x80 | opcode)};
    size_t n = 2;
    if (len < 126) {
        frame[1] = (unsigned char)(0x80 | len);
    } else {
        frame[1] = 0x80 | 126;
        frame[2] = (unsigned char)(len >> 8);
        frame[3] = (unsigned char)len;
        n = 4;
    }
    n += 4; /* the masking key */
    if (len > sizeof(frame) - n)
        abort();
    memcpy(frame + n, payload, len);
    send_all(c, frame, n + len);
}

static void send_buf(bh_client *c, bh_buf *buf)
{
    send_message(c, 2, buf->data, buf->len);
    bh_buf_fini(buf);
}

int bh_client_open(bh_client *c)
{
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return -errno;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    c->state = BH_CLIENT_CONNECTS;
    if (connect(c->fd, (const struct sockaddr *)&c->target->address, sizeof(c->target->address)) &&
        errno != EINPROGRESS) {
        int error = -errno;
        reset(c);
        return error;
    }
    return 0;
}

static void on_connected(bh_client *c)
{
    int error = 0;
    socklen_t len = sizeof(error);
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error) {
        lose(c, strerror(error));
        return;
    }
    char request[600];
    int n =
        snprintf(request, sizeof(request),
                 "GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n%s\r\n",
                 c->target->reactpy ? "/_reactpy/stream" : "", c->target->path, c->target->host,
                 c->target->reactpy ? "" : "Sec-WebSocket-Protocol: backhaul.v1\r\n");
    c->state = BH_CLIENT_UPGRADES;
    send_all(c, request, (size_t)n);
}

/* Returns how many bytes the answer takes, 0 if it is not complete, or -1. */
static int on_upgrade(bh_client *c, const char *data, size_t len)
{
    const char *end = memmem(data, len, "\r\n\r\n", 4);
    if (!end)
        return len > 4096 ? -1 : 0;
    size_t head = (size_t)(end - data) + 4;
    if (memcmp(data, "HTTP/1.1 101", 12) != 0 || !memmem(data, head, ACCEPT, strlen(ACCEPT)))
        return -1;
    c->state = BH_CLIENT_WAITS;
    if (!c->target->reactpy) {
        c->page = malloc(sizeof(*c->page));
        if (!c->page)
            abort();
        v1_client_init(c->page);
        bh_buf hello = {0};
        v1_put_hello(&hello, "", 0, 0);
        send_buf(c, &hello);
    }
    return (int)head;
}

static bool get_varint(const unsigned char **p, const unsigned char *end, uint32_t *ret)
{
    uint32_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 35; shift += 7) {
        unsigned char byte = *(*p)++;
        v |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret = v;
            return true;
        }
    }
    return false;
}

static const char *on_v1(bh_client *c, const unsigned char *data, size_t len)
{
    const unsigned char *p = data;
    uint32_t seq, ack;
    if (!get_varint(&p, data + len, &seq) || !get_varint(&p, data + len, &ack))
        return "a frame without a head";
    if (seq && seq != c->seq + 1)
        return "a frame out of order";
    if (seq)
        c->seq = seq;
    if (c->state == BH_CLIENT_WAITS) {
        if (v1_client_frame(c->page, data, len))
            return "a first frame that does not apply";
        if (!seq)
            return NULL;
        for (unsigned n = 0; v1_client_tag(c->page, "button", n); n++) {
            const v1_attr *on = v1_node_handler(v1_client_tag(c->page, "button", n), "click");
            c->hid = on ? on->hid : c->hid;
        }
        drop_page(c);
        c->state = BH_CLIENT_LIVE;
        bh_buf out = {0};
        v1_put_ack(&out, c->acked = seq);
        send_buf(c, &out);
        c->ops->first(c);
    } else if (c->clicked && ack >= c->sent) {
        c->clicked = false;
        c->ops->answered(c);
    } else if (c->seq - c->acked >= 4) {
        bh_buf out = {0};
        v1_put_ack(&out, c->acked = c->seq);
        send_buf(c, &out);
    }
    return NULL;
}

static const char *on_reactpy(bh_client *c, const unsigned char *data, size_t len)
{
    static const char update[] = "{\"type\":\"layout-update\",",
                      handler[] = "\"onClick\":{\"target\":\"";
    if (len < sizeof(update) || memcmp(data, update, sizeof(update) - 1) != 0)
        return "a message that is no layout-update";
    if (c->state == BH_CLIENT_WAITS) {
        const unsigned char *at = data, *end = data + len;
        while ((at = memmem(at, (size_t)(end - at), handler, sizeof(handler) - 1))) {
            at += sizeof(handler) - 1;
            c->hid = 0;
            for (; at < end && *at >= '0' && *at <= '9'; at++)
                c->hid = c->hid * 10 + (uint32_t)(*at - '0');
        }
        c->state = BH_CLIENT_LIVE;
        c->ops->first(c);
    } else if (c->clicked) {
        c->clicked = false;
        c->ops->answered(c);
    }
    return NULL;
}

/* Returns how many bytes the message takes, 0 if it is not complete; *ret_why if it is wrong. */
static size_t on_message(bh_client *c, const unsigned char *data, size_t len, const char **ret_why)
{
    if (len < 2)
        return 0;
    size_t head = 2, size = data[1];
    if (size == 126 && len >= (head = 4))
        size = (size_t)data[2] << 8 | data[3];
    else if (size == 127 && len >= (head = 10))
        for (size = 0, head = 2; head < 10; head++) size = size << 8 | data[head];
    if (len < head || size > len - head)
        return 0;
    unsigned want = c->target->reactpy ? 0x81 : 0x82;
    const unsigned char *payload = data + head;
    if (data[0] == want)
        *ret_why = c->target->reactpy ? on_reactpy(c, payload, size) : on_v1(c, payload, size);
    else if (data[0] == 0x89)
        send_message(c, 10, payload, size);
    else if (data[0] == 0x88)
        *ret_why = "closed by the server";
    else
        *ret_why = "a frame of another kind than expected";
    return head + size;
}

/* What is left over waits in c->in. */
static void take(bh_client *c, const unsigned char *data, size_t len)
{
    size_t at = 0, used = 1;
    const char *why = NULL;
    while (at < len && used > 0 && !why && c->fd >= 0) {
        if (c->state == BH_CLIENT_UPGRADES) {
            int n = on_upgrade(c, (const char *)data + at, len - at);
            why = n < 0 ? "the upgrade was refused" : NULL;
            used = n < 0 ? 0 : (size_t)n;
        } else {
            used = on_message(c, data + at, len - at, &why);
        }
        at += used;
    }
    if (why) {
        lose(c, why);
        return;
    }
    if (c->fd < 0)
        return; /* closed by a callback */
    size_t left = len - at;
    if (left > c->in_cap) {
        unsigned char *grown = malloc(left);
        if (!grown)
            abort();
        memcpy(grown, data + at, left);
        free(c->in);
        c->in = grown;
        c->in_cap = left;
    } else if (left) {
        memmove(c->in, data + at, left);
    }
    c->in_len = left;
}

void bh_client_ready(bh_client *c)
{
    static unsigned char buffer[1 << 20]; /* one thread */
    if (c->state == BH_CLIENT_CONNECTS) {
        on_connected(c);
        return;
    }
    if (c->in_len > sizeof(buffer) / 2) {
        lose(c, "a message that is too big for this program");
        return;
    }
    if (c->in_len)
        memcpy(buffer, c->in, c->in_len);
    ssize_t n = recv(c->fd, buffer + c->in_len, sizeof(buffer) - c->in_len, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        lose(c, n ? strerror(errno) : "the connection ended");
    else
        take(c, buffer, c->in_len + (size_t)n);
}

void bh_client_click(bh_client *c)
{
    bh_buf out = {0};
    c->clicked = true;
    if (c->target->reactpy) {
        char text[160];
        int n =
            snprintf(text, sizeof(text),
                     "{\"type\":\"layout-event\",\"target\":\"%u\",\"data\":[{\"type\":\"click\","
                     "\"target\":{\"tagName\":\"BUTTON\",\"value\":\"\"}}]}",
                     c->hid);
        send_message(c, 1, text, (size_t)n);
    } else {
        const bh_event click = {.type = BH_ON_click, .value = "", .key = ""};
        c->acked = c->seq;
        v1_put_event(&out, ++c->sent, c->seq, c->hid, &click);
        send_buf(c, &out);
    }
}

void bh_client_close(bh_client *c)
{
    if (c->state == BH_CLIENT_LIVE)
        send_message(c, 8, "\x03\xe8", 2);
    reset(c);
}
