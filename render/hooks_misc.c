/* SPDX-License-Identifier: MIT
 * render/hooks_misc.c — memo, ref, callback, id. */
#include <stdio.h>
#include <string.h>

#include "render/internal.h"

int64_t bh_dep_str(const char *s)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a; NULL differs from "" */
    if (!s)
        return 0;
    for (; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
    return (int64_t)(hash ^ (hash >> 31));
}

const void *bh__use_memo(bh_cx *cx, size_t size, bh_deps deps,
                         void (*fn)(void *result, const void *arg), const void *arg,
                         const char *file, int line)
{
    if (deps.count > BH_MAX_DEPS)
        bh__fault(cx, "%s:%d: more than %d dependencies", file, line, BH_MAX_DEPS);
    size_t n = deps.count > 0 ? (size_t)deps.count : 0;
    size_t head = (sizeof(bh_memo_hook) + n * sizeof(int64_t) + 15u) & ~(size_t)15u;
    bh_hook *h = bh__hook(cx, BH_HOOK_MEMO, head + size, file, line);
    bh_memo_hook *m = bh_hook_data(h);
    void *result = (char *)m + head;
    if (h->ready && deps.count >= 0 && m->n_deps == deps.count &&
        (!n || memcmp(m->deps, deps.values, n * sizeof(int64_t)) == 0))
        return result;
    h->ready = 0; /* until fn is through: it may fault */
    memset(result, 0, size);
    fn(result, arg);
    if (n)
        memcpy(m->deps, deps.values, n * sizeof(int64_t));
    m->n_deps = deps.count;
    h->ready = 1;
    return result;
}

void *bh__use_ref(bh_cx *cx, const void *initial, size_t size, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_REF, size, file, line);
    if (!h->ready) {
        memcpy(bh_hook_data(h), initial, size);
        h->ready = 1;
    }
    return bh_hook_data(h);
}

bh_ref bh__use_callback(bh_cx *cx, const bh_handler *handler, const char *file, int line)
{
    size_t cap_size = handler->cap_size;
    bh_hook *h = bh__hook(cx, BH_HOOK_CALLBACK, sizeof(bh_callback_hook) + cap_size, file, line);
    bh_callback_hook *c = bh_hook_data(h);
    c->fn = handler->fn;
    c->cap_size = cap_size;
    if (cap_size)
        memcpy(c + 1, handler->cap, cap_size);
    h->ready = 1;
    return (bh_ref){cx->inst->index, h->index, cx->inst->generation};
}

void bh_call(bh_cx *cx, bh_ref callback, const bh_event *ev)
{
    static const bh_event nothing = {.value = "", .key = ""};
    bh_instance *inst;
    if (cx->phase == BH_PHASE_RENDER)
        bh__fault(cx, "bh_call was called in a render function");
    bh_hook *h = bh__hook_find(cx->session, callback, &inst);
    if (!h)
        return;
    if (h->kind != BH_HOOK_CALLBACK)
        bh__fault(cx, "bh_call was given a ref of %s (%s:%u)", bh__hook_name(h->kind), h->file,
                  h->line);
    const bh_callback_hook *c = bh_hook_data(h);
    if (c->fn)
        c->fn(cx, ev ? ev : &nothing, c->cap_size ? c + 1 : NULL);
}

const char *bh__use_id(bh_cx *cx, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_ID, 16, file, line);
    char *id = bh_hook_data(h);
    if (!h->ready) {
        snprintf(id, 16, "bh-%u", ++cx->session->next_id);
        h->ready = 1;
    }
    return id;
}
