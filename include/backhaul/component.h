/* SPDX-License-Identifier: MIT
 * backhaul/component.h — components and hooks (the model is React's and ReactPy's).
 *
 * Hooks are full statements at the top of a render function, in the same order at every render.
 * The order, kind and size of each is checked in every build: a mismatch is a fault of that
 * component (shown in its place, file and line in the log), never a read of another hook's memory.
 * A setter stores at once and marks the component; all that one handler sets is one render.
 * Thread: the one that renders, for everything here. */
#ifndef BACKHAUL_COMPONENT_H
#define BACKHAUL_COMPONENT_H

#include <backhaul/element.h>
#include <backhaul/event.h>

BH_BEGIN_DECLS

/* ---- components ------------------------------------------------------------------------- */

typedef struct bh_component {
    const char *name;
    void (*render)(bh_cx *cx, const void *props);
    size_t props_size;
    unsigned flags; /* BH_MEMO */
} bh_component;
/* Skip the render when the parent renders again with bytewise equal props and no children. Only
 * for components whose props hold no pointer to data that changes. */
enum { BH_MEMO = 1u };

/*     BH_COMPONENT(Counter, { int start; }) { ...cx, props... }
 * defines struct Counter_props, Counter_component and the render function that follows. */
#define BH__COMPONENT(Name, flags_, ...)                                                           \
    struct Name##_props __VA_ARGS__;                                                               \
    static void Name##__body(bh_cx *cx, const struct Name##_props *props);                         \
    static void Name##__render(bh_cx *cx, const void *props) { Name##__body(cx, props); }          \
    static const bh_component Name##_component BH_UNUSED = {                                       \
        #Name, Name##__render, sizeof(struct Name##_props), (flags_)};                             \
    static void Name##__body(bh_cx *cx BH_UNUSED, const struct Name##_props *props BH_UNUSED)
#define BH_COMPONENT(Name, ...) BH__COMPONENT(Name, 0, __VA_ARGS__)
#define BH_MEMO_COMPONENT(Name, ...) BH__COMPONENT(Name, BH_MEMO, __VA_ARGS__)
#define BH_COMPONENT0(Name)                                                                        \
    static void Name##__body(bh_cx *cx);                                                           \
    static void Name##__render(bh_cx *cx, const void *props BH_UNUSED) { Name##__body(cx); }       \
    static const bh_component Name##_component BH_UNUSED = {#Name, Name##__render, 0, 0};          \
    static void Name##__body(bh_cx *cx BH_UNUSED)
/* For a component defined in another file: in a header, BH_COMPONENT_DECLARE(Counter, {int start;});
 * in its file, BH_COMPONENT_DEFINE(Counter) { ... }. */
#define BH_COMPONENT_DECLARE(Name, ...)                                                            \
    struct Name##_props __VA_ARGS__;                                                               \
    extern const bh_component Name##_component
#define BH_COMPONENT_DEFINE(Name)                                                                  \
    static void Name##__body(bh_cx *cx, const struct Name##_props *props);                         \
    static void Name##__render(bh_cx *cx, const void *props) { Name##__body(cx, props); }          \
    const bh_component Name##_component = {#Name, Name##__render, sizeof(struct Name##_props), 0}; \
    static void Name##__body(bh_cx *cx BH_UNUSED, const struct Name##_props *props BH_UNUSED)
#define BH_COMPONENT_DECLARE0(Name) extern const bh_component Name##_component
#define BH_COMPONENT_DEFINE0(Name)                                                                 \
    static void Name##__body(bh_cx *cx);                                                           \
    static void Name##__render(bh_cx *cx, const void *props BH_UNUSED) { Name##__body(cx); }       \
    const bh_component Name##_component = {#Name, Name##__render, 0, 0};                           \
    static void Name##__body(bh_cx *cx BH_UNUSED)

/* Places a component. The call is deferred: props are copied, the component renders later, in tree
 * order, on its own hooks. bh__component closes at once; bh__component_open opens a block whose
 * contents become the component's children. */
BH_API void bh__component(bh_cx *cx, const bh_component *c, const void *props, bh_key key,
                          unsigned site);
BH_API void bh__component_open(bh_cx *cx, const bh_component *c, const void *props, bh_key key,
                               unsigned site);
#define BH_USE_KEYED(Name, key, ...)                                                               \
    bh__component(cx, &Name##_component, &(const struct Name##_props){__VA_ARGS__}, key, __LINE__)
#define BH_USE(Name, ...) BH_USE_KEYED(Name, BH_NO_KEY, __VA_ARGS__)
#define BH_USE0(Name) bh__component(cx, &Name##_component, NULL, BH_NO_KEY, __LINE__)
#define BH_WITH(Name, ...)                                                                         \
    BH__BLOCK(bh__component_open(cx, &Name##_component, &(const struct Name##_props){__VA_ARGS__}, \
                                 BH_NO_KEY, __LINE__),                                             \
              __COUNTER__)
#define BH_WITH0(Name)                                                                             \
    BH__BLOCK(bh__component_open(cx, &Name##_component, NULL, BH_NO_KEY, __LINE__), __COUNTER__)

/* Ends this component's render or handler with an error that shows in its place (error boundary).
 * Memory the caller got by malloc is not freed: this unwinds. */
BH_API void bh_fail(bh_cx *cx, const char *format, ...) BH_PRINTF(2, 3) BH_NORETURN;

/* ---- state ------------------------------------------------------------------------------- */

/* A handle to one hook of one mounted component. Plain data: may be captured, passed as a prop,
 * stored. Used after the component is gone it does nothing and is counted (/stats: stale_refs). */
typedef struct bh_ref {
    uint32_t instance;
    uint16_t slot;
    uint16_t generation;
} bh_ref;

typedef struct bh_int {
    int value;
    bh_ref ref;
} bh_int;
typedef struct bh_bool {
    bool value;
    bh_ref ref;
} bh_bool;
typedef struct bh_double {
    double value;
    bh_ref ref;
} bh_double;
typedef struct bh_string {
    const char *value;
    bh_ref ref;
} bh_string; /* value: until the next set */

/* The value in the result is this render's snapshot. `initial` counts only at the first render. */
#define bh_use_int(cx, initial) bh__use_int(cx, initial, __FILE__, __LINE__)
#define bh_use_bool(cx, initial) bh__use_bool(cx, initial, __FILE__, __LINE__)
#define bh_use_double(cx, initial) bh__use_double(cx, initial, __FILE__, __LINE__)
#define bh_use_string(cx, initial) bh__use_string(cx, initial, __FILE__, __LINE__)
BH_API bh_int bh__use_int(bh_cx *cx, int initial, const char *file, int line);
BH_API bh_bool bh__use_bool(bh_cx *cx, bool initial, const char *file, int line);
BH_API bh_double bh__use_double(bh_cx *cx, double initial, const char *file, int line);
BH_API bh_string bh__use_string(bh_cx *cx, const char *initial, const char *file, int line);

BH_API void bh_set_int(bh_cx *cx, bh_ref ref, int value);
BH_API void bh_add_int(bh_cx *cx, bh_ref ref, int delta); /* saturates at INT_MIN, INT_MAX */
BH_API void bh_set_bool(bh_cx *cx, bh_ref ref, bool value);
BH_API void bh_toggle(bh_cx *cx, bh_ref ref);
BH_API void bh_set_double(bh_cx *cx, bh_ref ref, double value);
BH_API void bh_set_string(bh_cx *cx, bh_ref ref, const char *value);

/* What is stored now, which in a handler may be newer than what its render captured (a captured
 * bh_string.value does not outlive the next set). 0, false, "" if the component is gone. */
BH_API int bh_get_int(bh_cx *cx, bh_ref ref);
BH_API bool bh_get_bool(bh_cx *cx, bh_ref ref);
BH_API double bh_get_double(bh_cx *cx, bh_ref ref);
BH_API const char *bh_get_string(bh_cx *cx, bh_ref ref); /* until the next set */

/* State of any plain type T:
 *     bh_ref at; const struct pt *p = BH_USE_STATE(cx, &at, struct pt, .x = 1);
 *     BH_SET(cx, at, struct pt, .x = 2);                      replaces; equal bytes: no render
 *     bh_update(cx, at, fn, &arg);     fn(void *state, const void *arg) changes it in place */
#define BH_USE_STATE(cx, ret_ref, T, ...)                                                          \
    ((const T *)bh__use_state(cx, ret_ref, &(const T){__VA_ARGS__}, sizeof(T), __FILE__, __LINE__))
#define BH_SET(cx, ref, T, ...) bh_set(cx, ref, &(const T){__VA_ARGS__}, sizeof(T))
BH_API const void *bh__use_state(bh_cx *cx, bh_ref *ret_ref, const void *initial, size_t size,
                                 const char *file, int line);
/* init(state, arg) runs once, at the first render; state is zeroed memory of `size` bytes. drop, if
 * not NULL, runs once when the component goes: for state that owns memory. */
#define bh_use_state_lazy(cx, ret_ref, size, init, drop, arg)                                      \
    bh__use_state_lazy(cx, ret_ref, size, init, drop, arg, __FILE__, __LINE__)
BH_API const void *bh__use_state_lazy(bh_cx *cx, bh_ref *ret_ref, size_t size,
                                      void (*init)(void *state, const void *arg),
                                      void (*drop)(void *state), const void *arg, const char *file,
                                      int line);
BH_API void bh_set(bh_cx *cx, bh_ref ref, const void *value, size_t size);
/* The bytes stored now, of BH_USE_STATE, lazy and reducer state; NULL if the component is gone. */
#define BH_GET(cx, ref, T) ((const T *)bh_get(cx, ref, sizeof(T)))
BH_API const void *bh_get(bh_cx *cx, bh_ref ref, size_t size);
BH_API void bh_update(bh_cx *cx, bh_ref ref, void (*fn)(void *state, const void *arg),
                      const void *arg);

/* Reducer: state changed only by actions.
 *     BH_REDUCER(step, struct model, struct action) { state->n += action->by; }
 *     const struct model *m = BH_USE_REDUCER(cx, &ref, step, struct model, .n = 0);
 *     BH_DISPATCH(cx, ref, struct action, .by = 1); */
typedef void bh_reducer_fn(void *state, const void *action);
#define BH_REDUCER(name, T, A)                                                                     \
    static void name(T *state, const A *action);                                                   \
    static void name##__fn(void *state, const void *action) { name(state, action); }               \
    static void name(T *state, const A *action)
#define BH_USE_REDUCER(cx, ret_ref, name, T, ...)                                                  \
    ((const T *)bh__use_reducer(cx, ret_ref, name##__fn, &(const T){__VA_ARGS__}, sizeof(T),       \
                                __FILE__, __LINE__))
#define BH_DISPATCH(cx, ref, A, ...) bh_dispatch(cx, ref, &(const A){__VA_ARGS__})
BH_API const void *bh__use_reducer(bh_cx *cx, bh_ref *ret_ref, bh_reducer_fn *fn,
                                   const void *initial, size_t size, const char *file, int line);
BH_API void bh_dispatch(bh_cx *cx, bh_ref ref, const void *action);

/* ---- dependencies, effects, memo, refs ---------------------------------------------------- */

/* What a hook depends on: BH_DEPS(a, b) integers or bh_dep_str/bh_dep_ptr values; at most 8. */
typedef struct bh_deps {
    const int64_t *values;
    int count; /* -1: every render; 0: once */
} bh_deps;
#define BH_EVERY_RENDER ((bh_deps){NULL, -1})
#define BH_ONCE ((bh_deps){NULL, 0})
#define BH_DEPS(...)                                                                               \
    ((bh_deps){(const int64_t[]){__VA_ARGS__},                                                     \
               (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))})
BH_API int64_t bh_dep_str(const char *s); /* 64-bit hash */
static inline int64_t bh_dep_ptr(const void *p) { return (int64_t)(intptr_t)p; }

/* Effects run after the patch of their render has been handed over, children before parents. The
 * cleanup runs exactly once: before the effect runs again, or when the component goes.
 *     BH_EFFECT(listen, { int channel; }) { ...; return BH_CLEANUP(stop, ptr); }
 *     BH_USE_EFFECT(cx, BH_DEPS(props->channel), listen, .channel = props->channel);
 * `cap` in the body stays valid until the cleanup has run: a cleanup sees what its own effect
 * captured; to see later values, capture a ref. */
typedef struct bh_cleanup {
    void (*fn)(bh_cx *cx, void *arg);
    void *arg;
} bh_cleanup;
#define BH_CLEANUP(fn, arg) ((bh_cleanup){(fn), (arg)})
#define BH_NO_CLEANUP ((bh_cleanup){NULL, NULL})
typedef bh_cleanup bh_effect_fn(bh_cx *cx, void *cap);
#define BH_EFFECT(name, ...)                                                                       \
    struct name##_cap __VA_ARGS__;                                                                 \
    static bh_cleanup name(bh_cx *cx, struct name##_cap *cap);                                     \
    static bh_cleanup name##__fn(bh_cx *cx, void *cap) { return name(cx, cap); }                   \
    static bh_cleanup name(bh_cx *cx BH_UNUSED, struct name##_cap *cap BH_UNUSED)
#define BH_EFFECT0(name)                                                                           \
    static bh_cleanup name(bh_cx *cx);                                                             \
    static bh_cleanup name##__fn(bh_cx *cx, void *cap BH_UNUSED) { return name(cx); }              \
    static bh_cleanup name(bh_cx *cx BH_UNUSED)
#define BH_USE_EFFECT(cx, deps, name, ...)                                                         \
    bh__use_effect(cx, deps, name##__fn, &(const struct name##_cap){__VA_ARGS__},                  \
                   sizeof(struct name##_cap) + BH__CAPTURES(__VA_ARGS__), __FILE__, __LINE__)
#define BH_USE_EFFECT0(cx, deps, name)                                                             \
    bh__use_effect(cx, deps, name##__fn, NULL, 0, __FILE__, __LINE__)
BH_API void bh__use_effect(bh_cx *cx, bh_deps deps, bh_effect_fn *fn, const void *cap,
                           size_t cap_size, const char *file, int line);

/* A value computed again only when deps change: fn(result, arg); result is `size` zeroed bytes. */
#define bh_use_memo(cx, size, deps, fn, arg)                                                       \
    bh__use_memo(cx, size, deps, fn, arg, __FILE__, __LINE__)
BH_API const void *bh__use_memo(bh_cx *cx, size_t size, bh_deps deps,
                                void (*fn)(void *result, const void *arg), const void *arg,
                                const char *file, int line);

/* Memory that lives as long as the component and whose change does not render. */
#define BH_USE_REF(cx, T, ...)                                                                     \
    ((T *)bh__use_ref(cx, &(const T){__VA_ARGS__}, sizeof(T), __FILE__, __LINE__))
BH_API void *bh__use_ref(bh_cx *cx, const void *initial, size_t size, const char *file, int line);

/* A callback with a stable identity: pass `ref` to children as a prop; bh_call runs the handler of
 * the latest render. */
#define BH_USE_CALLBACK(cx, name, ...)                                                             \
    bh__use_callback(cx, &(const bh_handler)BH_CALL_FLAGS(name, 0, __VA_ARGS__), __FILE__, __LINE__)
BH_API bh_ref bh__use_callback(bh_cx *cx, const bh_handler *handler, const char *file, int line);
BH_API void bh_call(bh_cx *cx, bh_ref callback, const bh_event *ev);

/* Calls the latest render's handler every `ms` (0: paused), while a client is attached. Monotonic
 * clock; after a suspend or a long stall there is one late tick, never a burst. */
#define BH_USE_INTERVAL(cx, ms, name, ...)                                                         \
    bh__use_interval(cx, ms, &(const bh_handler)BH_CALL_FLAGS(name, 0, __VA_ARGS__), __FILE__,     \
                     __LINE__)
BH_API void bh__use_interval(bh_cx *cx, unsigned ms, const bh_handler *handler, const char *file,
                             int line);

/* An id unique in the session and stable over renders, for label/for and aria-*. */
#define bh_use_id(cx) bh__use_id(cx, __FILE__, __LINE__)
BH_API const char *bh__use_id(bh_cx *cx, const char *file, int line);

/* ---- context ------------------------------------------------------------------------------ */

/*     BH_CONTEXT(Theme, struct theme, .dark = false);           at file level, with its default
 *     BH_PROVIDE(Theme, struct theme, .dark = true) { ... }     in a render function
 *     const struct theme *t = BH_USE_CONTEXT(cx, Theme, struct theme);
 * A consumer renders again when the nearest provider's bytes change. */
typedef struct bh_context {
    const char *name;
    const void *initial;
    size_t size;
} bh_context;
#define BH_CONTEXT(Name, T, ...)                                                                   \
    static const T Name##__initial = {__VA_ARGS__};                                                \
    static const bh_context Name = {#Name, &Name##__initial, sizeof(T)}
#define BH_PROVIDE(Name, T, ...)                                                                   \
    BH__BLOCK(bh__provide(cx, &Name, &(const T){__VA_ARGS__}, sizeof(T), __LINE__), __COUNTER__)
#define BH_USE_CONTEXT(cx, Name, T)                                                                \
    ((const T *)bh__use_context(cx, &Name, sizeof(T), __FILE__, __LINE__))
BH_API void bh__provide(bh_cx *cx, const bh_context *context, const void *value, size_t size,
                        unsigned site);
BH_API const void *bh__use_context(bh_cx *cx, const bh_context *context, size_t size,
                                   const char *file, int line);

/* ---- the session --------------------------------------------------------------------------- */

/* Where the client is: path and query string of the page, "" if not known. */
typedef struct bh_location {
    const char *path;
    const char *query; /* without '?' */
} bh_location;
BH_API bh_location bh_session_location(bh_cx *cx);
BH_API uint64_t bh_now_ms(bh_cx *cx); /* monotonic */

BH_END_DECLS
#endif
