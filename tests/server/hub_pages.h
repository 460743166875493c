/* SPDX-License-Identifier: MIT
 * tests/server/hub_pages.h — the components these tests serve. Each file that includes it has its own. */
#ifndef BH_TESTS_HUB_PAGES_H
#define BH_TESTS_HUB_PAGES_H

#include <stdatomic.h>

#include <backhaul/backhaul.h>
#include <backhaul/html.h>

static _Atomic int cleanups, effects, ticks;
static bh_topic *the_topic;

/* Two buttons (by 1, and three sets in one handler) and what they count. */
BH_HANDLER(on_add, {
    bh_ref n;
    int by;
})
{
    bh_add_int(cx, cap->n, cap->by);
}
BH_HANDLER(on_thrice, { bh_ref n; })
{
    bh_add_int(cx, cap->n, 1);
    bh_add_int(cx, cap->n, 1);
    bh_add_int(cx, cap->n, 1);
}
static void note_cleanup(bh_cx *cx, void *arg)
{
    (void)cx;
    (void)arg;
    atomic_fetch_add(&cleanups, 1);
}
BH_EFFECT0(count_effect)
{
    atomic_fetch_add(&effects, 1);
    return BH_CLEANUP(note_cleanup, NULL);
}
BH_COMPONENT(Counter, { int start; })
{
    bh_int n = bh_use_int(cx, props->start);
    BH_USE_EFFECT0(cx, BH_ONCE, count_effect);
    DIV(.class_name = "counter") {
        BUTTON(ON(click, on_add, .n = n.ref, .by = 1)) { TEXT("+"); }
        BUTTON(ON(click, on_thrice, .n = n.ref)) { TEXT("+++"); }
        BUTTON(ON(click, on_add, .n = n.ref, .by = 0)) { TEXT("+0"); }
        SPAN() { TEXTF("%d", n.value); }
    }
}

/* A controlled input with an echo, and a keyed list whose order turns. */
BH_HANDLER(on_input, { bh_ref s; }) { bh_set_string(cx, cap->s, ev->value); }
BH_HANDLER(on_turn, { bh_ref at; }) { bh_add_int(cx, cap->at, 1); }
BH_COMPONENT0(Form)
{
    bh_string s = bh_use_string(cx, "");
    bh_int at = bh_use_int(cx, 0);
    INPUT(.value = s.value, ON(input, on_input, .s = s.ref));
    P() { TEXTF("[%s]", s.value); }
    BUTTON(ON(click, on_turn, .at = at.ref)) { TEXT("turn"); }
    UL() {
        for (int i = 0; i < 7; i++) {
            int k = (i * 3 + at.value) % 7;
            LI(.key = KEY(k)) { TEXTF("row %d", k); }
        }
    }
}

/* Renders without end: its effect sets the state that it depends on. */
BH_EFFECT(go_on, { bh_ref n; })
{
    bh_add_int(cx, cap->n, 1);
    return BH_NO_CLEANUP;
}
BH_COMPONENT0(Spinner)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_EFFECT(cx, BH_EVERY_RENDER, go_on, .n = n.ref);
    P() { TEXTF("%d", n.value); }
}

/* Shows a topic's newest value; `size` bytes more of it to make frames heavy. */
BH_COMPONENT(Topical, { int size; })
{
    size_t len;
    const int *v = bh_use_topic(cx, the_topic, &len);
    P() { TEXTF("%d", v ? *v : -1); }
    if (props->size) {
        PRE() { TEXTF("%0*d", props->size, v ? *v : 0); }
    }
}

BH_HANDLER(on_tick, { bh_ref n; })
{
    atomic_fetch_add(&ticks, 1);
    bh_add_int(cx, cap->n, 1);
}
BH_COMPONENT(Ticker, { unsigned ms; })
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_INTERVAL(cx, props->ms, on_tick, .n = n.ref);
    P() { TEXTF("%d", n.value); }
}

/* A button that its own click takes away; pointermove counts without end. */
BH_HANDLER(on_once, { bh_ref n, gone; })
{
    bh_add_int(cx, cap->n, 1);
    bh_set_bool(cx, cap->gone, true);
}
BH_COMPONENT0(Once)
{
    bh_int n = bh_use_int(cx, 0);
    bh_bool gone = bh_use_bool(cx, false);
    if (!gone.value)
        BUTTON(ON(click, on_once, .n = n.ref, .gone = gone.ref)) { TEXT("once"); }
    DIV(ON(pointermove, on_add, .n = n.ref, .by = 1)) { TEXT("move"); }
    SPAN() { TEXTF("%d", n.value); }
}

enum { PAGE_COUNTER, PAGE_FORM, PAGE_SPINNER, PAGE_TOPIC, PAGE_HEAVY, PAGE_TICKER, PAGE_ONCE };
static const bh_page pages[] = {
    BH_PAGE("/", Counter, .start = 3),
    BH_PAGE0("/form", Form),
    BH_PAGE0("/spinner", Spinner),
    BH_PAGE("/topic", Topical, .size = 0),
    BH_PAGE("/heavy", Topical, .size = 50000),
    BH_PAGE("/ticker", Ticker, .ms = 5),
    BH_PAGE0("/once", Once),
    {.path = NULL},
};

#endif
