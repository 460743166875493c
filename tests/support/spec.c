/* SPDX-License-Identifier: MIT */
#include "support/spec.h"

#include <stdio.h>
#include <string.h>

static const char *const tags[] = {"li", "p", "div", "input"};
enum { N_TAGS = 4, INPUT = 3, MAX_DEPTH = 6 };
static const char *const texts[] = {"", "x", "yy", "a longer text", "\xc3\xa9"};
enum { N_TEXTS = 5 };
static const struct {
    const char *field;
    char how;
} attrs[] = {
    {"class_name", '='}, {"value", '='},   {"disabled", '+'}, {"checked", '?'},
    {"onclick", 'h'},    {"oninput", 'h'}, {"data-x", '='},   {"default_value", '='},
};

uint32_t spec_pick(spec_source *src, uint32_t below)
{
    if (src->at)
        return src->at < src->end ? *src->at++ % below : 0;
    src->state += 0x9e3779b97f4a7c15u;
    uint64_t z = src->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)(((z >> 32) * below) >> 32);
}

static spec_node make_node(spec_source *src, unsigned depth)
{
    static const uint8_t kinds[] = {BH_NODE_ELEMENT, BH_NODE_ELEMENT, BH_NODE_ELEMENT,
                                    BH_NODE_TEXT,    BH_NODE_TEXT,    BH_NODE_FRAGMENT,
                                    BH_NODE_SLOT};
    spec_node n = {.kind = kinds[spec_pick(src, sizeof kinds)], .depth = (uint8_t)depth};
    n.tag = (uint8_t)spec_pick(src, n.kind == BH_NODE_SLOT ? 2 : N_TAGS);
    n.key = (int8_t)((int)spec_pick(src, 24) - 8); /* a third unkeyed; some twins */
    if (n.key < 0)
        n.key = -1;
    n.site = (uint8_t)spec_pick(src, 3);
    n.value = (uint8_t)spec_pick(src, N_TEXTS);
    n.attrs = n.kind == BH_NODE_ELEMENT && spec_pick(src, 2) ? (uint8_t)spec_pick(src, 256) : 0;
    return n;
}

static bool holds(const spec_node *n)
{
    return n->kind != BH_NODE_TEXT && !(n->kind == BH_NODE_ELEMENT && n->tag == INPUT);
}

void spec_make(spec_tree *tree, spec_source *src, unsigned max_nodes)
{
    tree->n = 0;
    unsigned n = spec_pick(src, max_nodes + 1);
    unsigned bias = spec_pick(src, 4); /* flat lists to deep trees */
    for (unsigned i = 0; i < n && i < SPEC_MAX; i++) {
        unsigned depth = 0;
        if (i) {
            const spec_node *last = &tree->nodes[i - 1];
            unsigned deepest = last->depth + (holds(last) && last->depth < MAX_DEPTH ? 1u : 0u);
            depth = spec_pick(src, 4) < bias ? deepest : spec_pick(src, deepest + 1);
            if (bias == 0 && spec_pick(src, 4))
                depth = 0;
        }
        tree->nodes[tree->n++] = make_node(src, depth);
    }
}

static unsigned subtree(const spec_tree *tree, unsigned i)
{
    unsigned end = i + 1;
    while (end < tree->n && tree->nodes[end].depth > tree->nodes[i].depth) end++;
    return end - i;
}

unsigned spec_drop(spec_tree *tree, unsigned i)
{
    unsigned count = subtree(tree, i);
    memmove(&tree->nodes[i], &tree->nodes[i + count],
            (tree->n - i - count) * sizeof tree->nodes[0]);
    tree->n -= count;
    return count;
}

/* Takes a subtree and puts it before another node, as its sibling. */
static void move_subtree(spec_tree *tree, spec_source *src)
{
    unsigned from = spec_pick(src, tree->n);
    spec_node taken[SPEC_MAX];
    unsigned count = subtree(tree, from);
    memcpy(taken, &tree->nodes[from], count * sizeof taken[0]);
    spec_drop(tree, from);
    unsigned to = tree->n ? spec_pick(src, tree->n) : 0;
    unsigned depth = tree->n ? tree->nodes[to].depth : 0, was = taken[0].depth;
    for (unsigned i = 0; i < count; i++) {
        unsigned d = taken[i].depth - was + depth;
        taken[i].depth = (uint8_t)(d < 2 * MAX_DEPTH ? d : 2 * MAX_DEPTH);
    }
    for (unsigned i = 1; i < count; i++) /* cut off too deep: parents must still hold */
        if (taken[i].depth == taken[i - 1].depth + 1 && !holds(&taken[i - 1]))
            taken[i].depth = taken[i - 1].depth;
    memmove(&tree->nodes[to + count], &tree->nodes[to], (tree->n - to) * sizeof tree->nodes[0]);
    memcpy(&tree->nodes[to], taken, count * sizeof taken[0]);
    tree->n += count;
}

void spec_mutate(spec_tree *tree, const spec_tree *from, spec_source *src, unsigned max_nodes)
{
    *tree = *from;
    for (unsigned k = spec_pick(src, 8); k-- > 0;) {
        unsigned i = tree->n ? spec_pick(src, tree->n) : 0;
        switch (tree->n ? spec_pick(src, 5) : 1) {
        case 0:
            spec_drop(tree, i);
            break;
        case 1:
            if (tree->n >= max_nodes || tree->n >= SPEC_MAX)
                break;
            memmove(&tree->nodes[i + 1], &tree->nodes[i], (tree->n - i) * sizeof tree->nodes[0]);
            tree->nodes[i] = make_node(src, tree->n ? tree->nodes[i + 1].depth : 0);
            tree->n++;
            break;
        case 2:
            tree->nodes[i].value = (uint8_t)spec_pick(src, N_TEXTS);
            break;
        case 3:
            if (tree->nodes[i].kind == BH_NODE_ELEMENT)
                tree->nodes[i].attrs = (uint8_t)spec_pick(src, 256);
            break;
        default:
            move_subtree(tree, src);
        }
    }
}

/* ---- to nodes, to text ------------------------------------------------------------------------ */

static void build_attrs(tree_rig *rig, bh_node *n, const spec_node *s)
{
    bh_attr list[8];
    unsigned count = 0;
    for (unsigned k = 0; k < 8; k++) {
        unsigned i = s->value & 1 ? 7 - k : k; /* in either order */
        if (!(s->attrs & (1u << i)))
            continue;
        const char *value = attrs[i].how == '='   ? texts[s->value]
                            : attrs[i].how == 'h' ? (s->value & 1 ? "1" : "0")
                                                  : NULL;
        bh_attr a = tree_attr(rig, attrs[i].field, value);
        if (attrs[i].how == '?' && (s->value & 2))
            a.kind = BH_VAL_FALSE;
        if (a.kind == BH_VAL_HANDLER)
            n->flags |= BH_NODE_HANDLERS;
        list[count++] = a;
    }
    bh_attr *copy = bh_arena_alloc(&rig->arena, (count + 1) * sizeof *copy);
    memcpy(copy, list, count * sizeof *copy);
    n->u.el.attrs = copy;
    n->n_attrs = (uint16_t)count;
}

static const char slot_types[2];

static bh_node *build_node(tree_rig *rig, const spec_node *s)
{
    bh_arena *a = &rig->arena;
    bh_node *n = NULL;
    if (s->kind == BH_NODE_TEXT) {
        n = bh_node_text(a, texts[s->value], strlen(texts[s->value]));
    } else if (s->kind == BH_NODE_FRAGMENT) {
        n = bh_node_fragment(a);
    } else if (s->kind == BH_NODE_SLOT) {
        n = bh_node_slot(a, &slot_types[s->tag & 1]);
        bh_slot *slot = bh_arena_alloc(a, sizeof *slot);
        *slot = (bh_slot){bh_node_fragment(a), NULL, n};
        slot->cur->owner = slot;
        n->u.slot.slot = slot;
    } else {
        n = bh_node_element(a, bh_tag_atom(rig->names, tags[s->tag]));
        build_attrs(rig, n, s);
    }
    if (s->key >= 0) {
        bh_key *key = bh_arena_alloc(a, sizeof *key);
        char name[8];
        int len = snprintf(name, sizeof name, "k%d", s->key);
        *key = s->key & 1 ? bh_key_int(s->key) : bh_key_str(bh_arena_copy(a, name, (size_t)len));
        n->key = key;
    }
    n->site = s->site;
    return n;
}

static void build_list(tree_rig *rig, const spec_tree *t, unsigned *at, unsigned depth,
                       bh_node *parent)
{
    bh_node *tail = NULL;
    while (*at < t->n && t->nodes[*at].depth >= depth) {
        const spec_node *s = &t->nodes[(*at)++];
        bh_node *n = build_node(rig, s);
        bh_node_append(parent, &tail, n);
        if (*at < t->n && t->nodes[*at].depth > s->depth && holds(s))
            build_list(rig, t, at, s->depth + 1u,
                       s->kind == BH_NODE_SLOT ? n->u.slot.slot->cur : n);
    }
}

bh_node *spec_build(tree_rig *rig, const spec_tree *tree)
{
    bh_node *root = bh_node_fragment(&rig->arena);
    unsigned at = 0;
    build_list(rig, tree, &at, 0, root);
    return root;
}

static void print_list(bh_buf *out, const spec_tree *t, unsigned *at, unsigned depth)
{
    char word[64];
    while (*at < t->n && t->nodes[*at].depth >= depth) {
        const spec_node *s = &t->nodes[(*at)++];
        const char *close = "";
        if (s->kind == BH_NODE_TEXT)
            snprintf(word, sizeof word, "'%s'@%d", texts[s->value], s->site);
        else if (s->kind == BH_NODE_ELEMENT)
            snprintf(word, sizeof word, "%s:", tags[s->tag]);
        else if (s->kind == BH_NODE_SLOT)
            snprintf(word, sizeof word, "%c:", 'A' + s->tag);
        else
            word[0] = '\0';
        bh_buf_str(out, word);
        if (s->kind != BH_NODE_TEXT) {
            if (s->key >= 0) {
                snprintf(word, sizeof word, s->key & 1 ? "#%d" : "k%d", s->key);
                bh_buf_str(out, word);
            }
            snprintf(word, sizeof word, "@%d", s->site);
            bh_buf_str(out, word);
            for (unsigned i = 0; i < 8; i++)
                if (s->attrs & (1u << i)) {
                    snprintf(word, sizeof word, ".%s", attrs[i].field);
                    bh_buf_str(out, word);
                    if (attrs[i].how == '=' || attrs[i].how == 'h') {
                        snprintf(word, sizeof word, "='%s'",
                                 attrs[i].how == '=' ? texts[s->value]
                                 : s->value & 1      ? "1"
                                                     : "0");
                        bh_buf_str(out, word);
                    } else if (attrs[i].how == '?' && (s->value & 2)) {
                        bh_buf_str(out, "!");
                    }
                }
            bool has = *at < t->n && t->nodes[*at].depth > s->depth && holds(s);
            if (s->kind == BH_NODE_FRAGMENT || s->kind == BH_NODE_SLOT || has) {
                bh_buf_str(out, s->kind == BH_NODE_FRAGMENT ? "[ "
                                : s->kind == BH_NODE_SLOT   ? "{ "
                                                            : "( ");
                close = s->kind == BH_NODE_FRAGMENT ? "]" : s->kind == BH_NODE_SLOT ? "}" : ")";
            }
            if (has)
                print_list(out, t, at, s->depth + 1u);
        }
        bh_buf_str(out, close);
        bh_buf_str(out, " ");
    }
}

void spec_print(bh_buf *out, const spec_tree *tree)
{
    unsigned at = 0;
    print_list(out, tree, &at, 0);
}
