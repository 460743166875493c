/* SPDX-License-Identifier: MIT
 * render/handlers.c — the table from handler id to handler.
 *
 * Ids count up from 1 per session (small numbers, short on the wire) and are not reused: an event
 * for a handler that is gone finds nothing, whatever took its place. Since they are consecutive, the
 * id masked is a perfect start for probing. */
#include <string.h>

#include "render/internal.h"
#include "render/role.h"
#include "vdom/mem.h"

static bh_handler_rec *rec_of(const bh_attr *a)
{
    return (bh_handler_rec *)(void *)a->u.handler; /* head is the first member */
}

static bh_handler_entry *find(const bh_handler_table *t, uint32_t hid)
{
    if (!t->cap || !hid)
        return NULL;
    for (uint32_t i = hid & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
        if (t->entries[i].hid == hid)
            return &t->entries[i];
        if (!t->entries[i].hid)
            return NULL;
    }
}

const bh_handler_entry *bh__handlers_find(const bh_session *s, uint32_t hid)
{
    return find(&s->handlers, hid);
}

static void place(bh_handler_table *t, bh_handler_entry entry)
{
    uint32_t i = entry.hid & (t->cap - 1);
    while (t->entries[i].hid)
        i = (i + 1) & (t->cap - 1);
    t->entries[i] = entry;
}

static void grow(bh_session *s)
{
    bh_handler_table *t = &s->handlers;
    bh_handler_entry *old = t->entries;
    uint32_t old_cap = t->cap;
    t->cap = old_cap ? old_cap * 2 : 4;
    t->entries = bh__session_alloc(s, t->cap * sizeof *t->entries);
    memset(t->entries, 0, t->cap * sizeof *t->entries);
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i].hid)
            place(t, old[i]);
    bh__session_free(s, old, old_cap * sizeof *old);
}

static void insert(bh_session *s, bh_handler_rec *rec, uint16_t event)
{
    bh_handler_table *t = &s->handlers;
    if ((t->used + 1) * 4 > t->cap * 3)
        grow(s);
    do {
        if (!++t->next_hid)
            t->next_hid = 1;
    } while (find(t, t->next_hid)); /* after four thousand million handlers */
    rec->head.hid = t->next_hid;
    place(t, (bh_handler_entry){rec->head.hid, event, rec});
    t->used++;
}

static void take_out(bh_session *s, uint32_t hid)
{
    bh_handler_table *t = &s->handlers;
    bh_handler_entry *e = find(t, hid);
    if (!e)
        return;
    uint32_t mask = t->cap - 1, hole = (uint32_t)(e - t->entries);
    for (uint32_t i = (hole + 1) & mask; t->entries[i].hid; i = (i + 1) & mask) {
        uint32_t home = t->entries[i].hid & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) { /* may move back into the hole */
            t->entries[hole] = t->entries[i];
            hole = i;
        }
    }
    t->entries[hole] = (bh_handler_entry){0};
    t->used--;
}

void bh__handlers_fini(bh_session *s)
{
    bh__session_free(s, s->handlers.entries, s->handlers.cap * sizeof *s->handlers.entries);
    s->handlers = (bh_handler_table){0};
}

void bh__handlers_adopt(bh_session *s, bh_node *element)
{
    if (!(element->flags & BH_NODE_HANDLERS))
        return;
    for (unsigned i = 0; i < element->n_attrs; i++)
        if (element->u.el.attrs[i].kind == BH_VAL_HANDLER)
            insert(s, rec_of(&element->u.el.attrs[i]), element->u.el.attrs[i].atom);
}

static const bh_attr *handler_attr(const bh_node *n, uint16_t event)
{
    for (unsigned i = n->n_attrs; i-- > 0;) { /* handlers stand last */
        const bh_attr *a = &n->u.el.attrs[i];
        if (a->kind != BH_VAL_HANDLER)
            return NULL;
        if (a->atom == event)
            return a;
    }
    return NULL;
}

void bh__handlers_continue(bh_session *s, const bh_node *old, bh_node *cur)
{
    for (unsigned i = cur->n_attrs; i-- > 0;) {
        const bh_attr *a = &cur->u.el.attrs[i];
        if (a->kind != BH_VAL_HANDLER)
            break;
        const bh_attr *was = handler_attr(old, a->atom);
        bh_handler_rec *rec = rec_of(a);
        bh_handler_entry *e = was ? find(&s->handlers, was->u.handler->hid) : NULL;
        if (e) {
            rec->head.hid = e->hid;
            e->rec = rec;
        } else {
            insert(s, rec, a->atom);
        }
    }
    for (unsigned i = old->n_attrs; i-- > 0;) {
        const bh_attr *a = &old->u.el.attrs[i];
        if (a->kind != BH_VAL_HANDLER)
            break;
        if (!handler_attr(cur, a->atom))
            take_out(s, a->u.handler->hid);
    }
}

void bh__handlers_drop(bh_session *s, const bh_node *element)
{
    if (!(element->flags & BH_NODE_HANDLERS))
        return;
    for (unsigned i = 0; i < element->n_attrs; i++)
        if (element->u.el.attrs[i].kind == BH_VAL_HANDLER)
            take_out(s, element->u.el.attrs[i].u.handler->hid);
}

/* ---- calling ------------------------------------------------------------------------------ */

static bool call(bh_cx *cx, bh_handler_fn *fn, const void *cap, const bh_event *ev)
{
    if (_setjmp(cx->jmp))
        return false;
    fn(cx, ev, cap);
    return true;
}

bool bh__handler_call(bh_session *s, bh_instance *inst, bh_handler_fn *fn, const void *cap,
                      const bh_event *ev)
{
    bh_cx *cx = s->env->cx;
    bh__cx_begin(cx, s, inst, BH_PHASE_HANDLER);
    bool ok = call(cx, fn, cap, ev);
    cx->phase = BH_PHASE_NONE;
    if (!ok)
        bh__fault_report(s, bh_inst_component(inst)->name, "handler", cx->reason);
    return ok;
}

bh_event_type bh_session_handler_type(const bh_session *s, uint32_t hid)
{
    const bh_handler_entry *e = find(&s->handlers, hid);
    return e ? (bh_event_type)e->event : BH_ON_NONE;
}

bool bh_session_event(bh_session *s, uint32_t hid, const bh_event *ev)
{
    bh_role_assert_render();
    const bh_handler_entry *e = find(&s->handlers, hid);
    if (!e || e->event != (uint16_t)ev->type) {
        s->env->unknown_handlers++;
        return false;
    }
    const bh_handler_rec *rec = e->rec;
    bh_event clean = *ev; /* authors read value and key without a test for NULL */
    if (!clean.value)
        clean.value = "";
    if (!clean.key)
        clean.key = "";
    if (!s->echo_inputs)
        bh__input_reported(s, rec, &clean);
    bh__handler_call(s, rec->inst, rec->fn, rec->cap, &clean);
    return true;
}

void bh_session_echo_inputs(bh_session *s, bool on) { s->echo_inputs = on; }

const char *bh_event_field(const bh_event *ev, const char *name)
{
    for (size_t i = 0; i < ev->n_fields; i++)
        if (strcmp(ev->fields[i].name, name) == 0)
            return ev->fields[i].value;
    return NULL;
}
