/* SPDX-License-Identifier: MIT */
#include "support/oplog.h"

#include <stdio.h>

void oplog_init(oplog *log, const bh_names *names)
{
    *log = (oplog){.names = names};
    bh_buf_init(&log->text);
}

void oplog_fini(oplog *log) { bh_buf_fini(&log->text); }

void oplog_clear(oplog *log)
{
    log->text.len = 0;
    log->ops = log->moves = log->inserts = log->removes = 0;
}

const char *oplog_text(oplog *log)
{
    *bh_buf_room(&log->text, 1) = '\0';
    return (const char *)log->text.data;
}

static void word(oplog *log, const char *s) { bh_buf_str(&log->text, s); }

static void label(oplog *log, const bh_node *n)
{
    char num[32];
    if (n->kind == BH_NODE_TEXT) {
        word(log, "'");
        bh_buf_put(&log->text, n->u.text.str, n->len);
        word(log, "'");
        return;
    }
    if (n->kind == BH_NODE_FRAGMENT)
        word(log, "[");
    if (n->kind == BH_NODE_SLOT)
        word(log, "{");
    if (n->key && n->key->kind == BH_KEY_INT) {
        snprintf(num, sizeof num, "#%lld", (long long)n->key->u.num);
        word(log, num);
    } else if (n->key) {
        word(log, n->key->u.str);
    } else if (n->kind == BH_NODE_ELEMENT) {
        word(log, bh_tag_name(log->names, n->tag)->html);
    }
    if (n->kind == BH_NODE_FRAGMENT)
        word(log, "]");
    if (n->kind == BH_NODE_SLOT)
        word(log, "}");
}

/* Starts an operation; false: only counted. */
static bool begin(oplog *log, const char *verb, const bh_node *n)
{
    log->ops++;
    if (log->quiet)
        return false;
    if (log->text.len)
        word(log, "; ");
    word(log, verb);
    if (n) {
        word(log, " ");
        label(log, n);
    }
    return true;
}

static void place(oplog *log, const bh_node *n)
{
    const bh_node *after = bh_dom_after(n);
    word(log, after ? " before " : " last");
    if (after)
        label(log, after);
}

static void log_insert(void *self, const bh_node *n)
{
    oplog *log = self;
    log->inserts++;
    if (begin(log, "insert", n))
        place(log, n);
    if (log->also)
        log->also->ops->insert(log->also->self, n);
}

static void log_move(void *self, const bh_node *n)
{
    oplog *log = self;
    log->moves++;
    if (begin(log, "move", n))
        place(log, n);
    if (log->also)
        log->also->ops->move(log->also->self, n);
}

static void log_remove(void *self, const bh_node *old, const bh_node *into)
{
    oplog *log = self;
    log->removes++;
    begin(log, "remove", old);
    if (log->also)
        log->also->ops->remove(log->also->self, old, into);
}

static void log_set_text(void *self, const bh_node *n)
{
    oplog *log = self;
    begin(log, "text", n);
    if (log->also)
        log->also->ops->set_text(log->also->self, n);
}

static void attr_name(oplog *log, const bh_attr *a)
{
    word(log, " ");
    if (a->kind == BH_VAL_HANDLER) {
        word(log, "on");
        word(log, bh_event_dom_name((bh_event_type)a->atom));
    } else if (a->kind == BH_VAL_RAW) {
        word(log, "html");
    } else {
        /* React's name tells value from default_value. */
        word(log, bh_attr_name(log->names, a->atom)->react);
    }
}

static void log_set_attr(void *self, const bh_node *n, const bh_attr *a)
{
    oplog *log = self;
    if (begin(log, "set", n)) {
        attr_name(log, a);
        if (a->kind == BH_VAL_STR || a->kind == BH_VAL_RAW) {
            word(log, "=");
            bh_buf_put(&log->text, a->u.str, a->len);
        } else if (a->kind == BH_VAL_FALSE) {
            word(log, "!");
        } else if (a->kind == BH_VAL_HANDLER) {
            char num[32];
            snprintf(num, sizeof num, "=%u/%u", a->u.handler->hid, a->u.handler->flags);
            word(log, num);
        }
    }
    if (log->also)
        log->also->ops->set_attr(log->also->self, n, a);
}

static void log_del_attr(void *self, const bh_node *n, const bh_attr *old)
{
    oplog *log = self;
    if (begin(log, "del", n))
        attr_name(log, old);
    if (log->also)
        log->also->ops->del_attr(log->also->self, n, old);
}

static const bh_patch_ops log_ops = {log_insert,   log_move,     log_remove,
                                     log_set_text, log_set_attr, log_del_attr};

bh_patch_sink oplog_sink(oplog *log) { return (bh_patch_sink){&log_ops, log}; }
