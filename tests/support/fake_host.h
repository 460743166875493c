/* SPDX-License-Identifier: MIT
 * tests/support/fake_host.h — one session, a clock that stands still, and a page that applies every
 * operation: after each render the page must equal the tree. */
#ifndef BH_TESTS_FAKE_HOST_H
#define BH_TESTS_FAKE_HOST_H

#include "render/session.h"
#include "vdom/apply.h"

typedef struct fake {
    bh_host host; /* first */
    bh_render_env env;
    bh_session *session;
    bh_page_model *page;
    uint64_t now;
    uint64_t due; /* as the session last said; UINT64_MAX: none */
    unsigned wakes, faults, warnings;
    char fault[700], warning[520]; /* the last ones */
    size_t ops;                    /* of the last render */
    char *dump;
} fake;

void fake_init(fake *f);
void fake_fini(fake *f); /* frees the session too, and checks that nothing is left */
/* Mounts, renders, runs effects. props: NULL if the component has none. */
void fake_start(fake *f, const bh_component *root, const void *props);
void fake_stop(fake *f); /* frees the session only */
/* One turn: render, check the page, effects. Returns the number of operations. */
size_t fake_turn(fake *f);
/* Turns until nothing is pending; returns how many (fails the test after 200). */
unsigned fake_settle(fake *f);
/* Renders without effects. */
size_t fake_render(fake *f);

/* Handler id of the nth handler for this event in the page (0-based); 0: there is none. */
uint32_t fake_hid(fake *f, bh_event_type type, unsigned nth);
bool fake_click(fake *f, unsigned nth);                        /* nth click handler */
bool fake_type(fake *f, unsigned nth, const char *value);      /* nth input handler */
bool fake_event(fake *f, unsigned nth, const bh_event *event); /* nth handler of event->type */
unsigned fake_handlers(fake *f);                               /* in the page */
/* Moves the clock and runs timers that are due, one due time after the other. */
void fake_advance(fake *f, uint64_t ms);

/* The page as text: <div class="a" @click>text</div>; valid until the next call. */
const char *fake_dump(fake *f);
/* Elements and texts shown. */
size_t fake_nodes(fake *f);

#define assert_page(f, expected) assert_string_equal(fake_dump(f), expected)

#endif
