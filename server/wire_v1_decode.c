/* SPDX-License-Identifier: MIT
 * backhaul.v1, in. One message is one WebSocket message; nothing about it is taken on trust: lengths
 * are checked against what is left, varints must be in their shortest form, strings must be UTF-8
 * without NUL (handlers get them as C strings), and nothing may follow the end. */
#include <errno.h>
#include <string.h>

#include "server/limits.h"
#include "server/utf8.h"
#include "server/wire.h"
#include "server/wire_v1_ops.h"

struct reader {
    const unsigned char *at, *end;
    bh_arena *arena;
};

static int get_u8(struct reader *r, unsigned *ret)
{
    if (r->at == r->end)
        return -EPROTO;
    *ret = *r->at++;
    return 0;
}

static int get_u32(struct reader *r, uint32_t *ret)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (r->at == r->end)
            return -EPROTO;
        unsigned char c = *r->at++;
        v |= (uint64_t)(c & 0x7fu) << shift;
        if (c & 0x80u)
            continue;
        if ((c == 0 && shift > 0) || v > UINT32_MAX)
            return -EPROTO;
        *ret = (uint32_t)v;
        return 0;
    }
    return -EPROTO;
}

static int get_i32(struct reader *r, double *ret)
{
    uint32_t v;
    int rc = get_u32(r, &v);
    if (rc < 0)
        return rc;
    *ret = (double)(v >> 1);
    if (v & 1u)
        *ret = -*ret - 1;
    return 0;
}

static int get_str(struct reader *r, const char **ret)
{
    uint32_t len;
    int rc = get_u32(r, &len);
    if (rc < 0)
        return rc;
    if (len > (size_t)(r->end - r->at) || memchr(r->at, 0, len))
        return -EPROTO;
    if (!bh_utf8_valid(r->at, len))
        return -EILSEQ;
    *ret = bh_arena_copy(r->arena, (const char *)r->at, len);
    r->at += len;
    return 0;
}

/* A list that doubles; what it outgrew stays in the arena until the message is done with. */
struct fields {
    bh_field *at;
    size_t n, cap;
};

static int get_field(struct reader *r, struct fields *f)
{
    if (f->n == BH_MAX_FIELDS)
        return -EPROTO;
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 8;
        bh_field *more = bh_arena_alloc(r->arena, cap * sizeof *more);
        if (f->n)
            memcpy(more, f->at, f->n * sizeof *more);
        f->at = more;
        f->cap = cap;
    }
    bh_field *field = &f->at[f->n];
    int rc = get_str(r, &field->name);
    if (rc == 0)
        rc = get_str(r, &field->value);
    if (rc == 0)
        f->n++;
    return rc;
}

static int get_event_field(struct reader *r, unsigned code, bh_event *ev, struct fields *fields)
{
    unsigned small;
    int rc;
    switch (code) {
    case BH_V1_F_VALUE:
        return get_str(r, &ev->value);
    case BH_V1_F_CHECKED:
        ev->checked = true;
        return 0;
    case BH_V1_F_KEY:
        return get_str(r, &ev->key);
    case BH_V1_F_MODS:
        rc = get_u8(r, &small);
        if (rc < 0 || small > (BH_MOD_SHIFT | BH_MOD_CTRL | BH_MOD_ALT | BH_MOD_META))
            return -EPROTO;
        ev->mods = small;
        return 0;
    case BH_V1_F_XY:
        rc = get_i32(r, &ev->x);
        return rc < 0 ? rc : get_i32(r, &ev->y);
    case BH_V1_F_BUTTON:
        rc = get_u8(r, &small);
        ev->button = rc < 0 ? 0 : (int)small;
        return rc;
    case BH_V1_F_FIELD:
        return get_field(r, fields);
    default:
        return -EPROTO;
    }
}

static int get_event(struct reader *r, bh_v1_message *m)
{
    struct fields fields = {NULL, 0, 0};
    unsigned seen = 0;
    int rc = get_u32(r, &m->seq);
    if (rc == 0)
        rc = get_u32(r, &m->ack);
    if (rc == 0)
        rc = get_u32(r, &m->hid);
    if (rc == 0 && (m->seq == 0 || m->hid == 0))
        rc = -EPROTO;
    while (rc == 0 && r->at < r->end) {
        unsigned code = *r->at++;
        if (code != BH_V1_F_FIELD) {
            if (code > BH_V1_F_FIELD || (seen & 1u << code))
                return -EPROTO;
            seen |= 1u << code;
        }
        rc = get_event_field(r, code, &m->event, &fields);
    }
    m->event.fields = fields.at;
    m->event.n_fields = fields.n;
    return rc;
}

static int get_hello(struct reader *r, bh_v1_message *m)
{
    unsigned version;
    int rc = get_u8(r, &version);
    if (rc == 0 && version != BH_V1_VERSION)
        rc = -EPROTO;
    if (rc == 0)
        rc = get_str(r, &m->token);
    if (rc == 0 && strlen(m->token) > BH_V1_TOKEN_MAX)
        rc = -EPROTO;
    if (rc == 0)
        rc = get_u32(r, &m->seq);
    if (rc == 0)
        rc = get_u32(r, &m->n_nodes);
    return rc;
}

int bh_v1_decode(const unsigned char *data, size_t len, bh_arena *arena, bh_v1_message *ret)
{
    struct reader r = {data, data + len, arena};
    bh_v1_message m = {.token = "", .event = {.value = "", .key = ""}};
    unsigned kind;
    int rc = get_u8(&r, &kind);
    if (rc < 0)
        return rc;
    switch (kind) {
    case BH_V1_HELLO:
        rc = get_hello(&r, &m);
        break;
    case BH_V1_EVENT:
        rc = get_event(&r, &m);
        break;
    case BH_V1_ACK:
        rc = get_u32(&r, &m.seq);
        break;
    case BH_V1_PING:
        break;
    default:
        return -EPROTO;
    }
    if (rc < 0)
        return rc;
    if (r.at != r.end)
        return -EPROTO;
    m.kind = (bh_v1_kind)kind;
    *ret = m;
    return 0;
}
