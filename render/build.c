/* SPDX-License-Identifier: MIT
 * render/build.c — a render function's calls become nodes in the new output's arena.
 *
 * cx->stack holds what is open; stack[0] is the root fragment of the output. Nodes are linked here
 * (not by bh_node_append) because this is the hot path and the frame knows the last child. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/internal.h"

const char bh__children_type[] = "children";

/* Flags of the known tags, by atom: void elements are checked on the hot path. */
static const uint8_t tag_is_void[BH_TAG__KNOWN] = {
#define VOID 1
#define SVG 0
#define MATHML 0
#define RAWTEXT 0
#define BH_TAG(id, name, flags) [BH_TAG_##id] = (flags),
#include <backhaul/names.def>
#undef VOID
#undef SVG
#undef MATHML
#undef RAWTEXT
};

static bool is_void(const bh_cx *cx, uint16_t tag)
{
    if (tag < BH_TAG__KNOWN)
        return tag_is_void[tag];
    return bh_tag_name(cx->env->names, tag)->flags & BH_NAME_VOID;
}

/* Zeroes a node by plain stores: for a size like this gcc would take `rep stos`, whose start alone
 * costs more than the whole. */
typedef long long two_words __attribute__((vector_size(16), aligned(8), may_alias));
_Static_assert(sizeof(bh_node) % 8 == 0, "of whole words");

static inline __attribute__((always_inline)) void node_zero(bh_node *n)
{
    two_words *v = (two_words *)(void *)n;
#pragma GCC unroll 16
    for (size_t i = 0; i < sizeof *n / sizeof *v; i++)
        v[i] = (two_words){0, 0};
    if (sizeof *n % sizeof *v)
        *(long long *)(void *)((char *)n + sizeof *n - 8) = 0;
}

static inline bh_node *node_new(bh_cx *cx, bh_node_kind kind)
{
    if (cx->phase != BH_PHASE_RENDER)
        bh__need_render(cx, "an element function");
    if (cx->arena.bytes > cx->max_bytes)
        bh__fault(cx, "the session's memory limit (%zu bytes) is reached", cx->session->max_bytes);
    bh_node *n = bh_arena_alloc(&cx->arena, sizeof *n);
    node_zero(n);
    n->kind = (uint8_t)kind;
    return n;
}

static inline void count_node(bh_cx *cx)
{
    if (++cx->nodes > cx->max_nodes)
        bh__fault(cx, "more than %d elements and texts in one session", BH_MAX_NODES);
}

static inline void append(bh_cx *cx, bh_node *n)
{
    bh_frame *top = &cx->stack[cx->depth - 1];
    bh_node *parent = top->node;
    n->parent = parent;
    n->index = parent->len++;
    if (top->tail)
        top->tail->next = n;
    else
        parent->u.el.first = n;
    top->tail = n;
}

static inline void push(bh_cx *cx, bh_node *n)
{
    if (cx->depth >= cx->max_depth)
        bh__fault(cx, "elements and components are nested deeper than %d", BH_MAX_DEPTH);
    cx->stack[cx->depth++] = (bh_frame){n, NULL};
}

static size_t text_len(bh_cx *cx, const char *s, const char *what)
{
    size_t len = strlen(s);
    if (len > BH_MAX_ATTR_LEN)
        bh__fault(cx, "%s of %zu bytes (limit %d)", what, len, BH_MAX_ATTR_LEN);
    return len;
}

static const bh_key *key_copy(bh_cx *cx, bh_key key)
{
    if (key.kind == BH_KEY_NONE)
        return NULL;
    bh_key *copy = bh_arena_alloc(&cx->arena, sizeof *copy);
    *copy = key;
    if (key.kind == BH_KEY_STR)
        copy->u.str = bh_arena_copy(&cx->arena, key.u.str, text_len(cx, key.u.str, "a key"));
    return copy;
}

void bh__build_begin(bh_cx *cx)
{
    cx->depth = 0;
    cx->nodes = 0;
    cx->children_placed = false;
    push(cx, node_new(cx, BH_NODE_FRAGMENT));
}

void bh__build_end(bh_cx *cx)
{
    if (cx->depth != 1)
        bh__fault(cx,
                  "%u element block(s) left open: a block was left with return, goto, break or "
                  "continue",
                  cx->depth - 1);
}

/* What stands in the place of a component that failed. Must not fault. */
void bh__build_error(bh_cx *cx, const char *text)
{
    static const char class_name[] = "bh-error", role[] = "alert";
    bh_arena *a = &cx->arena;
    cx->max_depth = BH_MAX_DEPTH + 2;
    cx->max_nodes = UINT32_MAX;
    cx->max_bytes = SIZE_MAX;
    bh__build_begin(cx);
    bh_attr *attrs = bh_arena_alloc(a, 2 * sizeof *attrs);
    attrs[0] = (bh_attr){.atom = BH_A_class_name,
                         .kind = BH_VAL_STR,
                         .len = sizeof class_name - 1,
                         .u.str = class_name};
    attrs[1] =
        (bh_attr){.atom = BH_A_role, .kind = BH_VAL_STR, .len = sizeof role - 1, .u.str = role};
    bh_node *pre = node_new(cx, BH_NODE_ELEMENT);
    pre->tag = BH_TAG_PRE;
    pre->u.el.attrs = attrs;
    pre->n_attrs = 2;
    append(cx, pre);
    push(cx, pre);
    bh_node *t = node_new(cx, BH_NODE_TEXT);
    t->len = (uint32_t)strlen(text);
    t->u.text.str = bh_arena_copy(a, text, t->len);
    append(cx, t);
    cx->depth = 1;
    cx->nodes = 2;
}

static inline bh_node *element_new(bh_cx *cx, uint16_t tag, unsigned site, bh_key key)
{
    bh_node *n = node_new(cx, BH_NODE_ELEMENT);
    count_node(cx);
    n->tag = tag;
    n->site = (uint16_t)site;
    if (key.kind != BH_KEY_NONE)
        n->key = key_copy(cx, key);
    append(cx, n);
    push(cx, n);
    return n;
}

static void open_element(bh_cx *cx, uint16_t tag, const bh_el *el)
{
    bh__attrs_collect(cx, el, element_new(cx, tag, el->site_, el->key));
}

static inline void check_tag(bh_cx *cx, bh_tag tag)
{
    if (tag <= BH_TAG_NONE || tag >= BH_TAG__KNOWN)
        bh__fault(cx, "unknown element number %d", (int)tag);
}

void bh__open(bh_cx *cx, bh_tag tag, const bh_el *el)
{
    check_tag(cx, tag);
    open_element(cx, (uint16_t)tag, el);
}

static __attribute__((noinline)) void element_slow(bh_cx *cx, bh_tag tag, unsigned site, bh_key key,
                                                   unsigned n_attrs)
{
    check_tag(cx, tag);
    bh_node *n = element_new(cx, (uint16_t)tag, site, key);
    if (!n_attrs)
        return;
    cx->attr_room = n_attrs;
    cx->attr_to = bh_arena_alloc(&cx->arena, n_attrs * sizeof *cx->attr_to);
    n->u.el.attrs = cx->attr_to;
}

/* True if `size` bytes of the chunk at hand, one more node and one more level raise no question. The
 * fast paths below then call nothing, so that they need not save a register. */
static inline bool at_hand(const bh_cx *cx, size_t size)
{
    return cx->phase == BH_PHASE_RENDER && (size_t)(cx->arena.end - cx->arena.at) >= size &&
           cx->arena.bytes <= cx->max_bytes && cx->nodes < cx->max_nodes &&
           cx->depth < cx->max_depth;
}

static inline bh_node *node_at_hand(bh_cx *cx, bh_node_kind kind)
{
    bh_node *n = (bh_node *)(void *)cx->arena.at;
    cx->arena.at += sizeof *n;
    node_zero(n);
    n->kind = (uint8_t)kind;
    cx->nodes++;
    append(cx, n);
    return n;
}

void bh__element(bh_cx *cx, bh_tag tag, unsigned site, bh_key key, unsigned n_attrs)
{
    if (!at_hand(cx, sizeof(bh_node) + n_attrs * sizeof(bh_attr)) || key.kind != BH_KEY_NONE ||
        tag <= BH_TAG_NONE || tag >= BH_TAG__KNOWN) {
        element_slow(cx, tag, site, key, n_attrs);
        return;
    }
    bh_node *n = node_at_hand(cx, BH_NODE_ELEMENT);
    n->tag = (uint16_t)tag;
    n->site = (uint16_t)site;
    cx->stack[cx->depth++] = (bh_frame){n, NULL};
    if (!n_attrs)
        return;
    cx->attr_room = n_attrs;
    cx->attr_to = (bh_attr *)(void *)cx->arena.at;
    cx->arena.at += n_attrs * sizeof *cx->attr_to;
    n->u.el.attrs = cx->attr_to;
}
_Static_assert(sizeof(bh_attr) % 8 == 0, "the arena stays aligned");

void bh_open(bh_cx *cx, const char *tag, const bh_el *el)
{
    bh__need_render(cx, "bh_open");
    if (!tag)
        tag = el->name_;
    uint16_t atom = tag ? bh_tag_atom(cx->env->names, tag) : 0;
    if (!atom)
        bh__fault(cx, "element <%.64s> is refused: not a valid name, or one that could run code",
                  tag ? tag : "(null)");
    open_element(cx, atom, el);
}

void bh__fragment(bh_cx *cx, unsigned site, bh_key key)
{
    bh_node *n = node_new(cx, BH_NODE_FRAGMENT);
    n->site = (uint16_t)site;
    n->key = key_copy(cx, key);
    append(cx, n);
    push(cx, n);
}

/* The checks of an element that has children and may not have any. */
static __attribute__((noinline)) void check_childless(bh_cx *cx, const bh_node *n)
{
    if (is_void(cx, n->tag))
        bh__fault(cx, "line %u: <%s> takes no children", n->site,
                  bh_tag_name(cx->env->names, n->tag)->html);
    if (n->flags & BH_NODE_RAW)
        bh__fault(cx, "line %u: an element has children or unsafe_html, not both", n->site);
}

static __attribute__((noinline)) void close_refused(bh_cx *cx)
{
    bh__need_render(cx, "bh_close");
    bh__fault(cx, "bh_close without an open element");
}

void bh_close(bh_cx *cx)
{
    if (cx->phase != BH_PHASE_RENDER || cx->depth <= 1) {
        close_refused(cx);
        return;
    }
    const bh_node *n = cx->stack[--cx->depth].node;
    cx->stack[cx->depth - 1].node->flags |= (uint8_t)(n->flags & BH_NODE_SLOTS);
    if (n->kind == BH_NODE_ELEMENT && n->len &&
        (n->tag >= BH_TAG__KNOWN || tag_is_void[n->tag] || (n->flags & BH_NODE_RAW)))
        check_childless(cx, n);
}

/* ---- text -------------------------------------------------------------------------------- */

static inline void text_node(bh_cx *cx, const char *in_arena, size_t len)
{
    bh_node *n = node_new(cx, BH_NODE_TEXT);
    count_node(cx);
    n->len = (uint32_t)len;
    n->u.text.str = in_arena;
    append(cx, n);
}

void bh_textn(bh_cx *cx, const char *text, size_t len)
{
    if (!text)
        return;
    bh__need_render(cx, "bh_textn");
    const char *nul = memchr(text, 0, len);
    if (nul)
        len = (size_t)(nul - text); /* a node's text ends at a NUL everywhere else, so here too */
    if (len > BH_MAX_ATTR_LEN)
        bh__fault(cx, "a text of %zu bytes (limit %d)", len, BH_MAX_ATTR_LEN);
    text_node(cx, bh_arena_copy(&cx->arena, text, len), len);
}

static __attribute__((noinline)) void text_slow(bh_cx *cx, const char *text, size_t len,
                                                bool literal)
{
    bh__need_render(cx, "bh_text");
    if (len > BH_MAX_ATTR_LEN)
        bh__fault(cx, "a text of %zu bytes (limit %d)", len, BH_MAX_ATTR_LEN);
    text_node(cx, literal ? text : bh_arena_copy(&cx->arena, text, len), len);
}

void bh__text(bh_cx *cx, const char *text, size_t len, bool literal)
{
    if (!literal || !at_hand(cx, sizeof(bh_node)) || len > BH_MAX_ATTR_LEN) {
        text_slow(cx, text, len, literal);
        return;
    }
    bh_node *n = node_at_hand(cx, BH_NODE_TEXT);
    n->len = (uint32_t)len;
    n->u.text.str = text;
}

void(bh_text)(bh_cx *cx, const char *text) { bh__text_inline(cx, text, false); }

/* Puts the digits of v before `end` and says where they start. */
static char *digits_before(char *end, unsigned long long v)
{
    do
        *--end = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

static char *digits_signed(char *end, long long v)
{
    char *p = digits_before(end, v < 0 ? 0ULL - (unsigned long long)v : (unsigned long long)v);
    if (v < 0)
        *--p = '-';
    return p;
}

/* printf of what most components ask for: plain text, %d %u %ld %lu %lld %llu %zu %s %c %%. Its full
 * machinery costs ten times as much. Returns the length, or -1 for anything else, and when `room` is
 * short: vsnprintf then does it all. */
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one flat choice; calls are what it saves
static ptrdiff_t format_plain(char *to, size_t room, const char *format, va_list args)
{
    char *p = to, *end = to + room;
    for (const char *f = format; *f; f++) {
        char digits[24], *last = digits + sizeof digits;
        const char *s = f;
        size_t len = 1;
        if (*f == '%') {
            f++;
            unsigned longs = 0;
            bool size = *f == 'z';
            for (f += size; *f == 'l' && longs < 2 && !size; f++)
                longs++;
            if (*f == 'd' && !size) {
                s = digits_signed(last, longs == 0   ? va_arg(args, int)
                                        : longs == 1 ? va_arg(args, long)
                                                     : va_arg(args, long long));
                len = (size_t)(last - s);
            } else if (*f == 'u') {
                s = digits_before(last, size         ? va_arg(args, size_t)
                                        : longs == 0 ? va_arg(args, unsigned)
                                        : longs == 1 ? va_arg(args, unsigned long)
                                                     : va_arg(args, unsigned long long));
                len = (size_t)(last - s);
            } else if (longs || size) {
                return -1;
            } else if (*f == 's') {
                s = va_arg(args, const char *);
                if (!s)
                    return -1;
                len = strlen(s);
            } else if (*f == 'c') {
                digits[0] = (char)va_arg(args, int);
                s = digits;
            } else if (*f == '%') {
                s = f;
            } else {
                return -1;
            }
        }
        if (len >= (size_t)(end - p)) /* and one for the NUL */
            return -1;
        memcpy(p, s, len);
        p += len;
    }
    if (p == end)
        return -1;
    *p = '\0';
    return p - to;
}

/* Formats into the free end of the newest chunk, where it mostly fits. */
BH_PRINTF(3, 0)
static const char *format_arena(bh_cx *cx, size_t *ret_len, const char *format, va_list args)
{
    bh_arena *a = &cx->arena;
    size_t room = (size_t)(a->end - a->at);
    va_list again;
    va_copy(again, args);
    ptrdiff_t len = format_plain(a->at, room, format, again);
    va_end(again);
    if (len < 0) {
        va_copy(again, args);
        len = vsnprintf(a->at, room, format, again);
        va_end(again);
    }
    if (len < 0 || len > BH_MAX_ATTR_LEN)
        bh__fault(cx, "a format that cannot be written, or that is longer than %d bytes",
                  BH_MAX_ATTR_LEN);
    char *p = bh_arena_alloc(a, (size_t)len + 1); /* a->at if it did fit */
    if ((size_t)len >= room)
        vsnprintf(p, (size_t)len + 1, format, args);
    *ret_len = (size_t)len;
    return p;
}

void bh_textf(bh_cx *cx, const char *format, ...)
{
    bh__need_render(cx, "bh_textf");
    size_t len;
    va_list args;
    va_start(args, format);
    const char *s = format_arena(cx, &len, format, args);
    va_end(args);
    text_node(cx, s, len);
}

const char *bh_fmt(bh_cx *cx, const char *format, ...)
{
    bh__need_render(cx, "bh_fmt");
    size_t len;
    va_list args;
    va_start(args, format);
    const char *s = format_arena(cx, &len, format, args);
    va_end(args);
    return s;
}

/* ---- slots: components, providers, children ------------------------------------------------- */

static bh_desc *slot_node(bh_cx *cx, bh_inst_kind kind, const void *type, const void *data,
                          size_t size, bh_key key, unsigned site)
{
    bh_node *n = node_new(cx, BH_NODE_SLOT);
    n->site = (uint16_t)site;
    n->key = key_copy(cx, key);
    bh_desc *d = bh_arena_alloc(&cx->arena, sizeof *d);
    *d = (bh_desc){.kind = (uint8_t)kind, .size = (uint32_t)size, .author = cx->inst};
    if (size) {
        void *copy = bh__cx_alloc(cx, size);
        memcpy(copy, data, size);
        d->data = copy;
    }
    n->u.slot.type = type;
    n->u.slot.desc = d;
    append(cx, n);
    cx->stack[cx->depth - 1].node->flags |= BH_NODE_SLOTS;
    return d;
}

static void check_component(bh_cx *cx, const bh_component *c, const void *props)
{
    bh__need_render(cx, "bh__component");
    if (!c || !c->render)
        bh__fault(cx, "a component without a render function");
    if (c->props_size && !props)
        bh__fault(cx, "component %s needs props", c->name);
}

void bh__component(bh_cx *cx, const bh_component *c, const void *props, bh_key key, unsigned site)
{
    check_component(cx, c, props);
    slot_node(cx, BH_INST_COMPONENT, c, props, c->props_size, key, site);
}

/* The contents of a WITH or PROVIDE: an output root of their own, in this same arena. */
static void open_content(bh_cx *cx, bh_desc *d)
{
    d->content = node_new(cx, BH_NODE_FRAGMENT);
    push(cx, d->content);
}

void bh__component_open(bh_cx *cx, const bh_component *c, const void *props, bh_key key,
                        unsigned site)
{
    check_component(cx, c, props);
    open_content(cx, slot_node(cx, BH_INST_COMPONENT, c, props, c->props_size, key, site));
}

void bh__provide(bh_cx *cx, const bh_context *context, const void *value, size_t size,
                 unsigned site)
{
    bh__need_render(cx, "bh__provide");
    if (size != context->size)
        bh__fault(cx, "context %s is of %zu bytes, provided are %zu", context->name, context->size,
                  size);
    open_content(cx, slot_node(cx, BH_INST_PROVIDER, context, value, size, BH_NO_KEY, site));
}

void bh_children(bh_cx *cx)
{
    bh__need_render(cx, "bh_children");
    if (cx->children_placed)
        bh__fault(cx, "bh_children was called twice in one render");
    cx->children_placed = true;
    const bh_node *content = cx->inst->desc->content;
    if (!content || !content->len)
        return;
    slot_node(cx, BH_INST_CHILDREN, bh__children_type, NULL, 0, BH_NO_KEY, 0);
}
