/* SPDX-License-Identifier: MIT */
#include "tests/wire/tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tree_env_init(tree_env *env)
{
    bh_chunk_pool_init(&env->pool);
    env->names = bh_names_new();
    env->scratch = bh_diff_scratch_new();
    env->next_nid = 1;
}

void tree_env_fini(tree_env *env)
{
    bh_diff_scratch_free(env->scratch);
    bh_names_free(env->names);
    bh_chunk_pool_fini(&env->pool);
}

/* ---- parsing ------------------------------------------------------------------------------------ */

struct parse {
    tree_env *env;
    bh_arena *arena;
    const char *text, *at;
};

static void die(const struct parse *p, const char *what)
{
    fprintf(stderr, "tree: %s at '%.30s' in '%s'\n", what, p->at, p->text);
    abort();
}

static size_t word(struct parse *p, char *out, size_t size)
{
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || (*p->at && strchr("-_:.", *p->at))) {
        if (n + 1 < size)
            out[n++] = *p->at;
        p->at++;
    }
    out[n] = '\0';
    return n;
}

static const char *quoted(struct parse *p, char quote, size_t *ret_len)
{
    const char *from = ++p->at;
    while (*p->at && *p->at != quote) p->at++;
    if (!*p->at)
        die(p, "no closing quote");
    *ret_len = (size_t)(p->at++ - from);
    return bh_arena_copy(p->arena, from, *ret_len);
}

static bh_event_type event_of(struct parse *p, const char *name)
{
    for (unsigned i = 1; i < BH_ON__COUNT; i++)
        if (strcmp(bh_event_dom_name((bh_event_type)i), name) == 0)
            return (bh_event_type)i;
    die(p, "no such event");
    return BH_ON_NONE;
}

static void parse_handler(struct parse *p, const char *name, bh_attr *a)
{
    bh_handler_head *h = bh_arena_alloc(p->arena, sizeof *h);
    char *end;
    h->hid = (uint32_t)strtoul(p->at, &end, 10);
    h->flags = *end == ':' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
    p->at = end;
    *a = (bh_attr){.atom = (uint16_t)event_of(p, name), .kind = BH_VAL_HANDLER, .u.handler = h};
}

static uint16_t attr_atom(struct parse *p, const char *name)
{
    if (strcmp(name, "default-value") == 0)
        return BH_A_default_value;
    if (strcmp(name, "default-checked") == 0)
        return BH_A_default_checked;
    if (strcmp(name, "value") == 0)
        return BH_A_value;
    if (strcmp(name, "checked") == 0)
        return BH_A_checked;
    uint16_t atom = bh_attr_atom_of(p->env->names, name);
    if (!atom)
        die(p, "attribute refused");
    return atom;
}

static void parse_key(struct parse *p, bh_node *n)
{
    bh_key *key = bh_arena_alloc(p->arena, sizeof *key);
    size_t len;
    if (*p->at == '\'') {
        *key = bh_key_str(quoted(p, '\'', &len));
    } else {
        char *end;
        *key = bh_key_int(strtoll(p->at, &end, 10));
        p->at = end;
    }
    n->key = key;
}

static void parse_attrs(struct parse *p, bh_node *n)
{
    bh_attr list[32];
    unsigned used = 0;
    for (;;) {
        char name[80];
        size_t len;
        while (*p->at == ' ') p->at++;
        if (!word(p, name, sizeof name))
            break;
        bh_attr *a = &list[used];
        if (*p->at == '=') {
            p->at++;
            if (strcmp(name, "key") == 0) {
                parse_key(p, n);
                continue;
            }
            if (strncmp(name, "on:", 3) == 0) {
                parse_handler(p, name + 3, a);
                n->flags |= BH_NODE_HANDLERS;
            } else if (strcmp(name, "html") == 0) {
                *a = (bh_attr){.kind = BH_VAL_RAW, .u.str = quoted(p, '"', &len)};
                a->len = (uint32_t)len;
                n->flags |= BH_NODE_RAW;
            } else {
                *a = (bh_attr){
                    .atom = attr_atom(p, name), .kind = BH_VAL_STR, .u.str = quoted(p, '"', &len)};
                a->len = (uint32_t)len;
            }
        } else {
            bool off = *p->at == '!';
            p->at += off;
            *a = (bh_attr){.atom = attr_atom(p, name), .kind = off ? BH_VAL_FALSE : BH_VAL_TRUE};
        }
        if (++used == sizeof list / sizeof *list)
            die(p, "too many attributes");
    }
    bh_attr *attrs = bh_arena_alloc(p->arena, used * sizeof *attrs + 1);
    memcpy(attrs, list, used * sizeof *attrs);
    if (n->kind == BH_NODE_ELEMENT) {
        n->u.el.attrs = attrs;
        n->n_attrs = (uint16_t)used;
    }
}

static void parse_children(struct parse *p, bh_node *parent);

static const char slot_type[] = "slot";

static bh_node *parse_tag(struct parse *p)
{
    char name[80];
    p->at++;
    word(p, name, sizeof name);
    bh_node *n, *inner;
    if (strcmp(name, "frag") == 0) {
        n = inner = bh_node_fragment(p->arena);
    } else if (strcmp(name, "slot") == 0) {
        n = bh_node_slot(p->arena, slot_type);
        bh_slot *slot = bh_arena_alloc(p->arena, sizeof *slot);
        inner = bh_node_fragment(p->arena);
        *slot = (bh_slot){.cur = inner, .place = n};
        inner->owner = slot;
        n->u.slot.slot = slot;
    } else {
        uint16_t tag = bh_tag_atom(p->env->names, name);
        if (!tag)
            die(p, "tag refused");
        n = inner = bh_node_element(p->arena, tag);
    }
    parse_attrs(p, n);
    if (strncmp(p->at, "/>", 2) == 0) {
        p->at += 2;
        return n;
    }
    if (*p->at != '>')
        die(p, "expected >");
    p->at++;
    parse_children(p, inner);
    if (strncmp(p->at, "</>", 3) != 0)
        die(p, "expected </>");
    p->at += 3;
    return n;
}

static void parse_children(struct parse *p, bh_node *parent)
{
    bh_node *tail = NULL;
    while (*p->at && strncmp(p->at, "</>", 3) != 0) {
        if (*p->at == '<') {
            bh_node_append(parent, &tail, parse_tag(p));
            continue;
        }
        size_t len = strcspn(p->at, "<|");
        bh_node_append(parent, &tail, bh_node_text(p->arena, p->at, len));
        p->at += len + (p->at[len] == '|');
    }
}

tree *tree_parse(tree_env *env, const char *text)
{
    tree *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    bh_arena_init(&t->arena, &env->pool);
    struct parse p = {env, &t->arena, text, text};
    t->root = bh_node_fragment(&t->arena);
    t->root->owner = &t->slot;
    t->slot.cur = t->root;
    parse_children(&p, t->root);
    if (*p.at)
        die(&p, "more than was opened");
    return t;
}

void tree_free(tree *t)
{
    if (!t)
        return;
    bh_arena_clear(&t->arena);
    free(t);
}

/* ---- diff ------------------------------------------------------------------------------------------ */

static bh_node *output_of(bh_node *n) { return n->kind == BH_NODE_SLOT ? n->u.slot.slot->cur : n; }

static void match(tree_env *env, bh_node *old, bh_node *cur)
{
    bh_match_children(env->scratch, old, cur);
    for (bh_node *c = cur->u.el.first; c; c = c->next)
        if (c->kind != BH_NODE_TEXT)
            match(env, c->prev ? output_of(c->prev) : NULL, output_of(c));
}

static void visit_slot(void *arg, bh_node *place)
{
    bh_diff_emit_children(arg, output_of(place->prev), output_of(place));
}

void tree_number(tree_env *env, tree *t)
{
    env->next_nid = 1;
    bh_diff d = {.scratch = env->scratch, .next_nid = &env->next_nid};
    match(env, NULL, t->root); /* finds the twins among keys */
    bh_diff_number(&d, t->root);
}

void tree_diff(tree_env *env, tree *old, tree *cur, const bh_patch_sink *sink)
{
    bh_diff d = {.sink = sink,
                 .scratch = env->scratch,
                 .next_nid = &env->next_nid,
                 .visit_slot = visit_slot};
    d.arg = &d;
    match(env, old->root, cur->root);
    bh_diff_emit_children(&d, old->root, cur->root);
}

/* ---- the notation ------------------------------------------------------------------------------------ */

void put_fmt(bh_buf *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bh_buf_str(out, text);
}

void put_json(bh_buf *out, const char *s)
{
    bh_buf_byte(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            put_fmt(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            put_fmt(out, "\\u%04x", (unsigned)*s);
        else
            bh_buf_byte(out, (unsigned char)*s);
    }
    bh_buf_byte(out, '"');
}

void put_hex(bh_buf *out, const unsigned char *p, size_t n)
{
    bh_buf_byte(out, '"');
    for (size_t i = 0; i < n; i++) put_fmt(out, "%02x", p[i]);
    bh_buf_byte(out, '"');
}

struct json {
    const tree_env *env;
    bh_buf *out;
    bool first;
    const char *ns;
};

enum group { ATTRS, PROPS, HANDLERS };

static enum group group_of(const tree_env *env, const bh_node *n, const bh_attr *a)
{
    if (a->kind == BH_VAL_HANDLER)
        return HANDLERS;
    bool prop = (bh_attr_name(env->names, a->atom)->flags & BH_NAME_PROP) != 0;
    bool control = n->tag == BH_TAG_INPUT || n->tag == BH_TAG_SELECT || n->tag == BH_TAG_TEXTAREA;
    return prop && (control || a->atom == BH_A_selected) ? PROPS : ATTRS;
}

static const char *name_of(const tree_env *env, const bh_attr *a)
{
    return a->kind == BH_VAL_HANDLER ? bh_event_dom_name((bh_event_type)a->atom)
                                     : bh_attr_name(env->names, a->atom)->html;
}

static void json_group(const struct json *j, const bh_node *n, enum group group, const char *title)
{
    const bh_attr *list[32];
    unsigned used = 0;
    for (unsigned i = 0; i < n->n_attrs; i++) {
        const bh_attr *a = &n->u.el.attrs[i];
        if (a->kind == BH_VAL_RAW || (a->kind == BH_VAL_STR && a->atom == BH_A_style) ||
            group_of(j->env, n, a) != group || (a->kind == BH_VAL_FALSE && group != PROPS))
            continue;
        unsigned k = used++;
        for (; k && strcmp(name_of(j->env, list[k - 1]), name_of(j->env, a)) > 0; k--)
            list[k] = list[k - 1];
        list[k] = a;
    }
    for (unsigned i = 0; i < used; i++) {
        const bh_attr *a = list[i];
        bh_buf_str(j->out, i ? "," : title);
        put_json(j->out, name_of(j->env, a));
        bh_buf_byte(j->out, ':');
        if (group == HANDLERS)
            put_fmt(j->out, "[%u,%u]", a->u.handler->hid, a->u.handler->flags);
        else if (a->kind == BH_VAL_STR)
            put_json(j->out, a->u.str);
        else if (group == PROPS)
            bh_buf_str(j->out, a->kind == BH_VAL_TRUE ? "true" : "false");
        else
            bh_buf_str(j->out, "\"\"");
    }
    if (used)
        bh_buf_byte(j->out, '}');
}

static void json_node(void *arg, const bh_node *n)
{
    struct json *j = arg;
    if (!j->first)
        bh_buf_byte(j->out, ',');
    j->first = false;
    if (n->kind == BH_NODE_TEXT) {
        put_json(j->out, n->u.text.str);
        return;
    }
    const char *tag = bh_tag_name(j->env->names, n->tag)->html;
    struct json in = {j->env, j->out, true, j->ns};
    if (strcmp(tag, "svg") == 0 || strcmp(tag, "math") == 0)
        in.ns = tag;
    bh_buf_str(j->out, "{\"tag\":");
    put_json(j->out, tag);
    if (*in.ns) {
        bh_buf_str(j->out, ",\"ns\":");
        put_json(j->out, in.ns);
    }
    if (strcmp(tag, "foreignObject") == 0)
        in.ns = "";
    json_group(j, n, ATTRS, ",\"attrs\":{");
    json_group(j, n, PROPS, ",\"props\":{");
    const bh_attr *style = bh_node_attr(n, BH_A_style), *raw = bh_node_attr(n, BH_A_NONE);
    if (style) {
        bh_buf_str(j->out, ",\"style\":");
        put_json(j->out, style->u.str);
    }
    json_group(j, n, HANDLERS, ",\"on\":{");
    if (raw && raw->len) {
        bh_buf_str(j->out, ",\"html\":");
        put_json(j->out, raw->u.str);
    }
    size_t mark = j->out->len;
    bh_buf_str(j->out, ",\"children\":[");
    for (const bh_node *c = n->u.el.first; c; c = c->next) bh_dom_each(c, json_node, &in);
    if (in.first)
        j->out->len = mark;
    else
        bh_buf_byte(j->out, ']');
    bh_buf_byte(j->out, '}');
}

void tree_json(const tree_env *env, const tree *t, bh_buf *out)
{
    struct json j = {env, out, true, ""};
    bh_buf_byte(out, '[');
    bh_dom_each(t->root, json_node, &j);
    bh_buf_byte(out, ']');
}

/* ---- golden files -------------------------------------------------------------------------------------- */

void golden_check(const char *file, const bh_buf *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/wire/vectors/%s", BH_TEST_SOURCE_DIR, file);
    const char *update = getenv("BH_UPDATE_GOLDEN");
    bool write = update && strcmp(update, "1") == 0;
    FILE *f = fopen(path, write ? "wb" : "rb");
    if (!f) {
        fprintf(stderr, "%s: cannot open (BH_UPDATE_GOLDEN=1 writes it)\n", path);
        abort();
    }
    if (write) {
        if (fwrite(out->data, 1, out->len, f) != out->len || fclose(f) != 0)
            abort();
        return;
    }
    char *data = malloc(out->len + 2);
    if (!data)
        abort();
    size_t n = fread(data, 1, out->len + 2, f), same = 0;
    fclose(f);
    while (same < n && same < out->len && data[same] == (char)out->data[same]) same++;
    if (n != out->len || same != n) {
        fprintf(stderr, "%s differs at byte %zu:\n  file: %.120s\n  now:  %.120s\n", path, same,
                same < n ? data + same : "", same < out->len ? (char *)out->data + same : "");
        abort();
    }
    free(data);
}
