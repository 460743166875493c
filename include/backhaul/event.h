/* SPDX-License-Identifier: MIT
 * backhaul/event.h — what a handler is told about the event that called it.
 *
 * All of it comes from the browser and is untrusted. It never names server state: a handler's own
 * data is what it captured at render. Lifetime: the call. Strings are valid UTF-8, NUL-terminated,
 * without embedded NUL. */
#ifndef BACKHAUL_EVENT_H
#define BACKHAUL_EVENT_H

#include <backhaul/element.h>

BH_BEGIN_DECLS

enum { BH_MOD_SHIFT = 1u, BH_MOD_CTRL = 2u, BH_MOD_ALT = 4u, BH_MOD_META = 8u };

typedef struct bh_field {
    const char *name;
    const char *value;
} bh_field;

typedef struct bh_event {
    bh_event_type type;
    const char *value; /* of the input, select, textarea or button; "" if it has none */
    bool checked;      /* checkbox, radio; details: open */
    const char *key;   /* keydown, keyup: KeyboardEvent.key; else "" */
    unsigned mods;     /* BH_MOD_* */
    double x, y;       /* mouse, pointer: CSS pixels from the element's top left; wheel: deltas;
                           scroll: scrollLeft, scrollTop */
    int button;        /* mouse, pointer */
    const bh_field *fields; /* submit: the form's successful controls, in document order;
                               select multiple on change: one per selected option, name "" */
    size_t n_fields;
} bh_event;

/* Value of the first field of that name, or NULL. */
BH_API const char *bh_event_field(const bh_event *ev, const char *name);

/* Defines a handler and the struct of what it captures:
 *     BH_HANDLER(on_add, { bh_ref count; int by; }) { bh_add_int(cx, cap->count, cap->by); }
 * In the body: cx, ev and cap. BH_HANDLER0 captures nothing. */
#define BH_HANDLER(name, ...)                                                                      \
    struct name##_cap __VA_ARGS__;                                                                 \
    static void name(bh_cx *cx, const bh_event *ev, const struct name##_cap *cap);                 \
    static void name##__fn(bh_cx *cx, const bh_event *ev, const void *cap) { name(cx, ev, cap); }  \
    static void name(bh_cx *cx BH_UNUSED, const bh_event *ev BH_UNUSED,                            \
                     const struct name##_cap *cap BH_UNUSED)
#define BH_HANDLER0(name)                                                                          \
    static void name(bh_cx *cx, const bh_event *ev);                                               \
    static void name##__fn(bh_cx *cx, const bh_event *ev, const void *cap BH_UNUSED)               \
    {                                                                                              \
        name(cx, ev);                                                                              \
    }                                                                                              \
    static void name(bh_cx *cx BH_UNUSED, const bh_event *ev BH_UNUSED)

/* 0; or an error that says so if nothing is captured: forgotten captures would be zeroes. */
#define BH__CAPTURES(...)                                                                          \
    (0 * sizeof(struct {                                                                           \
         _Static_assert(sizeof(#__VA_ARGS__) > 1, "captures are missing, or use the ...0 form");   \
         int bh__;                                                                                 \
     }))
/* A bh_handler value of a BH_HANDLER with its captures. */
#define BH_CALL_FLAGS(name, flags_, ...)                                                           \
    {                                                                                              \
        name##__fn, &(const struct name##_cap){__VA_ARGS__},                                       \
            sizeof(struct name##_cap) + BH__CAPTURES(__VA_ARGS__), (flags_)                        \
    }
#define BH_ON_FLAGS(event, flags_, name, ...)                                                      \
    .on_##event = &(const bh_handler)BH_CALL_FLAGS(name, flags_, __VA_ARGS__)
#define BH_ON(event, name, ...) BH_ON_FLAGS(event, 0, name, __VA_ARGS__)
#define BH_ON0(event, name)                                                                        \
    .on_##event = &(const bh_handler) { name##__fn, NULL, 0, 0 }
/* As BH_ON, and the browser's own action is prevented (submit of a form, a link). */
#define BH_ON_PREVENT(event, name, ...) BH_ON_FLAGS(event, BH_PREVENT_DEFAULT, name, __VA_ARGS__)
#define BH_ON0_PREVENT(event, name)                                                                \
    .on_##event = &(const bh_handler) { name##__fn, NULL, 0, BH_PREVENT_DEFAULT }

BH_END_DECLS
#endif
