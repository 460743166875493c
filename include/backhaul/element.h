/* SPDX-License-Identifier: MIT
 * backhaul/element.h — how a render function describes what is on the page.
 *
 * Every call here appends to the element that is open in `cx`. Blocks are C blocks:
 *
 *     BH_DIV(.class_name = "card") { bh_text(cx, "hello"); }
 *
 * Strings are copied into the render's arena; nothing the caller passes is kept, but for a text
 * that is a string literal, which is used where it lies. Text and attributes are data: they are escaped by
 * construction, and no string can become a node.
 * Leaving a block with return, goto or break is a fault that names the component.
 * Thread: the one that renders. */
#ifndef BACKHAUL_ELEMENT_H
#define BACKHAUL_ELEMENT_H

#include <backhaul/base.h>

BH_BEGIN_DECLS

/* Known tags: BH_TAG_DIV, BH_TAG_SPAN, ... Any other tag goes by name through bh_open(). */
typedef enum bh_tag {
    BH_TAG_NONE = 0,
#define BH_TAG(id, name, flags) BH_TAG_##id,
#include <backhaul/names.def>
    BH_TAG__KNOWN
} bh_tag;

/* Known events: BH_ON_click, ... */
typedef enum bh_event_type {
    BH_ON_NONE = 0,
#define BH_EVENT(id, dom, react) BH_ON_##id,
#include <backhaul/names.def>
    BH_ON__COUNT
} bh_event_type;

/* Numbers of the known attributes, in the order of names.def. */
enum {
    BH__A_NONE = 0,
#define BH_ATTR_STR(field, html, react, flags) BH__A_##field,
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags) BH__A_##field,
#include <backhaul/names.def>
};

/* Tri-state attribute: left out, on, off. `.disabled = true` works; to say "off" (a checkbox that
 * the program controls and that is unchecked) use BH_TRI(false). For BOOL attributes off means the
 * attribute is absent; for ENUM it is the word "false"; for PROP the live property is cleared. */
typedef enum bh_tri { BH_UNSET = 0, BH_ON_ = 1, BH_OFF_ = 2 } bh_tri;
#define BH_TRI(condition) ((condition) ? BH_ON_ : BH_OFF_)

/* Identity of a child among its siblings. An integer key and a string key are never the same key;
 * 0 and "" are keys. A key that occurs twice is logged once and its later twins count as unkeyed. */
typedef struct bh_key {
    enum { BH_KEY_NONE = 0, BH_KEY_INT, BH_KEY_STR } kind;
    union {
        int64_t num;
        const char *str;
    } u;
} bh_key;
static inline bh_key bh_key_int(int64_t num)
{
    bh_key key = {BH_KEY_INT, {.num = num}};
    return key;
}
static inline bh_key bh_key_str(const char *str) /* NULL: no key */
{
    bh_key key = {str ? BH_KEY_STR : BH_KEY_NONE, {.str = str}};
    return key;
}
/* clang-format off */
#define BH_KEY(x) _Generic((x), char *: bh_key_str, const char *: bh_key_str, default: bh_key_int)(x)
/* clang-format on */

/* Any attribute by its HTML name, for what bh_el has no field for: data-*, aria-*, SVG, custom.
 * value NULL = leave out. Names must match [A-Za-z_:][A-Za-z0-9_:.-]*; `on...` and `srcdoc` are
 * refused; URL attributes take http, https, mailto, tel and relative URLs only. What is refused
 * is left out, counted in /stats and logged once. */
typedef struct bh_attr_init {
    const char *name;
    const char *value;
} bh_attr_init;
#define BH_ATTRS(...) ((const bh_attr_init[]){__VA_ARGS__, {NULL, NULL}})

/* HTML that is inserted as it stands: the only way to bypass escaping, hence its own type. */
typedef struct bh_unsafe_html {
    const char *html;
} bh_unsafe_html;

struct bh_event;
typedef void bh_handler_fn(bh_cx *cx, const struct bh_event *ev, const void *cap);

/* One event handler with its captured data (copied at render). Made by BH_HANDLER and ON. */
typedef struct bh_handler {
    bh_handler_fn *fn;
    const void *cap; /* copied, cap_size bytes */
    size_t cap_size;
    unsigned flags; /* BH_PREVENT_DEFAULT | BH_STOP_PROPAGATION */
} bh_handler;
enum { BH_PREVENT_DEFAULT = 1u, BH_STOP_PROPAGATION = 2u };

/* Options of an element. Fields are listed in names.def: .class_name, .id, .value, ...
 * .on_click etc. are set by ON(click, ...). NULL and BH_UNSET mean "not there". */
typedef struct bh_el {
    unsigned
        site_; /* source line: keeps unkeyed siblings apart when a conditional comes and goes */
    bh_key key;
#define BH_ATTR_STR(field, html, react, flags) const char *field;
#include <backhaul/names.def>
#define BH_EVENT(id, dom, react) const bh_handler *on_##id;
#include <backhaul/names.def>
    const char *name_;          /* the tag, set by BH_EL_NAMED */
    const bh_attr_init *attrs;  /* BH_ATTRS(...) */
    bh_unsafe_html unsafe_html; /* replaces children; an element has one or the other */
#define BH_ATTR_TRI(field, html, react, flags) unsigned char field;
#include <backhaul/names.def>
} bh_el;

BH_API void bh__open(bh_cx *cx, bh_tag tag, const bh_el *el);
/* Any tag by name, custom ones too; NULL: el->name_. */
BH_API void bh_open(bh_cx *cx, const char *tag, const bh_el *el);
BH_API void bh_close(bh_cx *cx);

/* What BH_EL becomes in optimised builds: an element with room for n_attrs, then each of them. */
BH_API void bh__element(bh_cx *cx, bh_tag tag, unsigned site, bh_key key, unsigned n_attrs);
BH_API void bh__attr(bh_cx *cx, unsigned atom, const char *value, size_t len);
BH_API void bh__attr_tri(bh_cx *cx, unsigned atom, unsigned tri);
BH_API void bh__attr_on(bh_cx *cx, unsigned event, const bh_handler *handler);

BH_API void bh__fragment(bh_cx *cx, unsigned site, bh_key key);

BH_API void bh_text(bh_cx *cx, const char *text); /* NULL: nothing at all; "": an empty text */
BH_API void bh__text(bh_cx *cx, const char *text, size_t len, bool literal);
BH_API void bh_textn(bh_cx *cx, const char *text, size_t len);
BH_API void bh_textf(bh_cx *cx, const char *format, ...) BH_PRINTF(2, 3);
/* A formatted string that lives as long as this render; for attributes. */
BH_API const char *bh_fmt(bh_cx *cx, const char *format, ...) BH_PRINTF(2, 3);

/* The children a parent passed to this component, at this place; at most once per render. */
BH_API void bh_children(bh_cx *cx);

#define BH__INLINE static inline __attribute__((always_inline))

BH__INLINE void bh__text_inline(bh_cx *cx, const char *text, bool literal)
{
    if (text)
        bh__text(cx, text, __builtin_strlen(text), literal);
}
/* __builtin_constant_p of a pointer is true for string literals alone: they need no copy. */
#define bh_text(cx, text) bh__text_inline(cx, text, __builtin_constant_p(text))

/* bh__open for a compiler that optimises. It sees which fields of el the author named; the tests of
 * all others fold away, and with them the half kilobyte of zeroes that el is. Without an optimiser
 * this would be a page of code an element: there, bh__open looks through el at run time. */
#ifdef __OPTIMIZE__
BH__INLINE void bh__open_inline(bh_cx *cx, bh_tag tag, bh_el el)
{
    if (!el.attrs && !el.unsafe_html.html) {
        unsigned n = 0;
#define BH_ATTR_STR(field, html, react, flags) n += el.field != NULL;
#define BH_ATTR_TRI(field, html, react, flags) n += el.field != BH_UNSET;
#define BH_EVENT(id, dom, react) n += el.on_##id != NULL;
#include <backhaul/names.def>
        /* Scalar by scalar: el.key as a whole would keep all of el in memory. */
        bh_key key = {.kind = el.key.kind, .u = {.num = el.key.u.num}};
        bh__element(cx, tag, el.site_, key, n);
#define BH_ATTR_STR(field, html, react, flags)                                                     \
    if (el.field)                                                                                  \
        bh__attr(cx, BH__A_##field, el.field, __builtin_strlen(el.field));
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags)                                                     \
    if (el.field)                                                                                  \
        bh__attr_tri(cx, BH__A_##field, el.field);
#include <backhaul/names.def>
#define BH_EVENT(id, dom, react)                                                                   \
    if (el.on_##id)                                                                                \
        bh__attr_on(cx, BH_ON_##id, el.on_##id);
#include <backhaul/names.def>
        return;
    }
    bh__open(cx, tag, &el);
}
#define BH__OPEN(tag, ...) bh__open_inline(cx, tag, (bh_el){__VA_ARGS__})
#else
#define BH__OPEN(tag, ...) bh__open(cx, tag, &(const bh_el){__VA_ARGS__})
#endif

/* A one-turn for loop: opens, runs the block, closes. `cx` must be in scope. Expands to
 *     for (int once = (open(cx, tag, &(const bh_el){...}), 1); once; once = 0, bh_close(cx))
 * "excess elements" or "no member named" here means a misspelt attribute. */
#define BH__BLOCK(open_call, id)                                                                   \
    for (int BH__CAT(bh__once_, id) = ((open_call), 1); BH__CAT(bh__once_, id);                    \
         BH__CAT(bh__once_, id) = 0, bh_close(cx))
#define BH_EL(tag, ...) BH__BLOCK(BH__OPEN(tag, .site_ = __LINE__, __VA_ARGS__), __COUNTER__)
/* BH_EL_NAMED("x-chart", .id = "c"): the first argument is the tag, and may be the only one. */
#define BH_EL_NAMED(...)                                                                           \
    BH__BLOCK(bh_open(cx, NULL, &(const bh_el){.site_ = __LINE__, .name_ = __VA_ARGS__}),          \
              __COUNTER__)
#define BH_FRAGMENT(key) BH__BLOCK(bh__fragment(cx, __LINE__, key), __COUNTER__)
#define BH_NO_KEY ((bh_key){.kind = BH_KEY_NONE})

BH_END_DECLS
#endif
