/* SPDX-License-Identifier: MIT
 * ReactPy, out: collects the changes of one render and writes ONE layout-update for them.
 *
 * A message costs that client a render of its whole page, so k changes are never k messages. What is
 * kept while the sink is fed is the nearest node whose JSON holds every change, and which part of
 * it: a text, one attribute, all attributes, the handlers, the children, or the whole.
 * Objects among the attributes (style, raw HTML) are always replaced whole: 1.x clients compare them
 * by identity. A child that goes or moves means the whole `children` array: the client can set what a
 * pointer names, not delete. */
#include <assert.h>
#include <string.h>

#include "server/wire_reactpy.h"

#define PUT(out, literal) bh_buf_put(out, "" literal, sizeof(literal) - 1)

enum part { WHOLE, CHILDREN, APPEND, ATTR, ATTRS, HANDLERS };

/* ---- where ------------------------------------------------------------------------------------------ */

static const bh_node *up(const bh_node *n)
{
    if (n->parent)
        return n->parent;
    return n->owner ? n->owner->place : NULL;
}

static size_t depth_of(const bh_node *n)
{
    size_t depth = 0;
    for (; n; n = up(n))
        depth++;
    return depth;
}

static const bh_node *common_of(const bh_node *a, const bh_node *b)
{
    size_t da = depth_of(a), db = depth_of(b);
    for (; da > db; da--)
        a = up(a);
    for (; db > da; db--)
        b = up(b);
    while (a != b) {
        a = up(a);
        b = up(b);
        assert(a && b && "changes of one render are in one tree");
    }
    return a;
}

static enum part both(enum part a, enum part b)
{
    bool attrs_a = a == ATTR || a == ATTRS, attrs_b = b == ATTR || b == ATTRS;
    bool list_a = a == CHILDREN || a == APPEND, list_b = b == CHILDREN || b == APPEND;
    if (attrs_a && attrs_b)
        return ATTRS;
    if (list_a && list_b)
        return CHILDREN;
    if (a == HANDLERS && b == HANDLERS)
        return HANDLERS;
    return WHOLE;
}

static void note(bh_reactpy_encoder *enc, const bh_node *site, enum part part)
{
    if (enc->changes++ == 0) {
        enc->site = site;
        enc->part = (int)part;
        return;
    }
    const bh_node *common = site == enc->site ? site : common_of(site, enc->site);
    enum part old = common == enc->site ? (enum part)enc->part : CHILDREN;
    enc->part = (int)both(old, common == site ? part : CHILDREN);
    enc->site = common;
}

/* ---- the sink ----------------------------------------------------------------------------------------- */

static void sink_insert(void *self, const bh_node *n)
{
    if (!n->parent)
        note(self, n, WHOLE);
    else /* the client has made a `children` only if there were some */
        note(self, n->parent, !n->next && n->index > 0 ? APPEND : CHILDREN);
}

static void sink_move(void *self, const bh_node *n)
{
    note(self, n->parent ? n->parent : n, n->parent ? CHILDREN : WHOLE);
}

static void sink_remove(void *self, const bh_node *old, const bh_node *into)
{
    (void)old;
    note(self, into, CHILDREN);
}

static void sink_set_text(void *self, const bh_node *n) { note(self, n, WHOLE); }

static void note_attr(bh_reactpy_encoder *enc, const bh_node *n, const bh_attr *a)
{
    bool handler = a->kind == BH_VAL_HANDLER;
    uint32_t seq;
    /* An acknowledgement must arrive with what it lets through. */
    enum part part = handler ? HANDLERS : bh__reactpy_ack(enc, n, &seq) ? ATTRS : ATTR;
    enc->atom = a->atom;
    enc->kind = a->kind;
    note(enc, n, part);
}

static void sink_set_attr(void *self, const bh_node *n, const bh_attr *a) { note_attr(self, n, a); }

static void sink_del_attr(void *self, const bh_node *n, const bh_attr *old)
{
    note_attr(self, n, old);
}

static const bh_patch_ops reactpy_ops = {
    .insert = sink_insert,
    .move = sink_move,
    .remove = sink_remove,
    .set_text = sink_set_text,
    .set_attr = sink_set_attr,
    .del_attr = sink_del_attr,
};

bh_patch_sink bh_reactpy_sink(bh_reactpy_encoder *enc)
{
    return (bh_patch_sink){&reactpy_ops, enc};
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static unsigned digits(uint32_t v)
{
    unsigned n = 1;
    while (v >= 10) {
        v /= 10;
        n++;
    }
    return n;
}

/* The path of n, written from its end: steps are found from there. */
static void put_path(bh_buf *out, const bh_node *n)
{
    static const char step[] = "/children/";
    const size_t step_len = sizeof step - 1;
    size_t len = step_len + 1; /* of the root component, child 0 of the root */
    for (const bh_node *m = n; m; m = up(m))
        if (m->parent)
            len += step_len + digits(m->index);
    unsigned char *p = bh_buf_room(out, len) + len;
    for (const bh_node *m = n; m; m = up(m)) {
        if (!m->parent)
            continue;
        uint32_t index = m->index;
        do
            *--p = (unsigned char)('0' + index % 10);
        while (index /= 10);
        p -= step_len;
        memcpy(p, step, step_len);
    }
    *--p = '0';
    p -= step_len;
    memcpy(p, step, step_len);
    out->len += len;
}

static void put_one_attr(const bh_reactpy_encoder *enc, const bh_node *n)
{
    for (const bh_attr *a = n->u.el.attrs, *end = bh_attrs_end(n); a < end; a++) {
        if (a->atom == enc->atom && (a->kind == BH_VAL_RAW) == (enc->kind == BH_VAL_RAW) &&
            a->kind != BH_VAL_HANDLER) {
            bh__reactpy_value(enc, a);
            return;
        }
    }
    PUT(enc->out, "null"); /* React takes it away */
}

void bh_reactpy_begin(bh_reactpy_encoder *enc)
{
    enc->site = NULL;
    enc->changes = 0;
    enc->part = WHOLE;
    enc->atom = 0;
    enc->kind = 0;
}

static void put_update(const bh_reactpy_encoder *enc, const bh_node *n, enum part part)
{
    bh_buf *out = enc->out;
    PUT(out, "{\"type\":\"layout-update\",\"path\":\"");
    put_path(out, n);
    switch (part) {
    case WHOLE:
        PUT(out, "\",\"model\":");
        bh__reactpy_model(enc, n);
        break;
    case CHILDREN:
        PUT(out, "/children\",\"model\":");
        bh__reactpy_children(enc, n);
        break;
    case ATTRS:
        PUT(out, "/attributes\",\"model\":");
        bh__reactpy_attributes(enc, n);
        break;
    case HANDLERS:
        PUT(out, "/eventHandlers\",\"model\":");
        bh__reactpy_handlers(enc, n);
        break;
    case ATTR: /* names of attributes hold nothing that JSON or a pointer would escape */
        PUT(out, "/attributes/");
        bh_buf_str(out, bh__reactpy_attr_name(enc, enc->atom, enc->kind));
        PUT(out, "\",\"model\":");
        put_one_attr(enc, n);
        break;
    case APPEND:
        assert(part != APPEND); /* finish has made it the child itself */
        break;
    }
    bh_buf_byte(out, '}');
}

void bh_reactpy_finish(bh_reactpy_encoder *enc)
{
    if (enc->changes == 0)
        return;
    const bh_node *n = enc->site;
    enum part part = (enum part)enc->part;
    if (!enc->diff) {
        while (n->parent)
            n = n->parent;
        part = WHOLE;
    } else if (part == APPEND) { /* one new child at the end: set what is one past the last */
        n = bh_node_has_children(n) ? n->u.el.first : n->u.slot.slot->cur->u.el.first;
        while (n->next)
            n = n->next;
        part = WHOLE;
    }
    put_update(enc, n, part);
    bh_reactpy_begin(enc);
}

void bh_reactpy_root(bh_reactpy_encoder *enc, const bh_node *root)
{
    bh_buf *out = enc->out;
    PUT(out,
        "{\"type\":\"layout-update\",\"path\":\"\",\"model\":{\"tagName\":\"\",\"children\":[");
    bh__reactpy_model(enc, root);
    PUT(out, "]}}");
    bh_reactpy_begin(enc);
}
