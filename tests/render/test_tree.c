/* SPDX-License-Identifier: MIT
 * Components in a tree: keys, children, memo, mount and unmount, what is left afterwards. The bNN in
 * a name is the bug report it stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <backhaul/component.h>

#include "support/fake_host.h"
#include "vdom/check.h"

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

static int starts, stops;
static void count_stop(bh_cx *cx, void *arg)
{
    (void)cx;
    (void)arg;
    stops++;
}
BH_EFFECT0(count_start)
{
    starts++;
    return BH_CLEANUP(count_stop, NULL);
}
BH_HANDLER(bump, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }

/* Shows how often it was clicked, and counts its mounts. */
BH_COMPONENT(Stateful, { const char *name; })
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    EM(ON(click, bump, n.ref)) { TEXTF("%s%d", props->name, n.value); }
}

static void fresh(void) { starts = stops = 0; }

/* ---- keys --------------------------------------------------------------------------------------- */

BH_COMPONENT0(Reverse)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        const char *name = names[n.value % 2 ? 3 - i : i];
        USE_KEYED(Stateful, KEY(name), name);
    }
}
static void keyed_components_keep_state(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &Reverse_component, NULL);
    fake_click(f, 2); /* b */
    fake_turn(f);
    fake_click(f, 0);
    assert_int_equal(fake_turn(f), 3); /* n - LIS moves */
    assert_page(f, "<p @click></p><em @click>d0</em><em @click>c0</em><em @click>b1</em>"
                   "<em @click>a0</em>");
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click></p><em @click>a0</em><em @click>b1</em><em @click>c0</em>"
                   "<em @click>d0</em>");
    assert_int_equal(starts, 4);
    assert_int_equal(stops, 0);
}

BH_COMPONENT0(KeyOnElement)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    DIV(.key = KEY(n.value)) { USE(Stateful, "s"); }
}
static void b19_key_on_an_element_remounts(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &KeyOnElement_component, NULL);
    fake_click(f, 1);
    fake_turn(f);
    assert_page(f, "<p @click></p><div><em @click>s1</em></div>");
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click></p><div><em @click>s0</em></div>");
    assert_int_equal(starts, 2);
    assert_int_equal(stops, 1);
}

BH_COMPONENT(CompA, { int unused; }) { TEXT("A"); }
BH_COMPONENT(CompB, { int unused; })
{
    bh_string s = bh_use_string(cx, "B");
    TEXT(s.value);
}
BH_COMPONENT0(KindChange)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    switch (n.value % 5) {
    case 0:
        DIV(.key = KEY("k")) { TEXT("d"); }
        break;
    case 1:
        SPAN(.key = KEY("k")) { TEXT("s"); }
        break;
    case 2:
        USE_KEYED(CompA, KEY("k"), 0);
        break;
    case 3:
        USE_KEYED(CompB, KEY("k"), 0);
        break;
    default:
        TEXT("t");
    }
}
static void b20_same_key_other_kind(void **state)
{
    fake *f = *state;
    fake_start(f, &KindChange_component, NULL);
    static const char *const want[] = {"<div>d</div>", "<span>s</span>", "A", "B", "t"};
    for (int i = 0; i < 11; i++) {
        char page[64];
        snprintf(page, sizeof page, "<p @click></p>%s", want[i % 5]);
        assert_page(f, page);
        fake_click(f, 0);
        fake_turn(f);
    }
}

BH_COMPONENT0(TwoKeys)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    USE_KEYED(Stateful, KEY("first"), "x");
    USE_KEYED(Stateful, KEY(n.value), "y");
}
static void b22_sibling_keeps_its_state(void **state)
{
    fake *f = *state;
    fake_start(f, &TwoKeys_component, NULL);
    fake_click(f, 1);
    fake_click(f, 2);
    fake_turn(f);
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click></p><em @click>x1</em><em @click>y0</em>");
}

BH_COMPONENT0(Twins)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    const char *keys = n.value % 2 ? "bab" : "aba";
    for (const char *k = keys; *k; k++)
        LI(.key = KEY((int)*k)) { TEXTF("%c", *k); }
}
static void b07_twin_keys(void **state)
{
    fake *f = *state;
    fake_start(f, &Twins_component, NULL);
    for (int i = 1; i < 6; i++) {
        fake_click(f, 0);
        fake_turn(f);
        assert_page(f, i % 2 ? "<p @click></p><li>b</li><li>a</li><li>b</li>"
                             : "<p @click></p><li>a</li><li>b</li><li>a</li>");
    }
    assert_int_equal(f->warnings, 1); /* said once */
    assert_true(f->env.twin_keys >= 5);
}

BH_COMPONENT0(Conditional)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    if (n.value % 2)
        USE(Stateful, "y");
    USE(Stateful, "x");
}
static void b08_unkeyed_sibling_survives_a_conditional(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &Conditional_component, NULL);
    fake_click(f, 1);
    fake_turn(f);
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click></p><em @click>y0</em><em @click>x1</em>");
    assert_int_equal(stops, 0);
}

/* ---- fragments as roots --------------------------------------------------------------------------- */

BH_COMPONENT(Nothing, { int unused; }) {}
BH_COMPONENT(Body, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) { TEXT("x"); }
    if (n.value % 2)
        P() { TEXT("y"); }
    USE(Nothing, 0);
}
BH_COMPONENT(Pair, { int unused; })
{
    H1() { TEXT("Head"); }
    USE(Body, 0);
    USE(Nothing, 0);
    SMALL() { TEXT("foot"); }
}
static void b02_b03_fragment_root_keeps_its_place(void **state)
{
    fake *f = *state;
    fake_start(f, &Pair_component, &(struct Pair_props){0});
    for (int i = 1; i < 7; i++) {
        fake_click(f, 0);
        assert_int_equal(fake_turn(f), 1);
        assert_page(f, i % 2 ? "<h1>Head</h1><p @click>x</p><p>y</p><small>foot</small>"
                             : "<h1>Head</h1><p @click>x</p><small>foot</small>");
    }
}

/* ---- children -------------------------------------------------------------------------------------- */

BH_COMPONENT(Box, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    H2(ON(click, bump, n.ref)) {}
    if (n.value % 3 == 1)
        CHILDREN()
            ;
    if (n.value % 3 == 2)
        DIV() {
            CHILDREN()
                ;
        } /* the same children, another place, no render of the parent */
}
BH_COMPONENT0(BoxHost)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
    WITH(Box, 0) {
        for (int i = 0; i < 3; i++)
            FRAGMENT_KEYED(KEY(i)) {
                EL("i", ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
                USE(Stateful, "k");
            }
    }
    SMALL() { TEXT("foot"); }
}
static void b16_children_hidden_and_shown(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &BoxHost_component, NULL);
    unsigned idle = fake_handlers(f);
    for (int round = 0; round < 5; round++) {
        assert_page(f, "<p @click>0</p><h2 @click></h2><small>foot</small>");
        assert_int_equal(starts, stops);
        assert_int_equal(fake_handlers(f), idle);
        fake_click(f, 1);
        fake_turn(f);
        assert_page(f, "<p @click>0</p><h2 @click></h2><i @click>0</i><em @click>k0</em>"
                       "<i @click>0</i><em @click>k0</em><i @click>0</i><em @click>k0</em>"
                       "<small>foot</small>");
        fake_click(f, 3); /* a stateful one */
        fake_turn(f);
        fake_click(f, 1); /* box moves them: mounted afresh */
        fake_turn(f);
        assert_page(f, "<p @click>0</p><h2 @click></h2><div><i @click>0</i><em @click>k0</em>"
                       "<i @click>0</i><em @click>k0</em><i @click>0</i><em @click>k0</em></div>"
                       "<small>foot</small>");
        assert_int_equal(starts, 6 * (round + 1));
        assert_int_equal(stops, 6 * (round + 1) - 3);
        fake_click(f, 1);
        fake_turn(f);
    }
}
static void children_follow_the_parent(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &BoxHost_component, NULL);
    for (int i = 0; i < 5; i++) { /* shown, moved, hidden, shown, moved: now a copy stands there */
        fake_click(f, 1);
        fake_turn(f);
    }
    fake_click(f, 3);
    fake_click(f, 2); /* a handler of the parent inside the children */
    fake_turn(f);
    assert_page(f, "<p @click>1</p><h2 @click></h2><div><i @click>1</i><em @click>k1</em>"
                   "<i @click>1</i><em @click>k0</em><i @click>1</i><em @click>k0</em></div>"
                   "<small>foot</small>");
    fake_click(f, 0);
    fake_turn(f);
    fake_click(f, 7);
    fake_turn(f);
    assert_page(f, "<p @click>2</p><h2 @click></h2><div><i @click>2</i><em @click>k1</em>"
                   "<i @click>2</i><em @click>k0</em><i @click>2</i><em @click>k1</em></div>"
                   "<small>foot</small>");
}

BH_COMPONENT(Outer, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    H3(ON(click, bump, n.ref)) {}
    WITH(Box, 0) {
        DIV(.class_name = "outer") {
            CHILDREN()
                ;
        }
    }
}
BH_COMPONENT0(Nested)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    WITH(Outer, 0) {
        TEXTF("%d", n.value);
        USE(Stateful, "s");
    }
}
static void children_through_two_components(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &Nested_component, NULL);
    for (int i = 0; i < 7; i++) {
        fake_click(f, 2); /* box */
        fake_turn(f);
        fake_click(f, 1); /* outer */
        fake_turn(f);
        fake_click(f, 0); /* page */
        fake_turn(f);
    }
    assert_page(f, "<p @click></p><h3 @click></h3><h2 @click></h2>"
                   "<div class=\"outer\">7<em @click>s0</em></div>");
    assert_int_equal(starts - stops, 1);
}

/* ---- memo ------------------------------------------------------------------------------------------ */

static int memo_renders;
BH_MEMO_COMPONENT(Memo, { int a; })
{
    bh_int n = bh_use_int(cx, 0);
    memo_renders++;
    EM(ON(click, bump, n.ref)) { TEXTF("%d/%d", props->a, n.value); }
    USE(Stateful, "in");
}
BH_COMPONENT0(MemoHost)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
    USE(Memo, n.value / 2);
}
static void memo_skips_equal_props(void **state)
{
    fake *f = *state;
    memo_renders = 0;
    fake_start(f, &MemoHost_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    assert_int_equal(memo_renders, 1);
    fake_click(f, 0);
    fake_turn(f);
    assert_int_equal(memo_renders, 2);
    fake_click(f, 1); /* own state */
    fake_turn(f);
    assert_int_equal(memo_renders, 3);
    fake_click(f, 0); /* parent, and below the memo, in one pass */
    fake_click(f, 2);
    fake_turn(f);
    assert_int_equal(memo_renders, 3);
    assert_page(f, "<p @click>3</p><em @click>1/1</em><em @click>in1</em>");
    assert_false(bh_session_pending(f->session));
}

/* ---- several dirty at once --------------------------------------------------------------------------- */

BH_COMPONENT(Row, { int id; })
{
    bh_int n = bh_use_int(cx, 0);
    for (int i = 0; i <= n.value % 3; i++)
        LI(ON(click, bump, n.ref)) { TEXTF("%d", props->id); }
}
BH_COMPONENT0(Rows)
{
    for (int i = 0; i < 5; i++) USE_KEYED(Row, KEY(i), i);
}
static void siblings_without_elements_between_them(void **state)
{
    fake *f = *state;
    fake_start(f, &Rows_component, NULL);
    for (int round = 0; round < 6; round++) {
        uint32_t hids[5];
        for (unsigned i = 0, at = 0; i < 5; i++, at += (unsigned)round % 3 + 1)
            hids[i] = fake_hid(f, BH_ON_click, at);
        for (int i = 0; i < 5; i++)
            assert_true(bh_session_event(f->session, hids[i], &(bh_event){.type = BH_ON_click}));
        uint64_t renders = f->env.component_renders;
        fake_turn(f);
        assert_int_equal(f->env.component_renders - renders, 5);
        assert_int_equal(fake_nodes(f), (size_t)(10 * ((round + 1) % 3 + 1)));
        assert_null(bh_tree_check(f->env.names, bh_session_root(f->session),
                                  bh_session_nid_next(f->session)));
    }
}

/* ---- text -------------------------------------------------------------------------------------------- */

BH_COMPONENT0(Texts)
{
    const char *none = NULL;
    TEXT(none);
    P() { TEXT(""); }
    P() { TEXT("NULL"); }
    P() { TEXTF("%d", 0); }
    P() { bh_textn(cx, "abcdef", 3); }
}
static void b65_null_is_nothing(void **state)
{
    fake *f = *state;
    fake_start(f, &Texts_component, NULL);
    assert_page(f, "<p></p><p>NULL</p><p>0</p><p>abc</p>");
    assert_int_equal(fake_nodes(f), 8); /* the empty text is a text */
}

/* ---- events for what is gone ---------------------------------------------------------------------------- */

BH_COMPONENT0(Once)
{
    bh_int n = bh_use_int(cx, 0);
    if (n.value == 0)
        BUTTON(ON(click, bump, n.ref)) { TEXT("one"); }
    else
        A(ON(click, bump, n.ref)) { TEXT("two"); }
    TEXTF("%d", n.value);
}
static void b34_second_click_hits_nothing(void **state)
{
    fake *f = *state;
    fake_start(f, &Once_component, NULL);
    uint32_t old = fake_hid(f, BH_ON_click, 0);
    fake_click(f, 0);
    fake_turn(f);
    assert_false(bh_session_event(f->session, old, &(bh_event){.type = BH_ON_click}));
    assert_int_not_equal(fake_hid(f, BH_ON_click, 0), old);
    assert_false(bh_session_pending(f->session));
    assert_int_equal(f->env.unknown_handlers, 1);
}

static bh_ref leaked;
BH_COMPONENT(Leaky, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    leaked = n.ref;
    TEXTF("%d", n.value);
}
BH_HANDLER0(set_leaked) { bh_set_int(cx, leaked, 77); }
BH_COMPONENT0(LeakyHost)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    P(ON0(click, set_leaked)) {}
    USE_KEYED(Leaky, KEY(n.value), 0);
}
static void stale_refs_do_nothing(void **state)
{
    fake *f = *state;
    fake_start(f, &LeakyHost_component, NULL);
    bh_ref old = leaked;
    fake_click(f, 0);
    fake_turn(f);
    leaked = old;
    fake_click(f, 1);
    leaked = (bh_ref){0};
    fake_click(f, 1);
    assert_int_equal(f->env.stale_refs, 2);
    assert_false(bh_session_pending(f->session));
    assert_page(f, "<p @click></p><p @click></p>0");
}

/* ---- nothing is left over ----------------------------------------------------------------------------- */

BH_COMPONENT(Many, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    bh_string s = bh_use_string(cx, "a string that is kept in memory of its own");
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    BH_USE_INTERVAL(cx, 1000, bump, n.ref);
    EM(ON(click, bump, n.ref)) { TEXT(s.value); }
}
BH_COMPONENT0(Churn)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) {}
    DIV(.key = KEY(n.value)) { USE(Many, 0); }
}
static void b32_a_hundred_thousand_mounts(void **state)
{
    fake *f = *state;
    fresh();
    fake_start(f, &Churn_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    fake_click(f, 0);
    fake_turn(f);
    size_t bytes = bh_session_bytes(f->session), live = f->env.pool.live_bytes;
    uint32_t hid = fake_hid(f, BH_ON_click, 0);
    bh_patch_sink sink = bh_page_model_sink(f->page);
    for (int i = 0; i < 100000; i++) {
        bh_session_event(f->session, hid, &(bh_event){.type = BH_ON_click});
        bh_session_render(f->session, &sink);
        bh_session_effects(f->session, true);
    }
    assert_int_equal(bh_session_bytes(f->session), bytes);
    assert_int_equal(f->env.pool.live_bytes, live);
    assert_int_equal(fake_handlers(f), 2);
    assert_int_equal(starts - stops, 1);
    assert_int_equal(starts, 100003);
}

static void renumber(void **state)
{
    fake *f = *state;
    fake_start(f, &Reverse_component, NULL);
    fake_click(f, 0);
    fake_turn(f);
    uint32_t hid = fake_hid(f, BH_ON_click, 2);
    bh_session_renumber(f->session);
    assert_int_equal(bh_session_nid_next(f->session), fake_nodes(f) + 1);
    assert_null(
        bh_tree_check(f->env.names, bh_session_root(f->session), bh_session_nid_next(f->session)));
    assert_int_equal(fake_hid(f, BH_ON_click, 2), hid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(keyed_components_keep_state),
        T(b19_key_on_an_element_remounts),
        T(b20_same_key_other_kind),
        T(b22_sibling_keeps_its_state),
        T(b07_twin_keys),
        T(b08_unkeyed_sibling_survives_a_conditional),
        T(b02_b03_fragment_root_keeps_its_place),
        T(b16_children_hidden_and_shown),
        T(children_follow_the_parent),
        T(children_through_two_components),
        T(memo_skips_equal_props),
        T(siblings_without_elements_between_them),
        T(b65_null_is_nothing),
        T(b34_second_click_hits_nothing),
        T(stale_refs_do_nothing),
        T(b32_a_hundred_thousand_mounts),
        T(renumber),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
