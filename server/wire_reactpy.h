/* SPDX-License-Identifier: MIT
 * server/wire_reactpy.h — between the two halves of the ReactPy encoder.
 *
 * A node, a fragment and a slot are one JSON object each and a text is one string, so the index of a
 * logical node is its index in the `children` array, and its path is /children/<index> for each step
 * up. A slot and the root of the output it shows are the same object: `bh__reactpy_object` says
 * which node stands for it. */
#ifndef BH_SERVER_WIRE_REACTPY_H
#define BH_SERVER_WIRE_REACTPY_H

#include "server/wire.h"

static inline const bh_node *bh__reactpy_object(const bh_node *n)
{
    return !n->parent && n->owner && n->owner->place ? n->owner->place : n;
}

void bh__reactpy_model(const bh_reactpy_encoder *enc, const bh_node *n);
void bh__reactpy_children(const bh_reactpy_encoder *enc, const bh_node *n);   /* the array */
void bh__reactpy_attributes(const bh_reactpy_encoder *enc, const bh_node *n); /* the object */
void bh__reactpy_handlers(const bh_reactpy_encoder *enc, const bh_node *n);   /* likewise */
void bh__reactpy_value(const bh_reactpy_encoder *enc, const bh_attr *a);
/* Member of `attributes` that says this. */
const char *bh__reactpy_attr_name(const bh_reactpy_encoder *enc, uint16_t atom, unsigned kind);
/* True if the client wants an acknowledgement among this element's attributes. */
bool bh__reactpy_ack(const bh_reactpy_encoder *enc, const bh_node *n, uint32_t *ret_seq);
void bh__json_number(bh_buf *out, uint64_t v);

#endif
