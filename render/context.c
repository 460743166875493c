/* SPDX-License-Identifier: MIT
 * render/context.c — providers and their consumers. A consumer's nearest provider never changes
 * while it is mounted: an instance stays below the parent it was mounted under. */
#include "render/internal.h"

const void *bh__use_context(bh_cx *cx, const bh_context *context, size_t size, const char *file,
                            int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_CONTEXT, sizeof(bh_context_hook), file, line);
    bh_context_hook *c = bh_hook_data(h);
    if (size != context->size)
        bh__fault(cx, "context %s is of %zu bytes, asked for are %zu (%s:%d)", context->name,
                  context->size, size, file, line);
    if (!h->ready || c->context != context) {
        bh__context_leave(c);
        bh_instance *p = cx->inst->parent;
        while (p && !(p->kind == BH_INST_PROVIDER && p->type == context))
            p = p->parent;
        c->context = context;
        c->inst = cx->inst;
        c->provider = p;
        if (p) {
            c->next = p->consumers;
            c->link = &p->consumers;
            if (c->next)
                c->next->link = &c->next;
            p->consumers = c;
        }
        h->ready = 1;
    }
    return c->provider ? c->provider->desc->data : context->initial;
}

void bh__context_leave(bh_context_hook *c)
{
    if (!c->link)
        return;
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    c->next = NULL;
    c->link = NULL;
    c->provider = NULL;
}

void bh__context_changed(bh_instance *provider)
{
    for (bh_context_hook *c = provider->consumers; c; c = c->next)
        bh__mark_dirty(c->inst);
}

void bh__provider_leave(bh_instance *provider)
{
    while (provider->consumers)
        bh__context_leave(provider->consumers);
}
