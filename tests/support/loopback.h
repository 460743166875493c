/* SPDX-License-Identifier: MIT
 * tests/support/loopback.h — the whole server without a socket: a hub whose transport is memory.
 *
 * What the server writes is taken apart frame by frame, strictly (final, unmasked, minimal length);
 * backhaul.v1 frames are applied to a v1_client. A connection can be slow: it then takes only the
 * bytes it was given room for. */
#ifndef BH_TESTS_LOOPBACK_H
#define BH_TESTS_LOOPBACK_H

#include "server/hub.h"
#include "support/v1_client.h"
#include "vdom/buf.h"

typedef struct lb_server {
    bh_config config; /* set by lb_init; a test may change it before lb_start */
    uv_loop_t loop;
    bh_hub *hub;
    const bh_exec_ops *exec;
    bool stopping, stopped;
    struct lb_conn *conns; /* every one opened, until lb_stop */
} lb_server;

typedef struct lb_conn lb_conn;
struct lb_conn {
    lb_server *server;
    lb_conn *next;
    bh_conn *conn; /* NULL: closed */
    bh_codec_id codec;
    unsigned close_code; /* by which the server closed it; 0: it did not */
    bool slow_close;     /* the socket takes its time to close: lb_drop ends it */
    bool paused;
    bool waiting; /* the server waits for writable */
    bool fail_writes;
    bool no_apply;        /* keep the frames, do not apply them (what a lost frame looks like) */
    size_t written, room; /* bytes so far; room: SIZE_MAX unless slow */
    size_t most_held;
    bh_buf bytes; /* all that was written, in order */
    size_t parsed;
    unsigned frames; /* whole frames seen */
    bh_buf last;     /* payload of the last one */
    v1_client page;
};

/* thread, inline or manual; NULL: what BH_TEST_MODE says (inline if unset). */
void lb_init(lb_server *s, const char *mode);
void lb_start(lb_server *s, const bh_page *pages);
/* Orderly stop; checks that the loop is left empty, frees everything. */
void lb_stop(lb_server *s);
void lb_stop_begin(lb_server *s);
/* One turn of each side. */
void lb_turn(lb_server *s);
/* Turns until nothing more happens. */
void lb_settle(lb_server *s);
/* Turns until *flag; fails the test after seconds. */
void lb_until(lb_server *s, bool (*cond)(void *arg), void *arg);
void lb_wait_ms(lb_server *s, unsigned ms);
bh_hub_stats lb_stats(lb_server *s);

lb_conn *lb_open(lb_server *s, uint32_t page, bh_codec_id codec); /* NULL: refused */
void lb_send(lb_conn *c, const void *data, size_t len);
void lb_drop(lb_conn *c);              /* the network cuts it */
void lb_room(lb_conn *c, size_t more); /* a slow one takes that many bytes more */

/* backhaul.v1 */
void lb_hello(lb_conn *c, const char *token, uint32_t last, uint32_t nodes);
lb_conn *lb_open_v1(lb_server *s, uint32_t page); /* opened, fresh hello, settled */
/* A new connection that resumes what `from` had: its page model moves over. */
lb_conn *lb_resume(lb_server *s, uint32_t page, lb_conn *from);
void lb_ack(lb_conn *c);
/* Event for the nth node of that tag. */
void lb_event(lb_conn *c, const char *tag, unsigned nth, const char *event, const bh_event *ev);
void lb_click(lb_conn *c, unsigned nth_button);
const char *lb_text(lb_conn *c, const char *tag, unsigned nth); /* valid until the next call */

#endif
