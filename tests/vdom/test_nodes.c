/* SPDX-License-Identifier: MIT
 * Arenas, walking, the invariant walker, and that the reference applier is no yes-man. */
#include <string.h>

#include "vdom/check.h"
#include "vdom/vdom_test.h"

static void arena(void **state)
{
    (void)state;
    bh_chunk_pool pool;
    bh_arena a;
    bh_chunk_pool_init(&pool);
    pool.cached_limit = 1 << 20;
    bh_arena_init(&a, &pool);
    assert_int_equal(a.bytes, 0);
    for (size_t i = 1; i < 3000; i++) {
        unsigned char *p = bh_arena_alloc(&a, i % 300);
        assert_int_equal((uintptr_t)p & 7, 0);
        memset(p, 0xa5, i % 300);
    }
    assert_int_equal(pool.live_bytes, a.bytes);
    assert_string_equal(bh_arena_copy(&a, "abc", 2), "ab");
    size_t full = a.bytes;
    bh_arena_clear(&a);
    assert_int_equal(pool.live_bytes, 0);
    assert_true(pool.cached_bytes <= pool.cached_limit && pool.cached_bytes > 0);
    for (size_t i = 1; i < 3000; i++) (void)bh_arena_alloc(&a, i % 300);
    assert_int_equal(a.bytes, full); /* the same chunks again */
    char *huge = bh_arena_alloc(&a, 5u << 20);
    huge[0] = huge[(5u << 20) - 1] = 1;
    char *small = bh_arena_alloc(&a, 8);
    *small = 1;
    bh_arena_clear(&a);
    assert_true(pool.cached_bytes <= pool.cached_limit);
    bh_chunk_pool_fini(&pool);
}

static void first_chunk_is_small(void **state)
{
    tree_rig *rig = *state;
    bh_arena a;
    bh_arena_init(&a, &rig->pool);
    (void)bh_arena_alloc(&a, 100);
    assert_int_equal(a.bytes, BH_ARENA_FIRST);
    bh_arena_clear(&a);
}

static void walking(void **state)
{
    tree_rig *rig = *state;
    bh_node *root = tree_parse(rig, "a [ ] { } [ { b } c ] d( [ 'x' ] )");
    const bh_node *a = root->u.el.first, *e1 = a->next, *s1 = e1->next, *f = s1->next, *d = f->next;
    const bh_node *s2 = f->u.el.first, *b = s2->u.slot.slot->cur->u.el.first, *c = s2->next;
    const bh_node *x = d->u.el.first->u.el.first;
    assert_ptr_equal(bh_dom_after(a), b);
    assert_ptr_equal(bh_dom_after(e1), b);
    assert_ptr_equal(bh_dom_after(b), c);
    assert_ptr_equal(bh_dom_after(c), d);
    assert_null(bh_dom_after(d));
    assert_null(bh_dom_after(x));
    assert_null(bh_dom_first(e1));
    assert_ptr_equal(bh_dom_first(f), b);
    assert_ptr_equal(bh_node_up(b), s2->u.slot.slot->cur);
    assert_ptr_equal(bh_node_up(bh_node_up(b)), s2);
    assert_null(bh_dom_parent(b));
    assert_ptr_equal(bh_dom_parent(x), d);
    assert_int_equal(bh_dom_count(root), 5);
    assert_true(f->flags & BH_NODE_SLOTS);
    assert_false(d->flags & BH_NODE_SLOTS);
}

#define EXPECT_UNSOUND(why) assert_string_equal(bh_tree_check(rig->names, root, rig->next_nid), why)

static void walker_finds_faults(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a( b c ) { d } br:");
    bh_node *root = rig->root.cur, *a = root->u.el.first, *b = a->u.el.first;
    assert_null(bh_tree_check(rig->names, root, rig->next_nid));
    b->nid = a->nid;
    EXPECT_UNSOUND("a nid that is used twice");
    b->nid = rig->next_nid;
    EXPECT_UNSOUND("a shown node without a valid nid");
    assert_null(bh_tree_check(rig->names, root, 0));
    SHOW(rig, "");
    SHOW(rig, "a( b c ) { d } br:");
    root = rig->root.cur;
    a = root->u.el.first;
    b = a->u.el.first;
    b->index = 1;
    EXPECT_UNSOUND("a child whose index is not its position");
    b->index = 0;
    b->parent = root;
    EXPECT_UNSOUND("a child whose parent is another node");
    b->parent = a;
    a->len = 3;
    EXPECT_UNSOUND("a node that miscounts its children");
    a->len = 2;
    b->next->key = b->key;
    EXPECT_UNSOUND("two siblings with one key, neither a twin");
    b->next->flags |= BH_NODE_TWIN;
    assert_null(bh_tree_check(rig->names, root, rig->next_nid));
    a->tag = BH_TAG_BR;
    EXPECT_UNSOUND("a void element with children");
    a->tag = BH_TAG_LI;
    a->next->u.slot.slot->place = NULL;
    EXPECT_UNSOUND("a slot that is shown elsewhere");
    a->next->u.slot.slot->place = a->next;
}

static void page_finds_faults(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a.id=1( 'x' ) b");
    bh_node *root = rig->root.cur, *a = root->u.el.first, *b = a->next;
    const char *why = NULL;
    b->tag = BH_TAG_P;
    assert_false(bh_page_model_equals(rig->page, root, &why));
    assert_string_equal(why, "node 1 is another element than <p>");
    b->tag = BH_TAG_LI;
    a->u.el.first->u.text.str = "y";
    assert_false(bh_page_model_equals(rig->page, root, NULL));
    a->u.el.first->u.text.str = "x";
    a->n_attrs = 0;
    assert_false(bh_page_model_equals(rig->page, root, &why));
    assert_string_equal(why, "element 2 has 1 attributes, not 0");
    a->n_attrs = 1;
    a->next = NULL;
    assert_false(bh_page_model_equals(rig->page, root, &why));
    assert_string_equal(why, "in the view: node 1 should be gone");
    a->next = b;
    assert_true(bh_page_model_equals(rig->page, root, NULL));

    rig->page_sink.ops->insert(rig->page, a); /* twice */
    assert_int_equal(bh_page_model_faults(rig->page), 1);
    rig->page_sink.ops->set_text(rig->page, a); /* not a text */
    assert_int_equal(bh_page_model_faults(rig->page), 2);
    bh_node *stranger = tree_parse(rig, "p:( 'x' )")->u.el.first;
    stranger->nid = 99;
    rig->page_sink.ops->remove(rig->page, stranger, root);
    assert_int_equal(bh_page_model_faults(rig->page), 3);
}

static void keys_compare(void **state)
{
    (void)state;
    bh_key one = bh_key_int(1), one_again = bh_key_int(1), two = bh_key_int(2);
    bh_key word = bh_key_str("1"), word_again = bh_key_str((char[]){'1', '\0'});
    assert_true(bh_key_equal(NULL, NULL));
    assert_false(bh_key_equal(&one, NULL));
    assert_false(bh_key_equal(NULL, &one));
    assert_true(bh_key_equal(&one, &one_again));
    assert_false(bh_key_equal(&one, &two));
    assert_false(bh_key_equal(&one, &word));
    assert_true(bh_key_equal(&word, &word_again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena),   TEST(first_chunk_is_small), TEST(walking),
        TEST(walker_finds_faults), TEST(page_finds_faults),    cmocka_unit_test(keys_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
