/* SPDX-License-Identifier: MIT
 * render/attrs.c — from the options of an element (bh_el) to its attribute array, under the policy.
 *
 * Optimised callers say which attributes there are, one call each (the end of this file); the others
 * hand over a bh_el, some 500 bytes of mostly NULL pointers: it is scanned in blocks whose words are
 * or-ed first, so that what is not there costs little. Order in the array is fixed (strings by field,
 * custom, tri-states, raw HTML, handlers): the diff relies on equal elements having equal order
 * for speed, not for truth. */
#include <string.h>

#include "render/internal.h"

enum {
    F_URL = 1,
    F_PROP = 2,
    F_ENUM = 4,
    F_BOOL = 8,
    F_STYLE = 16,
};

#define URL F_URL
#define PROP F_PROP
#define ENUM F_ENUM
#define BOOL F_BOOL
#define STYLE F_STYLE
static const uint8_t str_flags[] = {
#define BH_ATTR_STR(field, html, react, flags) (flags),
#include <backhaul/names.def>
};
static const uint8_t tri_flags[] = {
#define BH_ATTR_TRI(field, html, react, flags) (flags),
#include <backhaul/names.def>
};
#undef URL
#undef PROP
#undef ENUM
#undef BOOL
#undef STYLE

enum {
    N_STR = sizeof str_flags,
    N_TRI = sizeof tri_flags,
    N_EVENTS = BH_ON__COUNT - 1,
    BLOCK = 8, /* pointers looked at together */
};
static const char *const str_names[] = {
#define BH_ATTR_STR(field, html, react, flags) html,
#include <backhaul/names.def>
};
static const char word_true[] = "true", word_false[] = "false";

/* The fields of one kind lie behind one another in bh_el; these are the arrays they form. */
static inline const char *const *el_strings(const bh_el *el)
{
    return (const void *)((const char *)el + offsetof(bh_el, class_name));
}
static inline const bh_handler *const *el_handlers(const bh_el *el)
{
    return (const void *)((const char *)el + offsetof(bh_el, on_click));
}
static inline const unsigned char *el_tris(const bh_el *el)
{
    return (const unsigned char *)el + offsetof(bh_el, disabled);
}
_Static_assert(offsetof(bh_el, aria_label) - offsetof(bh_el, class_name) ==
                   (N_STR - 1) * sizeof(char *),
               "string fields are an array");
_Static_assert(offsetof(bh_el, on_reset) - offsetof(bh_el, on_click) ==
                   (N_EVENTS - 1) * sizeof(void *),
               "handler fields are an array");
_Static_assert(offsetof(bh_el, aria_current) - offsetof(bh_el, disabled) == N_TRI - 1,
               "tri-state fields are an array");

typedef struct collect {
    bh_cx *cx;
    bh_node *node; /* its attributes so far: cx->attr_to[0 .. n_attrs) */
} collect;

static void refuse(collect *c, unsigned kind, const char *name, const char *why)
{
    bh_session *s = c->cx->session;
    s->env->refused_attrs++;
    bh__warn_once(s, kind, "%s: line %u: attribute %.64s left out: %s",
                  bh_inst_component(c->cx->inst)->name, c->node->site, name, why);
}

static inline bh_attr *put(bh_cx *cx, bh_node *n, unsigned atom, bh_value_kind kind,
                           const char *str, size_t len)
{
    if (n->n_attrs >= cx->attr_room)
        bh__fault(cx, "line %u: more than %d attributes on one element", n->site, BH_MAX_ATTRS);
    bh_attr *a = &cx->attr_to[n->n_attrs++];
    *a = (bh_attr){
        .atom = (uint16_t)atom, .kind = (uint8_t)kind, .len = (uint32_t)len, .u.str = str};
    return a;
}

/* What needs a look before it becomes an attribute. False: it is left out. */
static bool value_allowed(collect *c, unsigned atom, unsigned flags, const char *name,
                          const char *value, size_t len)
{
    if (len > BH_MAX_ATTR_LEN)
        bh__fault(c->cx, "line %u: attribute %s of %zu bytes (limit %d)", c->node->site, name, len,
                  BH_MAX_ATTR_LEN);
    if (!(flags & F_URL) || bh_url_allowed(value, c->node->tag == BH_TAG_IMG && atom == BH_A_src))
        return true;
    refuse(c, BH_WARN_URL, name, "not an http, https, mailto, tel or relative URL");
    return false;
}

static void put_string(collect *c, unsigned atom, unsigned flags, const char *name,
                       const char *value)
{
    size_t len = strlen(value);
    if (value_allowed(c, atom, flags, name, value, len))
        put(c->cx, c->node, atom, BH_VAL_STR, bh_arena_copy(&c->cx->arena, value, len), len);
}

static void put_tri(collect *c, unsigned atom, unsigned flags, bool on)
{
    if (flags & F_ENUM)
        put(c->cx, c->node, atom, BH_VAL_STR, on ? word_true : word_false, on ? 4 : 5);
    else if (on)
        put(c->cx, c->node, atom, BH_VAL_TRUE, NULL, 0);
    else if (flags & F_PROP)
        put(c->cx, c->node, atom, BH_VAL_FALSE, NULL, 0);
}

typedef uint64_t __attribute__((may_alias)) word;
_Static_assert(sizeof(void *) == sizeof(word), "pointers are looked at as words");

/* True if any of the words from i to end, at most BLOCK, is not 0. Constant bounds: all of it folds
 * into a few loads. */
static inline __attribute__((always_inline)) bool any(const void *p, unsigned i, unsigned end)
{
    const word *w = (const word *)p + i;
    const unsigned n = end - i < BLOCK ? end - i : BLOCK;
    word x = 0;
#pragma GCC unroll 8
    for (unsigned k = 0; k < BLOCK; k++)
        if (k < n)
            x |= w[k];
    return x != 0;
}

static __attribute__((noinline)) void string_block(collect *c, const char *const *str, unsigned i)
{
    unsigned end = i + BLOCK < N_STR ? i + BLOCK : N_STR;
    for (; i < end; i++)
        if (str[i])
            put_string(c, i + 1, str_flags[i], str_names[i], str[i]);
}

static inline void collect_strings(collect *c, const bh_el *el)
{
    const char *const *str = el_strings(el);
#pragma GCC unroll 16
    for (unsigned i = 0; i < N_STR; i += BLOCK)
        if (any(str, i, N_STR))
            string_block(c, str, i);
}

static void collect_custom(collect *c, const bh_attr_init *init)
{
    bh_names *names = c->cx->env->names;
    for (; init->name; init++) {
        if (!init->value)
            continue;
        uint16_t atom = bh_attr_atom_of(names, init->name);
        if (!atom) {
            refuse(c, BH_WARN_ATTR, init->name, "not a valid name, or one that could run code");
            continue;
        }
        bool taken = false;
        for (unsigned i = 0; i < c->node->n_attrs && !taken; i++)
            taken = c->cx->attr_to[i].atom == atom;
        if (taken) {
            refuse(c, BH_WARN_ATTR, init->name, "given twice");
            continue;
        }
        unsigned known = bh_attr_name(names, atom)->flags;
        if (atom < BH_A__KNOWN && (known & BH_NAME_BOOL)) {
            put_tri(c, atom, F_BOOL, strcmp(init->value, word_false) != 0);
        } else if (atom < BH_A__KNOWN && atom > N_STR && (known & BH_NAME_PROP)) {
            put_tri(c, atom, F_PROP, strcmp(init->value, word_false) != 0);
        } else {
            put_string(c, atom, known & BH_NAME_URL ? F_URL : 0, init->name, init->value);
        }
    }
}

BH_NORETURN static void bad_tri(collect *c, unsigned atom)
{
    bh__fault(c->cx, "line %u: %s is neither unset, BH_TRI(true) nor BH_TRI(false)", c->node->site,
              bh_attr_name(c->cx->env->names, (uint16_t)atom)->html);
}

static __attribute__((noinline)) void put_tris(collect *c, const unsigned char *tri)
{
    for (unsigned k = 0; k < N_TRI; k++) {
        if (tri[k] == BH_UNSET)
            continue;
        unsigned atom = N_STR + k + 1;
        if (tri[k] > BH_OFF_)
            bad_tri(c, atom);
        bool taken = false; /* by a custom attribute of that name */
        for (unsigned j = 0; j < c->node->n_attrs && !taken; j++)
            taken = c->cx->attr_to[j].atom == atom;
        if (taken)
            refuse(c, BH_WARN_ATTR, bh_attr_name(c->cx->env->names, (uint16_t)atom)->html,
                   "given twice");
        else
            put_tri(c, atom, tri_flags[k], tri[k] == BH_ON_);
    }
}

static inline void collect_tris(collect *c, const bh_el *el)
{
    const unsigned char *tri = el_tris(el);
    uint64_t w[(N_TRI + 7) / 8], some = 0;
    w[(N_TRI - 1) / 8] = 0;
    memcpy(w, tri, N_TRI);
    for (unsigned k = 0; k < (N_TRI + 7) / 8; k++)
        some |= w[k];
    if (some)
        put_tris(c, tri);
}

static inline void put_handler(bh_cx *cx, bh_node *n, unsigned event, const bh_handler *h)
{
    if (!h->fn)
        return;
    bh_handler_rec *rec = bh_arena_alloc(&cx->arena, sizeof *rec);
    *rec =
        (bh_handler_rec){.head = {.flags = h->flags}, .fn = h->fn, .inst = cx->inst, .element = n};
    if (h->cap_size) {
        void *cap = bh__cx_alloc(cx, h->cap_size);
        memcpy(cap, h->cap, h->cap_size);
        rec->cap = cap;
    }
    put(cx, n, event, BH_VAL_HANDLER, NULL, 0)->u.handler = &rec->head;
    n->flags |= BH_NODE_HANDLERS;
}

static __attribute__((noinline)) void handler_block(collect *c, const bh_handler *const *h,
                                                    unsigned i)
{
    unsigned end = i + BLOCK < N_EVENTS ? i + BLOCK : N_EVENTS;
    for (; i < end; i++)
        if (h[i])
            put_handler(c->cx, c->node, i + 1, h[i]);
}

static inline void collect_handlers(collect *c, const bh_el *el)
{
    const bh_handler *const *h = el_handlers(el);
#pragma GCC unroll 16
    for (unsigned i = 0; i < N_EVENTS; i += BLOCK)
        if (any(h, i, N_EVENTS))
            handler_block(c, h, i);
}

void bh__attrs_collect(bh_cx *cx, const bh_el *el, bh_node *n)
{
    collect c = {cx, n};
    cx->attr_to = cx->attrs;
    cx->attr_room = BH_MAX_ATTRS;
    collect_strings(&c, el);
    if (el->attrs)
        collect_custom(&c, el->attrs);
    collect_tris(&c, el);
    if (el->unsafe_html.html) {
        size_t len = strlen(el->unsafe_html.html);
        if (len > BH_MAX_ATTR_LEN)
            bh__fault(cx, "line %u: unsafe_html of %zu bytes (limit %d)", n->site, len,
                      BH_MAX_ATTR_LEN);
        put(cx, n, BH_A_NONE, BH_VAL_RAW, bh_arena_copy(&cx->arena, el->unsafe_html.html, len),
            len);
        n->flags |= BH_NODE_RAW;
    }
    collect_handlers(&c, el);
    if (!n->n_attrs)
        return;
    bh_attr *attrs = bh_arena_alloc(&cx->arena, n->n_attrs * sizeof *attrs);
    for (unsigned i = 0; i < n->n_attrs; i++) /* mostly one or two: not worth a call */
        attrs[i] = cx->attrs[i];
    n->u.el.attrs = attrs;
}

/* ---- one by one: bh__open_inline knows at compile time which there are ------------------------ */

static inline bh_node *open_node(const bh_cx *cx) { return cx->stack[cx->depth - 1].node; }

static __attribute__((noinline)) void attr_slow(bh_cx *cx, unsigned atom, const char *value,
                                                size_t len)
{
    bh_node *n = open_node(cx);
    collect c = {cx, n};
    if (value_allowed(&c, atom, str_flags[atom - 1], str_names[atom - 1], value, len))
        put(cx, n, atom, BH_VAL_STR, bh_arena_copy(&cx->arena, value, len), len);
}

void bh__attr(bh_cx *cx, unsigned atom, const char *value, size_t len)
{
    bh_node *n = open_node(cx);
    size_t size = (len + 8) & ~(size_t)7; /* with its NUL, as the arena rounds */
    if ((str_flags[atom - 1] & F_URL) || len > BH_MAX_ATTR_LEN || n->n_attrs >= cx->attr_room ||
        (size_t)(cx->arena.end - cx->arena.at) < size) {
        attr_slow(cx, atom, value, len);
        return;
    }
    char *copy = cx->arena.at;
    cx->arena.at += size;
    cx->attr_to[n->n_attrs++] =
        (bh_attr){.atom = (uint16_t)atom, .kind = BH_VAL_STR, .len = (uint32_t)len, .u.str = copy};
    memcpy(copy, value, len + 1);
}

void bh__attr_tri(bh_cx *cx, unsigned atom, unsigned tri)
{
    collect c = {cx, open_node(cx)};
    if (tri > BH_OFF_)
        bad_tri(&c, atom);
    put_tri(&c, atom, tri_flags[atom - N_STR - 1], tri == BH_ON_);
}

void bh__attr_on(bh_cx *cx, unsigned event, const bh_handler *handler)
{
    put_handler(cx, open_node(cx), event, handler);
}
