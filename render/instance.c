/* SPDX-License-Identifier: MIT
 * render/instance.c — the tree of instances: making, marking, dropping. */
#include <assert.h>
#include <string.h>

#include "render/internal.h"
#include "vdom/mem.h"

/* ---- the table: index and generation make a bh_ref that can go stale safely ------------------ */

static void table_grow(bh_session *s)
{
    uint32_t cap = s->cap_insts ? s->cap_insts * 2 : 4;
    bh_inst_entry *grown = bh__session_alloc(s, cap * sizeof *grown);
    if (s->n_insts)
        memcpy(grown, s->insts, s->n_insts * sizeof *grown);
    bh__session_free(s, s->insts, s->cap_insts * sizeof *grown);
    s->insts = grown;
    s->cap_insts = cap;
}

static void table_add(bh_session *s, bh_instance *inst)
{
    uint32_t index;
    if (s->first_free) {
        index = s->first_free - 1;
        s->first_free = s->insts[index].next_free;
        if (!s->first_free)
            s->last_free = 0;
    } else {
        if (s->n_insts == s->cap_insts)
            table_grow(s);
        index = s->n_insts++;
        s->insts[index].generation = 1;
    }
    s->insts[index].inst = inst;
    inst->index = index;
    inst->generation = s->insts[index].generation;
}

static void table_remove(bh_session *s, bh_instance *inst)
{
    bh_inst_entry *e = &s->insts[inst->index];
    assert(e->inst == inst);
    e->inst = NULL;
    e->next_free = 0;
    if (!++e->generation)
        return; /* all its generations are used: retired, so that no old ref ever fits again */
    if (s->last_free)
        s->insts[s->last_free - 1].next_free = inst->index + 1;
    else
        s->first_free = inst->index + 1;
    s->last_free = inst->index + 1;
}

/* ---- life ------------------------------------------------------------------------------------ */

bh_instance *bh__instance_new(bh_session *s, bh_instance *parent, bh_node *place, unsigned depth)
{
    bh_instance *inst = bh__session_alloc(s, sizeof *inst);
    memset(inst, 0, sizeof *inst);
    inst->session = s;
    inst->parent = parent;
    inst->depth = (uint16_t)depth;
    if (place) {
        inst->desc = place->u.slot.desc;
        inst->kind = inst->desc->kind;
        inst->type = place->u.slot.type;
        inst->slot.place = place;
        place->u.slot.slot = &inst->slot;
    }
    table_add(s, inst);
    return inst;
}

void bh__instance_append(bh_instance *parent, bh_instance *inst)
{
    inst->next = NULL;
    inst->prev = parent->last;
    if (parent->last)
        parent->last->next = inst;
    else
        parent->first = inst;
    parent->last = inst;
}

void bh__instance_free(bh_instance *inst)
{
    bh_session *s = inst->session;
    bh__hooks_free(inst);
    assert(!inst->out.chunks);
    table_remove(s, inst);
    if (s->one_dirty == inst)
        s->one_dirty = NULL;
    if (s->one_effect == inst)
        s->one_effect = NULL;
    bh__session_free(s, inst, sizeof *inst);
}

/* Off the page: from here on it is stale for setters, timers, sources and events. Its nodes stay
 * until the pass is over (they name what the client must remove), its hooks until the cleanups
 * have run. Parents before children. */
void bh__instance_drop(bh_instance *inst)
{
    bh_session *s = inst->session;
    bh__clear_dirty(inst);
    bh__clear_effects(inst);
    bh__hooks_unlink(inst);
    bh__provider_leave(inst);
    inst->flags |= BH_I_GONE;
    s->n_nodes -= inst->n_nodes;
    inst->next_gone = NULL;
    *s->gone_tail = inst;
    s->gone_tail = &inst->next_gone;
    bh_node *shown = inst->slot.prev ? inst->slot.prev : inst->slot.cur;
    if (shown)
        bh__node_drop(s, shown);
}

void bh__node_drop(bh_session *s, bh_node *n)
{
    if (n->kind == BH_NODE_SLOT) {
        if (n->u.slot.slot)
            bh__instance_drop(bh_slot_instance(n->u.slot.slot));
        return;
    }
    if (n->kind == BH_NODE_ELEMENT)
        bh__handlers_drop(s, n);
    if (bh_node_has_children(n))
        for (bh_node *c = n->u.el.first; c; c = c->next)
            bh__node_drop(s, c);
}

/* ---- marks ------------------------------------------------------------------------------------- */

/* A mark says "perhaps below": it may outlive its reason (an instance that rendered twice, or went),
 * but never stands under an ancestor without it. Hence only a walk from the root takes marks away; one
 * taken away in the middle would hide from the walk what is marked below it later. */
void bh__mark_up(bh_instance *inst, unsigned flag)
{
    for (bh_instance *p = inst->parent; p && !(p->flags & flag); p = p->parent)
        p->flags |= (uint16_t)flag;
}

void bh__mark_dirty(bh_instance *inst)
{
    bh_session *s = inst->session;
    const bh_cx *cx = s->env->cx;
    /* What effects and renders cause by themselves could go on for ever; see BH_MAX_EFFECT_LOOP. */
    bool inner = cx->session == s && (cx->phase == BH_PHASE_EFFECT || cx->phase == BH_PHASE_RENDER);
    s->dirty_cause |= inner ? BH_CAUSE_EFFECT : BH_CAUSE_OTHER;
    if (!(inst->flags & BH_I_DIRTY)) {
        inst->flags |= BH_I_DIRTY;
        s->n_dirty++;
        s->one_dirty = inst;
        bh__mark_up(inst, BH_I_DIRTY_BELOW);
    }
    if (!s->woken && !s->in_pass) {
        s->woken = true;
        s->host->ops->wake(s->host, s);
    }
}

void bh__clear_dirty(bh_instance *inst)
{
    if (inst->flags & BH_I_DIRTY) {
        inst->flags &= (uint16_t)~BH_I_DIRTY;
        inst->session->n_dirty--;
    }
}

void bh__mark_effects(bh_instance *inst)
{
    if (inst->flags & BH_I_EFFECTS)
        return;
    inst->flags |= BH_I_EFFECTS;
    inst->session->n_effects++;
    inst->session->one_effect = inst;
    bh__mark_up(inst, BH_I_EFFECTS_BELOW);
}

void bh__clear_effects(bh_instance *inst)
{
    if (inst->flags & BH_I_EFFECTS) {
        inst->flags &= (uint16_t)~BH_I_EFFECTS;
        inst->session->n_effects--;
    }
}

/* ---- contents of WITH and PROVIDE --------------------------------------------------------------- */

static const bh_attr *attrs_clone(bh_arena *a, const bh_node *from, bh_node *to)
{
    if (!from->n_attrs)
        return NULL;
    bh_attr *attrs = bh_arena_alloc(a, from->n_attrs * sizeof *attrs);
    memcpy(attrs, from->u.el.attrs, from->n_attrs * sizeof *attrs);
    for (unsigned i = 0; i < from->n_attrs; i++) {
        if (attrs[i].kind != BH_VAL_HANDLER)
            continue;
        bh_handler_rec *rec = bh_arena_alloc(a, sizeof *rec);
        memcpy(rec, attrs[i].u.handler, sizeof *rec);
        rec->head.hid = 0;
        rec->element = to;
        attrs[i].u.handler = &rec->head;
    }
    return attrs;
}

static bh_node *node_clone(bh_arena *a, const bh_node *from, bh_node *parent)
{
    bh_node *n = bh_arena_alloc(a, sizeof *n);
    *n = *from;
    n->flags &= (uint8_t) ~(BH_NODE_CLAIMED | BH_NODE_TWIN);
    n->nid = 0;
    n->prev = n->next = NULL;
    n->parent = parent;
    n->owner = NULL;
    if (n->kind == BH_NODE_SLOT)
        n->u.slot.slot = NULL;
    if (n->kind == BH_NODE_ELEMENT)
        n->u.el.attrs = attrs_clone(a, from, n);
    if (!bh_node_has_children(n))
        return n;
    bh_node **at = &n->u.el.first;
    for (const bh_node *c = from->u.el.first; c; c = c->next) {
        *at = node_clone(a, c, n);
        at = &(*at)->next;
    }
    *at = NULL;
    return n;
}

/* The contents for this place. They can be mounted as they are once; when the component around them
 * has let them go and places them again without its parent having rendered, the old nodes still
 * carry what the client is about to remove, so the new place gets a copy. */
bh_node *bh__content_take(bh_instance *inst, const bh_desc *desc)
{
    bh_desc *d = (bh_desc *)(uintptr_t)desc; /* the mark belongs to this layer */
    bh_node *content = d->content;
    if (d->content_used) {
        bh_arena_init(&inst->out, &inst->session->env->pool);
        content = node_clone(&inst->out, content, NULL);
        bh__session_account(inst->session, inst->out.bytes, 0);
    }
    d->content_used = true;
    content->owner = &inst->slot;
    return content;
}
