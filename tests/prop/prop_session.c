/* SPDX-License-Identifier: MIT
 * Random programs on a whole session: components that nest, come, go, move, fail and recover, with
 * keys, memo, children, contexts, topics, effects that set state, handlers and callbacks.
 *
 * The program is data (`comp`, `item`), changed at random; each change sets state in the component it
 * belongs to. After every turn the page equals the tree (fake_render), and once it has settled
 *   - the page is what the data says, by an evaluator that knows no hooks, keys or diff,
 *   - a component has a running effect if and only if it is shown (where all are keyed),
 *   - each handler of the page is that of its element, and captures what the last render gave it,
 *   - components of a keyed list that was only shuffled are the same instances as before.
 *
 * BH_PROP_SESSIONS programs (400; 60 in sanitizer builds) of 60 steps; BH_PROP_SEED repeats a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support/fake_host.h"
#include "vdom/buf.h"

#include <backhaul/html.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SESSIONS 60
#endif
#endif
#ifndef SESSIONS
#define SESSIONS 400
#endif

enum { STEPS = 60, MAX_COMPS = 40, MAX_ITEMS = 4000, LIST = 6 };

typedef enum item_kind {
    ELEMENT,
    WORDS,
    NO_WORDS, /* an empty text */
    FRAGMENT_,
    PLACE,      /* a component */
    MEMO_PLACE, /* the same as BH_MEMO */
    WITH_PLACE, /* with children */
    PROVIDER,
    CHILDREN_PLACE,
    FIELD, /* a controlled input */
    RAW,
    KINDS
} item_kind;

typedef struct comp comp;
typedef struct item item;
struct item {
    item_kind kind;
    int serial; /* unique in a program; the key if keyed */
    bool keyed, click;
    int look; /* variant: attribute, text, value of a context */
    comp *comp;
    item *kids[LIST];
    unsigned n;
};
struct comp {
    int id;
    item body; /* its kids only */
    int fail;  /* 1 at once, 2 inside an element, 3 at the end */
    int version;
    bool has_children_place;
    /* what the instance told */
    bh_ref bump, call;
    int birth, live;
    int shown; /* by the evaluator: times */
};

static struct program {
    unsigned long long seed;
    uint64_t random;
    comp comps[MAX_COMPS];
    unsigned n_comps;
    item items[MAX_ITEMS];
    unsigned n_items;
    int serial, births, live, clicked, called;
    bool all_keyed; /* every component: none takes over the instance of another */
    bh_source source;
    int source_value;
    bh_ref live_ref;
    int handlers[2000];
    unsigned n_handlers;
    const char *step;
} * w;

static unsigned pick(unsigned n)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (unsigned)(w->random >> 33) % n;
}

/* ---- the components ---------------------------------------------------------------------------- */

BH_CONTEXT(Tint, int, 0);

static void stopped(bh_cx *cx, void *arg)
{
    comp *c = arg;
    c->live--;
    w->live--;
    bh_add_int(cx, w->live_ref, -1);
}
BH_EFFECT(started, { comp *c; })
{
    cap->c->live++;
    w->live++;
    bh_add_int(cx, w->live_ref, 1);
    return BH_CLEANUP(stopped, cap->c);
}
BH_EFFECT(follow, {
    bh_ref seen;
    int version;
})
{
    bh_set_int(cx, cap->seen, cap->version);
    return BH_NO_CLEANUP;
}
BH_HANDLER(on_click, { int serial, look; }) { w->clicked = cap->serial * 8 + cap->look; }
BH_HANDLER(on_call, { int version; }) { w->called = cap->version; }
BH_HANDLER(on_input, {
    item *it;
    comp *c;
})
{
    cap->it->look = ev->value[0] & 7; /* takes it over, as it sees fit */
    bh_add_int(cx, cap->c->bump, 1);
}

static void show(bh_cx *cx, comp *c, const item *list);
static void show_component(bh_cx *cx, comp *self, item *it);

static void show_item(bh_cx *cx, comp *c, item *it)
{
    static const char *const names[] = {"a", "b", "", NULL};
    static const bh_tag tags[] = {BH_TAG_DIV, BH_TAG_SPAN};
    bh_key key = it->keyed ? bh_key_int(it->serial) : BH_NO_KEY;
    switch (it->kind) {
    case ELEMENT: {
        bh_handler h = BH_CALL_FLAGS(on_click, 0, it->serial, it->look);
        BH_EL(tags[it->serial % 2], .key = key, .class_name = names[it->look % 4],
              .hidden = it->look & 4 && !it->click ? BH_ON_ : BH_UNSET,
              .on_click = it->click ? &h : NULL) {
            show(cx, c, it);
        }
        break;
    }
    case WORDS:
        TEXTF("%d.", it->look);
        break;
    case NO_WORDS:
        TEXT("");
        break;
    case FRAGMENT_:
        FRAGMENT_KEYED(key) { show(cx, c, it); }
        break;
    case PROVIDER:
        PROVIDE(Tint, int, it->look) { show(cx, c, it); }
        break;
    case CHILDREN_PLACE:
        CHILDREN()
            ;
        break;
    case FIELD:
        INPUT(.key = key, .value = FMT("%d", it->look), ON(input, on_input, it, c));
        break;
    case RAW:
        P(.key = key, .unsafe_html = {FMT("<b>%d</b>", it->look)}) {}
        break;
    case PLACE:
    case MEMO_PLACE:
    case WITH_PLACE:
    case KINDS:
        show_component(cx, c, it);
        break;
    }
}

static void show(bh_cx *cx, comp *c, const item *list)
{
    for (unsigned i = 0; i < list->n; i++) show_item(cx, c, list->kids[i]);
}

static void body(bh_cx *cx, comp *c)
{
    bh_int bumped = bh_use_int(cx, 0);
    bh_int seen = bh_use_int(cx, 0);
    bh_int derived = bh_use_int(cx, 0);
    int *birth = BH_USE_REF(cx, int, 0);
    bh_ref call = BH_USE_CALLBACK(cx, on_call, c->version);
    const int *tint = BH_USE_CONTEXT(cx, Tint, int);
    bh__use_source(cx, &w->source, __FILE__, __LINE__);
    BH_USE_EFFECT(cx, BH_DEPS(c->id), started, c);
    BH_USE_EFFECT(cx, BH_DEPS(c->version), follow, seen.ref, c->version);
    c->bump = bumped.ref;
    if (c->fail == 1)
        bh_fail(cx, "at once");
    if (!*birth)
        *birth = ++w->births;
    c->birth = *birth;
    c->call = call;
    if (derived.value != c->version)
        bh_set_int(cx, derived.ref, c->version);
    TEXTF("%d:%d:%d:%d:%d;", c->id, *tint, w->source_value, seen.value, derived.value);
    if (c->fail == 2)
        DIV() { bh_fail(cx, "inside"); }
    show(cx, c, &c->body);
    if (c->fail == 3)
        bh_fail(cx, "at the end");
}
BH_COMPONENT(Plain, { comp *c; }) { body(cx, props->c); }
BH_MEMO_COMPONENT(Memo, { comp *c; }) { body(cx, props->c); }
BH_COMPONENT0(Root)
{
    bh_int live = bh_use_int(cx, 0);
    w->live_ref = live.ref;
    TEXTF("live %d;", live.value);
    USE(Memo, &w->comps[0]);
}

static void show_component(bh_cx *cx, comp *self, item *it)
{
    bh_key key = it->keyed ? bh_key_int(it->serial) : BH_NO_KEY;
    if (it->kind == PLACE) {
        USE_KEYED(Plain, key, it->comp);
    } else if (it->kind == MEMO_PLACE) {
        USE_KEYED(Memo, key, it->comp);
    } else {
        bh__component_open(cx, &Plain_component, &(struct Plain_props){it->comp}, key, __LINE__);
        show(cx, self, it);
        bh_close(cx);
    }
}

/* ---- what the page should be ------------------------------------------------------------------- */

/* Whose `children` are meant where CHILDREN() stands. */
typedef struct frame {
    const item *content;
    const struct frame *author;
} frame;

static void eval(bh_buf *out, const item *list, const frame *f, int tint);

static BH_PRINTF(2, 3) void putf(bh_buf *out, const char *format, ...)
{
    char text[120];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bh_buf_str(out, text);
}

static void eval_comp(bh_buf *out, comp *c, const frame *f, int tint)
{
    c->shown++;
    if (c->fail) {
        bh_buf_str(out, "<pre class=\"bh-error\" role=\"alert\">This part of the page could not be "
                        "shown.</pre>");
        return;
    }
    putf(out, "%d:%d:%d:%d:%d;", c->id, tint, w->source_value, c->version, c->version);
    eval(out, &c->body, f, tint);
}

static void eval_item(bh_buf *out, item *it, const frame *f, int tint)
{
    static const char *const class_of[] = {" class=\"a\"", " class=\"b\"", " class=\"\"", ""};
    switch (it->kind) {
    case ELEMENT:
        bh_buf_str(out, it->serial % 2 ? "<span" : "<div");
        bh_buf_str(out, class_of[it->look % 4]);
        if (it->click) {
            bh_buf_str(out, " @click");
            w->handlers[w->n_handlers++] = it->serial * 8 + it->look;
        }
        bh_buf_str(out, it->look & 4 && !it->click ? " hidden>" : ">");
        eval(out, it, f, tint);
        bh_buf_str(out, it->serial % 2 ? "</span>" : "</div>");
        break;
    case WORDS:
        putf(out, "%d.", it->look);
        break;
    case FRAGMENT_:
        eval(out, it, f, tint);
        break;
    case PROVIDER:
        eval(out, it, f, it->look);
        break;
    case CHILDREN_PLACE:
        if (f->content)
            eval(out, f->content, f->author, tint);
        break;
    case FIELD:
        putf(out, "<input value=\"%d\" @input></input>", it->look);
        break;
    case RAW:
        putf(out, "<p raw=\"<b>%d</b>\"></p>", it->look);
        break;
    case PLACE:
    case MEMO_PLACE:
        eval_comp(out, it->comp, &(frame){NULL, NULL}, tint);
        break;
    case WITH_PLACE:
        eval_comp(out, it->comp, &(frame){it, f}, tint);
        break;
    case NO_WORDS:
    case KINDS:
        break;
    }
}

static void eval(bh_buf *out, const item *list, const frame *f, int tint)
{
    for (unsigned i = 0; i < list->n; i++) eval_item(out, list->kids[i], f, tint);
}

/* ---- changes ------------------------------------------------------------------------------------- */

static void grow(comp *c, item *list, unsigned depth);

static item *new_item(comp *c, unsigned depth)
{
    if (w->n_items == MAX_ITEMS)
        return NULL;
    item *it = &w->items[w->n_items];
    *it = (item){.kind = (item_kind)pick(KINDS), .serial = ++w->serial, .look = (int)pick(8)};
    it->keyed = pick(2);
    it->click = pick(2);
    if (it->kind == CHILDREN_PLACE) {
        if (c->has_children_place)
            return NULL; /* once a render */
        c->has_children_place = true;
    }
    bool place = it->kind == PLACE || it->kind == MEMO_PLACE || it->kind == WITH_PLACE;
    if (place) {
        if (w->n_comps == MAX_COMPS || depth > 4)
            return NULL;
        it->keyed = it->keyed || w->all_keyed;
        it->comp = &w->comps[w->n_comps];
        *it->comp = (comp){.id = (int)w->n_comps++};
    }
    w->n_items++;
    if (it->comp)
        for (unsigned n = pick(3); n; n--) grow(it->comp, &it->comp->body, depth + 2);
    if (it->kind == ELEMENT || it->kind == FRAGMENT_ || it->kind == PROVIDER ||
        it->kind == WITH_PLACE)
        for (unsigned n = pick(3); n && depth < 6; n--) grow(c, it, depth + 1);
    return it;
}

static void grow(comp *c, item *list, unsigned depth)
{
    item *it = list->n < LIST ? new_item(c, depth) : NULL;
    if (!it)
        return;
    unsigned at = pick(list->n + 1);
    memmove(&list->kids[at + 1], &list->kids[at], (list->n - at) * sizeof list->kids[0]);
    list->kids[at] = it;
    list->n++;
}

static void forget_children_place(comp *c, const item *it)
{
    if (it->kind == CHILDREN_PLACE)
        c->has_children_place = false;
    for (unsigned i = 0; i < it->n; i++) forget_children_place(c, it->kids[i]);
}

/* A list of c: its own, or that of an element somewhere in it. */
static item *some_list(comp *c)
{
    item *list = &c->body;
    while (list->n && pick(2)) {
        item *it = list->kids[pick(list->n)];
        if (it->kind != ELEMENT && it->kind != FRAGMENT_ && it->kind != PROVIDER &&
            it->kind != WITH_PLACE)
            break;
        list = it;
    }
    return list;
}

static bool shuffle(item *list)
{
    bool keyed = true;
    for (unsigned i = 0; i < list->n; i++) { /* before anything moves: each is looked at once */
        const item *it = list->kids[i];
        keyed = keyed && it->keyed && it->kind != WORDS && it->kind != NO_WORDS &&
                it->kind != PROVIDER && it->kind != CHILDREN_PLACE;
    }
    for (unsigned i = 0; i < list->n; i++) {
        item *it = list->kids[i];
        unsigned j = pick(list->n);
        list->kids[i] = list->kids[j];
        list->kids[j] = it;
    }
    return keyed;
}

/* True if every component that was and is shown must be the same instance. */
static bool change_one(fake *f, comp *c)
{
    item *list = some_list(c), *it = list->n ? list->kids[pick(list->n)] : NULL;
    bool same = false;
    switch (pick(9)) {
    case 0:
    case 1:
        w->step = "grow";
        grow(c, list, 2);
        break;
    case 2:
        w->step = "drop";
        if (it) {
            forget_children_place(c, it);
            for (unsigned i = 0; i < list->n; i++)
                if (list->kids[i] == it)
                    memmove(&list->kids[i], &list->kids[i + 1],
                            (--list->n - i) * sizeof list->kids[0]);
        }
        break;
    case 3:
    case 4:
        w->step = "shuffle";
        same = shuffle(list);
        break;
    case 5:
        w->step = "look";
        if (it)
            it->look = (int)pick(8);
        same = true;
        break;
    case 6:
        w->step = "fail or mend";
        c->fail = c->id && !c->fail && pick(2) ? 1 + (int)pick(3) : 0;
        /* A first render that failed has left no state to set: whoever is around has to render. */
        for (unsigned i = 0; !c->fail && i < w->n_comps; i++)
            if (w->comps[i].shown)
                bh_add_int(f->env.cx, w->comps[i].bump, 1);
        break;
    case 7:
        w->step = "version";
        c->version++;
        same = true;
        break;
    default:
        w->step = "source";
        w->source_value++;
        bh_source_notify(&w->source);
        same = true;
    }
    return same;
}

/* ---- one program ----------------------------------------------------------------------------------- */

static void check(fake *f)
{
    bh_buf want;
    bh_buf_init(&want);
    w->n_handlers = 0;
    for (unsigned i = 0; i < w->n_comps; i++) w->comps[i].shown = 0;
    putf(&want, "live %d;", w->live);
    eval_comp(&want, &w->comps[0], &(frame){NULL, NULL}, 0);
    bh_buf_byte(&want, 0);
    const char *got = fake_dump(f);
    if (strcmp(got, (const char *)want.data) != 0)
        fail_msg("seed %llu, after \"%s\":\n got %s\nwant %s", w->seed, w->step, got, want.data);
    bh_buf_fini(&want);
    for (unsigned i = 0; w->all_keyed && i < w->n_comps; i++) {
        const comp *c = &w->comps[i];
        bool wrong = c->fail && c->shown ? c->live != 0 && c->live != 1 : c->live != c->shown;
        if (wrong)
            fail_msg("seed %llu, after \"%s\": component %d is shown %d times, %d effects run",
                     w->seed, w->step, i, c->shown, c->live);
    }
}

static comp *some_shown(void)
{
    comp *c;
    do c = &w->comps[pick(w->n_comps)];
    while (!c->shown);
    return c;
}

static void use_page(fake *f)
{
    if (w->n_handlers) {
        unsigned n = pick(w->n_handlers);
        w->clicked = -1;
        assert_true(fake_click(f, n));
        if (w->clicked != w->handlers[n])
            fail_msg("seed %llu: handler %u is of %d, not of %d", w->seed, n, w->clicked,
                     w->handlers[n]);
    }
    if (fake_hid(f, BH_ON_input, 0)) {
        w->step = "input";
        static const char *const typed[] = {"0", "1", "7x", "12"};
        assert_true(fake_type(f, 0, typed[pick(4)]));
        if (pick(2))
            fake_settle(f);
    }
}

static void run_program(fake *f, unsigned long long seed)
{
    *w = (struct program){.seed = seed,
                          .random = seed * 0x9E3779B97F4A7C15U | 1,
                          .n_comps = 1,
                          .all_keyed = seed % 2,
                          .step = "start"};
    w->comps[0].id = 0;
    for (int i = 0; i < 5; i++) grow(&w->comps[0], &w->comps[0].body, 0);
    fake_start(f, &Root_component, NULL);
    fake_settle(f);
    check(f);
    for (int step = 0; step < STEPS; step++) {
        int births[MAX_COMPS];
        bool same = true, was_shown[MAX_COMPS];
        unsigned n_before = w->n_comps;
        for (unsigned i = 0; i < n_before; i++) {
            births[i] = w->comps[i].birth;
            was_shown[i] = w->comps[i].shown && !w->comps[i].fail;
        }
        for (unsigned n = 1 + pick(3); n; n--) {
            comp *c = some_shown();
            same = change_one(f, c) && same;
            bh_add_int(f->env.cx, c->bump, 1);
        }
        if (pick(4) == 0)
            fake_render(f); /* effects wait; more may come before they run */
        else
            fake_settle(f);
        fake_settle(f);
        check(f);
        for (unsigned i = 0; same && i < n_before; i++)
            if (was_shown[i] && w->comps[i].shown && births[i] != w->comps[i].birth)
                fail_msg("seed %llu, after \"%s\": component %u is another instance", w->seed,
                         w->step, i);
        use_page(f);
        fake_settle(f);
        check(f);
        const comp *c = some_shown();
        if (!c->fail) {
            w->called = -1;
            bh_call(f->env.cx, c->call, &(bh_event){.type = BH_ON_click});
            assert_int_equal(w->called, c->version);
        }
    }
    fake_stop(f);
    assert_int_equal(w->live, 0);
    assert_null(w->source.first);
}

static void random_programs(void **state)
{
    (void)state;
    const char *n = getenv("BH_PROP_SESSIONS"), *at = getenv("BH_PROP_SEED");
    unsigned long long seed = at ? strtoull(at, NULL, 10) : (unsigned long long)time(NULL) * 10000;
    unsigned long count = at ? 1 : n ? strtoul(n, NULL, 10) : SESSIONS;
    printf("%lu programs from seed %llu\n", count, seed);
    fake f;
    fake_init(&f);
    f.host.show_errors = false;
    for (unsigned long i = 0; i < count; i++) run_program(&f, seed + i);
    fake_fini(&f);
}

int main(void)
{
    w = calloc(1, sizeof *w);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    free(w);
    return r;
}
