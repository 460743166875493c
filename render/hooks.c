/* SPDX-License-Identifier: MIT
 * render/hooks.c — the hook list of an instance, and the check of order, kind and size.
 *
 * The first render appends; every later one must ask for the same hooks again. Memory comes in
 * blocks that never move, because hooks hand out pointers into it. */
#include <string.h>

#include "render/internal.h"

enum { FIRST_BLOCK = 160, NEXT_BLOCK = 480 };

const char *bh__hook_name(unsigned kind)
{
    static const char *const names[] = {
        [BH_HOOK_INT] = "bh_use_int",
        [BH_HOOK_BOOL] = "bh_use_bool",
        [BH_HOOK_DOUBLE] = "bh_use_double",
        [BH_HOOK_STRING] = "bh_use_string",
        [BH_HOOK_STATE] = "BH_USE_STATE",
        [BH_HOOK_LAZY] = "bh_use_state_lazy",
        [BH_HOOK_REDUCER] = "BH_USE_REDUCER",
        [BH_HOOK_EFFECT] = "BH_USE_EFFECT",
        [BH_HOOK_MEMO] = "bh_use_memo",
        [BH_HOOK_REF] = "BH_USE_REF",
        [BH_HOOK_CALLBACK] = "BH_USE_CALLBACK",
        [BH_HOOK_INTERVAL] = "BH_USE_INTERVAL",
        [BH_HOOK_ID] = "bh_use_id",
        [BH_HOOK_CONTEXT] = "BH_USE_CONTEXT",
        [BH_HOOK_SOURCE] = "bh_use_topic",
    };
    return kind && kind < sizeof names / sizeof *names ? names[kind] : "a hook";
}

static void *hook_alloc(bh_cx *cx, bh_instance *inst, size_t size)
{
    size = (size + 15u) & ~(size_t)15u;
    bh_hook_block *b = inst->blocks;
    if (!b || b->cap - b->used < size) {
        bh_session *s = inst->session;
        size_t cap = b ? NEXT_BLOCK : FIRST_BLOCK;
        if (cap < size)
            cap = size;
        if (s->bytes + sizeof *b + cap > s->max_bytes)
            bh__fault(cx, "the session's memory limit (%zu bytes) is reached", s->max_bytes);
        b = bh__session_alloc(s, sizeof *b + cap);
        *b = (bh_hook_block){.next = inst->blocks, .cap = (uint32_t)cap};
        inst->blocks = b;
    }
    void *p = (char *)(b + 1) + b->used;
    b->used += (uint32_t)size;
    return p;
}
_Static_assert(sizeof(bh_hook_block) == 16, "what follows is aligned to 16");

static bh_hook *hook_new(bh_cx *cx, bh_hook_kind kind, size_t size, const char *file, int line)
{
    bh_instance *inst = cx->inst;
    if (inst->n_hooks >= BH_MAX_HOOKS)
        bh__fault(cx, "more than %d hooks in one component", BH_MAX_HOOKS);
    if (size > (size_t)1 << 28)
        bh__fault(cx, "a hook of %zu bytes", size);
    bh_hook *h = hook_alloc(cx, inst, sizeof *h + size);
    memset(h, 0, sizeof *h + size);
    h->file = file;
    h->line = (uint32_t)line;
    h->size = (uint32_t)size;
    h->kind = (uint8_t)kind;
    h->index = inst->n_hooks++;
    if (inst->last_hook)
        inst->last_hook->next = h;
    else
        inst->hooks = h;
    inst->last_hook = h;
    return h;
}

BH_NORETURN static void order_fault(bh_cx *cx, const bh_hook *h, bh_hook_kind kind, size_t size,
                                    const char *file, int line)
{
    if (!h)
        bh__fault(cx,
                  "hook order: %s (%s:%d) is hook %u of this render, but the first render had only "
                  "%u; hooks must not be conditional",
                  bh__hook_name(kind), file, line, cx->hook_at + 1u, cx->inst->n_hooks);
    bh__fault(cx,
              "hook order: hook %u was %s of %u bytes (%s:%u) and is now %s of %zu bytes (%s:%d); "
              "hooks must not be conditional",
              h->index + 1u, bh__hook_name(h->kind), h->size, h->file, h->line, bh__hook_name(kind),
              size, file, line);
}

bh_hook *bh__hook(bh_cx *cx, bh_hook_kind kind, size_t size, const char *file, int line)
{
    if (cx->phase != BH_PHASE_RENDER)
        bh__need_render(cx, bh__hook_name(kind));
    bh_hook *h = cx->hook;
    if (!h) {
        /* Past the last one: the first render appends, also when a setter made it start over. */
        if (cx->inst->flags & BH_I_HOOKED)
            order_fault(cx, NULL, kind, size, file, line);
        cx->hook_at++;
        return hook_new(cx, kind, size, file, line);
    }
    if (h->kind != kind || h->size != size || h->line != (uint32_t)line ||
        (h->file != file && strcmp(h->file, file) != 0))
        order_fault(cx, h, kind, size, file, line);
    cx->hook_at++;
    cx->hook = h->next;
    return h;
}

void bh__hooks_end(bh_cx *cx)
{
    bh_instance *inst = cx->inst;
    if (cx->hook_at == inst->n_hooks)
        return;
    const bh_hook *h = cx->hook;
    bh__fault(cx,
              "hook order: this render used %u of %u hooks; %s (%s:%u) was skipped; hooks must not "
              "be conditional",
              cx->hook_at, inst->n_hooks, h ? bh__hook_name(h->kind) : "a hook", h ? h->file : "?",
              h ? h->line : 0);
}

void bh__hooks_unlink(bh_instance *inst)
{
    for (bh_hook *h = inst->hooks; h; h = h->next) {
        void *data = bh_hook_data(h);
        if (h->kind == BH_HOOK_INTERVAL)
            bh__timer_leave(inst->session, data);
        else if (h->kind == BH_HOOK_CONTEXT)
            bh__context_leave(data);
        else if (h->kind == BH_HOOK_SOURCE)
            bh__subscription_leave(data);
    }
}

void bh__hooks_free(bh_instance *inst)
{
    bh_session *s = inst->session;
    bh__hooks_unlink(inst);
    for (bh_hook *h = inst->hooks; h; h = h->next) {
        if (h->kind == BH_HOOK_STRING) {
            bh_string_hook *str = bh_hook_data(h);
            bh__session_free(s, str->str, str->cap);
        } else if (h->kind == BH_HOOK_LAZY && h->ready) {
            bh_lazy_hook *lazy = bh_hook_data(h);
            if (lazy->drop)
                lazy->drop(lazy + 1);
        }
    }
    for (bh_hook_block *b = inst->blocks, *next; b; b = next) {
        next = b->next;
        bh__session_free(s, b, sizeof *b + b->cap);
    }
    inst->blocks = NULL;
    inst->hooks = inst->last_hook = NULL;
    inst->n_hooks = 0;
}

void bh__hooks_fault(bh_instance *inst)
{
    if (!(inst->flags & BH_I_HOOKED)) {
        bh__clear_effects(inst);
        bh__hooks_free(inst); /* of a first render: as if it had never been */
        return;
    }
    bool waiting = false;
    for (bh_hook *h = inst->hooks; h; h = h->next) {
        if (h->kind != BH_HOOK_EFFECT)
            continue;
        bh_effect_hook *e = bh_hook_data(h);
        if (e->touched) {
            e->touched = e->scheduled = false;
            e->stale_deps = true;
        }
        waiting = waiting || e->scheduled;
    }
    if (!waiting)
        bh__clear_effects(inst);
}

bh_hook *bh__hook_find(bh_session *s, bh_ref ref, bh_instance **ret_inst)
{
    bh_instance *inst = ref.instance < s->n_insts ? s->insts[ref.instance].inst : NULL;
    bh_hook *h = NULL;
    if (inst && inst->generation == ref.generation && !(inst->flags & BH_I_GONE))
        for (h = inst->hooks; h && h->index != ref.slot;)
            h = h->next;
    if (!h) {
        s->env->stale_refs++;
        return NULL;
    }
    if (ret_inst)
        *ret_inst = inst;
    return h;
}
