/* SPDX-License-Identifier: MIT
 * server/wire.h — the two codecs: patch sinks that write payload bytes, and event decoders.
 *
 *   bh_v1_*       backhaul.v1, binary op-codes                      server/wire_v1_{encode,decode}.c
 *   bh_reactpy_*  ReactPy JSON, layout-update / layout-event        server/wire_reactpy_*.c
 *
 * Runs on the thread that renders, in both directions. No lws, no uv; cJSON only in
 * wire_reactpy_decode.c, behind the gate (json_gate.h). Bytes: docs/PROTOCOL.md. */
#ifndef BH_SERVER_WIRE_H
#define BH_SERVER_WIRE_H

#include <backhaul/event.h>

#include "vdom/arena.h"
#include "vdom/buf.h"
#include "vdom/patch.h"

/* ---- backhaul.v1, out --------------------------------------------------------------------- */

typedef struct bh_v1_encoder {
    bh_buf *out;
    const bh_names *names;
} bh_v1_encoder;
bh_patch_sink bh_v1_sink(bh_v1_encoder *enc);
void bh_v1_varint(bh_buf *out, uint64_t v);
void bh_v1_frame(bh_buf *out, uint32_t seq, uint32_t ack); /* frame head; ops follow */
enum { BH_V1_FRESH = 1, BH_V1_RESUMED = 2, BH_V1_ADOPTED = 4, BH_V1_LOST = 8 };
void bh_v1_welcome(bh_buf *out, unsigned flags, const char *token);
void bh_v1_reset(bh_buf *out);
void bh_v1_pong(bh_buf *out);
void bh_v1_notice(bh_buf *out, unsigned code, const char *text);
/* The whole page into an empty container: INSERT of each DOM node of root, in document order. */
void bh_v1_snapshot(bh_v1_encoder *enc, const bh_node *root);
/* ON op of one handler (adoption of server HTML: structure is there, handlers are not). */
void bh_v1_handler(bh_v1_encoder *enc, const bh_node *n, const bh_attr *handler);

/* ---- backhaul.v1, in ---------------------------------------------------------------------- */

typedef enum bh_v1_kind { BH_V1_HELLO = 1, BH_V1_EVENT, BH_V1_ACK, BH_V1_PING } bh_v1_kind;
typedef struct bh_v1_message {
    bh_v1_kind kind;
    uint32_t seq; /* EVENT: its number. HELLO: last server frame applied. ACK: likewise */
    uint32_t ack; /* EVENT: last server frame applied */
    uint32_t hid;
    const char *token; /* HELLO: NUL-terminated, "" for none */
    uint32_t n_nodes;  /* HELLO: nodes counted in the server's HTML; 0: nothing adopted */
    bh_event event;    /* EVENT; type is BH_ON_NONE: the session knows it by hid */
} bh_v1_message;
/* Strings and fields live in `arena`. Returns 0 or -EPROTO (malformed), -EILSEQ (bad UTF-8). */
int bh_v1_decode(const unsigned char *data, size_t len, bh_arena *arena, bh_v1_message *ret);

/* ---- ReactPy ------------------------------------------------------------------------------ */

/* Collects what one render changed; bh_reactpy_finish writes ONE layout-update for it: in subtree
 * mode the model of the deepest component that holds every change, in diff mode the finest legal
 * path if there is one change, else the nearest common ancestor (a message costs that client a
 * whole-tree render, whatever its path). Never null, number, bool or nested array as a child. */
/* What 1.x clients want to know: the highest event number applied per control (its handlers). A
 * session makes one when the first event with a `seq` arrives, notes each applied event, and hangs
 * it into its encoder; 0.3.x clients must not get one. Bounded: the oldest of 32 handlers goes. */
enum { BH_REACTPY_ACKS = 32 };
typedef struct bh_reactpy_acks {
    uint32_t n, next;
    struct {
        uint32_t hid, seq;
    } at[BH_REACTPY_ACKS];
} bh_reactpy_acks; /* all zero is empty */
void bh_reactpy_acks_note(bh_reactpy_acks *acks, uint32_t hid, uint32_t seq);

typedef struct bh_reactpy_encoder {
    bh_buf *out;
    const bh_names *names;
    bool diff;                   /* fine-grained paths */
    const bh_reactpy_acks *acks; /* NULL: the client does not number its events */
    /* what changed so far; begin sets these */
    const bh_node *site; /* nearest node whose model holds every change; NULL: nothing yet */
    unsigned changes;
    int part;      /* of the site's model: the whole, its children, one attribute, ... */
    uint16_t atom; /* the one attribute */
    uint8_t kind;  /* its bh_value_kind */
} bh_reactpy_encoder;
bh_patch_sink bh_reactpy_sink(bh_reactpy_encoder *enc);
void bh_reactpy_begin(bh_reactpy_encoder *enc);
/* Appends the message to enc->out; nothing if nothing changed. The trees must still be there. */
void bh_reactpy_finish(bh_reactpy_encoder *enc);
/* The first update: path "", model {"tagName":"","children":[root]}. */
void bh_reactpy_root(bh_reactpy_encoder *enc, const bh_node *root);
/* Writes s as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
void bh_json_string(bh_buf *out, const char *s, size_t len);

typedef struct bh_reactpy_message {
    uint32_t hid;
    uint32_t seq; /* 1.x clients; 0: none */
    bh_event event;
} bh_reactpy_message;
/* 0; -ENOMSG: well-formed but not for us (unknown type, or a target that is no handler id: ignore and
 * count); -EPROTO, -EILSEQ, -E2BIG (depth, values): close the session. Members of the event that are
 * of another kind than expected count as absent. event.type is BH_ON_NONE: the session knows it. */
int bh_reactpy_decode(const unsigned char *data, size_t len, bh_arena *arena,
                      bh_reactpy_message *ret);

/* ---- WebSocket framing of what goes out (server frames are unmasked, FIN, never fragmented) ---- */
enum { BH_WS_TEXT = 1, BH_WS_BINARY = 2, BH_WS_HEADER_MAX = 10 };
/* Writes the header that ends just before `payload`; returns its length. */
size_t bh_ws_header_before(unsigned char *payload, unsigned opcode, uint64_t len);

#endif
