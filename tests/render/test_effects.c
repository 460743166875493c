/* SPDX-License-Identifier: MIT
 * Effects: order, exactly-once cleanups, loops; topics' sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <backhaul/component.h>

#include "support/fake_host.h"

#include <backhaul/html.h>

static char trace[4096];
static void note(const char *format, ...) BH_PRINTF(1, 2);
static void note(const char *format, ...)
{
    size_t len = strlen(trace);
    va_list args;
    va_start(args, format);
    vsnprintf(trace + len, sizeof trace - len, format, args);
    va_end(args);
}

static int setup(void **state)
{
    static fake f;
    fake_init(&f);
    trace[0] = 0;
    *state = &f;
    return 0;
}
static int teardown(void **state)
{
    fake_fini(*state);
    return 0;
}
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define assert_trace(expected)                                                                     \
    do {                                                                                           \
        assert_string_equal(trace, expected);                                                      \
        trace[0] = 0;                                                                              \
    } while (0)

struct box {
    const char *name;
    int gen;
};
static void log_stop(bh_cx *cx, void *arg)
{
    (void)cx;
    const struct box *b = arg;
    note("-%s%d ", b->name, b->gen);
}
BH_EFFECT(log_start, { struct box b; })
{
    note("+%s%d ", cap->b.name, cap->b.gen);
    return BH_CLEANUP(log_stop, &cap->b);
}
BH_HANDLER(bump, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }

BH_COMPONENT(Leaf, {
    const char *name;
    int gen;
})
{
    note("r%s ", props->name);
    BH_USE_EFFECT(cx, BH_DEPS(props->gen), log_start, {props->name, props->gen});
    TEXT(props->name);
}
BH_COMPONENT0(Tree)
{
    bh_int n = bh_use_int(cx, 0);
    note("rT ");
    BH_USE_EFFECT(cx, BH_EVERY_RENDER, log_start, {"T", n.value});
    P(ON(click, bump, n.ref)) {}
    if (n.value != 2)
        USE(Leaf, "a", n.value);
    USE(Leaf, "b", 7);
}
static void order_and_exactly_once(void **state) /* B28 */
{
    fake *f = *state;
    fake_start(f, &Tree_component, NULL);
    assert_trace("rT ra rb +a0 +b7 +T0 ");
    fake_click(f, 0);
    fake_render(f);
    assert_trace("rT ra rb ");
    bh_session_effects(f->session, true); /* all cleanups before all effects */
    assert_trace("-a0 -T0 +a1 +T1 ");
    fake_click(f, 0);
    fake_turn(f);
    assert_trace("rT rb -a1 -T1 +T2 ");
    fake_click(f, 0);
    fake_turn(f);
    assert_trace("rT ra rb -T2 +a3 +T3 ");
    fake_stop(f);
    assert_trace("-T3 -a3 -b7 "); /* parent before children */
}

static void effects_wait_for_a_client(void **state)
{
    fake *f = *state;
    f->page = bh_page_model_new(f->env.names);
    f->session = bh_session_new(
        &(bh_session_params){.host = &f->host, .env = &f->env, .root = &Tree_component});
    bh_session_render(f->session, NULL); /* the page's HTML */
    bh_session_effects(f->session, false);
    assert_trace("rT ra rb ");
    assert_false(bh_session_pending(f->session));
    assert_int_equal(f->wakes, 0);
    bh_session_attach(f->session);
    assert_true(bh_session_pending(f->session));
    assert_int_equal(f->wakes, 1);
    bh_session_render(f->session, NULL);
    bh_session_effects(f->session, true);
    assert_trace("+a0 +b7 +T0 ");
    assert_false(bh_session_pending(f->session));
}

static void never_run_never_cleaned(void **state)
{
    fake *f = *state;
    f->page = bh_page_model_new(f->env.names);
    f->session = bh_session_new(
        &(bh_session_params){.host = &f->host, .env = &f->env, .root = &Tree_component});
    bh_session_render(f->session, NULL);
    bh_session_effects(f->session, false);
    fake_stop(f);
    assert_trace("rT ra rb ");
}

/* B27: a child's cleanup sets state of the parent */
struct parent_ref {
    bh_ref gone;
};
static void tell_parent(bh_cx *cx, void *arg)
{
    note("cleanup ");
    bh_add_int(cx, ((struct parent_ref *)arg)->gone, 1);
}
BH_EFFECT(watch, { struct parent_ref p; }) { return BH_CLEANUP(tell_parent, &cap->p); }
BH_COMPONENT(Child, { bh_ref gone; })
{
    BH_USE_EFFECT(cx, BH_ONCE, watch, {props->gone});
    TEXT("child");
}
BH_COMPONENT0(Parent)
{
    bh_int gone = bh_use_int(cx, 0), n = bh_use_int(cx, 0);
    note("render ");
    P(ON(click, bump, n.ref)) { TEXTF("%d", gone.value); }
    if (n.value == 0)
        USE(Child, gone.ref);
}
static void b27_cleanup_sets_parent_state(void **state)
{
    fake *f = *state;
    fake_start(f, &Parent_component, NULL);
    assert_trace("render ");
    fake_click(f, 0);
    fake_turn(f);
    assert_trace("render cleanup ");
    assert_true(bh_session_pending(f->session));
    fake_turn(f);
    assert_trace("render ");
    assert_page(f, "<p @click>1</p>");
    assert_false(bh_session_pending(f->session));
}

/* B29: a cleanup sees what its own effect captured; a ref sees the latest */
static int seen_captured, seen_ref;
struct stale {
    int captured;
    int *latest;
};
static void see(bh_cx *cx, void *arg)
{
    (void)cx;
    const struct stale *s = arg;
    seen_captured = s->captured;
    seen_ref = *s->latest;
}
BH_EFFECT(remember, { struct stale s; }) { return BH_CLEANUP(see, &cap->s); }
BH_COMPONENT0(Stale)
{
    bh_int n = bh_use_int(cx, 0);
    int *latest = BH_USE_REF(cx, int, 0);
    *latest = n.value;
    BH_USE_EFFECT(cx, BH_ONCE, remember, {n.value, latest});
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
}
static void b29_stale_closure(void **state)
{
    fake *f = *state;
    fake_start(f, &Stale_component, NULL);
    for (int i = 0; i < 5; i++) {
        fake_click(f, 0);
        fake_turn(f);
    }
    seen_captured = seen_ref = -1;
    fake_stop(f);
    assert_int_equal(seen_captured, 0);
    assert_int_equal(seen_ref, 5);
}

/* ---- loops ------------------------------------------------------------------------------------ */

BH_EFFECT(again, { bh_ref n; })
{
    bh_add_int(cx, cap->n, 1);
    return BH_NO_CLEANUP;
}
BH_COMPONENT0(ShowsLoop)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT(cx, BH_EVERY_RENDER, again, n.ref);
    TEXTF("%d", n.value);
}
static void endless_visible_updates_are_fine(void **state)
{
    fake *f = *state;
    fake_start(f, &ShowsLoop_component, NULL);
    for (int i = 0; i < 500; i++) assert_int_equal(fake_turn(f), 1);
    assert_page(f, "500");
    assert_int_equal(f->faults, 0);
}
BH_COMPONENT0(HiddenLoop)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT(cx, BH_EVERY_RENDER, again, n.ref);
    TEXT("same");
}
BH_COMPONENT0(HiddenLoopHost)
{
    DIV() { USE0(HiddenLoop); }
    P() { TEXT("alive"); }
}
static void invisible_effect_loop_is_stopped(void **state) /* B25 */
{
    fake *f = *state;
    fake_start(f, &HiddenLoopHost_component, NULL);
    int turns = 0;
    while (bh_session_pending(f->session) && ++turns < 200) fake_turn(f);
    assert_in_range(turns, 50, 52);
    assert_int_equal(f->faults, 1);
    assert_non_null(strstr(f->fault, "HiddenLoop: render: effect loop"));
    assert_non_null(strstr(fake_dump(f), "<p>alive</p>"));
    assert_non_null(strstr(fake_dump(f), "bh-error"));
}

BH_COMPONENT0(SelfSetter)
{
    bh_int n = bh_use_int(cx, 0);
    if (n.value < 10)
        bh_add_int(cx, n.ref, 1);
    TEXTF("%d", n.value);
}
static void set_during_render(void **state)
{
    fake *f = *state;
    fake_start(f, &SelfSetter_component, NULL);
    assert_page(f, "10"); /* no intermediate picture */
    assert_false(bh_session_pending(f->session));
}
BH_COMPONENT0(Runaway)
{
    bh_int n = bh_use_int(cx, 0);
    bh_add_int(cx, n.ref, 1);
    TEXTF("%d", n.value);
}
static void render_loop_is_bounded(void **state)
{
    fake *f = *state;
    fake_start(f, &Runaway_component, NULL);
    assert_int_equal(f->faults, 1);
    assert_non_null(strstr(f->fault, "render loop"));
    assert_false(bh_session_pending(f->session));
    assert_int_equal(f->env.component_renders, 26);
}

/* ---- sources ------------------------------------------------------------------------------------ */

static bh_source topic;
static int topic_value;
BH_COMPONENT(Listener, { int id; })
{
    bh__use_source(cx, &topic, __FILE__, __LINE__);
    SPAN() { TEXTF("%d:%d", props->id, topic_value); }
}
BH_COMPONENT0(Listeners)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    for (int i = n.value; i < 3; i++) USE_KEYED(Listener, KEY(i), i);
}
static void source(void **state)
{
    fake *f = *state;
    topic_value = 0;
    fake_start(f, &Listeners_component, NULL);
    topic_value = 5;
    bh_source_notify(&topic);
    assert_int_equal(f->wakes, 1);
    assert_int_equal(fake_turn(f), 3);
    assert_page(f, "<p @click></p><span>0:5</span><span>1:5</span><span>2:5</span>");
    fake_click(f, 0);
    fake_turn(f);
    bh_source_notify(&topic);
    fake_turn(f);
    assert_page(f, "<p @click></p><span>1:5</span><span>2:5</span>");
    fake_stop(f);
    assert_null(topic.first);
}

/* ---- marks: what is dirty, and what is marked twice or gone --------------------------------------- */

BH_HANDLER(one_more, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }
BH_COMPONENT(Derives, { int unused; }) /* sets its own state as it renders */
{
    bh_int n = bh_use_int(cx, 0), twice = bh_use_int(cx, 0);
    if (twice.value != 2 * n.value)
        bh_set_int(cx, twice.ref, 2 * n.value);
    P(ON(click, one_more, n.ref)) { TEXTF("%d", twice.value); }
}
BH_COMPONENT(Around, { int unused; }) { USE(Derives, 0); }
BH_COMPONENT(Beside, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, one_more, n.ref)) { TEXTF("%d", n.value); }
}
BH_COMPONENT(Inside, { int unused; })
{
    USE(Around, 0);
    USE(Beside, 0);
}
BH_COMPONENT0(Three)
{
    USE(Inside, 0);
    USE(Beside, 0);
}
static void a_mark_left_over_hides_nothing(void **state)
{
    fake *f = *state;
    fake_start(f, &Three_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    fake_click(f, 1);
    fake_turn(f);
    fake_click(f, 0);
    fake_click(f, 2);
    fake_turn(f);
    assert_page(f, "<p @click>4</p><p @click>1</p><p @click>1</p>");
    assert_false(bh_session_pending(f->session));
}

/* The same for effects: one that waits goes, another is run, and then there are two. */
static unsigned ran;
BH_EFFECT0(count_run)
{
    ran++;
    return BH_NO_CLEANUP;
}
BH_COMPONENT(Runs, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT0(cx, BH_DEPS(n.value), count_run);
    P(ON(click, one_more, n.ref)) {}
}
BH_COMPONENT(Shows, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, one_more, n.ref)) {}
    if (n.value % 2)
        USE(Runs, 0);
}
BH_COMPONENT0(TwoRun)
{
    USE(Runs, 0);
    USE(Shows, 0);
}
static void an_effect_that_waits_and_goes(void **state)
{
    fake *f = *state;
    ran = 0;
    fake_start(f, &TwoRun_component, NULL);
    assert_int_equal(ran, 1);
    fake_click(f, 0);
    fake_render(f);
    fake_click(f, 1);
    fake_render(f); /* the second one's effect is the last that was marked */
    fake_click(f, 1);
    fake_turn(f); /* it goes */
    assert_int_equal(ran, 2);
    assert_false(bh_session_pending(f->session));
    fake_click(f, 1);
    fake_turn(f);
    assert_int_equal(ran, 3);
    fake_click(f, 2);
    fake_click(f, 0);
    fake_turn(f);
    assert_int_equal(ran, 5);
    assert_false(bh_session_pending(f->session));
}

/* A component is marked by another's render and goes in the same pass; what it was marked after is
 * the only one left. */
static struct {
    bool now;
    bh_ref first, third;
} cross;
BH_COMPONENT(First, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    cross.first = n.ref;
    TEXTF("%d", n.value);
}
BH_COMPONENT(Second, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    if (cross.now) {
        bh_add_int(cx, cross.first, 1);
        bh_add_int(cx, cross.third, 1);
    }
    P(ON(click, one_more, n.ref)) {}
}
BH_COMPONENT(Third, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    cross.third = n.ref;
    TEXTF("%d", n.value);
}
BH_COMPONENT(Holder, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, one_more, n.ref)) {}
    if (n.value % 2 == 0)
        USE(Third, 0);
}
BH_COMPONENT0(Crossed)
{
    USE(First, 0);
    USE(Second, 0);
    USE(Holder, 0);
}
static void marked_and_gone_in_one_pass(void **state)
{
    fake *f = *state;
    cross.now = false;
    fake_start(f, &Crossed_component, NULL);
    cross.now = true;
    fake_click(f, 0);
    fake_click(f, 1);
    fake_turn(f);
    cross.now = false;
    fake_settle(f);
    assert_page(f, "1<p @click></p><p @click></p>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(order_and_exactly_once),
        T(effects_wait_for_a_client),
        T(never_run_never_cleaned),
        T(b27_cleanup_sets_parent_state),
        T(b29_stale_closure),
        T(endless_visible_updates_are_fine),
        T(invisible_effect_loop_is_stopped),
        T(set_during_render),
        T(render_loop_is_bounded),
        T(source),
        T(a_mark_left_over_hides_nothing),
        T(an_effect_that_waits_and_goes),
        T(marked_and_gone_in_one_pass),
    };
    return cmocka_run_group_tests_name("effects", tests, NULL, NULL);
}
