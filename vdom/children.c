/* SPDX-License-Identifier: MIT
 * vdom/children.c — which child continues which: the match phase, for one pair of parents.
 *
 *     old   a b c d e f g        a, b: common prefix    c d e f -> middle    g: common suffix
 *     new   a b e c X d g
 *     middle of old   c d e f    into a hash map by identity
 *     middle of new   e c X d    e->2 c->0 X->new d->1; f stays unclaimed: to be removed
 *
 * Unkeyed nodes with equal kind, tag and site share one entry of the map, a queue in document order:
 * taking its head is what gives the k-th such new node the k-th such old node. Prefix and suffix
 * cost one comparison a node; only the middle is hashed. Which of the matched nodes have to move is
 * decided later, in diff.c, from the positions of the old ones alone. */
#include <string.h>

#include "vdom/mem.h"
#include "vdom/scratch.h"

#define NO_NODE UINT32_MAX

bh_diff_scratch *bh_diff_scratch_new(void)
{
    bh_diff_scratch *s = bh_zalloc(sizeof *s);
    s->seed = ((uint64_t)(uintptr_t)s >> 4) * 0x9e3779b97f4a7c15u | 1; /* addresses are random */
    return s;
}

void bh_diff_scratch_free(bh_diff_scratch *s)
{
    if (!s)
        return;
    bh_free(s->stack);
    bh_free(s->map);
    bh_free(s->olds);
    bh_free(s->news);
    bh_free(s->chain);
    bh_free(s->pos); /* tails and back are parts of it */
    bh_free(s);
}

/* ---- identity ------------------------------------------------------------------------------- */

static inline const bh_key *key_of(const bh_node *n)
{
    return n->flags & BH_NODE_TWIN ? NULL : n->key;
}

/* Kind, and tag or slot type: what no key can bridge. */
static inline bool same_sort(const bh_node *a, const bh_node *b)
{
    return a->kind == b->kind && a->tag == b->tag &&
           (a->kind != BH_NODE_SLOT || a->u.slot.type == b->u.slot.type);
}

/* bh_key_equal without a call: keys are short, and compared for every keyed node. */
static inline bool same_key(const bh_key *a, const bh_key *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == BH_KEY_INT)
        return a->u.num == b->u.num;
    const char *s = a->u.str, *t = b->u.str;
    if (s == t)
        return true;
    for (; *s == *t; s++, t++)
        if (!*s)
            return true;
    return false;
}

static inline bool same_identity(const bh_node *a, const bh_node *b)
{
    const bh_key *ka = key_of(a), *kb = key_of(b);
    if (!ka && !kb)
        return a->site == b->site && same_sort(a, b);
    return ka && kb && same_key(ka, kb);
}

/* As above, and they can continue each other. */
static inline bool continues(const bh_node *old, const bh_node *cur)
{
    return bh_match_plain(old, cur) || (same_identity(old, cur) && same_sort(old, cur));
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    __extension__ unsigned __int128 p = (unsigned __int128)(h ^ v) * 0xd6e8feb86659fd93u;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint32_t hash_identity(const bh_diff_scratch *s, const bh_node *n)
{
    const bh_key *key = key_of(n);
    uint64_t h = s->seed;
    if (!key) {
        h = mix(h, (uint64_t)n->kind << 32 | (uint64_t)n->tag << 16 | n->site);
        if (n->kind == BH_NODE_SLOT)
            h = mix(h, (uintptr_t)n->u.slot.type);
    } else if (key->kind == BH_KEY_INT) {
        h = mix(h + 1, (uint64_t)key->u.num);
    } else {
        uint64_t word = 0;
        h += 2;
        for (const char *p = key->u.str; *p; p++) {
            if (word >> 56) {
                h = mix(h, word);
                word = 0;
            }
            word = word << 8 | (unsigned char)*p;
        }
        h = mix(h, word);
    }
    h = mix(h, s->seed);
    return (uint32_t)(h ^ (h >> 32));
}

/* ---- the map -------------------------------------------------------------------------------- */

static void map_begin(bh_diff_scratch *s, size_t n)
{
    uint32_t size = s->map_size ? s->map_size : 16;
    while (size < n * 2)
        size *= 2;
    if (size != s->map_size) {
        bh_free(s->map);
        s->map = bh_zalloc(size * sizeof *s->map);
        s->map_size = size;
        s->stamp = 0;
    }
    if (++s->stamp == 0) { /* after 2^32 diffs: old stamps would look new */
        memset(s->map, 0, s->map_size * sizeof *s->map);
        s->stamp = 1;
    }
}

/* The entry of n's identity, or the free one where it goes (stamp differs). `list` is what the
 * entries' indices mean. */
static bh_map_entry *map_find(const bh_diff_scratch *s, bh_node *const *list, const bh_node *n,
                              uint32_t hash)
{
    uint32_t mask = s->map_size - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        bh_map_entry *e = &s->map[i];
        if (e->stamp != s->stamp || (e->hash == hash && same_identity(list[e->first], n)))
            return e;
    }
}

static void reserve(bh_diff_scratch *s, size_t n_old, size_t n_new)
{
    if (n_old > s->cap_olds) {
        s->cap_olds = n_old * 2;
        s->olds = bh_realloc(s->olds, s->cap_olds * sizeof *s->olds);
        s->chain = bh_realloc(s->chain, s->cap_olds * sizeof *s->chain);
    }
    if (n_new > s->cap_news) {
        s->cap_news = n_new * 2;
        s->news = bh_realloc(s->news, s->cap_news * sizeof *s->news);
    }
}

static void map_olds(bh_diff_scratch *s, uint32_t n)
{
    map_begin(s, n);
    for (uint32_t i = n; i-- > 0;) { /* backwards, so that a chain runs forwards */
        uint32_t hash = hash_identity(s, s->olds[i]);
        bh_map_entry *e = map_find(s, s->olds, s->olds[i], hash);
        uint32_t next = NO_NODE;
        if (e->stamp == s->stamp)
            next = e->head;
        *e = (bh_map_entry){s->stamp, hash, i, i};
        s->chain[i] = next;
    }
}

/* ---- matching ------------------------------------------------------------------------------- */

/* Keys of the middle that no old middle node has may still be twins: of each other, or of a node in
 * the prefix or suffix. Those are told apart here; it is only paid for when there are new keys. */
static unsigned find_twins(bh_diff_scratch *s, bh_node *cur, uint32_t n_new, uint32_t n_fresh)
{
    /* news[0 .. n_new) is the middle; the whole list, in `olds` order of need, goes behind it. */
    unsigned twins = 0;
    reserve(s, 0, (size_t)n_new + cur->len + n_fresh);
    map_begin(s, cur->len);
    bh_node **all = s->news + n_new;
    uint32_t n = 0, middle = s->news[0]->index;
    for (bh_node *c = cur->u.el.first; c; c = c->next) {
        if (!key_of(c) || (c->index >= middle && c->index < middle + n_new))
            continue;
        uint32_t hash = hash_identity(s, c);
        all[n] = c;
        *map_find(s, all, c, hash) = (bh_map_entry){s->stamp, hash, n, n};
        n++;
    }
    for (uint32_t i = 0; i < n_new; i++) {
        bh_node *c = s->news[i];
        if (!key_of(c) || c->prev)
            continue;
        uint32_t hash = hash_identity(s, c);
        all[n] = c;
        bh_map_entry *e = map_find(s, all, c, hash);
        if (e->stamp == s->stamp) {
            c->flags |= BH_NODE_TWIN;
            twins++;
        } else {
            *e = (bh_map_entry){s->stamp, hash, n, n};
            n++;
        }
    }
    return twins;
}

static unsigned match_middle(bh_diff_scratch *s, bh_node *cur, uint32_t n_old, uint32_t n_new)
{
    unsigned twins = 0;
    uint32_t fresh = 0, unkeyed = 0;
    map_olds(s, n_old);
    /* 1. Explicit keys. An old key that is taken already: cur has it twice. A key whose old node is
     * of another sort is used up all the same: that node will be replaced. */
    for (uint32_t i = 0; i < n_new; i++) {
        bh_node *c = s->news[i];
        if (!c->key) {
            unkeyed++;
            continue;
        }
        bh_map_entry *e = map_find(s, s->olds, c, hash_identity(s, c));
        if (e->stamp != s->stamp) {
            fresh++;
        } else if (e->head == NO_NODE) {
            c->flags |= BH_NODE_TWIN;
            twins++;
            unkeyed++;
        } else {
            bh_node *old = s->olds[e->head];
            e->head = NO_NODE;
            if (same_sort(old, c))
                bh_match_pair(old, c);
        }
    }
    /* 2. Twins among new keys; the map is needed for that, so the old one is built again after. */
    if (fresh) {
        unsigned more = find_twins(s, cur, n_new, fresh);
        twins += more;
        unkeyed += more;
        if (unkeyed)
            map_olds(s, n_old);
    }
    /* 3. Unkeyed ones, twins included, in order. */
    for (uint32_t i = 0; unkeyed && i < n_new; i++) {
        bh_node *c = s->news[i];
        if (key_of(c))
            continue;
        unkeyed--;
        bh_map_entry *e = map_find(s, s->olds, c, hash_identity(s, c));
        if (e->stamp == s->stamp && e->head != NO_NODE) {
            bh_node *old = s->olds[e->head];
            e->head = s->chain[e->head];
            bh_match_pair(old, c);
        }
    }
    return twins;
}

/* Nothing old to match in the middle: only twins are left to find. */
static unsigned match_new_only(bh_diff_scratch *s, bh_node *cur, uint32_t n_new)
{
    uint32_t keyed = 0;
    for (uint32_t i = 0; i < n_new; i++)
        keyed += s->news[i]->key != NULL;
    if (!keyed || cur->len == 1)
        return 0;
    return find_twins(s, cur, n_new, keyed);
}

unsigned bh_match_children(bh_diff_scratch *s, bh_node *prev, bh_node *cur)
{
    bh_node *old = prev ? prev->u.el.first : NULL, *c = cur->u.el.first;
    for (; old && c && continues(old, c); old = old->next, c = c->next) {
        c->flags &= (uint8_t)~BH_NODE_TWIN;
        bh_match_pair(old, c);
    }
    if (!old && !c)
        return 0;
    /* Lists are linked one way, so the rest is laid out in arrays to find the suffix. */
    uint32_t n_old = old ? prev->len - old->index : 0, n_new = c ? cur->len - c->index : 0;
    reserve(s, n_old, n_new);
    uint32_t i = 0;
    for (; old; old = old->next) {
        old->flags &= (uint8_t)~BH_NODE_CLAIMED; /* a match that was given up may have left it */
        s->olds[i++] = old;
    }
    i = 0;
    for (; c; c = c->next) {
        c->prev = NULL;
        c->flags &= (uint8_t)~BH_NODE_TWIN;
        s->news[i++] = c;
    }
    while (n_old && n_new && continues(s->olds[n_old - 1], s->news[n_new - 1])) {
        n_old--;
        n_new--;
        bh_match_pair(s->olds[n_old], s->news[n_new]);
    }
    if (!n_new)
        return 0;
    return n_old ? match_middle(s, cur, n_old, n_new) : match_new_only(s, cur, n_new);
}
