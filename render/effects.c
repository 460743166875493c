/* SPDX-License-Identifier: MIT
 * render/effects.c — after the patch: cleanups of what was unmounted (parents first), then cleanups
 * and runs of effects (children first, left to right). */
#include <assert.h>

#include "render/internal.h"
#include "render/role.h"
#include "vdom/mem.h"

void bh__effects_gone(bh_session *s)
{
    bh_instance *gone = s->gone;
    if (!gone)
        return;
    s->gone = NULL;
    s->gone_tail = &s->gone;
    for (bh_instance *inst = gone; inst; inst = inst->next_gone)
        for (bh_hook *h = inst->hooks; h; h = h->next)
            if (h->kind == BH_HOOK_EFFECT)
                bh__effect_cleanup(inst, h);
    /* Only now: a child's cleanup may use memory of its parent's hooks. */
    for (bh_instance *inst = gone, *next; inst; inst = next) {
        next = inst->next_gone;
        bh__instance_free(inst);
    }
}

/* Collects flagged instances in postorder and clears their flags. */
static size_t collect(bh_session *s, bh_instance *inst, size_t n)
{
    if (inst->flags & BH_I_EFFECTS_BELOW) {
        inst->flags &= (uint16_t)~BH_I_EFFECTS_BELOW;
        for (bh_instance *child = inst->first; child; child = child->next)
            n = collect(s, child, n);
    }
    if (!(inst->flags & BH_I_EFFECTS))
        return n;
    bh_render_env *env = s->env;
    bh__clear_effects(inst);
    if (n == env->cap_queue) {
        env->cap_queue = env->cap_queue ? env->cap_queue * 2 : 64;
        env->queue = bh_realloc(env->queue, env->cap_queue * sizeof *env->queue);
    }
    env->queue[n] = inst;
    return n + 1;
}

void bh_session_effects(bh_session *s, bool attached)
{
    bh_role_assert_render();
    bh__effects_gone(s);
    if (!attached)
        return;
    s->attached = true;
    bh_instance *one = s->n_effects == 1 ? s->one_effect : NULL;
    if (one && (one->flags & BH_I_EFFECTS)) {
        bh__clear_effects(one);
        bh__effects_cleanup(one);
        bh__effects_run(one);
    } else if (s->n_effects) {
        size_t n = collect(s, s->root, 0);
        for (size_t i = 0; i < n; i++)
            bh__effects_cleanup(s->env->queue[i]);
        for (size_t i = 0; i < n; i++)
            bh__effects_run(s->env->queue[i]);
    }
    bh__timers_sync(s);
}
