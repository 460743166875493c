/* SPDX-License-Identifier: MIT
 * State, reducer, memo, ref, callback, id, interval, context, and how setters batch. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <backhaul/component.h>

#include "support/fake_host.h"

#include <backhaul/html.h>

static int setup(void **state)
{
    static fake f;
    fake_init(&f);
    *state = &f;
    return 0;
}
static int teardown(void **state)
{
    fake_fini(*state);
    return 0;
}
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- counter ------------------------------------------------------------------------------ */

BH_HANDLER(on_add, {
    bh_ref count;
    int by;
})
{
    bh_add_int(cx, cap->count, cap->by);
}

BH_COMPONENT(Counter, { int start; })
{
    bh_int n = bh_use_int(cx, props->start);
    DIV(.class_name = "counter") {
        BUTTON(ON(click, on_add, .count = n.ref, .by = 1)) { TEXT("+"); }
        SPAN() { TEXTF("%d", n.value); }
    }
}

static void counter(void **state)
{
    fake *f = *state;
    fake_start(f, &Counter_component, &(struct Counter_props){3});
    assert_page(f, "<div class=\"counter\"><button @click>+</button><span>3</span></div>");
    assert_false(bh_session_pending(f->session));
    uint32_t hid = fake_hid(f, BH_ON_click, 0);
    assert_true(fake_click(f, 0));
    assert_true(bh_session_pending(f->session));
    assert_int_equal(f->wakes, 1);
    assert_int_equal(fake_turn(f), 1); /* one text */
    assert_page(f, "<div class=\"counter\"><button @click>+</button><span>4</span></div>");
    assert_int_equal(fake_hid(f, BH_ON_click, 0), hid); /* stable */
    assert_int_equal(bh_session_handler_type(f->session, hid), BH_ON_click);
    assert_int_equal(fake_turn(f), 0);
}

static void wrong_event_is_refused(void **state)
{
    fake *f = *state;
    fake_start(f, &Counter_component, &(struct Counter_props){3});
    uint32_t hid = fake_hid(f, BH_ON_click, 0);
    assert_false(bh_session_event(f->session, hid, &(bh_event){.type = BH_ON_input}));
    assert_false(bh_session_event(f->session, hid + 1, &(bh_event){.type = BH_ON_click}));
    assert_false(bh_session_event(f->session, 0, &(bh_event){.type = BH_ON_click}));
    assert_int_equal(f->env.unknown_handlers, 3);
    assert_false(bh_session_pending(f->session));
}

/* ---- every kind of state -------------------------------------------------------------------- */

struct point {
    int x, y;
};
static int inits, drops;
static void lazy_init(void *s, const void *arg)
{
    inits++;
    *(int *)s = *(const int *)arg;
}
static void lazy_drop(void *s)
{
    (void)s;
    drops++;
}
static void point_right(void *s, const void *arg) { ((struct point *)s)->x += *(const int *)arg; }

struct model {
    int n;
};
struct action {
    int by;
};
BH_REDUCER(step, struct model, struct action) { state->n += action->by; }

static char stored[128]; /* what a handler reads of what it has just set */
BH_HANDLER(all_set, { bh_ref i, b, d, s, p, l, r; })
{
    int five = 5;
    bh_set_int(cx, cap->i, 7);
    bh_add_int(cx, cap->i, 1);
    bh_toggle(cx, cap->b);
    bh_set_double(cx, cap->d, 2.5);
    bh_set_string(cx, cap->s, "a longer string than sixteen bytes");
    BH_SET(cx, cap->p, struct point, .x = 1, .y = 2);
    bh_update(cx, cap->p, point_right, &five);
    bh_update(cx, cap->l, point_right, &five); /* the first int of the state */
    BH_DISPATCH(cx, cap->r, struct action, .by = 3);
    BH_DISPATCH(cx, cap->r, struct action, .by = 4);
    bh_set_bool(cx, cap->b, true);
    bh_set_int(cx, cap->i, 9);
    bh_add_int(cx, cap->i, 1);
    bh_set_int(cx, cap->i, 9);
    snprintf(stored, sizeof stored, "%d %d %.1f %s %d,%d %d %d", bh_get_int(cx, cap->i),
             bh_get_bool(cx, cap->b), bh_get_double(cx, cap->d), bh_get_string(cx, cap->s),
             BH_GET(cx, cap->p, struct point)->x, BH_GET(cx, cap->p, struct point)->y,
             BH_GET(cx, cap->l, struct point)->x, BH_GET(cx, cap->r, struct model)->n);
}

BH_COMPONENT0(AllState)
{
    int seed = 40;
    bh_ref p, l, r;
    bh_int i = bh_use_int(cx, 1);
    bh_bool b = bh_use_bool(cx, false);
    bh_double d = bh_use_double(cx, 0.5);
    bh_string s = bh_use_string(cx, "s");
    const struct point *pt = BH_USE_STATE(cx, &p, struct point, .x = 10, .y = 20);
    const int *lazy = bh_use_state_lazy(cx, &l, sizeof(struct point), lazy_init, lazy_drop, &seed);
    const struct model *m = BH_USE_REDUCER(cx, &r, step, struct model, .n = 100);
    BUTTON(ON(click, all_set, i.ref, b.ref, d.ref, s.ref, p, l, r)) {
        TEXTF("%d %d %.1f %s %d,%d %d %d", i.value, b.value, d.value, s.value, pt->x, pt->y, *lazy,
              m->n);
    }
}

static void every_state_and_batching(void **state) /* B30 */
{
    fake *f = *state;
    inits = drops = 0;
    fake_start(f, &AllState_component, NULL);
    assert_page(f, "<button @click>1 0 0.5 s 10,20 40 100</button>");
    uint64_t renders = f->env.component_renders;
    fake_click(f, 0); /* 14 sets */
    assert_string_equal(stored, "9 1 2.5 a longer string than sixteen bytes 6,2 45 107");
    assert_int_equal(fake_turn(f), 1);
    assert_int_equal(f->env.component_renders, renders + 1);
    assert_page(f, "<button @click>9 1 2.5 a longer string than sixteen bytes 6,2 45 107</button>");
    assert_int_equal(f->wakes, 1);
    assert_int_equal(inits, 1);
    fake_stop(f);
    assert_int_equal(drops, 1);
}

BH_HANDLER(edge, { bh_ref i, d, s; })
{
    bh_set_int(cx, cap->i, INT_MAX);
    bh_add_int(cx, cap->i, 5);
    bh_set_double(cx, cap->d, (double)NAN);
    bh_set_string(cx, cap->s, NULL);
}
BH_HANDLER(edge_down, { bh_ref i, d; })
{
    bh_set_int(cx, cap->i, INT_MIN + 2);
    bh_add_int(cx, cap->i, -9);
    bh_set_double(cx, cap->d, (double)NAN);
}
BH_COMPONENT0(Edge)
{
    bh_int i = bh_use_int(cx, 0);
    bh_double d = bh_use_double(cx, (double)NAN);
    bh_string s = bh_use_string(cx, NULL);
    P(ON(click, edge, i.ref, d.ref, s.ref)) { TEXTF("%d[%s]", i.value, s.value); }
    P(ON(click, edge_down, i.ref, d.ref)) { TEXT(d.value != d.value ? "nan" : "num"); }
}
static void saturation_and_equal_sets(void **state)
{
    fake *f = *state;
    fake_start(f, &Edge_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click>2147483647[]</p><p @click>nan</p>");
    fake_click(f, 0); /* nothing changes: no render */
    assert_false(bh_session_pending(f->session));
    fake_click(f, 1);
    fake_turn(f);
    assert_page(f, "<p @click>-2147483648[]</p><p @click>nan</p>");
}

BH_HANDLER(same, { bh_ref i; }) { bh_set_int(cx, cap->i, 0); }
BH_COMPONENT0(Same)
{
    bh_int i = bh_use_int(cx, 0);
    P(ON(click, same, i.ref)) { TEXTF("%d", i.value); }
}
static void equal_set_does_not_render(void **state)
{
    fake *f = *state;
    fake_start(f, &Same_component, NULL);
    fake_click(f, 0);
    assert_false(bh_session_pending(f->session));
    assert_int_equal(f->wakes, 0);
}

/* ---- memo, ref, callback, id ------------------------------------------------------------------ */

static int memo_runs;
static void square(void *result, const void *arg)
{
    memo_runs++;
    *(int *)result += *(const int *)arg * *(const int *)arg;
}
BH_HANDLER(call_it, { bh_ref cb; }) { bh_call(cx, cap->cb, ev); }
BH_HANDLER(bump, {
    bh_ref n;
    int by;
})
{
    bh_add_int(cx, cap->n, cap->by);
}
BH_COMPONENT(Caller, { bh_ref cb; })
{
    BUTTON(ON(click, call_it, props->cb)) { TEXT("call"); }
}
BH_COMPONENT0(Misc)
{
    bh_int n = bh_use_int(cx, 2);
    int half = n.value / 2;
    const int *sq = bh_use_memo(cx, sizeof(int), BH_DEPS(half), square, &half);
    int *renders = BH_USE_REF(cx, int, 0);
    ++*renders;
    bh_ref cb = BH_USE_CALLBACK(cx, bump, .n = n.ref, .by = n.value);
    const char *id = bh_use_id(cx), *id2 = bh_use_id(cx);
    LABEL(.for_id = id) { TEXTF("%d %d %d", n.value, *sq, *renders); }
    P(.id = id2) {}
    USE(Caller, .cb = cb);
}
static void memo_ref_callback_id(void **state)
{
    fake *f = *state;
    memo_runs = 0;
    fake_start(f, &Misc_component, NULL);
    assert_page(f,
                "<label for=\"bh-1\">2 1 1</label><p id=\"bh-2\"></p><button @click>call</button>");
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f,
                "<label for=\"bh-1\">4 4 2</label><p id=\"bh-2\"></p><button @click>call</button>");
    fake_click(f, 0); /* the latest captures: by 4 */
    fake_turn(f);
    assert_page(
        f, "<label for=\"bh-1\">8 16 3</label><p id=\"bh-2\"></p><button @click>call</button>");
    assert_int_equal(memo_runs, 3);
}

BH_COMPONENT0(MemoOnce)
{
    bh_int n = bh_use_int(cx, 3);
    const int *sq = bh_use_memo(cx, sizeof(int), BH_ONCE, square, &n.value);
    P(ON(click, bump, .n = n.ref, .by = 1)) { TEXTF("%d %d", n.value, *sq); }
}
static void memo_once(void **state)
{
    fake *f = *state;
    memo_runs = 0;
    fake_start(f, &MemoOnce_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click>4 9</p>");
    assert_int_equal(memo_runs, 1);
}

/* ---- intervals -------------------------------------------------------------------------------- */

BH_COMPONENT0(Clock)
{
    bh_int n = bh_use_int(cx, 0);
    bh_int ms = bh_use_int(cx, 100);
    BH_USE_INTERVAL(cx, (unsigned)ms.value, bump, .n = n.ref, .by = 1);
    P(ON(click, bump, .n = ms.ref, .by = -100)) { TEXTF("%d", n.value); }
}
static void interval(void **state)
{
    fake *f = *state;
    fake_start(f, &Clock_component, NULL);
    assert_int_equal(f->due, 1100);
    fake_advance(f, 99);
    assert_page(f, "<p @click>0</p>");
    fake_advance(f, 1);
    assert_page(f, "<p @click>1</p>");
    fake_advance(f, 1000);
    assert_page(f, "<p @click>11</p>"); /* no drift */
    assert_int_equal(f->due, 2200);
    fake_click(f, 0); /* paused */
    fake_turn(f);
    assert_true(f->due == UINT64_MAX);
}
static void interval_after_a_stall(void **state) /* B89 */
{
    fake *f = *state;
    fake_start(f, &Clock_component, NULL);
    f->now += 30000; /* stopped for half a minute */
    bh_session_timers(f->session, f->now);
    fake_settle(f);
    assert_page(f, "<p @click>1</p>"); /* one tick, not 300 */
    assert_true(f->due == f->now + 100);
}
static void interval_pauses_while_detached(void **state) /* B25 */
{
    fake *f = *state;
    fake_start(f, &Clock_component, NULL);
    bh_session_detach(f->session);
    assert_true(f->due == UINT64_MAX);
    f->now += 5000;
    bh_session_timers(f->session, f->now); /* even if it still fires */
    assert_false(bh_session_pending(f->session));
    bh_session_attach(f->session);
    assert_true(f->due == f->now + 100);
    fake_advance(f, 100);
    assert_page(f, "<p @click>1</p>");
}

/* ---- context ---------------------------------------------------------------------------------- */

BH_CONTEXT(Theme, struct point, .x = -1);
static int reader_renders;
BH_MEMO_COMPONENT(Reader, { int id; })
{
    const struct point *t = BH_USE_CONTEXT(cx, Theme, struct point);
    reader_renders++;
    SPAN() { TEXTF("%d:%d", props->id, t->x); }
}
BH_MEMO_COMPONENT(Between, { int unused; })
{
    USE(Reader, 2);
    PROVIDE(Theme, struct point, .x = 99) { USE(Reader, 3); }
}
BH_COMPONENT0(Themed)
{
    bh_int x = bh_use_int(cx, 5);
    bh_int other = bh_use_int(cx, 0);
    P(ON(click, bump, .n = x.ref, .by = 1)) {}
    P(ON(click, bump, .n = other.ref, .by = 1)) { TEXTF("%d", other.value); }
    USE(Reader, 1);
    PROVIDE(Theme, struct point, .x = x.value) { USE(Between, 0); }
}
static void context(void **state)
{
    fake *f = *state;
    reader_renders = 0;
    fake_start(f, &Themed_component, NULL);
    assert_page(f,
                "<p @click></p><p @click>0</p><span>1:-1</span><span>2:5</span><span>3:99</span>");
    assert_int_equal(reader_renders, 3);
    fake_click(f, 1);
    fake_turn(f);
    assert_int_equal(reader_renders, 3); /* equal bytes: no consumer renders */
    fake_click(f, 0);
    assert_int_equal(fake_turn(f), 1);
    assert_page(f,
                "<p @click></p><p @click>1</p><span>1:-1</span><span>2:6</span><span>3:99</span>");
    assert_int_equal(reader_renders, 4); /* only the one below this provider, through a memo */
}

BH_COMPONENT0(Where)
{
    bh_location at = bh_session_location(cx);
    P() { TEXTF("%s?%s %d", at.path, at.query, (int)bh_now_ms(cx)); }
}
static void location_and_now(void **state)
{
    fake *f = *state;
    fake_start(f, &Where_component, NULL);
    assert_page(f, "<p>/p?q=1 1000</p>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(counter),
        T(wrong_event_is_refused),
        T(every_state_and_batching),
        T(saturation_and_equal_sets),
        T(equal_set_does_not_render),
        T(memo_ref_callback_id),
        T(memo_once),
        T(interval),
        T(interval_after_a_stall),
        T(interval_pauses_while_detached),
        T(context),
        T(location_and_now),
    };
    return cmocka_run_group_tests_name("hooks", tests, NULL, NULL);
}
