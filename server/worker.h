/* SPDX-License-Identifier: MIT
 * server/worker.h — the render side: session records, what their clients are owed, and when to
 * render. Private to worker*.c, sessions.c, resume.c, topic.c; the hub knows the upper part only.
 *
 *   PEER    one live connection as this side sees it, found by sid
 *   RECORD  one session, found by its id; LIVE (with a peer), WAITING (a new peer has claimed it and
 *           its blocks are still coming home), PARKED (no client), PRERENDERED (a page whose socket
 *           has not come)
 *   KEPT    a frame of backhaul.v1 that is not acknowledged
 *
 * Threads: the render thread, for everything but bh_worker_init and _fini. */
#ifndef BH_SERVER_WORKER_H
#define BH_SERVER_WORKER_H

#include <backhaul/app.h>

#include "render/role.h"
#include "render/sched.h"
#include "render/session.h"
#include "server/exec.h"
#include "server/hub.h"
#include "server/limits.h"
#include "server/mbox.h"
#include "server/wire.h"

typedef struct bh_worker bh_worker;
typedef struct bh_peer bh_peer;
typedef struct bh_rec bh_rec;

/* What lets other threads than main post: closed before STOP is posted, and STOP is posted under its
 * write lock, so that when the render side has held it once, nobody touches the inbox any more. */
typedef struct bh_gate {
    uv_rwlock_t lock;
    bool closed;              /* under lock */
    _Atomic uint32_t waiting; /* bh_hub_post calls not yet run */
    _Atomic uint64_t dropped;
} bh_gate;

/* An intrusive ring; an entry that is in none points to itself. */
typedef struct bh_dlist bh_dlist;
struct bh_dlist {
    bh_dlist *next, *prev;
};
static inline void bh_dlist_init(bh_dlist *d) { d->next = d->prev = d; }
static inline bool bh_dlist_empty(const bh_dlist *d) { return d->next == d; }
static inline void bh_dlist_take(bh_dlist *d)
{
    d->next->prev = d->prev;
    d->prev->next = d->next;
    d->next = d->prev = d;
}
static inline void bh_dlist_append(bh_dlist *head, bh_dlist *d)
{
    bh_dlist_take(d);
    d->prev = head->prev;
    d->next = head;
    d->prev->next = d;
    head->prev = d;
}
#define BH_CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

struct bh_peer {
    bh_sid sid;
    bh_msg *open; /* its bh_msg_open, until it has a session */
    uint32_t page;
    uint32_t codec;    /* bh_codec_id */
    uint32_t consumed; /* messages taken in since the last CREDIT */
    bool greeted;      /* HELLO has come */
    bool closing;      /* CLOSE has been posted: what still comes is not looked at */
    bh_rec *rec;       /* LIVE here, or WAITING for here */
    bh_dlist greet;    /* in worker.greeting, oldest first */
    uint64_t opened_ms;
};

typedef enum bh_rec_state {
    BH_REC_LIVE = 1,
    BH_REC_WAITING,
    BH_REC_PARKED,
    BH_REC_PRERENDERED,
} bh_rec_state;

typedef enum bh_first { BH_FIRST_DONE, BH_FIRST_PAGE, BH_FIRST_ADOPT } bh_first;

typedef struct bh_kept {
    bh_msg *msg; /* NULL: on its way to the socket; it will come home */
    uint32_t seq;
    size_t off, len; /* of the content in the block, WebSocket header included */
} bh_kept;

enum { BH_TOKEN_BYTES = 16, BH_TOKEN_LEN = 2 * BH_TOKEN_BYTES + 8 };

struct bh_rec {
    bh_sched_entry sched; /* first */
    uint64_t id;          /* slot | generation << 32 */
    bh_session *session;
    bh_peer *peer; /* LIVE, WAITING */
    uint32_t page;
    uint8_t state; /* bh_rec_state */
    uint8_t codec;
    uint8_t first; /* bh_first: what the next frame has to be */
    bool renumber; /* first == PAGE of a client that starts from nothing */
    bool rendered; /* has a first output */
    bool dying;
    bool prerendered; /* WAITING: it was never on a peer */
    bool ack_due, pong_due;
    bool has_token, has_old;
    uint8_t loose_out;                /* frames without number on their way */
    uint32_t hello_last, hello_nodes; /* WAITING: what the claiming HELLO said */
    uint32_t seq;                     /* last frame numbered */
    uint32_t acked;                   /* last frame acknowledged */
    uint32_t event_seq;               /* last event applied */
    uint32_t blocks_out;              /* numbered blocks on their way */
    bh_kept *kept;                    /* ring buffer, oldest at kept_at */
    uint32_t kept_at, kept_len, kept_cap;
    size_t kept_bytes;
    size_t parked_bytes; /* as counted into worker.parked_bytes */
    unsigned char token[BH_TOKEN_BYTES];
    /* The token this client resumed with: good until it is known to have received the new one. */
    unsigned char old_token[BH_TOKEN_BYTES];
    bh_dlist age;    /* in worker.parked or .prerendered, oldest first */
    bh_dlist flight; /* in worker.flying while something is not acknowledged: by last progress */
    uint64_t since_ms, progress_ms;
    uint64_t due_ms;                /* next timer */
    size_t heap_at;                 /* SIZE_MAX: not in the heap */
    uint64_t rate_left;             /* thousandths of an event */
    uint64_t rate_ms;               /* 0: not yet used */
    uint32_t settle_batch, settles; /* renders between the messages of that batch */
    bh_reactpy_acks *acks;          /* a 1.x ReactPy client's; else NULL */
};

typedef struct bh_topic_link bh_topic_link;

struct bh_worker {
    bh_host host; /* first: bh__cx_host leads back here */
    /* --- immutable after init */
    const bh_config *config;
    const bh_page *pages;
    uint32_t n_pages;
    bh_hub *hub;
    bh_gate *gate;
    bh_exec *exec;
    bh_mbox *outbox; /* the hub's */
    int error;       /* of init on the render thread */
    /* --- any thread posts */
    bh_mbox inbox;
    /* --- render */
    uv_loop_t *loop;
    uv_idle_t idle;   /* slices while there is ready work */
    uv_timer_t timer; /* the nearest deadline of any kind */
    uv_poll_t clock;  /* commit interval: a timerfd */
    int clock_fd;     /* -1: commits at once */
    bool clock_armed, committing;
    uint64_t clock_start_ns, interval_ns;
    uint64_t timer_due; /* UINT64_MAX: not armed */
    bool stopping, in_slice;
    uint32_t batch, settles; /* number of the inbox batch; renders between its messages */
    int handles;             /* still to be closed */
    bh_outq outq;
    bh_render_env env;
    bh_sched sched;
    bh_msg_pool pool;
    bh_buf enc;
    bh_arena arena;  /* of one decoded message */
    bh_peer **peers; /* by slot of the sid */
    uint32_t cap_peers;
    bh_rec **recs; /* by slot of the id */
    uint32_t *rec_gen;
    uint32_t n_recs, cap_recs, *rec_free, n_rec_free;
    bh_rec **heap; /* by due_ms */
    size_t heap_len, heap_cap;
    bh_dlist greeting, flying, parked, prerendered;
    uint32_t n_parked, n_prerendered, n_live;
    size_t parked_bytes;
    bh_rec *done[BH_RENDERS_PER_SLICE]; /* rendered in this slice: effects follow */
    uint32_t n_done;
    bh_topic_link *topics;
    bh_hub_stats stats; /* render side's part */
};

/* ---- worker.c: life and messages ------------------------------------------------------------- */

/* On the render thread, before its loop runs. Leaves w->error and nothing open on failure. */
void bh__worker_entry(void *worker);
/* For inline mode: takes what is in the inbox now. */
void bh__worker_pump(void *worker);
void bh__worker_post(bh_worker *w, bh_msg *msg /* taken */); /* into outq */
/* Closes the peer for what the client did: CLOSE to the network side, the session is parked or, when
 * its client cannot go on with it, freed. */
void bh__peer_fail(bh_worker *w, bh_peer *peer, unsigned code, const char *reason, bool park);

/* ---- worker_input.c ---------------------------------------------------------------------------- */
void bh__peer_input(bh_worker *w, bh_peer *peer, const unsigned char *data, size_t len);
/* Frames up to seq have been applied. False: there was never such a frame. */
bool bh__rec_acked(bh_worker *w, bh_rec *rec, uint32_t seq);
/* A block has come home. */
void bh__rec_drained(bh_worker *w, bh_msg *msg /* taken */);

/* ---- worker_render.c --------------------------------------------------------------------------- */
void bh__worker_slice(bh_worker *w);
/* Work may have become ready: see to it that a slice comes. */
void bh__worker_kick(bh_worker *w);
void bh__rec_pending(bh_worker *w, bh_rec *rec);
/* Renders what earlier events of the same session changed, so that the next one meets the page those
 * left behind: a button that the first click took away is not clicked twice. Of one
 * batch of messages at most BH_SETTLES_PER_BATCH renders a session and BH_RENDERS_PER_SLICE in all, so
 * that who sends many events at once does not keep others waiting, and at most half a window; beyond
 * that, or on a commit clock, events meet the page as last rendered. */
void bh__rec_settle(bh_worker *w, bh_rec *rec);
/* Seals w->enc into a block for rec's peer and posts it. seq 0: not counted. */
void bh__rec_send(bh_worker *w, bh_rec *rec, uint32_t seq);
void bh__rec_welcome(bh_worker *w, bh_rec *rec, unsigned flags);
/* Posts the kept frames again, on the record's peer. */
void bh__rec_replay(bh_worker *w, bh_rec *rec);

/* ---- worker_clock.c ---------------------------------------------------------------------------- */
int bh__clock_init(bh_worker *w);
void bh__clock_arm(bh_worker *w); /* the next commit */
void bh__deadline(bh_worker *w, uint64_t at_ms);
void bh__timer_set(bh_worker *w, bh_rec *rec, uint64_t due_ms); /* UINT64_MAX: none */
void bh__on_timer(uv_timer_t *timer);
/* In flight has grown, shrunk or gone. */
void bh__flight_update(bh_worker *w, bh_rec *rec, bool progress);

/* ---- sessions.c: records and peers --------------------------------------------------------------- */
bh_rec *bh__rec_new(bh_worker *w, uint32_t page, const char *path, const char *query);
void bh__rec_free(bh_worker *w, bh_rec *rec);
bh_rec *bh__rec_find(bh_worker *w, uint64_t id);
void bh__rec_attach(bh_worker *w, bh_rec *rec, bh_peer *peer); /* → LIVE */
void bh__kept_push(bh_rec *rec, bh_kept kept);
bh_kept *bh__kept_at(bh_rec *rec, uint32_t i); /* 0: oldest */
void bh__kept_drop(bh_worker *w, bh_rec *rec); /* the oldest */
/* The token of the record, made anew; the one before stays good until bh__token_received. */
void bh__token_rotate(bh_rec *rec, char ret_text[BH_TOKEN_LEN + 1]);
/* The client has spoken after its WELCOME: only the newest token counts from here on. */
static inline void bh__token_received(bh_rec *rec) { rec->has_old = false; }
/* Finding a session by its older token makes that one the current one again: the newer one was never
 * received. */
bh_rec *bh__token_find(bh_worker *w, const char *text);
bh_peer *bh__peer_find(bh_worker *w, bh_sid sid);
bh_peer *bh__peer_new(bh_worker *w, bh_msg *open /* taken */);
void bh__peer_free(bh_worker *w, bh_peer *peer);
void bh__sessions_fini(bh_worker *w); /* frees every record and peer */

/* ---- resume.c ---------------------------------------------------------------------------------- */
void bh__hello(bh_worker *w, bh_peer *peer, const bh_v1_message *m);
/* The record's client is gone: keep it for a while, or not. */
void bh__rec_leave(bh_worker *w, bh_rec *rec, bool keep);
/* All blocks of a WAITING record are home. */
void bh__resume_go(bh_worker *w, bh_rec *rec);
void bh__prerender(bh_worker *w, bh_msg *msg); /* PAGE; answers it */
void bh__resume_expire(bh_worker *w, uint64_t now_ms);
uint64_t bh__resume_next(const bh_worker *w); /* when the oldest expires; UINT64_MAX: none */

/* ---- topic.c ------------------------------------------------------------------------------------ */
void bh__topics_fini(bh_worker *w);
/* hub.c; any thread. Posts fn(data, len) past the limit of posts: the caller coalesces. */
int bh__hub_call(bh_hub *hub, void (*fn)(void *data, size_t len), const void *data, size_t len);

#endif
