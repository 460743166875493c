/* SPDX-License-Identifier: MIT
 * render/input.c — controlled inputs.
 *
 * The browser has changed a control before we hear of it. So the tree, which stands for what the
 * client shows, takes over what the event reports; if that differs from what the last render said,
 * the component renders again, and the diff states the program's value where it is another one. A
 * handler that keeps the old value thus puts it back; one that takes over the new value sends
 * nothing, and the caret stays. */
#include <string.h>

#include "render/internal.h"

static bh_attr *live_attr(const bh_node *n, uint16_t atom)
{
    for (unsigned i = 0; i < n->n_attrs; i++) {
        const bh_attr *a = &n->u.el.attrs[i];
        if (a->atom == atom && a->kind != BH_VAL_HANDLER && a->kind != BH_VAL_RAW)
            return (bh_attr *)(uintptr_t)a; /* the newest tree is ours to edit */
    }
    return NULL;
}

static const char *attr_str(const bh_node *n, uint16_t atom)
{
    const bh_attr *a = live_attr(n, atom);
    return a && a->kind == BH_VAL_STR ? a->u.str : NULL;
}

/* Text of the output's element is in `owner`'s arena, and so is its new value. */
static void report_value(bh_instance *owner, const bh_node *n, const char *value)
{
    bh_attr *a = live_attr(n, BH_A_value);
    if (!a || a->kind != BH_VAL_STR || strcmp(a->u.str, value) == 0)
        return;
    size_t len = strlen(value), had = owner->out.bytes;
    bh_session *s = owner->session;
    if (s->reported_pass != s->pass) {
        s->reported_pass = s->pass;
        s->reported = 0;
    }
    if (s->reported && s->reported + len > BH_MAX_REPORTED) {
        /* They pile up until the next render, which a client holds off by acknowledging nothing. */
        bh__mark_dirty(owner);
        bh__warn_once(
            s, BH_WARN_REPORTS,
            "more than %d bytes of edits before a render: what a control shows may differ",
            BH_MAX_REPORTED);
        return;
    }
    s->reported += (uint32_t)len + 1;
    if (!owner->out.pool)
        bh_arena_init(&owner->out, &s->env->pool);
    a->u.str = bh_arena_copy(&owner->out, value, len);
    a->len = (uint32_t)len;
    bh__session_account(s, owner->out.bytes, had);
    bh__mark_dirty(owner);
}

static void report_flag(bh_instance *owner, const bh_node *n, uint16_t atom, bool on)
{
    bh_attr *a = live_attr(n, atom);
    if (!a || a->kind == (on ? BH_VAL_TRUE : BH_VAL_FALSE) ||
        (a->kind != BH_VAL_TRUE && a->kind != BH_VAL_FALSE))
        return;
    a->kind = on ? BH_VAL_TRUE : BH_VAL_FALSE;
    bh__mark_dirty(owner);
}

typedef struct walk {
    bh_instance *owner; /* of the nodes being walked */
    const bh_node *control;
    const bh_event *ev;
    const char *radio; /* group name */
} walk;

/* Calls fn for each element below n, through slots. */
static void each_element(walk *w, const bh_node *n, void (*fn)(walk *w, const bh_node *n))
{
    if (n->kind == BH_NODE_SLOT) {
        if (!n->u.slot.slot)
            return;
        bh_instance *inst = bh_slot_instance(n->u.slot.slot), *owner = w->owner;
        if (inst->kind == BH_INST_COMPONENT)
            w->owner = inst;
        else if (inst->kind == BH_INST_PROVIDER)
            w->owner = inst->desc->author;
        else
            w->owner = inst->desc->author->desc->author;
        if (inst->slot.cur)
            each_element(w, inst->slot.cur, fn);
        w->owner = owner;
        return;
    }
    if (n->kind == BH_NODE_ELEMENT)
        fn(w, n);
    if (bh_node_has_children(n))
        for (const bh_node *c = n->u.el.first; c; c = c->next)
            each_element(w, c, fn);
}

static void other_radio(walk *w, const bh_node *n)
{
    if (n == w->control || n->tag != BH_TAG_INPUT)
        return;
    const char *type = attr_str(n, BH_A_type), *name = attr_str(n, BH_A_name);
    if (type && name && strcmp(type, "radio") == 0 && strcmp(name, w->radio) == 0)
        report_flag(w->owner, n, BH_A_checked, false);
}

static void option_selected(walk *w, const bh_node *n)
{
    if (n->tag != BH_TAG_OPTION)
        return;
    const char *value = attr_str(n, BH_A_value);
    if (!value && n->u.el.first && n->u.el.first->kind == BH_NODE_TEXT)
        value = n->u.el.first->u.text.str;
    if (!value)
        value = "";
    bool on = !live_attr(w->control, BH_A_multiple) && strcmp(value, w->ev->value) == 0;
    if (live_attr(w->control, BH_A_multiple))
        for (size_t i = 0; i < w->ev->n_fields && !on; i++)
            on = strcmp(w->ev->fields[i].value, value) == 0;
    report_flag(w->owner, n, BH_A_selected, on);
}

void bh__input_reported(bh_session *s, const bh_handler_rec *rec, const bh_event *ev)
{
    const bh_node *n = rec->element;
    bool edit = ev->type == BH_ON_input || ev->type == BH_ON_change;
    bool tells_value = edit || ev->type == BH_ON_blur || ev->type == BH_ON_focus ||
                       ev->type == BH_ON_keydown || ev->type == BH_ON_keyup;
    if (!tells_value ||
        (n->tag != BH_TAG_INPUT && n->tag != BH_TAG_TEXTAREA && n->tag != BH_TAG_SELECT))
        return;
    walk w = {.owner = rec->inst, .control = n, .ev = ev};
    if (n->tag == BH_TAG_SELECT) {
        if (!edit)
            return;
        if (!live_attr(n, BH_A_multiple))
            report_value(rec->inst, n, ev->value);
        each_element(&w, n, option_selected);
        return;
    }
    const char *type = n->tag == BH_TAG_INPUT ? attr_str(n, BH_A_type) : NULL;
    bool radio = type && strcmp(type, "radio") == 0;
    if (!radio && !(type && strcmp(type, "checkbox") == 0)) {
        if (!(type && strcmp(type, "file") == 0))
            report_value(rec->inst, n, ev->value);
        return;
    }
    if (!edit)
        return;
    report_flag(rec->inst, n, BH_A_checked, ev->checked);
    w.radio = attr_str(n, BH_A_name);
    if (radio && ev->checked && w.radio) {
        w.owner = s->root;
        each_element(&w, s->root->slot.cur, other_radio);
    }
}
