/* SPDX-License-Identifier: MIT
 * render/hooks_state.c — state hooks and their setters. */
#include <limits.h>
#include <string.h>

#include "render/internal.h"
#include "vdom/mem.h"

static bh_ref hook_ref(const bh_cx *cx, const bh_hook *h)
{
    return (bh_ref){cx->inst->index, h->index, cx->inst->generation};
}

/* ---- int, bool, double ------------------------------------------------------------------- */

bh_int bh__use_int(bh_cx *cx, int initial, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_INT, sizeof(int), file, line);
    int *v = bh_hook_data(h);
    if (!h->ready) {
        *v = initial;
        h->ready = 1;
    }
    return (bh_int){*v, hook_ref(cx, h)};
}

bh_bool bh__use_bool(bh_cx *cx, bool initial, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_BOOL, sizeof(bool), file, line);
    bool *v = bh_hook_data(h);
    if (!h->ready) {
        *v = initial;
        h->ready = 1;
    }
    return (bh_bool){*v, hook_ref(cx, h)};
}

bh_double bh__use_double(bh_cx *cx, double initial, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_DOUBLE, sizeof(double), file, line);
    double *v = bh_hook_data(h);
    if (!h->ready) {
        *v = initial;
        h->ready = 1;
    }
    return (bh_double){*v, hook_ref(cx, h)};
}

/* The hook of a ref, which must be of this kind: another kind is a mistake in the program. NULL: the
 * component is gone (counted). */
static bh_hook *hook_of(bh_cx *cx, bh_ref ref, bh_hook_kind kind, bh_instance **ret_inst)
{
    bh_hook *h = bh__hook_find(cx->session, ref, ret_inst);
    if (h && h->kind != kind)
        bh__fault(cx, "a call for %s was given a ref of %s (%s:%u)", bh__hook_name(kind),
                  bh__hook_name(h->kind), h->file, h->line);
    return h;
}

static void int_store(bh_cx *cx, bh_ref ref, bool add, int value)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_INT, &inst);
    if (!h)
        return;
    int *v = bh_hook_data(h);
    if (add && __builtin_add_overflow(*v, value, &value))
        value = value < 0 ? INT_MAX : INT_MIN; /* it wrapped: the sign tells which way */
    if (*v == value)
        return;
    *v = value;
    bh__mark_dirty(inst);
}

void bh_set_int(bh_cx *cx, bh_ref ref, int value) { int_store(cx, ref, false, value); }
void bh_add_int(bh_cx *cx, bh_ref ref, int delta) { int_store(cx, ref, true, delta); }

static void bool_store(bh_cx *cx, bh_ref ref, bool toggle, bool value)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_BOOL, &inst);
    if (!h)
        return;
    bool *v = bh_hook_data(h);
    if (!toggle && *v == value)
        return;
    *v = toggle ? !*v : value;
    bh__mark_dirty(inst);
}

void bh_set_bool(bh_cx *cx, bh_ref ref, bool value) { bool_store(cx, ref, false, value); }
void bh_toggle(bh_cx *cx, bh_ref ref) { bool_store(cx, ref, true, false); }

void bh_set_double(bh_cx *cx, bh_ref ref, double value)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_DOUBLE, &inst);
    if (!h)
        return;
    double *v = bh_hook_data(h);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): a NaN equals itself
    if (memcmp(v, &value, sizeof value) == 0)
        return;
    *v = value;
    bh__mark_dirty(inst);
}

/* ---- string ------------------------------------------------------------------------------ */

static void string_store(bh_cx *cx, bh_string_hook *str, const char *value)
{
    bh_session *s = cx->session;
    size_t len = strlen(value);
    if (len > BH_MAX_ATTR_LEN)
        bh__fault(cx, "a string of %zu bytes (limit %d)", len, BH_MAX_ATTR_LEN);
    if (len >= str->cap) {
        size_t cap = 16;
        while (cap <= len)
            cap *= 2;
        if (s->bytes + cap > s->max_bytes)
            bh__fault(cx, "the session's memory limit (%zu bytes) is reached", s->max_bytes);
        char *grown = bh__session_alloc(s, cap);
        memcpy(grown, value, len + 1); /* value may lie in the old one */
        bh__session_free(s, str->str, str->cap);
        str->str = grown;
        str->cap = (uint32_t)cap;
    } else {
        memmove(str->str, value, len + 1);
    }
    str->len = (uint32_t)len;
}

bh_string bh__use_string(bh_cx *cx, const char *initial, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_STRING, sizeof(bh_string_hook), file, line);
    bh_string_hook *str = bh_hook_data(h);
    if (!h->ready) {
        string_store(cx, str, initial ? initial : "");
        h->ready = 1;
    }
    return (bh_string){str->str, hook_ref(cx, h)};
}

void bh_set_string(bh_cx *cx, bh_ref ref, const char *value)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_STRING, &inst);
    if (!h)
        return;
    bh_string_hook *str = bh_hook_data(h);
    if (!value)
        value = "";
    if (strcmp(str->str, value) == 0)
        return;
    string_store(cx, str, value);
    bh__mark_dirty(inst);
}

/* ---- any plain type; lazily made state; reducers ------------------------------------------- */

const void *bh__use_state(bh_cx *cx, bh_ref *ret_ref, const void *initial, size_t size,
                          const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_STATE, size, file, line);
    if (!h->ready) {
        memcpy(bh_hook_data(h), initial, size);
        h->ready = 1;
    }
    if (ret_ref)
        *ret_ref = hook_ref(cx, h);
    return bh_hook_data(h);
}

const void *bh__use_state_lazy(bh_cx *cx, bh_ref *ret_ref, size_t size,
                               void (*init)(void *state, const void *arg),
                               void (*drop)(void *state), const void *arg, const char *file,
                               int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_LAZY, sizeof(bh_lazy_hook) + size, file, line);
    bh_lazy_hook *lazy = bh_hook_data(h);
    if (!h->ready) {
        if (init)
            init(lazy + 1, arg);
        lazy->drop = drop;
        h->ready = 1;
    }
    if (ret_ref)
        *ret_ref = hook_ref(cx, h);
    return lazy + 1;
}

const void *bh__use_reducer(bh_cx *cx, bh_ref *ret_ref, bh_reducer_fn *fn, const void *initial,
                            size_t size, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_REDUCER, sizeof(bh_reducer_hook) + size, file, line);
    bh_reducer_hook *r = bh_hook_data(h);
    r->fn = fn;
    if (!h->ready) {
        memcpy(r + 1, initial, size);
        h->ready = 1;
    }
    if (ret_ref)
        *ret_ref = hook_ref(cx, h);
    return r + 1;
}

/* The bytes of a BH_USE_STATE or lazy state. */
static void *state_bytes(bh_cx *cx, bh_hook *h, size_t *ret_size)
{
    switch (h->kind) {
    case BH_HOOK_STATE:
        *ret_size = h->size;
        return bh_hook_data(h);
    case BH_HOOK_LAZY:
        *ret_size = h->size - sizeof(bh_lazy_hook);
        return (bh_lazy_hook *)bh_hook_data(h) + 1;
    default:
        bh__fault(cx, "BH_SET, bh_update or bh_get was given a ref of %s (%s:%u)",
                  bh__hook_name(h->kind), h->file, h->line);
    }
}

void bh_set(bh_cx *cx, bh_ref ref, const void *value, size_t size)
{
    bh_instance *inst;
    bh_hook *h = bh__hook_find(cx->session, ref, &inst);
    if (!h)
        return;
    size_t have;
    void *state = state_bytes(cx, h, &have);
    if (have != size)
        bh__fault(cx, "BH_SET of %zu bytes to a state of %zu bytes (%s:%u)", size, have, h->file,
                  h->line);
    if (memcmp(state, value, size) == 0)
        return;
    memmove(state, value, size);
    bh__mark_dirty(inst);
}

void bh_update(bh_cx *cx, bh_ref ref, void (*fn)(void *state, const void *arg), const void *arg)
{
    bh_instance *inst;
    bh_hook *h = bh__hook_find(cx->session, ref, &inst);
    if (!h)
        return;
    size_t size;
    void *state = state_bytes(cx, h, &size);
    /* Always a render: what it changed may lie behind a pointer. Marked first, in case fn faults. */
    bh__mark_dirty(inst);
    fn(state, arg);
}

void bh_dispatch(bh_cx *cx, bh_ref ref, const void *action)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_REDUCER, &inst);
    if (!h)
        return;
    bh_reducer_hook *r = bh_hook_data(h);
    bh__mark_dirty(inst);
    r->fn(r + 1, action);
}

/* ---- what is stored now -------------------------------------------------------------------- */

int bh_get_int(bh_cx *cx, bh_ref ref)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_INT, &inst);
    return h ? *(int *)bh_hook_data(h) : 0;
}

bool bh_get_bool(bh_cx *cx, bh_ref ref)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_BOOL, &inst);
    return h ? *(bool *)bh_hook_data(h) : false;
}

double bh_get_double(bh_cx *cx, bh_ref ref)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_DOUBLE, &inst);
    return h ? *(double *)bh_hook_data(h) : 0.0;
}

const char *bh_get_string(bh_cx *cx, bh_ref ref)
{
    bh_instance *inst;
    bh_hook *h = hook_of(cx, ref, BH_HOOK_STRING, &inst);
    return h ? ((bh_string_hook *)bh_hook_data(h))->str : "";
}

const void *bh_get(bh_cx *cx, bh_ref ref, size_t size)
{
    bh_instance *inst;
    bh_hook *h = bh__hook_find(cx->session, ref, &inst);
    if (!h)
        return NULL;
    size_t have;
    const void *state;
    if (h->kind == BH_HOOK_REDUCER) {
        have = h->size - sizeof(bh_reducer_hook);
        state = (bh_reducer_hook *)bh_hook_data(h) + 1;
    } else {
        state = state_bytes(cx, h, &have);
    }
    if (have != size)
        bh__fault(cx, "bh_get of %zu bytes from a state of %zu bytes (%s:%u)", size, have, h->file,
                  h->line);
    return state;
}
