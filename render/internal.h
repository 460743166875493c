/* SPDX-License-Identifier: MIT
 * render/internal.h — the structs of one session, shared by the files of render/.
 *
 * INSTANCE  a place in the page that keeps something between renders: a component (hooks), a provider
 *           (a context's value), or the children a parent passed (their contents). Instances form a
 *           tree in document order. Each is a bh_slot: the vdom sees only that part.
 * OUTPUT    the nodes of one render of one component, in one arena. Contents of providers and of
 *           children belong to the output of the component that wrote them.
 * PASS      one bh_session_render: match and render top down, left to right; then emission right to
 *           left; then the replaced outputs are dropped.
 * Threads: one, whichever renders. */
#ifndef BH_RENDER_INTERNAL_H
#define BH_RENDER_INTERNAL_H

#include <setjmp.h>

#include <backhaul/component.h>

#include "render/host.h"
#include "render/session.h"
#include "vdom/diff.h"

typedef struct bh_instance bh_instance;
typedef struct bh_hook bh_hook;
typedef struct bh_subscription bh_subscription;

/* ---- descriptors: what a slot node says about its instance (bh_node.u.slot.desc) ------------ */

typedef enum bh_inst_kind {
    BH_INST_COMPONENT = 1,
    BH_INST_PROVIDER,
    BH_INST_CHILDREN,
} bh_inst_kind;

typedef struct bh_desc {
    uint8_t kind;        /* bh_inst_kind */
    bool content_used;   /* content has been mounted once: a second place takes a copy */
    uint32_t size;       /* of data */
    const void *data;    /* props, or the provider's value */
    bh_node *content;    /* fragment: children of a WITH, contents of a PROVIDE; or NULL */
    bh_instance *author; /* the component whose render wrote this; CHILDREN: that is the box whose
                            children stand here */
} bh_desc;

extern const char bh__children_type[]; /* bh_node.u.slot.type of children places */

/* ---- hooks ----------------------------------------------------------------------------------- */

typedef enum bh_hook_kind {
    BH_HOOK_INT = 1,
    BH_HOOK_BOOL,
    BH_HOOK_DOUBLE,
    BH_HOOK_STRING,
    BH_HOOK_STATE,
    BH_HOOK_LAZY,
    BH_HOOK_REDUCER,
    BH_HOOK_EFFECT,
    BH_HOOK_MEMO,
    BH_HOOK_REF,
    BH_HOOK_CALLBACK,
    BH_HOOK_INTERVAL,
    BH_HOOK_ID,
    BH_HOOK_CONTEXT,
    BH_HOOK_SOURCE,
} bh_hook_kind;

struct bh_hook { /* its data follows, aligned to 16 */
    bh_hook *next;
    const char *file;
    uint32_t line;
    uint32_t size; /* of data; part of what is checked */
    uint16_t index;
    uint8_t kind;  /* bh_hook_kind */
    uint8_t ready; /* initialised by a render that did not fault */
    uint32_t spare;
};
_Static_assert(sizeof(struct bh_hook) == 32, "data after it is aligned to 16");

static inline void *bh_hook_data(bh_hook *h) { return h + 1; }

typedef struct bh_hook_block {
    struct bh_hook_block *next;
    uint32_t used, cap; /* of bytes that follow */
} bh_hook_block;

typedef struct bh_string_hook {
    char *str; /* from the session's memory */
    uint32_t len, cap;
} bh_string_hook;

typedef struct bh_lazy_hook {
    void (*drop)(void *state);
    void *pad; /* state follows, aligned to 16 */
} bh_lazy_hook;

typedef struct bh_reducer_hook {
    bh_reducer_fn *fn;
    void *pad; /* state follows */
} bh_reducer_hook;

enum { BH_MAX_DEPS = 8 };

typedef struct bh_effect_hook {
    bh_effect_fn *fn;   /* of the newest render that scheduled it */
    bh_cleanup cleanup; /* of the run that is live */
    uint32_t cap_size;
    int8_t n_deps;    /* -1: every render */
    bool scheduled;   /* next_cap waits to run */
    bool live;        /* has run and has not been cleaned up */
    bool touched;     /* scheduled by the render in progress: a fault takes that back */
    bool stale_deps;  /* deps do not describe what ran: schedule at the next good render */
    uint8_t next_cap; /* which of the two capture buffers the next run uses */
    uint8_t n_caps;   /* 1 if it runs at most once */
    int64_t deps[];   /* n_deps; then n_caps buffers of cap_size, each aligned to 16 */
} bh_effect_hook;

typedef struct bh_memo_hook {
    int64_t n_deps;
    int64_t deps[]; /* n_deps; then the result, aligned to 16 */
} bh_memo_hook;

typedef struct bh_callback_hook {
    bh_handler_fn *fn;
    uint64_t cap_size; /* captures follow */
} bh_callback_hook;

typedef struct bh_timer bh_timer;
struct bh_timer { /* an interval hook */
    bh_timer *next;
    bh_instance *inst;
    uint64_t due_ms; /* 0: not armed */
    uint32_t every_ms;
    uint32_t linked;
    bh_handler_fn *fn;
    uint64_t cap_size; /* captures follow */
};

typedef struct bh_context_hook bh_context_hook;
struct bh_context_hook {
    bh_context_hook *next, **link; /* among the consumers of provider */
    bh_instance *provider;         /* NULL: none above, the default holds */
    const bh_context *context;
    bh_instance *inst;
    void *pad;
};

struct bh_subscription { /* a source hook */
    bh_subscription *next, **link;
    bh_source *source;
    bh_instance *inst;
};

/* ---- instances ------------------------------------------------------------------------------- */

/* bh_instance.flags */
enum {
    BH_I_DIRTY = 1,
    BH_I_DIRTY_BELOW = 2,
    BH_I_RENDERED_BELOW = 4, /* during a pass: something below has a new output */
    BH_I_EFFECTS = 8,        /* some effect is scheduled */
    BH_I_EFFECTS_BELOW = 16,
    BH_I_HOOKED = 32,     /* the first render is over: hooks are fixed */
    BH_I_FAILED = 64,     /* shows an error */
    BH_I_GONE = 128,      /* unmounted; cleanups may still be due */
    BH_I_RENDERING = 256, /* its render function is running */
};

struct bh_instance {
    bh_slot slot; /* first: the vdom's bh_slot is the instance */
    const void *type;
    const bh_desc *desc;
    const bh_desc *taken; /* PROVIDER, CHILDREN: the descriptor whose contents stand here */
    bh_session *session;
    bh_instance *parent, *next, *prev, *first, *last; /* document order */
    bh_instance *next_gone;
    bh_arena out; /* its output; CHILDREN and PROVIDER: a copy of contents, mostly empty */
    bh_hook *hooks, *last_hook;
    bh_hook_block *blocks;
    bh_context_hook *consumers; /* PROVIDER */
    uint32_t index;             /* in the session's table; bh_ref.instance */
    uint32_t n_nodes;           /* elements and texts in its output */
    uint32_t pass;              /* the last pass that rendered it */
    uint16_t generation;
    uint16_t n_hooks;
    uint16_t depth; /* levels above it: elements, fragments, slots */
    uint16_t flags;
    uint8_t kind;
};

static inline bh_instance *bh_slot_instance(bh_slot *slot)
{
    return (bh_instance *)(void *)slot; /* slot is the first member */
}
static inline const bh_component *bh_inst_component(const bh_instance *inst) { return inst->type; }

typedef struct bh_inst_entry {
    bh_instance *inst;   /* NULL: free */
    uint32_t next_free;  /* index + 1 */
    uint16_t generation; /* of the next instance here; 0: retired */
} bh_inst_entry;

/* ---- handlers -------------------------------------------------------------------------------- */

/* Continues bh_handler_head; lives in the output that made it, captures behind it. */
typedef struct bh_handler_rec {
    bh_handler_head head;
    bh_handler_fn *fn;
    const void *cap;
    bh_instance *inst; /* the component that wrote it */
    bh_node *element;
} bh_handler_rec;

/* Open addressing on the id itself; ids count up and are not reused. */
typedef struct bh_handler_entry {
    uint32_t hid; /* 0: free */
    uint16_t event;
    bh_handler_rec *rec;
} bh_handler_entry;

typedef struct bh_handler_table {
    bh_handler_entry *entries;
    uint32_t cap, used; /* cap: a power of two, or 0 */
    uint32_t next_hid;
} bh_handler_table;

/* ---- the session ----------------------------------------------------------------------------- */

/* bh_session.warned */
enum {
    BH_WARN_ATTR = 1,
    BH_WARN_URL = 2,
    BH_WARN_TWIN = 4,
    BH_WARN_STALE = 8,
    BH_WARN_REPORTS = 16,
};
enum { BH_CAUSE_EFFECT = 1, BH_CAUSE_OTHER = 2 };

struct bh_session {
    bh_host *host;
    bh_render_env *env;
    void *user;
    bh_instance *root;
    bh_desc root_desc;
    bh_inst_entry *insts;
    uint32_t n_insts, cap_insts;
    uint32_t first_free, last_free; /* index + 1; a queue, so that generations last */
    bh_handler_table handlers;
    bh_timer *timers;
    uint64_t timer_due; /* what the host was told */
    bh_instance *gone, **gone_tail;
    bh_instance *one_dirty, *one_effect; /* the last one marked: the usual single case */
    uint32_t n_dirty, n_effects;         /* instances */
    uint32_t next_nid, next_id;
    uint32_t pass;
    uint32_t n_nodes;
    uint32_t effect_chain;
    uint32_t reported, reported_pass; /* bytes that controls reported since that pass */
    uint8_t dirty_cause;              /* BH_CAUSE_* since the last render */
    uint8_t warned;
    int64_t last_fault; /* hash of the text reported last */
    bool woken, in_pass, attached, echo_inputs;
    size_t bytes, max_bytes;
    char *path, *query;
};

/* One output replaced in the pass in progress. */
typedef struct bh_rendered {
    bh_instance *inst;
    bh_arena old;
} bh_rendered;

/* ---- the call context ------------------------------------------------------------------------ */

typedef enum bh_phase {
    BH_PHASE_NONE,
    BH_PHASE_RENDER,
    BH_PHASE_HANDLER,
    BH_PHASE_EFFECT
} bh_phase;

typedef struct bh_frame {
    bh_node *node; /* what is open */
    bh_node *tail; /* its last child */
} bh_frame;

struct bh_cx {
    bh_session *session;
    bh_render_env *env;
    bh_instance *inst; /* whose render, handler or effect this is */
    bh_phase phase;
    bool children_placed;
    uint16_t hook_at; /* hooks used so far */
    bh_hook *hook;    /* the next one expected; NULL: past the last */
    bh_arena arena;   /* the new output */
    uint32_t nodes, max_nodes;
    size_t max_bytes;          /* of arena */
    unsigned depth, max_depth; /* frames in use; stack[0] is the output's root */
    jmp_buf jmp;
    char reason[480];
    bh_attr *attr_to; /* where the open element's attributes go, and how many fit */
    unsigned attr_room;
    bh_attr attrs[BH_MAX_ATTRS]; /* there, while nobody knows how many it will be */
    bh_frame stack[BH_MAX_DEPTH + 2];
};

/* cx.c */
BH_NORETURN void bh__fault(bh_cx *cx, const char *format, ...) BH_PRINTF(2, 3);
void bh__cx_begin(bh_cx *cx, bh_session *s, bh_instance *inst, bh_phase phase);
void bh__need_render(bh_cx *cx, const char *what);
void *bh__session_alloc(bh_session *s, size_t size); /* accounted; never NULL; not zeroed */
void bh__session_free(bh_session *s, void *p, size_t size);
void bh__session_account(bh_session *s, size_t plus, size_t minus);

/* attrs.c */
void bh__attrs_collect(bh_cx *cx, const bh_el *el, bh_node *n);

/* build.c */
void bh__build_begin(bh_cx *cx);
void bh__build_end(bh_cx *cx);
void bh__build_error(bh_cx *cx, const char *text);

/* hooks.c */
bh_hook *bh__hook(bh_cx *cx, bh_hook_kind kind, size_t size, const char *file, int line);
void bh__hooks_end(bh_cx *cx);
void bh__hooks_fault(bh_instance *inst);  /* a render faulted: take back what it did */
void bh__hooks_unlink(bh_instance *inst); /* timers, sources, contexts */
void bh__hooks_free(bh_instance *inst);
bh_hook *bh__hook_find(bh_session *s, bh_ref ref,
                       bh_instance **ret_inst); /* NULL: stale, counted */
const char *bh__hook_name(unsigned kind);

/* hooks_effect.c, effects.c */
void bh__effects_cleanup(bh_instance *inst); /* of effects that are about to run again */
void bh__effects_run(bh_instance *inst);
void bh__effect_cleanup(bh_instance *inst, bh_hook *h);
void bh__effects_gone(bh_session *s);

/* context.c */
void bh__context_changed(bh_instance *provider);
void bh__context_leave(bh_context_hook *c);
void bh__provider_leave(bh_instance *provider);

/* source.c */
void bh__subscription_leave(bh_subscription *sub);

/* timers.c */
void bh__timer_leave(bh_session *s, bh_timer *t);
void bh__timers_sync(bh_session *s);

/* handlers.c */
void bh__handlers_fini(bh_session *s);
void bh__handlers_adopt(bh_session *s, bh_node *element);
void bh__handlers_continue(bh_session *s, const bh_node *old, bh_node *cur);
void bh__handlers_drop(bh_session *s, const bh_node *element);
const bh_handler_entry *bh__handlers_find(const bh_session *s, uint32_t hid);
/* Calls a handler within its own error boundary. False: it faulted. */
bool bh__handler_call(bh_session *s, bh_instance *inst, bh_handler_fn *fn, const void *cap,
                      const bh_event *ev);

/* instance.c */
bh_instance *bh__instance_new(bh_session *s, bh_instance *parent, bh_node *place, unsigned depth);
void bh__instance_append(bh_instance *parent, bh_instance *inst);
void bh__instance_drop(bh_instance *inst);
void bh__instance_free(bh_instance *inst);
void bh__node_drop(bh_session *s, bh_node *n);
void bh__mark_dirty(bh_instance *inst);
void bh__clear_dirty(bh_instance *inst);
void bh__mark_effects(bh_instance *inst);
void bh__clear_effects(bh_instance *inst);
void bh__mark_up(bh_instance *inst, unsigned flag);
bh_node *bh__content_take(bh_instance *inst, const bh_desc *desc);

/* input.c */
void bh__input_reported(bh_session *s, const bh_handler_rec *rec, const bh_event *ev);

/* fault.c */
void bh__fault_report(bh_session *s, const char *component, const char *doing, const char *reason);
void bh__warn_once(bh_session *s, unsigned kind, const char *format, ...) BH_PRINTF(3, 4);

#endif
