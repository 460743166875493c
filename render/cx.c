/* SPDX-License-Identifier: MIT
 * render/cx.c — the context of one call into an author's code, and the session's memory. */
#include <stdarg.h>
#include <stdio.h>

#include "render/internal.h"
#include "vdom/mem.h"

void bh__cx_begin(bh_cx *cx, bh_session *s, bh_instance *inst, bh_phase phase)
{
    cx->session = s;
    cx->inst = inst;
    cx->phase = phase;
}

void bh__fault(bh_cx *cx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cx->reason, sizeof cx->reason, format, args);
    va_end(args);
    longjmp(cx->jmp, 1);
}

void bh_fail(bh_cx *cx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cx->reason, sizeof cx->reason, format, args);
    va_end(args);
    longjmp(cx->jmp, 1);
}

void bh__need_render(bh_cx *cx, const char *what)
{
    if (cx->phase != BH_PHASE_RENDER)
        bh__fault(cx, "%s was called outside a render function", what);
}

void bh__session_account(bh_session *s, size_t plus, size_t minus)
{
    s->bytes += plus - minus;
    s->env->session_bytes += plus - minus;
}

void *bh__session_alloc(bh_session *s, size_t size)
{
    bh__session_account(s, size, 0);
    return bh_alloc(size);
}

void bh__session_free(bh_session *s, void *p, size_t size)
{
    if (!p)
        return;
    bh__session_account(s, 0, size);
    bh_free(p);
}

void *bh__cx_alloc(bh_cx *cx, size_t size)
{
    bh__need_render(cx, "bh__cx_alloc");
    if (size > cx->max_bytes - (cx->arena.bytes < cx->max_bytes ? cx->arena.bytes : cx->max_bytes))
        bh__fault(cx, "the session's memory limit (%zu bytes) is reached", cx->session->max_bytes);
    char *p = bh_arena_alloc(&cx->arena, size + 8); /* the arena aligns to 8, any type wants 16 */
    return p + ((uintptr_t)p & 8u);
}

bh_host *bh__cx_host(bh_cx *cx) { return cx->session->host; }

bh_location bh_session_location(bh_cx *cx)
{
    return (bh_location){.path = cx->session->path, .query = cx->session->query};
}

uint64_t bh_now_ms(bh_cx *cx)
{
    bh_host *host = cx->session->host;
    return host->ops->now_ms(host);
}
