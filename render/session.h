/* SPDX-License-Identifier: MIT
 * render/session.h — one mounted root: the whole of render/ as the server sees it.
 *
 *     bh_session_new → bh_session_render (first output) → { event, timers, render }* → free
 *
 * A session holds its instances (components and their hooks), their last outputs, its handler
 * table and timers. It knows no socket: patches leave through the sink given to render.
 * Threads: one, whichever renders, for everything here. Errors: faults of components show in their
 * place and are reported to the host; the functions below do not fail. */
#ifndef BH_RENDER_SESSION_H
#define BH_RENDER_SESSION_H

#include <backhaul/component.h>

#include "render/host.h"
#include "vdom/diff.h"
#include "vdom/patch.h"

/* What all sessions of a thread share: chunk pool, names, scratch. One per rendering thread. */
typedef struct bh_render_env {
    bh_chunk_pool pool;
    bh_names *names;
    bh_diff_scratch *scratch;
    /* counters for /stats; plain, read on this thread */
    uint64_t renders; /* bh_session_render calls that rendered at least one component */
    uint64_t component_renders;
    uint64_t faults;
    uint64_t stale_refs;       /* setters on components that are gone */
    uint64_t unknown_handlers; /* events whose handler id is unknown or gone */
    uint64_t refused_attrs;    /* names or URLs that were left out */
    uint64_t twin_keys;
    size_t session_bytes;  /* sum over sessions of what bh_session_bytes says */
    uint64_t effect_loops; /* components stopped by BH_MAX_EFFECT_LOOP */
    /* --- private to render/ */
    struct bh_cx *cx;             /* the one call context of this thread */
    struct bh_rendered *rendered; /* outputs replaced by the render in progress */
    size_t n_rendered, cap_rendered;
    struct bh_instance **queue; /* instances whose effects are about to run */
    size_t cap_queue;
} bh_render_env;
void bh_render_env_init(bh_render_env *env);
void bh_render_env_fini(bh_render_env *env);

/* Limits a session keeps itself to; over one of them: a fault of the component that passed it. */
enum {
    BH_MAX_NODES = 50000,      /* elements and texts a session */
    BH_MAX_DEPTH = 256,        /* of open elements and of components */
    BH_MAX_ATTR_LEN = 1 << 24, /* bytes of one attribute or text */
    BH_MAX_HOOKS = 1024,       /* a component */
    BH_MAX_RENDER_LOOP = 25,   /* renders of one component caused by setters during its render */
    BH_MAX_EFFECT_LOOP = 50,   /* renders in a row that only effects caused and that changed nothing
                                  on the page (one that changes it is paced by the client's credit) */
    BH_MAX_ATTRS = 256,        /* attributes and handlers of one element */
    BH_MAX_REPORTED = 1 << 20, /* bytes of edits taken over before a render; one edit always is */
};

typedef struct bh_session_params {
    bh_host *host;            /* borrowed */
    bh_render_env *env;       /* borrowed */
    const bh_component *root; /* borrowed */
    const void *props;        /* copied */
    const char *path, *query; /* copied */
    size_t max_bytes;         /* 0: 16 MiB; hooks, captures and outputs together */
} bh_session_params;

bh_session *bh_session_new(const bh_session_params *params);
void bh_session_free(bh_session *s); /* runs cleanups; NULL is fine */
void *bh_session_user(const bh_session *s);
void bh_session_set_user(bh_session *s, void *user);

/* True if a render would do something: dirty components, or effects waiting. */
bool bh_session_pending(const bh_session *s);
/* Renders every dirty component once, by depth, ancestors first; writes what changed to the sink.
 * Returns the number of operations written; 0: nothing changed for the client. Effects and cleanups
 * wait for bh_session_effects. sink NULL: the first output of a page (bh_session_root tells it);
 * nids are assigned all the same. */
size_t bh_session_render(bh_session *s, const bh_patch_sink *sink);
/* After the patch has been handed over: cleanups, then effects, children before parents. May make
 * the session pending again. `attached` false: effects keep waiting (a page whose socket has not
 * come must not start timers). */
void bh_session_effects(bh_session *s, bool attached);

/* Runs the handler `hid` names. False (and counted) if there is none. `ev->type` must be the
 * handler's event. Updates the tree's idea of a controlled input's value first: what the browser
 * shows now, so that the next render states the difference. */
bool bh_session_event(bh_session *s, uint32_t hid, const bh_event *ev);
/* For a client (ReactPy's) that shows a control's value by comparing what it was told with what it
 * was told before, not with what the user did: the tree then keeps what was told, and a value that
 * a handler takes over is sent back. Off at first. */
void bh_session_echo_inputs(bh_session *s, bool on);
/* Event type a handler id is for; BH_ON_NONE if there is none. */
bh_event_type bh_session_handler_type(const bh_session *s, uint32_t hid);
/* Runs timers that are due. */
void bh_session_timers(bh_session *s, uint64_t now_ms);
/* No client is attached: intervals pause, state stays. Attach resumes them. */
void bh_session_detach(bh_session *s);
void bh_session_attach(bh_session *s);

const bh_node *bh_session_root(const bh_session *s); /* the root output as last rendered */
uint32_t bh_session_nid_next(const bh_session *s);
/* A client starts from nothing: forget nids and number the tree anew from 1, handlers keep ids. */
void bh_session_renumber(bh_session *s);
/* Calls fn for each handler in the page, document order. */
void bh_session_each_handler(const bh_session *s,
                             void (*fn)(void *arg, const bh_node *n, const bh_attr *handler),
                             void *arg);
size_t bh_session_bytes(const bh_session *s);

/* ---- sources: what render/ offers to topics (server/topic.c) ------------------------------- */

/* Something components subscribe to; notify marks all subscribers dirty. */
typedef struct bh_source {
    struct bh_subscription *first;
} bh_source;
void bh_source_notify(bh_source *source);
/* Hook: subscribes the rendering component for as long as it is mounted. */
void bh__use_source(bh_cx *cx, bh_source *source, const char *file, int line);
/* Memory that lives as long as this render's output, aligned for any type. */
void *bh__cx_alloc(bh_cx *cx, size_t size);
bh_host *bh__cx_host(bh_cx *cx);

#endif
