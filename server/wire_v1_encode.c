/* SPDX-License-Identifier: MIT
 * backhaul.v1, out: a patch sink that appends op-codes to a buffer.
 *
 * Positions are derived from the new tree (vdom/patch.h: right to left, so the node that follows is
 * already in its place). What the author wrote as a fragment or a component can be several DOM
 * nodes: they are written one by one, in document order, each before the same follower, which leaves
 * them in order. */
#include <assert.h>
#include <string.h>

#include "server/wire.h"
#include "server/wire_v1_ops.h"

enum { VARINT_MAX = 10 };

static unsigned char *put_varint(unsigned char *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (unsigned char)(v | 0x80u);
        v >>= 7;
    }
    *p++ = (unsigned char)v;
    return p;
}

void bh_v1_varint(bh_buf *out, uint64_t v)
{
    unsigned char *p = bh_buf_room(out, VARINT_MAX);
    out->len += (size_t)(put_varint(p, v) - p);
}

/* An op and up to three numbers with one check for room. */
static void put_op(bh_buf *out, unsigned op, unsigned n, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned char *start = bh_buf_room(out, 1 + 3 * VARINT_MAX), *p = start;
    *p++ = (unsigned char)op;
    if (n > 0)
        p = put_varint(p, a);
    if (n > 1)
        p = put_varint(p, b);
    if (n > 2)
        p = put_varint(p, c);
    out->len += (size_t)(p - start);
}

static void put_str(bh_buf *out, const char *s, size_t len)
{
    unsigned char *start = bh_buf_room(out, VARINT_MAX + len), *p = put_varint(start, len);
    if (len)
        memcpy(p, s, len);
    out->len += (size_t)(p - start) + len;
}

static void put_attr_name(const bh_v1_encoder *enc, uint16_t atom)
{
    if (atom < BH_A__KNOWN) {
        bh_v1_varint(enc->out, atom);
        return;
    }
    const bh_name *name = bh_attr_name(enc->names, atom);
    bh_buf_byte(enc->out, 0);
    put_str(enc->out, name->html, name->len);
}

static void put_tag_name(const bh_v1_encoder *enc, uint16_t atom)
{
    if (atom < BH_TAG__KNOWN) {
        bh_v1_varint(enc->out, atom);
        return;
    }
    const bh_name *name = bh_tag_name(enc->names, atom);
    bh_buf_byte(enc->out, 0);
    put_str(enc->out, name->html, name->len);
}

/* One attribute: as an op of its own (nid > 0) or inside a node (nid 0, which no node has). */
static void put_attr(const bh_v1_encoder *enc, uint32_t nid, const bh_attr *a)
{
    bh_buf *out = enc->out;
    unsigned op = 0;
    switch ((bh_value_kind)a->kind) {
    case BH_VAL_STR:
        op = a->atom == BH_A_style ? BH_V1_OP_STYLE : BH_V1_OP_ATTR;
        break;
    case BH_VAL_TRUE:
    case BH_VAL_FALSE:
        op = BH_V1_OP_BOOL;
        break;
    case BH_VAL_RAW:
        op = BH_V1_OP_HTML;
        break;
    case BH_VAL_HANDLER:
        op = BH_V1_OP_ON;
        break;
    }
    assert(op);
    put_op(out, op, nid != 0, nid, 0, 0);
    if (op == BH_V1_OP_ON) {
        bh_v1_varint(out, a->atom);
        bh_v1_varint(out, a->u.handler->hid);
        bh_v1_varint(out, a->u.handler->flags);
        return;
    }
    if (op == BH_V1_OP_ATTR || op == BH_V1_OP_BOOL)
        put_attr_name(enc, a->atom);
    if (op == BH_V1_OP_BOOL)
        bh_buf_byte(out, a->kind == BH_VAL_TRUE);
    else
        put_str(out, a->u.str, a->len);
}

/* ---- subtrees ----------------------------------------------------------------------------------- */

static void count_one(void *arg, const bh_node *dom)
{
    (void)dom;
    ++*(size_t *)arg;
}

static size_t dom_children(const bh_node *n)
{
    size_t count = 0;
    for (const bh_node *c = n->u.el.first; c; c = c->next) {
        if (c->kind == BH_NODE_ELEMENT || c->kind == BH_NODE_TEXT)
            count++;
        else
            bh_dom_each(c, count_one, &count);
    }
    return count;
}

static bool last_of_all(const bh_attr *a) { return a->kind == BH_VAL_STR && a->atom == BH_A_value; }

static void put_node(void *arg, const bh_node *n)
{
    const bh_v1_encoder *enc = arg;
    assert(n->nid);
    if (n->kind == BH_NODE_TEXT) {
        bh_buf_byte(enc->out, BH_V1_NODE_TEXT);
        put_str(enc->out, n->u.text.str, n->len);
        return;
    }
    assert(n->kind == BH_NODE_ELEMENT);
    bh_buf_byte(enc->out, BH_V1_NODE_ELEMENT);
    put_tag_name(enc, n->tag);
    bh_v1_varint(enc->out, n->n_attrs);
    /* The value comes last: a browser fits it to type, min, max and step as they are when it is set. */
    const bh_attr *value = NULL;
    for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++) {
        if (last_of_all(a))
            value = a;
        else
            put_attr(enc, 0, a);
    }
    if (value)
        put_attr(enc, 0, value);
    if (n->flags & BH_NODE_RAW) {
        bh_buf_byte(enc->out, 0);
        return;
    }
    bh_v1_varint(enc->out, dom_children(n));
    for (const bh_node *c = n->u.el.first; c; c = c->next) {
        if (c->kind == BH_NODE_ELEMENT || c->kind == BH_NODE_TEXT)
            put_node(arg, c);
        else
            bh_dom_each(c, put_node, arg);
    }
}

/* ---- the sink ------------------------------------------------------------------------------------ */

/* Where the DOM nodes of a logical node go. */
struct place {
    const bh_v1_encoder *enc;
    uint32_t parent, before;
};

static struct place place_of(const bh_v1_encoder *enc, const bh_node *n)
{
    const bh_node *parent = bh_dom_parent(n), *after = bh_dom_after(n);
    return (struct place){enc, parent ? parent->nid : 0, after ? after->nid : 0};
}

static void insert_one(void *arg, const bh_node *dom)
{
    const struct place *at = arg;
    put_op(at->enc->out, BH_V1_OP_INSERT, 2, at->parent, at->before, 0);
    put_node((void *)(uintptr_t)at->enc, dom);
}

static void move_one(void *arg, const bh_node *dom)
{
    const struct place *at = arg;
    assert(dom->nid);
    if (at->before)
        put_op(at->enc->out, BH_V1_OP_MOVE, 2, dom->nid, at->before, 0);
    else
        put_op(at->enc->out, BH_V1_OP_MOVE_LAST, 2, dom->nid, at->parent, 0);
}

static void remove_one(void *arg, const bh_node *dom)
{
    const bh_v1_encoder *enc = arg;
    assert(dom->nid);
    put_op(enc->out, BH_V1_OP_REMOVE, 1, dom->nid, 0, 0);
}

static void sink_insert(void *self, const bh_node *n)
{
    struct place at = place_of(self, n);
    bh_dom_each(n, insert_one, &at);
}

static void sink_move(void *self, const bh_node *n)
{
    struct place at = place_of(self, n);
    bh_dom_each(n, move_one, &at);
}

static void sink_remove(void *self, const bh_node *old, const bh_node *into)
{
    (void)into;
    bh_dom_each(old, remove_one, self);
}

static void sink_set_text(void *self, const bh_node *n)
{
    const bh_v1_encoder *enc = self;
    put_op(enc->out, BH_V1_OP_TEXT, 1, n->nid, 0, 0);
    put_str(enc->out, n->u.text.str, n->len);
}

static void sink_set_attr(void *self, const bh_node *n, const bh_attr *attr)
{
    put_attr(self, n->nid, attr);
}

static void sink_del_attr(void *self, const bh_node *n, const bh_attr *old)
{
    const bh_v1_encoder *enc = self;
    if (old->kind == BH_VAL_HANDLER) {
        put_op(enc->out, BH_V1_OP_OFF, 2, n->nid, old->atom, 0);
    } else if (old->kind == BH_VAL_RAW) {
        put_op(enc->out, BH_V1_OP_HTML, 2, n->nid, 0, 0); /* the empty string */
    } else {
        put_op(enc->out, BH_V1_OP_DEL, 1, n->nid, 0, 0);
        put_attr_name(enc, old->atom);
    }
}

static const bh_patch_ops v1_ops = {
    .insert = sink_insert,
    .move = sink_move,
    .remove = sink_remove,
    .set_text = sink_set_text,
    .set_attr = sink_set_attr,
    .del_attr = sink_del_attr,
};

bh_patch_sink bh_v1_sink(bh_v1_encoder *enc) { return (bh_patch_sink){&v1_ops, enc}; }

void bh_v1_snapshot(bh_v1_encoder *enc, const bh_node *root)
{
    struct place at = {enc, 0, 0};
    bh_dom_each(root, insert_one, &at);
}

void bh_v1_handler(bh_v1_encoder *enc, const bh_node *n, const bh_attr *handler)
{
    assert(handler->kind == BH_VAL_HANDLER);
    put_attr(enc, n->nid, handler);
}

/* ---- the rest of a frame ------------------------------------------------------------------------- */

void bh_v1_frame(bh_buf *out, uint32_t seq, uint32_t ack)
{
    unsigned char *start = bh_buf_room(out, (size_t)2 * VARINT_MAX);
    out->len += (size_t)(put_varint(put_varint(start, seq), ack) - start);
}

void bh_v1_welcome(bh_buf *out, unsigned flags, const char *token)
{
    put_op(out, BH_V1_OP_WELCOME, 1, flags, 0, 0);
    put_str(out, token, strlen(token));
}

void bh_v1_reset(bh_buf *out) { bh_buf_byte(out, BH_V1_OP_RESET); }

void bh_v1_pong(bh_buf *out) { bh_buf_byte(out, BH_V1_OP_PONG); }

void bh_v1_notice(bh_buf *out, unsigned code, const char *text)
{
    put_op(out, BH_V1_OP_NOTICE, 1, code, 0, 0);
    put_str(out, text, strlen(text));
}
