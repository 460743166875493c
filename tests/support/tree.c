/* SPDX-License-Identifier: MIT */
#include "support/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vdom/check.h"
#include "vdom/mem.h"

/* ---- reading -------------------------------------------------------------------------------- */

static char slot_types[128];

static void bad(const char *source, const char *at)
{
    fprintf(stderr, "tree_parse: cannot read '%s' at '%s'\n", source, at);
    abort();
}

typedef struct reader {
    tree_rig *rig;
    const char *source, *at;
} reader;

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

/* A word, or a 'quoted' one; copied into the arena. NULL if there is none. */
static const char *read_word(reader *r)
{
    const char *from = r->at;
    if (*from == '\'') {
        const char *end = strchr(from + 1, '\'');
        if (!end)
            bad(r->source, from);
        r->at = end + 1;
        return bh_arena_copy(&r->rig->arena, from + 1, (size_t)(end - from - 1));
    }
    while (word_char(*r->at)) r->at++;
    return r->at == from ? NULL : bh_arena_copy(&r->rig->arena, from, (size_t)(r->at - from));
}

static const bh_key *make_key(tree_rig *rig, bh_key key)
{
    bh_key *k = bh_arena_alloc(&rig->arena, sizeof *k);
    *k = key;
    return k;
}

static uint16_t field_atom(tree_rig *rig, const char *field)
{
    static const struct {
        const char *field;
        uint16_t atom;
    } fields[] = {
#define BH_ATTR_STR(field, html, react, flags) {#field, BH_A_##field},
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags) {#field, BH_A_##field},
#include <backhaul/names.def>
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].field, field) == 0)
            return fields[i].atom;
    return bh_attr_atom_of(rig->names, field);
}

bh_attr tree_attr(tree_rig *rig, const char *field, const char *value)
{
    if (strncmp(field, "on", 2) == 0)
        for (unsigned e = 1; e < BH_ON__COUNT; e++)
            if (strcmp(bh_event_dom_name((bh_event_type)e), field + 2) == 0) {
                bh_handler_head *h = bh_arena_alloc(&rig->arena, sizeof *h);
                *h = (bh_handler_head){0, value ? (uint32_t)atoi(value) : 0};
                return (bh_attr){.atom = (uint16_t)e, .kind = BH_VAL_HANDLER, .u.handler = h};
            }
    bh_attr a = {.kind = value ? BH_VAL_STR : BH_VAL_TRUE};
    if (value) {
        a.len = (uint32_t)strlen(value);
        a.u.str = bh_arena_copy(&rig->arena, value, a.len);
    }
    if (strcmp(field, "html") == 0)
        a.kind = BH_VAL_RAW;
    else
        a.atom = field_atom(rig, field);
    return a;
}

static void read_attrs(reader *r, bh_node *n)
{
    bh_attr attrs[32];
    unsigned count = 0;
    while (*r->at == '.' && count < 32) {
        r->at++;
        const char *field = read_word(r), *value = NULL;
        bool off = *r->at == '!';
        r->at += off;
        if (*r->at == '=') {
            r->at++;
            value = read_word(r);
            if (!value)
                value = "";
        }
        bh_attr a = tree_attr(r->rig, field ? field : "", value);
        if (!a.atom && a.kind != BH_VAL_RAW)
            bad(r->source, r->at);
        if (off)
            a.kind = BH_VAL_FALSE;
        if (a.kind == BH_VAL_RAW)
            n->flags |= BH_NODE_RAW;
        if (a.kind == BH_VAL_HANDLER)
            n->flags |= BH_NODE_HANDLERS;
        attrs[count++] = a;
    }
    if (count) {
        bh_attr *copy = bh_arena_alloc(&r->rig->arena, count * sizeof *copy);
        memcpy(copy, attrs, count * sizeof *copy);
        n->u.el.attrs = copy;
        n->n_attrs = (uint16_t)count;
    }
}

static void read_nodes(reader *r, bh_node *parent, char end);

static bh_node *read_slot(reader *r, const char *type)
{
    bh_arena *a = &r->rig->arena;
    bh_node *n = bh_node_slot(a, &slot_types[type ? type[0] & 127 : 0]);
    bh_slot *slot = bh_arena_alloc(a, sizeof *slot);
    *slot = (bh_slot){bh_node_fragment(a), NULL, n};
    slot->cur->owner = slot;
    n->u.slot.slot = slot;
    r->at++;
    read_nodes(r, slot->cur, '}');
    return n;
}

static uint16_t read_site(reader *r)
{
    if (*r->at != '@')
        return 0;
    char *end;
    unsigned long site = strtoul(r->at + 1, &end, 10);
    r->at = end;
    return (uint16_t)site;
}

static bh_node *read_node(reader *r)
{
    bh_arena *a = &r->rig->arena;
    bh_node *n;
    const bh_key *key = NULL;
    const char *tag = NULL, *text;
    if (*r->at == '\'') {
        text = read_word(r);
        n = bh_node_text(a, text, strlen(text));
        n->site = read_site(r);
        return n;
    }
    const char *from = r->at, *w = read_word(r);
    if (*r->at == ':') {
        tag = w;
        r->at++;
        w = *r->at == '\'' || word_char(*r->at) ? read_word(r) : NULL;
    }
    if (w) {
        key = make_key(r->rig, bh_key_str(w));
    } else if (*r->at == '#') {
        char *end;
        key = make_key(r->rig, bh_key_int(strtoll(r->at + 1, &end, 10)));
        r->at = end;
    }
    uint16_t site = read_site(r);
    if (*r->at == '[') {
        n = bh_node_fragment(a);
        r->at++;
        read_nodes(r, n, ']');
    } else if (*r->at == '{') {
        n = read_slot(r, tag);
    } else {
        if (r->at == from)
            bad(r->source, from);
        uint16_t atom = bh_tag_atom(r->rig->names, tag ? tag : "li");
        if (!atom)
            bad(r->source, from);
        n = bh_node_element(a, atom);
        read_attrs(r, n);
        if (*r->at == '(') {
            r->at++;
            read_nodes(r, n, ')');
        }
    }
    n->key = key;
    n->site = site;
    return n;
}

static void read_nodes(reader *r, bh_node *parent, char end)
{
    bh_node *tail = NULL;
    for (;;) {
        while (*r->at == ' ') r->at++;
        if (*r->at == end) {
            r->at += end != '\0';
            return;
        }
        if (!*r->at)
            bad(r->source, r->at);
        bh_node_append(parent, &tail, read_node(r));
    }
}

bh_node *tree_parse(tree_rig *rig, const char *source)
{
    reader r = {rig, source, source};
    bh_node *root = bh_node_fragment(&rig->arena);
    read_nodes(&r, root, '\0');
    return root;
}

/* ---- showing: what the layer above does, in small -------------------------------------------- */

static void wrong(tree_rig *rig, const char *why)
{
    if (!rig->why)
        rig->why = why;
}

static bool same_sort(const bh_node *a, const bh_node *b)
{
    return a->kind == b->kind && a->tag == b->tag &&
           (a->kind != BH_NODE_SLOT || a->u.slot.type == b->u.slot.type);
}

/* Slow and plain: who had to continue whom by key, and how many moves are needed at least. */
static void reference(tree_rig *rig, const bh_node *prev, const bh_node *cur)
{
    uint32_t n = 0, best = 0;
    uint32_t *pos = bh_alloc(2 * (cur->len + 1) * sizeof *pos), *run = pos + cur->len + 1;
    for (const bh_node *c = cur->u.el.first; c; c = c->next) {
        for (const bh_node *o = prev ? prev->u.el.first : NULL; o; o = o->next) {
            bool keyed = c->key && o->key && !((c->flags | o->flags) & BH_NODE_TWIN);
            if (keyed && bh_key_equal(c->key, o->key) && same_sort(c, o) && c->prev != o)
                wrong(rig, "equal keys of one sort did not continue each other");
        }
        if (!c->prev)
            continue;
        if (!prev || c->prev->parent != prev || !same_sort(c, c->prev) ||
            !(c->prev->flags & BH_NODE_CLAIMED))
            wrong(rig, "a match that is none");
        pos[n] = c->prev->index;
        run[n] = 1;
        for (uint32_t i = 0; i < n; i++) {
            if (pos[i] == pos[n])
                wrong(rig, "two nodes continue one");
            if (pos[i] < pos[n] && run[i] + 1 > run[n])
                run[n] = run[i] + 1;
        }
        best = run[n] > best ? run[n] : best;
        n++;
    }
    rig->expect_moves += n - best;
    bh_free(pos);
}

static void continue_handlers(tree_rig *rig, const bh_node *old, bh_node *cur)
{
    for (unsigned i = 0; i < cur->n_attrs; i++) {
        const bh_attr *a = &cur->u.el.attrs[i];
        bool had = false;
        if (a->kind != BH_VAL_HANDLER)
            continue;
        for (unsigned k = 0; k < old->n_attrs; k++)
            had |= old->u.el.attrs[k].kind == BH_VAL_HANDLER && old->u.el.attrs[k].atom == a->atom;
        if (!had)
            a->u.handler->hid = rig->next_hid++;
    }
}

static void match(tree_rig *rig, bh_node *prev, bh_node *cur)
{
    rig->twins += bh_match_children(rig->scratch, prev, cur);
    reference(rig, prev, cur);
    for (bh_node *c = cur->u.el.first; c; c = c->next) {
        if (c->kind == BH_NODE_SLOT) {
            bh_slot *slot = c->u.slot.slot;
            if (c->prev) { /* the slot goes on living, with new contents */
                bh_slot *old = c->prev->u.slot.slot;
                *old = (bh_slot){slot->cur, old->cur, c};
                old->cur->owner = old;
                c->u.slot.slot = slot = old;
            }
            match(rig, slot->prev, slot->cur);
        } else if (bh_node_has_children(c)) {
            if (c->prev && c->kind == BH_NODE_ELEMENT)
                continue_handlers(rig, c->prev, c);
            match(rig, c->prev, c);
        }
    }
}

static void visit_slot(void *arg, bh_node *place)
{
    tree_rig *rig = arg;
    bh_slot *slot = place->u.slot.slot;
    bh_diff_emit_children(&rig->diff, slot->prev, slot->cur);
    slot->prev = NULL;
}

static void adopt(void *arg, bh_node *element)
{
    tree_rig *rig = arg;
    for (unsigned i = 0; i < element->n_attrs; i++)
        if (element->u.el.attrs[i].kind == BH_VAL_HANDLER)
            element->u.el.attrs[i].u.handler->hid = rig->next_hid++;
}

const char *tree_show_node(tree_rig *rig, bh_node *root)
{
    const char *why;
    oplog_clear(&rig->log);
    rig->twins = rig->expect_moves = 0;
    rig->root.prev = rig->root.cur;
    rig->root.cur = root;
    root->owner = &rig->root;
    match(rig, rig->root.prev, root);
    bh_diff_emit_children(&rig->diff, rig->root.prev, root);
    rig->root.prev = NULL;
    if (rig->log.moves != rig->expect_moves)
        wrong(rig, "more or fewer moves than matched - LIS");
    if ((why = bh_tree_check(rig->names, root, rig->next_nid)))
        wrong(rig, why);
    if (bh_page_model_faults(rig->page))
        wrong(rig, "an operation that makes no sense to the page");
    if (!bh_page_model_equals(rig->page, root, &why))
        wrong(rig, why);
    return oplog_text(&rig->log);
}

const char *tree_show(tree_rig *rig, const char *source)
{
    return tree_show_node(rig, tree_parse(rig, source));
}

/* ---- life ------------------------------------------------------------------------------------ */

static void start(tree_rig *rig)
{
    rig->page = bh_page_model_new(rig->names);
    rig->page_sink = bh_page_model_sink(rig->page);
    rig->log.also = &rig->page_sink;
    rig->next_nid = rig->next_hid = 1;
    rig->root = (bh_slot){NULL, NULL, NULL};
    rig->why = NULL;
    oplog_clear(&rig->log);
}

void tree_rig_init(tree_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    bh_chunk_pool_init(&rig->pool);
    bh_arena_init(&rig->arena, &rig->pool);
    rig->names = bh_names_new();
    rig->scratch = bh_diff_scratch_new();
    oplog_init(&rig->log, rig->names);
    rig->log_sink = oplog_sink(&rig->log);
    rig->diff = (bh_diff){&rig->log_sink, rig->scratch, &rig->next_nid, visit_slot, rig, adopt};
    start(rig);
}

void tree_rig_reset(tree_rig *rig)
{
    bh_page_model_free(rig->page);
    bh_arena_clear(&rig->arena);
    start(rig);
}

void tree_rig_fini(tree_rig *rig)
{
    bh_page_model_free(rig->page);
    oplog_fini(&rig->log);
    bh_diff_scratch_free(rig->scratch);
    bh_names_free(rig->names);
    bh_arena_clear(&rig->arena);
    bh_chunk_pool_fini(&rig->pool);
}
