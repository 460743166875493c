/* SPDX-License-Identifier: MIT
 * server/limits.h — every cap that is not an option, with its reason. Documented in docs/LIMITS.md. */
#ifndef BH_SERVER_LIMITS_H
#define BH_SERVER_LIMITS_H

enum {
    BH_MAX_MESSAGE_CEILING = 1 << 20, /* --max-message goes no higher */
    BH_JSON_DEPTH = 32,               /* cJSON recurses; events are shallow */
    BH_JSON_VALUES = 2000,            /* cJSON costs 64 B a value: 40 times its text */
    BH_MAX_FIELDS = 256,              /* form fields in one submit */
    BH_MAX_FRAGMENTS = 64,            /* of one message: a fragment flood costs CPU */
    BH_INBOX_PER_SESSION = 256,       /* messages waiting for the render side; then rx is paused */
    BH_POSTS_WAITING = 65536,         /* bh_post: then -ENOBUFS */
    BH_FRAMES_PER_SEND = 64,          /* coalesced into one write */
    BH_SEND_PIECE = 1 << 20,   /* bytes handed to lws at once: it copies what it can't send */
    BH_RENDERS_PER_SLICE = 64, /* then look for events again */
    BH_SETTLES_PER_BATCH = 8,  /* renders of one session between the messages of one batch */
    BH_PING_IDLE_S = 25,       /* nginx cuts a silent upstream at 60 s */
    BH_PING_TIMEOUT_S = 20,    /* after that ping: hang up, 45 s in all */
    BH_HELLO_TIMEOUT_S = 10,   /* upgrade to first message */
    BH_UNACKED_TIMEOUT_S = 30, /* no credit that long: close 4408 */
    BH_STOP_TIMEOUT_MS = 4000, /* orderly stop; then what is left is cut */
    BH_EVENTS_PER_S = 1000,    /* a session, token bucket */
    BH_EVENTS_BURST = 4000,
    BH_PRERENDERED_MAX = 256, /* pages waiting for their socket; a GET flood can't fill memory */
    BH_SESSIONS_CEILING = 1 << 20, /* slots of a sid */
};

/* WebSocket close codes of our own; docs/PROTOCOL.md §8. */
enum {
    BH_CLOSE_GOING_AWAY = 1001,
    BH_CLOSE_PROTOCOL = 1002,
    BH_CLOSE_BAD_UTF8 = 1007,
    BH_CLOSE_TOO_BIG = 1009,
    BH_CLOSE_BAD_MESSAGE = 4400,
    BH_CLOSE_SLOW = 4408,
    BH_CLOSE_TAKEN_OVER = 4409,
    BH_CLOSE_RATE = 4429,
    BH_CLOSE_NO_HELLO = 4401,
};

#endif
