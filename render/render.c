/* SPDX-License-Identifier: MIT
 * render/render.c — one pass: from dirty components to operations.
 *
 *   1. down, left to right: each dirty component renders; its new output is matched against the old.
 *      A slot that continues hands its instance on, which renders at once (unless BH_MEMO and equal
 *      props); a new slot is mounted; what nothing continues is dropped.
 *   2. right to left: the topmost new outputs are emitted; the diff calls back at slots (visit).
 *   3. the replaced outputs go back to the pool.
 * Effects are a later call (effects.c), after the patch has left. */
#include <assert.h>
#include <string.h>

#include "render/internal.h"
#include "render/role.h"
#include "vdom/mem.h"
#include "vdom/scratch.h"

static void match_children(bh_session *s, bh_instance *inst, bh_node *old, bh_node *cur,
                           unsigned depth);
static void mount_children(bh_session *s, bh_instance *inst, bh_node *n, unsigned depth);

/* Remembers that inst shows a new output from now on; its old arena goes when the pass is over. */
static void replaced(bh_session *s, bh_instance *inst, bh_node *cur)
{
    bh_render_env *env = s->env;
    if (env->n_rendered == env->cap_rendered) {
        env->cap_rendered = env->cap_rendered ? env->cap_rendered * 2 : 64;
        env->rendered = bh_realloc(env->rendered, env->cap_rendered * sizeof *env->rendered);
    }
    env->rendered[env->n_rendered++] = (bh_rendered){inst, inst->out};
    inst->out = (bh_arena){0};
    inst->slot.prev = inst->slot.cur;
    inst->slot.cur = cur;
}

/* ---- running a render function -------------------------------------------------------------- */

static bool call_render(bh_cx *cx, const bh_component *c, const void *props)
{
    if (_setjmp(cx->jmp))
        return false;
    bh__build_begin(cx);
    c->render(cx, props);
    bh__build_end(cx);
    bh__hooks_end(cx);
    return true;
}

/* Fills cx->arena with the new output. False: cx->reason says why not. */
static bool run_component(bh_cx *cx, bh_session *s, bh_instance *inst, const char *stop)
{
    const bh_component *c = inst->type;
    size_t others = s->bytes - inst->out.bytes;
    uint32_t other_nodes = s->n_nodes - inst->n_nodes;
    for (int round = 0;; round++) {
        bh__clear_dirty(inst);
        if (!stop && inst->depth >= BH_MAX_DEPTH)
            stop = "elements and components are nested deeper than 256";
        _Static_assert(BH_MAX_DEPTH == 256, "as the sentence says");
        if (!stop && round > BH_MAX_RENDER_LOOP)
            stop = "render loop: it sets its own state at every one of 25 renders";
        _Static_assert(BH_MAX_RENDER_LOOP == 25, "as the sentence says");
        if (stop) {
            memcpy(cx->reason, stop, strlen(stop) + 1);
            return false;
        }
        bh__cx_begin(cx, s, inst, BH_PHASE_RENDER);
        cx->max_depth = BH_MAX_DEPTH + 1u - inst->depth;
        cx->max_nodes = other_nodes < BH_MAX_NODES ? BH_MAX_NODES - other_nodes : 0;
        cx->max_bytes = others < s->max_bytes ? s->max_bytes - others : 0;
        cx->hook = inst->hooks;
        cx->hook_at = 0;
        s->env->component_renders++;
        bool ok = call_render(cx, c, inst->desc->data);
        cx->phase = BH_PHASE_NONE;
        if (!ok)
            return false;
        inst->flags |= BH_I_HOOKED;
        if (!(inst->flags & BH_I_DIRTY))
            return true;
        bh_arena_clear(&cx->arena); /* it set its own state: once more, with that */
    }
}

static void after_fault(bh_cx *cx, bh_session *s, bh_instance *inst)
{
    bh__clear_dirty(inst);
    bh__hooks_fault(inst);
    bh__fault_report(s, bh_inst_component(inst)->name, "render", cx->reason);
    bh_arena_clear(&cx->arena);
    cx->phase = BH_PHASE_RENDER;
    char text[640];
    size_t n = strlen(bh_inst_component(inst)->name), m = strlen(cx->reason);
    if (s->host->show_errors && n + m + 3 < sizeof text) {
        memcpy(text, bh_inst_component(inst)->name, n);
        memcpy(text + n, ": ", 2);
        memcpy(text + n + 2, cx->reason, m + 1);
        bh__build_error(cx, text);
    } else {
        bh__build_error(cx, "This part of the page could not be shown.");
    }
    cx->phase = BH_PHASE_NONE;
}

/* What was scheduled in a good render is no longer at the mercy of a later fault. */
static void settle_effects(bh_instance *inst)
{
    if (!(inst->flags & BH_I_EFFECTS))
        return;
    for (bh_hook *h = inst->hooks; h; h = h->next)
        if (h->kind == BH_HOOK_EFFECT)
            ((bh_effect_hook *)bh_hook_data(h))->touched = false;
}

static void render_instance(bh_session *s, bh_instance *inst, const char *stop)
{
    bh_cx *cx = s->env->cx;
    inst->pass = s->pass;
    bh_arena_init(&cx->arena, &s->env->pool);
    if (run_component(cx, s, inst, stop)) {
        inst->flags &= (uint16_t)~BH_I_FAILED;
        settle_effects(inst);
    } else {
        after_fault(cx, s, inst);
        inst->flags |= BH_I_FAILED;
    }
    bh_node *cur = cx->stack[0].node;
    cur->owner = &inst->slot;
    s->n_nodes += cx->nodes - inst->n_nodes;
    inst->n_nodes = cx->nodes;
    replaced(s, inst, cur);
    inst->out = cx->arena; /* from here on cx serves the components below */
    bh__session_account(s, inst->out.bytes, 0);
    inst->first = inst->last = NULL; /* built anew, in the new order */
    if (inst->slot.prev)
        match_children(s, inst, inst->slot.prev, cur, inst->depth);
    else
        mount_children(s, inst, cur, inst->depth);
}

/* ---- matching ---------------------------------------------------------------------------------- */

static void mount(bh_session *s, bh_instance *parent, bh_node *place, unsigned depth)
{
    bh_instance *inst = bh__instance_new(s, parent, place, depth + 1);
    bh__instance_append(parent, inst);
    if (inst->kind == BH_INST_COMPONENT) {
        render_instance(s, inst, NULL);
        return;
    }
    const bh_desc *source = inst->kind == BH_INST_CHILDREN ? inst->desc->author->desc : inst->desc;
    inst->slot.cur = bh__content_take(inst, source);
    inst->taken = source;
    mount_children(s, inst, inst->slot.cur, inst->depth);
}

static void mount_node(bh_session *s, bh_instance *inst, bh_node *n, unsigned depth)
{
    if (n->kind == BH_NODE_SLOT)
        mount(s, inst, n, depth);
    else if (n->flags & BH_NODE_SLOTS)
        mount_children(s, inst, n, depth + 1);
}

static void mount_children(bh_session *s, bh_instance *inst, bh_node *n, unsigned depth)
{
    if (!(n->flags & BH_NODE_SLOTS))
        return;
    for (bh_node *c = n->u.el.first; c; c = c->next)
        mount_node(s, inst, c, depth);
}

static bool may_skip(const bh_instance *inst, const bh_desc *old)
{
    const bh_desc *new = inst->desc;
    return (bh_inst_component(inst)->flags & BH_MEMO) &&
           !(inst->flags & (BH_I_DIRTY | BH_I_FAILED)) && !new->content && !old->content &&
           (!new->size || memcmp(new->data, old->data, new->size) == 0);
}

/* A slot node continues one of the old output. */
static void hand_on(bh_session *s, bh_instance *parent, bh_node *place)
{
    bh_instance *inst = bh_slot_instance(place->prev->u.slot.slot);
    const bh_desc *old = inst->desc;
    inst->desc = place->u.slot.desc;
    inst->slot.place = place;
    place->u.slot.slot = &inst->slot;
    bh__instance_append(parent, inst);
    if (inst->kind == BH_INST_COMPONENT) {
        if (!may_skip(inst, old))
            render_instance(s, inst, NULL);
        return;
    }
    const bh_desc *source = inst->desc;
    if (inst->kind == BH_INST_CHILDREN) {
        source = inst->desc->author->desc;
        if (source == inst->taken)
            return; /* the component rendered, its parent did not: the same children stand here */
    } else if (memcmp(old->data, source->data, source->size) != 0) {
        bh__context_changed(inst);
    }
    bh_node *was = inst->slot.cur;
    replaced(s, inst, NULL);
    inst->slot.cur = bh__content_take(inst, source);
    inst->taken = source;
    inst->first = inst->last = NULL;
    match_children(s, inst, was, inst->slot.cur, inst->depth);
}

/* Inline: once per node. */
static inline __attribute__((always_inline)) void continue_node(bh_session *s, bh_instance *inst,
                                                                bh_node *n, unsigned depth)
{
    bh_node *old = n->prev;
    if (n->kind == BH_NODE_TEXT)
        return;
    if (n->kind == BH_NODE_SLOT) {
        hand_on(s, inst, n);
        return;
    }
    if ((n->flags | old->flags) & BH_NODE_HANDLERS)
        bh__handlers_continue(s, old, n);
    if (old->len | n->len)
        match_children(s, inst, old, n, depth + 1);
}

/* What follows the common prefix of plain nodes: rest of the old children, n of the new ones. */
static __attribute__((noinline)) void match_rest(bh_session *s, bh_instance *inst, bh_node *old,
                                                 bh_node *cur, bh_node *rest, bh_node *n,
                                                 unsigned depth)
{
    unsigned twins = bh_match_children(s->env->scratch, old, cur); /* the prefix as before */
    if (twins) {
        s->env->twin_keys += twins;
        bh__warn_once(s, BH_WARN_TWIN, "the same key occurs twice among the children near line %u",
                      cur->site);
    }
    for (; n; n = n->next) {
        if (n->prev)
            continue_node(s, inst, n, depth);
        else
            mount_node(s, inst, n, depth);
    }
    for (; rest; rest = rest->next)
        if (!(rest->flags & BH_NODE_CLAIMED))
            bh__node_drop(s, rest);
}

static void match_children(bh_session *s, bh_instance *inst, bh_node *old, bh_node *cur,
                           unsigned depth)
{
    bh_node *rest = old->u.el.first, *n = cur->u.el.first;
    for (; rest && n && bh_match_plain(rest, n); rest = rest->next, n = n->next) {
        bh_match_pair(rest, n);
        if (n->kind != BH_NODE_TEXT)
            continue_node(s, inst, n, depth);
    }
    if (rest || n)
        match_rest(s, inst, old, cur, rest, n, depth);
}

/* ---- which to render ----------------------------------------------------------------------------- */

typedef struct pass {
    bh_session *s;
    const char *stop;   /* not NULL: what is dirty fails with this */
    bh_instance *first; /* the first topmost new output, while it is the only one */
    unsigned n_top;
} pass;

static void top_render(pass *p, bh_instance *inst)
{
    render_instance(p->s, inst, p->stop);
    if (!p->n_top++) {
        p->first = inst;
        return;
    }
    if (p->n_top == 2)
        bh__mark_up(p->first, BH_I_RENDERED_BELOW);
    bh__mark_up(inst, BH_I_RENDERED_BELOW);
}

/* Ancestors first, left to right, each once a pass: what is marked again behind us stays marked. */
static void render_below(pass *p, bh_instance *inst)
{
    if ((inst->flags & BH_I_DIRTY) && inst->pass != p->s->pass)
        top_render(p, inst);
    if (!(inst->flags & BH_I_DIRTY_BELOW))
        return;
    inst->flags &= (uint16_t)~BH_I_DIRTY_BELOW;
    for (bh_instance *c = inst->first; c; c = c->next) {
        if (c->flags & (BH_I_DIRTY | BH_I_DIRTY_BELOW))
            render_below(p, c);
        if (c->flags & (BH_I_DIRTY | BH_I_DIRTY_BELOW))
            inst->flags |= BH_I_DIRTY_BELOW;
    }
}

static void render_dirty(pass *p)
{
    bh_session *s = p->s;
    bh_instance *one = s->n_dirty == 1 ? s->one_dirty : NULL;
    if (one && (one->flags & BH_I_DIRTY)) {
        top_render(p, one); /* the marks above it stay, see bh__mark_up */
        if (!s->n_dirty)
            return;
    }
    render_below(p, s->root);
}

/* ---- emission ---------------------------------------------------------------------------------- */

/* For a pass that nobody looks at; the diff counts by itself. */
static void skip_node(void *self, const bh_node *n) { (void)self, (void)n; }
static void skip_remove(void *self, const bh_node *old, const bh_node *into)
{
    (void)self, (void)old, (void)into;
}
static void skip_attr(void *self, const bh_node *n, const bh_attr *attr)
{
    (void)self, (void)n, (void)attr;
}
static const bh_patch_ops skip_ops = {skip_node, skip_node, skip_remove,
                                      skip_node, skip_attr, skip_attr};
static const bh_patch_sink skip_sink = {&skip_ops, NULL};

typedef struct emission {
    bh_diff diff;
    bh_session *s;
} emission;

static void emit(emission *e, bh_instance *inst)
{
    if (inst->slot.prev) {
        inst->flags &= (uint16_t)~BH_I_RENDERED_BELOW;
        bh_diff_emit_children(&e->diff, inst->slot.prev, inst->slot.cur);
    } else if (inst->flags & BH_I_RENDERED_BELOW) {
        inst->flags &= (uint16_t)~BH_I_RENDERED_BELOW;
        for (bh_instance *c = inst->last; c; c = c->prev)
            emit(e, c);
    }
}

static void emit_slot(void *arg, bh_node *place)
{
    emit(arg, bh_slot_instance(place->u.slot.slot));
}

static void adopt(void *arg, bh_node *element)
{
    emission *e = arg;
    bh__handlers_adopt(e->s, element);
}

static size_t emit_pass(const pass *p, const bh_patch_sink *sink)
{
    bh_session *s = p->s;
    uint64_t before = s->env->scratch->ops;
    emission e = {.s = s,
                  .diff = {.sink = sink ? sink : &skip_sink,
                           .scratch = s->env->scratch,
                           .next_nid = &s->next_nid,
                           .visit_slot = emit_slot,
                           .adopt = adopt,
                           .arg = &e}};
    bh_node nothing = {.kind = BH_NODE_FRAGMENT, .owner = &s->root->slot};
    if (s->root->slot.cur && !s->root->slot.prev && s->root->pass == s->pass) {
        /* The first output. Without a sink it is the page's HTML, numbered in document order. */
        if (!sink) {
            bh_diff_number(&e.diff, s->root->slot.cur);
            return 0;
        }
        s->root->slot.prev = &nothing;
        emit(&e, s->root);
        s->root->slot.prev = NULL;
        return (size_t)(s->env->scratch->ops - before);
    }
    if (p->n_top == 1)
        emit(&e, p->first);
    else
        emit(&e, s->root);
    if (!sink)
        bh_session_renumber(s);
    return (size_t)(s->env->scratch->ops - before);
}

/* Replaced outputs, and those of what was dropped in this pass. */
static void drop_outputs(bh_session *s, bh_instance **first_gone)
{
    bh_render_env *env = s->env;
    for (size_t i = 0; i < env->n_rendered; i++) {
        bh_rendered *r = &env->rendered[i];
        r->inst->slot.prev = NULL;
        if (r->old.chunks) {
            bh__session_account(s, 0, r->old.bytes);
            bh_arena_clear(&r->old);
        }
    }
    env->n_rendered = 0;
    for (bh_instance *inst = *first_gone; inst; inst = inst->next_gone) {
        if (inst->out.chunks) {
            bh__session_account(s, 0, inst->out.bytes);
            bh_arena_clear(&inst->out);
        }
        inst->slot.cur = NULL;
    }
}

size_t bh_session_render(bh_session *s, const bh_patch_sink *sink)
{
    bh_role_assert_render();
    s->woken = false;
    if (!s->n_dirty)
        return 0;
    pass p = {.s = s};
    bool inner = s->dirty_cause == BH_CAUSE_EFFECT;
    if (inner && s->effect_chain >= BH_MAX_EFFECT_LOOP) {
        p.stop =
            "effect loop: 50 renders in a row that only effects caused and that changed nothing "
            "on the page";
        _Static_assert(BH_MAX_EFFECT_LOOP == 50, "as the sentence says");
        s->env->effect_loops++;
        s->effect_chain = 0;
    }
    s->dirty_cause = 0;
    s->in_pass = true;
    if (!++s->pass)
        s->pass = 1;
    bh_instance **first_gone = s->gone_tail;
    s->env->renders++;
    render_dirty(&p);
    size_t ops = emit_pass(&p, sink);
    drop_outputs(s, first_gone);
    s->effect_chain = inner && !ops ? s->effect_chain + 1 : 0;
    s->in_pass = false;
    if (s->n_dirty) {
        s->woken = true;
        s->host->ops->wake(s->host, s);
    }
    return ops;
}
