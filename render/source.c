/* SPDX-License-Identifier: MIT
 * render/source.c — what topics are made of: a list of components to mark. */
#include "render/internal.h"

void bh__use_source(bh_cx *cx, bh_source *source, const char *file, int line)
{
    bh_hook *h = bh__hook(cx, BH_HOOK_SOURCE, sizeof(bh_subscription), file, line);
    bh_subscription *sub = bh_hook_data(h);
    if (sub->source == source)
        return;
    bh__subscription_leave(sub);
    sub->inst = cx->inst;
    sub->source = source;
    if (source) {
        sub->next = source->first;
        sub->link = &source->first;
        if (sub->next)
            sub->next->link = &sub->next;
        source->first = sub;
    }
}

void bh__subscription_leave(bh_subscription *sub)
{
    if (!sub->link)
        return;
    *sub->link = sub->next;
    if (sub->next)
        sub->next->link = sub->link;
    sub->next = NULL;
    sub->link = NULL;
    sub->source = NULL;
}

void bh_source_notify(bh_source *source)
{
    /* Marking calls the host's wake only, which must not render at once: the list stays still. */
    for (bh_subscription *sub = source->first; sub; sub = sub->next)
        bh__mark_dirty(sub->inst);
}
