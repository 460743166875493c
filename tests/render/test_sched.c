/* SPDX-License-Identifier: MIT
 * The scheduler's ring: readiness, credit, fairness. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "render/sched.h"

static unsigned turn(bh_sched *s, bh_sched_entry **got, unsigned max)
{
    unsigned n = 0;
    bh_sched_turn(s);
    for (bh_sched_entry *e; (e = bh_sched_next(s)); n++) {
        assert_true(n < max);
        got[n] = e;
        bh_sched_sent(s, e, 1, 10);
    }
    return n;
}

static void ready_needs_pending_attached_credit(void **state)
{
    (void)state;
    bh_sched s;
    bh_sched_entry e = {0}, *got[4];
    bh_sched_init(&s, 2, 1000);
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 0); /* not attached */
    bh_sched_attach(&s, &e);
    assert_int_equal(s.n_ready, 1);
    assert_int_equal(turn(&s, got, 4), 1);
    assert_ptr_equal(got[0], &e);
    assert_int_equal(turn(&s, got, 4), 0); /* not pending any more */
    bh_sched_pending(&s, &e);
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 1); /* twice pending is once ready */
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 0); /* two frames in flight: no credit */
    assert_int_equal(s.stalls, 1);
    bh_sched_credit(&s, &e, 1, 10);
    assert_int_equal(turn(&s, got, 4), 1); /* one render for all that happened */
    bh_sched_detach(&s, &e);
    assert_int_equal(e.in_flight_frames, 0);
    bh_sched_credit(&s, &e, 5, 500); /* late credit of the old socket */
    assert_int_equal(e.in_flight_frames, 0);
    assert_int_equal(e.in_flight_bytes, 0);
}

static void bytes_are_a_window_too(void **state)
{
    (void)state;
    bh_sched s;
    bh_sched_entry e = {0}, *got[4];
    bh_sched_init(&s, 100, 15);
    bh_sched_attach(&s, &e);
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 1);
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 1); /* 10 < 15 */
    bh_sched_pending(&s, &e);
    assert_int_equal(turn(&s, got, 4), 0); /* 20 */
    bh_sched_credit(&s, &e, 1, 10);
    assert_int_equal(turn(&s, got, 4), 1);
}

static void one_that_never_stops_starves_nobody(void **state)
{
    (void)state;
    bh_sched s;
    bh_sched_entry e[3] = {{0}};
    unsigned counts[3] = {0};
    bh_sched_init(&s, 1000000, SIZE_MAX);
    for (int i = 0; i < 3; i++) {
        bh_sched_attach(&s, &e[i]);
        bh_sched_pending(&s, &e[i]);
    }
    for (int t = 0; t < 100; t++) {
        bh_sched_turn(&s);
        for (bh_sched_entry *at; (at = bh_sched_next(&s));) {
            counts[at - e]++;
            bh_sched_sent(&s, at, 1, 1);
            bh_sched_pending(&s, at); /* e[0] renders for ever, and so do the others */
            bh_sched_pending(&s, &e[0]);
        }
    }
    assert_int_equal(counts[0], 100); /* once a turn */
    assert_int_equal(counts[1], 100);
    assert_int_equal(counts[2], 100);
}

static void the_window_may_be_one(void **state)
{
    (void)state;
    bh_sched s;
    bh_sched_entry e = {0}, *got[4];
    bh_sched_init(&s, 1, 1 << 20);
    bh_sched_attach(&s, &e);
    for (int i = 0; i < 10; i++) {
        bh_sched_pending(&s, &e);
        assert_int_equal(turn(&s, got, 4), 1);
        bh_sched_pending(&s, &e);
        assert_int_equal(turn(&s, got, 4), 0);
        bh_sched_credit(&s, &e, 1, 10);
        assert_int_equal(turn(&s, got, 4), 1);
        bh_sched_credit(&s, &e, 1, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ready_needs_pending_attached_credit),
        cmocka_unit_test(bytes_are_a_window_too),
        cmocka_unit_test(one_that_never_stops_starves_nobody),
        cmocka_unit_test(the_window_may_be_one),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
