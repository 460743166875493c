/* SPDX-License-Identifier: MIT
 * tests/support/v1_client.h — a client of backhaul.v1 without a browser, for tests and load.
 *
 * Written from docs/PROTOCOL.md, shares no code with the encoder: it keeps a page of its own that
 * server frames edit, and writes what a browser would send. Strict: a frame that names an unknown
 * node, is cut off, or has an unknown op is an error, and `why` says which. */
#ifndef BH_TESTS_V1_CLIENT_H
#define BH_TESTS_V1_CLIENT_H

#include <backhaul/event.h>

#include "vdom/buf.h"

typedef struct v1_node v1_node;
typedef struct v1_attr {
    char *name; /* HTML name; handlers: DOM name of the event */
    char *value;
    bool prop;    /* a PROP attribute: on a control (or `selected`) the live property */
    bool boolean; /* set by BOOL: value is "true" or "false" */
    bool handler;
    uint32_t hid, flags;
    uint32_t code; /* of the event */
} v1_attr;
struct v1_node {
    uint32_t nid; /* 0: the view */
    char *tag;    /* NULL: a text; "": the view */
    char *ns;     /* "", "svg", "math" */
    char *text;   /* of a text; of an element: its raw HTML, or NULL */
    char *style;
    v1_attr *attrs;
    size_t n_attrs;
    v1_node *parent;
    v1_node **children;
    size_t n_children, cap_children;
};

typedef struct v1_client {
    v1_node *view;
    v1_node **by_nid; /* gone or not yet: NULL */
    size_t cap_nid;
    uint32_t next_nid;
    uint32_t seq;     /* last numbered frame applied */
    uint32_t ack;     /* highest ack seen */
    uint32_t sent;    /* last event sent */
    unsigned welcome; /* flags of the last WELCOME; 0: none yet */
    char token[256];
    char notice[256];
    unsigned resets, pongs, notices, frames, replayed;
    unsigned ops[17]; /* by code */
    char why[160];
} v1_client;

void v1_client_init(v1_client *c);
void v1_client_fini(v1_client *c);
/* Applies one frame. 0, or -1 and c->why. A numbered frame that is not newer than c->seq is counted
 * in `replayed` and not applied; a gap is an error. */
int v1_client_frame(v1_client *c, const void *data, size_t len);

/* What is on the page. */
v1_node *v1_client_tag(v1_client *c, const char *tag, unsigned nth);        /* document order */
v1_node *v1_client_attr(v1_client *c, const char *name, const char *value); /* first that has it */
const char *v1_node_attr(const v1_node *n, const char *name);               /* NULL: absent */
const v1_attr *v1_node_handler(const v1_node *n, const char *event);
void v1_node_text(const v1_node *n, bh_buf *out);       /* textContent; not NUL-terminated */
bool v1_node_shows(const v1_node *n, const char *text); /* textContent equals text */
void v1_client_json(const v1_client *c, bh_buf *out);   /* the notation of tests/wire/README.md */

/* What a browser sends; appends one message's payload to out. */
void v1_put_hello(bh_buf *out, const char *token, uint32_t last, uint32_t nodes);
void v1_put_event(bh_buf *out, uint32_t seq, uint32_t ack, uint32_t hid, const bh_event *ev);
void v1_put_ack(bh_buf *out, uint32_t seq);
void v1_put_ping(bh_buf *out);
/* Next event of this client for a handler, numbered and acknowledging; its number is c->sent. */
void v1_client_event(v1_client *c, bh_buf *out, uint32_t hid, const bh_event *ev /* NULL: bare */);

#endif
