/* SPDX-License-Identifier: MIT
 * render/hooks_effect.c — the effect hook: what to run after the patch has been handed over.
 *
 * Two buffers for captures: one belongs to the run that is live (its cleanup may look at it), the
 * other to the run that is scheduled. */
#include <string.h>

#include "render/internal.h"

static size_t round16(size_t n) { return (n + 15u) & ~(size_t)15u; }

static size_t caps_offset(int n_deps)
{
    return round16(sizeof(bh_effect_hook) + (n_deps > 0 ? (size_t)n_deps : 0) * sizeof(int64_t));
}

static void *effect_cap(bh_effect_hook *e, unsigned which)
{
    if (!e->cap_size)
        return NULL;
    return (char *)e + caps_offset(e->n_deps) + which * round16(e->cap_size);
}

void bh__use_effect(bh_cx *cx, bh_deps deps, bh_effect_fn *fn, const void *cap, size_t cap_size,
                    const char *file, int line)
{
    if (deps.count > BH_MAX_DEPS)
        bh__fault(cx, "%s:%d: more than %d dependencies", file, line, BH_MAX_DEPS);
    if (cap_size > 1u << 20)
        bh__fault(cx, "%s:%d: an effect that captures %zu bytes", file, line, cap_size);
    int n_deps = deps.count < 0 ? -1 : deps.count;
    if (cx->phase == BH_PHASE_RENDER && cx->hook && cx->hook->kind == BH_HOOK_EFFECT &&
        cx->hook->ready && ((bh_effect_hook *)bh_hook_data(cx->hook))->n_deps != n_deps)
        bh__fault(cx, "%s:%d: the number of dependencies changed", file, line);
    unsigned n_caps = n_deps == 0 ? 1 : 2; /* with no dependencies it runs once */
    size_t size = caps_offset(n_deps) + n_caps * round16(cap_size);
    bh_hook *h = bh__hook(cx, BH_HOOK_EFFECT, size, file, line);
    bh_effect_hook *e = bh_hook_data(h);
    size_t dep_bytes = n_deps > 0 ? (size_t)n_deps * sizeof(int64_t) : 0;
    bool due = !h->ready || e->stale_deps || n_deps < 0 ||
               (dep_bytes && memcmp(e->deps, deps.values, dep_bytes) != 0);
    if (!due)
        return;
    e->fn = fn;
    e->cap_size = (uint32_t)cap_size;
    e->n_deps = (int8_t)n_deps;
    e->n_caps = (uint8_t)n_caps;
    if (dep_bytes)
        memcpy(e->deps, deps.values, dep_bytes);
    if (cap_size)
        memcpy(effect_cap(e, e->next_cap), cap, cap_size);
    e->scheduled = e->touched = true;
    e->stale_deps = false;
    h->ready = 1;
    bh__mark_effects(cx->inst);
}

/* One call into the author's code, within its own error boundary. */
static bool call_cleanup(bh_cx *cx, bh_cleanup cleanup)
{
    if (_setjmp(cx->jmp))
        return false;
    cleanup.fn(cx, cleanup.arg);
    return true;
}

static bool call_effect(bh_cx *cx, bh_effect_hook *e, void *cap)
{
    if (_setjmp(cx->jmp))
        return false;
    e->cleanup = e->fn(cx, cap);
    return true;
}

void bh__effect_cleanup(bh_instance *inst, bh_hook *h)
{
    bh_effect_hook *e = bh_hook_data(h);
    if (!e->live)
        return;
    e->live = false; /* first: a cleanup that faults has had its one run */
    bh_cleanup cleanup = e->cleanup;
    e->cleanup = BH_NO_CLEANUP;
    if (!cleanup.fn)
        return;
    bh_session *s = inst->session;
    bh_cx *cx = s->env->cx;
    bh__cx_begin(cx, s, inst, BH_PHASE_EFFECT);
    if (!call_cleanup(cx, cleanup))
        bh__fault_report(s, bh_inst_component(inst)->name, "cleanup of an effect", cx->reason);
    cx->phase = BH_PHASE_NONE;
}

static void effect_run(bh_instance *inst, bh_hook *h)
{
    bh_effect_hook *e = bh_hook_data(h);
    if (!e->scheduled)
        return;
    e->scheduled = e->touched = false;
    void *cap = effect_cap(e, e->next_cap);
    if (e->n_caps == 2)
        e->next_cap ^= 1;
    e->live = true;
    e->cleanup = BH_NO_CLEANUP;
    bh_session *s = inst->session;
    bh_cx *cx = s->env->cx;
    bh__cx_begin(cx, s, inst, BH_PHASE_EFFECT);
    if (!call_effect(cx, e, cap))
        bh__fault_report(s, bh_inst_component(inst)->name, "effect", cx->reason);
    cx->phase = BH_PHASE_NONE;
}

void bh__effects_cleanup(bh_instance *inst)
{
    for (bh_hook *h = inst->hooks; h; h = h->next)
        if (h->kind == BH_HOOK_EFFECT && ((bh_effect_hook *)bh_hook_data(h))->scheduled)
            bh__effect_cleanup(inst, h);
}

void bh__effects_run(bh_instance *inst)
{
    for (bh_hook *h = inst->hooks; h; h = h->next)
        if (h->kind == BH_HOOK_EFFECT)
            effect_run(inst, h);
}
