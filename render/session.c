/* SPDX-License-Identifier: MIT
 * render/session.c — sessions and what they share. */
#include "render/session.h"

#include <assert.h>
#include <string.h>

#include "render/internal.h"
#include "render/role.h"
#include "vdom/mem.h"

enum { DEFAULT_MAX_BYTES = 16 << 20 };

void bh_render_env_init(bh_render_env *env)
{
    *env = (bh_render_env){0};
    bh_chunk_pool_init(&env->pool);
    env->names = bh_names_new();
    env->scratch = bh_diff_scratch_new();
    env->cx = bh_zalloc(sizeof *env->cx);
    env->cx->env = env;
}

void bh_render_env_fini(bh_render_env *env)
{
    assert(!env->session_bytes && "a session is still there");
    bh_free(env->queue);
    bh_free(env->rendered);
    bh_free(env->cx);
    bh_diff_scratch_free(env->scratch);
    bh_names_free(env->names);
    bh_chunk_pool_fini(&env->pool);
}

static char *copy_string(bh_session *s, const char *from)
{
    size_t size = strlen(from ? from : "") + 1;
    char *to = bh__session_alloc(s, size);
    memcpy(to, from ? from : "", size);
    return to;
}

bh_session *bh_session_new(const bh_session_params *params)
{
    bh_role_assert_render();
    const bh_component *c = params->root;
    assert(c && params->host && params->env && (!c->props_size || params->props));
    bh_session *s = bh_zalloc(sizeof *s);
    s->host = params->host;
    s->env = params->env;
    bh__session_account(s, sizeof *s, 0);
    s->max_bytes = params->max_bytes ? params->max_bytes : DEFAULT_MAX_BYTES;
    s->path = copy_string(s, params->path);
    s->query = copy_string(s, params->query);
    s->gone_tail = &s->gone;
    s->timer_due = UINT64_MAX;
    s->next_nid = 1;
    s->root_desc = (bh_desc){.kind = BH_INST_COMPONENT, .size = (uint32_t)c->props_size};
    if (c->props_size) {
        void *props = bh__session_alloc(s, c->props_size);
        memcpy(props, params->props, c->props_size);
        s->root_desc.data = props;
    }
    s->root = bh__instance_new(s, NULL, NULL, 0);
    s->root->kind = BH_INST_COMPONENT;
    s->root->type = c;
    s->root->desc = &s->root_desc;
    s->woken = true; /* the caller renders it first; nobody needs to be told */
    bh__mark_dirty(s->root);
    s->woken = false;
    return s;
}

void bh_session_free(bh_session *s)
{
    if (!s)
        return;
    bh_role_assert_render();
    s->woken = true; /* what cleanups set is of no interest any more */
    bh__effects_gone(s);
    bh__instance_drop(s->root);
    for (bh_instance *inst = s->gone; inst; inst = inst->next_gone) {
        if (inst->out.chunks) {
            bh__session_account(s, 0, inst->out.bytes);
            bh_arena_clear(&inst->out);
        }
    }
    bh__effects_gone(s);
    if (s->timer_due != UINT64_MAX)
        s->host->ops->timer_at(s->host, s, UINT64_MAX);
    bh__handlers_fini(s);
    bh__session_free(s, s->insts, s->cap_insts * sizeof *s->insts);
    bh__session_free(s, (void *)(uintptr_t)s->root_desc.data, s->root_desc.size);
    bh__session_free(s, s->path, strlen(s->path) + 1);
    bh__session_free(s, s->query, strlen(s->query) + 1);
    assert(s->bytes == sizeof *s && "what a session takes it gives back");
    bh__session_account(s, 0, sizeof *s);
    if (s->env->cx->session == s)
        s->env->cx->session = NULL;
    bh_free(s);
}

void *bh_session_user(const bh_session *s) { return s->user; }
void bh_session_set_user(bh_session *s, void *user) { s->user = user; }

bool bh_session_pending(const bh_session *s)
{
    return s->n_dirty || s->gone || (s->attached && s->n_effects);
}

void bh_session_detach(bh_session *s)
{
    bh_role_assert_render();
    s->attached = false;
    bh__timers_sync(s);
}

void bh_session_attach(bh_session *s)
{
    bh_role_assert_render();
    if (s->attached)
        return;
    s->attached = true;
    bh__timers_sync(s);
    if (bh_session_pending(s) && !s->woken) {
        s->woken = true;
        s->host->ops->wake(s->host, s);
    }
}

const bh_node *bh_session_root(const bh_session *s) { return s->root->slot.cur; }
uint32_t bh_session_nid_next(const bh_session *s) { return s->next_nid; }
size_t bh_session_bytes(const bh_session *s) { return s->bytes; }

void bh_session_renumber(bh_session *s)
{
    bh_role_assert_render();
    s->next_nid = 1;
    if (!s->root->slot.cur)
        return;
    bh_diff d = {.scratch = s->env->scratch, .next_nid = &s->next_nid};
    bh_diff_number(&d, s->root->slot.cur);
}

typedef struct each {
    void (*fn)(void *arg, const bh_node *n, const bh_attr *handler);
    void *arg;
} each;

static void each_handler(const each *e, const bh_node *n)
{
    if (n->kind == BH_NODE_SLOT) {
        if (n->u.slot.slot && n->u.slot.slot->cur)
            each_handler(e, n->u.slot.slot->cur);
        return;
    }
    if (n->kind == BH_NODE_ELEMENT && (n->flags & BH_NODE_HANDLERS))
        for (unsigned i = 0; i < n->n_attrs; i++)
            if (n->u.el.attrs[i].kind == BH_VAL_HANDLER)
                e->fn(e->arg, n, &n->u.el.attrs[i]);
    if (bh_node_has_children(n))
        for (const bh_node *c = n->u.el.first; c; c = c->next)
            each_handler(e, c);
}

void bh_session_each_handler(const bh_session *s,
                             void (*fn)(void *arg, const bh_node *n, const bh_attr *handler),
                             void *arg)
{
    const each e = {fn, arg};
    if (s->root->slot.cur)
        each_handler(&e, s->root->slot.cur);
}
