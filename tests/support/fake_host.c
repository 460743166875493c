/* SPDX-License-Identifier: MIT */
#include "support/fake_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vdom/buf.h"
#include "vdom/mem.h"

static fake *of(bh_host *host) { return (fake *)(void *)host; }

static uint64_t fake_now(bh_host *host) { return of(host)->now; }

static void fake_wake(bh_host *host, bh_session *session)
{
    (void)session;
    of(host)->wakes++;
}

static void fake_timer_at(bh_host *host, bh_session *session, uint64_t due_ms)
{
    (void)session;
    of(host)->due = due_ms;
}

static void fake_fault(bh_host *host, bh_session *session, const char *text)
{
    (void)session;
    of(host)->faults++;
    snprintf(of(host)->fault, sizeof of(host)->fault, "%s", text);
}

static void fake_warn(bh_host *host, bh_session *session, const char *text)
{
    (void)session;
    of(host)->warnings++;
    snprintf(of(host)->warning, sizeof of(host)->warning, "%s", text);
}

static const bh_host_ops fake_ops = {fake_now, fake_wake, fake_timer_at, fake_fault, fake_warn};

void fake_init(fake *f)
{
    *f = (fake){.host = {.ops = &fake_ops, .show_errors = true}, .now = 1000, .due = UINT64_MAX};
    bh_render_env_init(&f->env);
}

void fake_stop(fake *f)
{
    bh_session_free(f->session);
    f->session = NULL;
    bh_page_model_free(f->page);
    f->page = NULL;
}

void fake_fini(fake *f)
{
    fake_stop(f);
    assert_int_equal(f->env.session_bytes, 0);
    assert_int_equal(f->env.pool.live_bytes, 0);
    bh_render_env_fini(&f->env);
    bh_free(f->dump);
}

size_t fake_render(fake *f)
{
    bh_patch_sink sink = bh_page_model_sink(f->page);
    f->ops = bh_session_render(f->session, &sink);
    const char *why = NULL;
    if (!bh_page_model_equals(f->page, bh_session_root(f->session), &why))
        fail_msg("the page differs from the tree: %s\n%s", why, fake_dump(f));
    assert_int_equal(bh_page_model_faults(f->page), 0);
    return f->ops;
}

size_t fake_turn(fake *f)
{
    size_t ops = fake_render(f);
    bh_session_effects(f->session, true);
    return ops;
}

unsigned fake_settle(fake *f)
{
    unsigned n = 0;
    while (bh_session_pending(f->session)) {
        fake_turn(f);
        if (++n > 200)
            fail_msg("does not settle");
    }
    return n;
}

void fake_start(fake *f, const bh_component *root, const void *props)
{
    f->page = bh_page_model_new(f->env.names);
    f->session = bh_session_new(&(bh_session_params){.host = &f->host,
                                                     .env = &f->env,
                                                     .root = root,
                                                     .props = props,
                                                     .path = "/p",
                                                     .query = "q=1"});
    fake_turn(f);
}

typedef struct pick {
    bh_event_type type;
    unsigned nth;
    unsigned all;
    uint32_t hid;
} pick;

static void pick_one(void *arg, const bh_node *n, const bh_attr *handler)
{
    (void)n;
    pick *p = arg;
    p->all++;
    if (handler->atom == (uint16_t)p->type && p->nth-- == 0)
        p->hid = handler->u.handler->hid;
}

uint32_t fake_hid(fake *f, bh_event_type type, unsigned nth)
{
    pick p = {.type = type, .nth = nth};
    bh_session_each_handler(f->session, pick_one, &p);
    return p.hid;
}

unsigned fake_handlers(fake *f)
{
    pick p = {.type = BH_ON_NONE};
    bh_session_each_handler(f->session, pick_one, &p);
    return p.all;
}

/* ---- what a browser does to the page before it reports the event --------------------------------- */

typedef struct user {
    fake *f;
    uint32_t hid;
    const bh_event *event;
    const bh_node *control;
} user;

static void find_control(void *arg, const bh_node *n, const bh_attr *handler)
{
    user *u = arg;
    if (handler->u.handler->hid == u->hid)
        u->control = n;
}

static const char *str_of(const bh_node *n, uint16_t atom)
{
    const bh_attr *a = bh_node_attr(n, atom);
    return a && a->kind == BH_VAL_STR ? a->u.str : "";
}

static void user_sets(user *u, const bh_node *n, bh_attr attr)
{
    if (!bh_node_attr(n, attr.atom))
        return; /* not the program's: the tree says nothing about it */
    bh_patch_sink sink = bh_page_model_sink(u->f->page);
    sink.ops->set_attr(sink.self, n, &attr);
}

static void user_flag(user *u, const bh_node *n, uint16_t atom, bool on)
{
    user_sets(u, n, (bh_attr){.atom = atom, .kind = on ? BH_VAL_TRUE : BH_VAL_FALSE});
}

/* The other radios of the group go off; the options of a select follow the choice. */
static void user_others(user *u, const bh_node *n)
{
    if (n->kind == BH_NODE_SLOT) {
        user_others(u, n->u.slot.slot->cur);
        return;
    }
    if (n->kind == BH_NODE_TEXT)
        return;
    if (n->kind == BH_NODE_ELEMENT && n != u->control && u->control->tag == BH_TAG_INPUT &&
        n->tag == BH_TAG_INPUT && strcmp(str_of(n, BH_A_type), "radio") == 0 &&
        strcmp(str_of(n, BH_A_name), str_of(u->control, BH_A_name)) == 0)
        user_flag(u, n, BH_A_checked, false);
    if (n->kind == BH_NODE_ELEMENT && n->tag == BH_TAG_OPTION) {
        const char *value = bh_node_attr(n, BH_A_value) ? str_of(n, BH_A_value)
                            : n->u.el.first             ? n->u.el.first->u.text.str
                                                        : "";
        bool on = false;
        for (size_t i = 0; i < u->event->n_fields; i++)
            on = on || strcmp(u->event->fields[i].value, value) == 0;
        user_flag(u, n, BH_A_selected,
                  on || (!u->event->n_fields && !strcmp(u->event->value, value)));
    }
    for (const bh_node *c = n->u.el.first; c; c = c->next) user_others(u, c);
}

static void user_acts(fake *f, uint32_t hid, const bh_event *event)
{
    user u = {.f = f, .hid = hid, .event = event};
    bh_session_each_handler(f->session, find_control, &u);
    if (!u.control || !event->value)
        return;
    const char *type = str_of(u.control, BH_A_type);
    bool radio = strcmp(type, "radio") == 0;
    if (radio || strcmp(type, "checkbox") == 0) {
        user_flag(&u, u.control, BH_A_checked, event->checked);
        if (radio)
            user_others(&u, bh_session_root(f->session));
        return;
    }
    user_sets(&u, u.control,
              (bh_attr){.atom = BH_A_value,
                        .kind = BH_VAL_STR,
                        .len = (uint32_t)strlen(event->value),
                        .u.str = event->value});
    if (u.control->tag == BH_TAG_SELECT)
        user_others(&u, u.control);
}

bool fake_event(fake *f, unsigned nth, const bh_event *event)
{
    user_acts(f, fake_hid(f, event->type, nth), event);
    return bh_session_event(f->session, fake_hid(f, event->type, nth), event);
}

bool fake_click(fake *f, unsigned nth)
{
    return fake_event(f, nth, &(bh_event){.type = BH_ON_click});
}

bool fake_type(fake *f, unsigned nth, const char *value)
{
    return fake_event(f, nth, &(bh_event){.type = BH_ON_input, .value = value});
}

void fake_advance(fake *f, uint64_t ms)
{
    uint64_t until = f->now + ms;
    while (f->due <= until) {
        if (f->due > f->now)
            f->now = f->due;
        bh_session_timers(f->session, f->now);
        fake_settle(f);
    }
    f->now = until;
}

static void dump(bh_buf *out, const bh_names *names, const bh_node *n)
{
    if (n->kind == BH_NODE_SLOT) {
        dump(out, names, n->u.slot.slot->cur);
        return;
    }
    if (n->kind == BH_NODE_TEXT) {
        bh_buf_put(out, n->u.text.str, n->len);
        return;
    }
    if (n->kind == BH_NODE_ELEMENT) {
        bh_buf_byte(out, '<');
        bh_buf_str(out, bh_tag_name(names, n->tag)->html);
        for (unsigned i = 0; i < n->n_attrs; i++) {
            const bh_attr *a = &n->u.el.attrs[i];
            bh_buf_byte(out, ' ');
            if (a->kind == BH_VAL_HANDLER) {
                bh_buf_byte(out, '@');
                bh_buf_str(out, bh_event_dom_name((bh_event_type)a->atom));
                continue;
            }
            if (a->kind == BH_VAL_FALSE)
                bh_buf_byte(out, '!');
            bh_buf_str(out, a->kind == BH_VAL_RAW ? "raw" : bh_attr_name(names, a->atom)->html);
            if (a->kind == BH_VAL_STR || a->kind == BH_VAL_RAW) {
                bh_buf_str(out, "=\"");
                bh_buf_put(out, a->u.str, a->len);
                bh_buf_byte(out, '"');
            }
        }
        bh_buf_byte(out, '>');
    }
    for (const bh_node *c = n->u.el.first; c; c = c->next) dump(out, names, c);
    if (n->kind == BH_NODE_ELEMENT) {
        bh_buf_str(out, "</");
        bh_buf_str(out, bh_tag_name(names, n->tag)->html);
        bh_buf_byte(out, '>');
    }
}

const char *fake_dump(fake *f)
{
    bh_buf out;
    bh_buf_init(&out);
    if (bh_session_root(f->session))
        dump(&out, f->env.names, bh_session_root(f->session));
    bh_buf_byte(&out, 0);
    bh_free(f->dump);
    f->dump = bh_alloc(out.len);
    memcpy(f->dump, out.data, out.len);
    bh_buf_fini(&out);
    return f->dump;
}

size_t fake_nodes(fake *f) { return bh_dom_count(bh_session_root(f->session)); }
