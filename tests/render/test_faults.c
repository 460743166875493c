/* SPDX-License-Identifier: MIT
 * Faults stay where they happen: hook order, unbalanced blocks, bh_fail, limits, refused names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (!strstr((text), (part)))                                                               \
            fail_msg("\"%s\" is not in \"%s\"", (part), (text));                                   \
    } while (0)

static int starts, stops, mode;
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

BH_COMPONENT(Inner, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    EM(ON(click, bump, n.ref)) { TEXTF("in%d", n.value); }
}

/* Misbehaves in the way `mode` says, when its state is odd. */
BH_COMPONENT(Bad, { int unused; })
{
    bh_int n = bh_use_int(cx, 0);
    bool odd = n.value % 2;
    if (!(odd && mode == 0)) {
        bh_int second = bh_use_int(cx, 50);
        (void)second;
    }
    if (odd && mode == 1)
        bh_use_bool(cx, true);
    if (odd && mode == 2) {
        bh_string s = bh_use_string(cx, "x");
        (void)s;
    } else {
        bh_double d = bh_use_double(cx, 1);
        (void)d;
    }
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    P(ON(click, bump, n.ref)) { TEXTF("bad%d", n.value); }
    if (odd && mode == 3)
        bh_fail(cx, "cannot read %s", "the file");
    if (odd && mode == 4)
        DIV() { return; }
    if (odd && mode == 5)
        for (int i = 0; i < 2; i++)
            DIV() { break; } /* leaves the block's own loop only: the element stays open */
    if (odd && mode == 6)
        BR() { TEXT("no"); }
    if (odd && mode == 7)
        EL("script") {}
    if (odd && mode == 8)
        EL("no such tag") {}
    if (odd && mode == 9)
        for (int i = 0; i < 300; i++) bh_open(cx, "div", &(bh_el){0});
    if (odd && mode == 10)
        for (int i = 0; i < BH_MAX_NODES; i++) TEXT("x");
    if (odd && mode == 11)
        bh_close(cx);
    if (odd && mode == 12)
        DIV(.unsafe_html = {"<b>x</b>"}) { TEXT("no"); }
    if (odd && mode == 14) {
        bh_children(cx);
        bh_children(cx);
    }
    USE(Inner, 0);
}
BH_COMPONENT0(Host)
{
    bh_int n = bh_use_int(cx, 0);
    H1(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
    USE(Bad, 0);
    USE(Inner, 0);
}

static const char *const reasons[] = {
    "Bad: render: hook order: hook 2 was bh_use_int of 4 bytes (",
    "hook order: hook 3 was bh_use_double of 8 bytes",
    "and is now bh_use_string",
    "Bad: render: cannot read the file",
    "1 element block(s) left open",
    "element block(s) left open",
    "<br> takes no children",
    "element <script> is refused",
    "element <no such tag> is refused",
    "nested deeper than 256",
    "more than 50000 elements",
    "bh_close without an open element",
    "children or unsafe_html, not both",
    "a text of 16777217 bytes",
    "bh_children was called twice",
};

static void each_fault_stays_in_its_place(void **state) /* B23, B87, B59 */
{
    fake *f = *state;
    for (mode = 0; mode < (int)(sizeof reasons / sizeof *reasons); mode++) {
        if (mode == 13)
            continue; /* below, without a leak */
        starts = stops = 0;
        unsigned faults = f->faults;
        fake_start(f, &Host_component, NULL);
        assert_page(f, "<h1 @click>0</h1><p @click>bad0</p><em @click>in0</em><em @click>in0</em>");
        assert_int_equal(starts, 3);
        fake_click(f, 1); /* bad */
        fake_turn(f);
        assert_int_equal(f->faults, faults + 1);
        assert_has(f->fault, reasons[mode]);
        assert_has(fake_dump(f), "<pre class=\"bh-error\" role=\"alert\">Bad: ");
        assert_int_equal(stops, 1); /* the child of the failed render is gone */
        fake_click(f, 1);           /* the sibling lives */
        fake_click(f, 0);           /* and the parent: its render retries Bad, which fails again */
        fake_turn(f);
        assert_has(fake_dump(f), "<h1 @click>1</h1><pre");
        assert_has(fake_dump(f), "<em @click>in1</em>");
        assert_int_equal(fake_handlers(f), 2);
        fake_stop(f);
        assert_int_equal(starts, stops);
    }
}

static char *big;
BH_COMPONENT0(BigText) { TEXT(big); }
static void text_over_the_limit(void **state)
{
    fake *f = *state;
    big = malloc(BH_MAX_ATTR_LEN + 2);
    memset(big, 'x', BH_MAX_ATTR_LEN + 1);
    big[BH_MAX_ATTR_LEN + 1] = 0;
    fake_start(f, &BigText_component, NULL);
    assert_has(f->fault, reasons[13]);
    free(big);
}

/* ---- retry --------------------------------------------------------------------------------------- */

static int first_fails;
static int lazies;
static void make(void *s, const void *arg)
{
    (void)s;
    (void)arg;
    lazies++;
}
static void unmake(void *s)
{
    (void)s;
    lazies--;
}
BH_COMPONENT(Flaky, { int unused; })
{
    bh_int n = bh_use_int(cx, 7);
    bh_ref r;
    bh_use_state_lazy(cx, &r, 8, make, unmake, NULL);
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    if (first_fails)
        bh_fail(cx, "not yet");
    P() { TEXTF("%d", n.value); }
}
BH_COMPONENT0(FlakyHost)
{
    bh_int n = bh_use_int(cx, 0);
    H1(ON(click, bump, n.ref)) {}
    USE(Flaky, 0);
}
static void a_first_render_that_fails_leaves_nothing(void **state)
{
    fake *f = *state;
    starts = stops = lazies = 0;
    first_fails = 1;
    fake_start(f, &FlakyHost_component, NULL);
    assert_int_equal(f->faults, 1);
    assert_int_equal(lazies, 0);
    assert_int_equal(starts, 0);
    first_fails = 0;
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<h1 @click></h1><p>7</p>");
    assert_int_equal(lazies, 1);
    assert_int_equal(starts, 1);
    first_fails = 1; /* a later failure keeps the hooks and the effect */
    fake_click(f, 0);
    fake_turn(f);
    assert_int_equal(lazies, 1);
    assert_int_equal(stops, 0);
    fake_stop(f);
    assert_int_equal(lazies, 0);
    assert_int_equal(stops, 1);
}

static void a_neutral_sentence(void **state)
{
    fake *f = *state;
    first_fails = 1;
    f->host.show_errors = false;
    fake_start(f, &FlakyHost_component, NULL);
    assert_has(f->fault, "not yet");
    assert_null(strstr(fake_dump(f), "not yet"));
    assert_has(fake_dump(f), "This part of the page could not be shown.");
}

/* ---- handlers, effects, cleanups -------------------------------------------------------------------- */

BH_HANDLER(fails, { bh_ref n; })
{
    bh_add_int(cx, cap->n, 1);
    bh_fail(cx, "no %d", 5);
}
BH_HANDLER(wrong_kind, { bh_ref n; }) { bh_set_string(cx, cap->n, "x"); }
BH_HANDLER0(renders) { TEXT("x"); }
static void cleanup_fails(bh_cx *cx, void *arg)
{
    (void)arg;
    bh_fail(cx, "cleanup no");
}
BH_EFFECT0(effect_fails) { bh_fail(cx, "effect no"); }
BH_EFFECT0(cleanup_will_fail) { return BH_CLEANUP(cleanup_fails, NULL); }
BH_COMPONENT0(FailsLater)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT0(cx, BH_ONCE, effect_fails);
    BH_USE_EFFECT0(cx, BH_ONCE, cleanup_will_fail);
    BH_USE_EFFECT0(cx, BH_ONCE, count_start);
    P(ON(click, fails, n.ref)) { TEXTF("%d", n.value); }
    P(ON(click, wrong_kind, n.ref)) {}
    P(ON0(click, renders)) {}
}
static void faults_outside_of_renders(void **state)
{
    fake *f = *state;
    starts = stops = 0;
    fake_start(f, &FailsLater_component, NULL);
    assert_int_equal(f->faults, 1);
    assert_string_equal(f->fault, "FailsLater: effect: effect no");
    assert_int_equal(starts, 1); /* the others run */
    fake_click(f, 0);
    assert_string_equal(f->fault, "FailsLater: handler: no 5");
    fake_turn(f); /* what it had set stays set */
    assert_page(f, "<p @click>1</p><p @click></p><p @click></p>");
    fake_click(f, 1);
    assert_has(f->fault, "a call for bh_use_string was given a ref of bh_use_int");
    fake_click(f, 2);
    assert_has(f->fault, "called outside a render function");
    assert_false(bh_session_pending(f->session));
    fake_stop(f);
    assert_string_equal(f->fault, "FailsLater: cleanup of an effect: cleanup no");
    assert_int_equal(stops, 1);
}

BH_COMPONENT(Forever, { int n; })
{
    DIV() { USE(Forever, props->n + 1); }
}
BH_COMPONENT0(ForeverHost)
{
    USE(Forever, 0);
    P() { TEXT("alive"); }
}
static void endless_nesting_ends(void **state) /* B87 */
{
    fake *f = *state;
    fake_start(f, &ForeverHost_component, NULL);
    assert_int_equal(f->faults, 1);
    assert_has(f->fault, "nested deeper than 256");
    assert_has(fake_dump(f), "<p>alive</p>");
}

BH_HANDLER(hoard, { bh_ref s; })
{
    static char text[60001];
    memset(text, 'y', 60000);
    bh_set_string(cx, cap->s, text);
}
BH_COMPONENT0(Hoarder)
{
    bh_string s = bh_use_string(cx, "small");
    P(ON(click, hoard, s.ref)) { TEXT(s.value); }
}
static void memory_limit(void **state)
{
    fake *f = *state;
    f->page = bh_page_model_new(f->env.names);
    f->session = bh_session_new(&(bh_session_params){
        .host = &f->host, .env = &f->env, .root = &Hoarder_component, .max_bytes = 50000});
    fake_turn(f);
    fake_click(f, 0);
    assert_has(f->fault, "memory limit (50000 bytes)");
    fake_turn(f);
    assert_page(f, "<p @click>small</p>");
}

/* ---- attribute policy ---------------------------------------------------------------------------------- */

BH_COMPONENT0(Attrs)
{
    A(.href = "javascript:alert(1)", .title = "t") {}
    A(.href = "/ok", .attrs = ATTRS({"onclick", "x"}, {"data-x", "1"}, {"bad name", "x"},
                                    {"aria-label", NULL}, {"title", "once"})) {}
    INPUT(.disabled = BH_TRI(false), .checked = BH_TRI(false), .aria_hidden = BH_TRI(false),
          .required = true)
    {
    }
    EL("x-custom", .attrs = ATTRS({"disabled", "false"}, {"action", " java\tscript:x"})) {}
    IMG(.src = "data:image/png;base64,AA") {}
    IMG(.src = "data:text/html,x") {}
}
static void attribute_policy(void **state) /* B53, B54, B59 */
{
    fake *f = *state;
    fake_start(f, &Attrs_component, NULL);
    assert_page(f, "<a title=\"t\"></a><a href=\"/ok\" data-x=\"1\" title=\"once\"></a>"
                   "<input !checked required aria-hidden=\"false\"></input><x-custom></x-custom>"
                   "<img src=\"data:image/png;base64,AA\"></img><img></img>");
    assert_int_equal(f->env.refused_attrs, 5);
    assert_int_equal(f->warnings, 2); /* one a kind */
    assert_int_equal(f->faults, 0);
}

BH_COMPONENT(Broken, { int same; }) { bh_fail(cx, "no sensor at %d", props->same); }
BH_COMPONENT0(Ticking)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
    BH_USE(Broken, .same = n.value / 10);
}

/* One that fails at every render of its parent is reported when it begins and when it changes. */
static void same_fault_again(void **state)
{
    fake *f = *state;
    fake_start(f, &Ticking_component, NULL);
    for (int i = 0; i < 12; i++) {
        fake_click(f, 0);
        fake_turn(f);
    }
    assert_int_equal(f->env.faults, 13);
    assert_int_equal(f->faults, 2);
    assert_has(f->fault, "no sensor at 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(same_fault_again),     T(each_fault_stays_in_its_place),
        T(text_over_the_limit),  T(a_first_render_that_fails_leaves_nothing),
        T(a_neutral_sentence),   T(faults_outside_of_renders),
        T(endless_nesting_ends), T(memory_limit),
        T(attribute_policy),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
