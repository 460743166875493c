/* SPDX-License-Identifier: MIT
 * The operations that lead from one tree to another, line by line. */
#include "vdom/vdom_test.h"

static void keys(void **state)
{
    EXPECT_OPS("", "", "");
    EXPECT_OPS("", "a", "insert a last");
    EXPECT_OPS("a", "", "remove a");
    EXPECT_OPS("a b c d", "a b c d", "");
    EXPECT_OPS("a b c d", "d a b c", "move d before a");
    EXPECT_OPS("a b c d", "b c d a", "move a last");
    EXPECT_OPS("a b c d", "d c b a", "move b before a; move c before b; move d before c");
    EXPECT_OPS("a b c d", "b a d c", "move d before c; move b before a");
    EXPECT_OPS("a b c d e", "d a b e c", "move e before c; move d before a");
    EXPECT_OPS("a b c", "a x b c", "insert x before b");
    EXPECT_OPS("a b c", "x a b c y", "insert y last; insert x before a");
    EXPECT_OPS("a b c", "a c", "remove b");
    EXPECT_OPS("a b c", "c x a", "remove b; insert x before a; move c before x");
    EXPECT_OPS("a b c d", "e f g",
               "remove a; remove b; remove c; remove d; insert g last; "
               "insert f before g; insert e before f");
    EXPECT_OPS("a b c d e f g", "a b e c X d g", "remove f; insert X before d; move e before c");
}

static void key_kinds(void **state)
{
    EXPECT_OPS("p:#1 p:#2", "p:#2 p:#1", "move #2 before #1");
    EXPECT_OPS("p:#0 p:#1", "p:#1 p:#0", "move #1 before #0");
    EXPECT_OPS("p:#1", "p:1", "remove #1; insert 1 last"); /* an integer is no string */
    EXPECT_OPS("p:''", "p:", "remove ; insert p last");    /* an empty key is a key */
    EXPECT_OPS("p:#-9223372036854775808 a", "a p:#-9223372036854775808",
               "move a before #-9223372036854775808");
    /* longer than a word of the hash, equal in the first eight bytes */
    EXPECT_OPS("long-key-1 long-key-2 long-key-10", "long-key-10 long-key-2 long-key-1",
               "move long-key-2 before long-key-1; move long-key-10 before long-key-2");
}

static void same_key_other_tag(void **state)
{
    EXPECT_OPS("p:a b", "div:a b", "remove a; insert a before b");
    EXPECT_OPS("p:a b", "b div:a", "remove a; insert a last");
    EXPECT_OPS("C:a{ 'x' } b", "D:a{ 'x' } b", "remove {a}; insert {a} before b");
    EXPECT_OPS("C:a{ 'x' } b", "a[ 'x' ] b", "remove {a}; insert [a] before b");
}

static void unkeyed(void **state)
{
    EXPECT_OPS("p: p: p:", "p: p:", "remove p");
    EXPECT_OPS("p:.id=1 p:.id=2", "p:.id=1 p:.id=3 p:.id=4", "insert p last; set p id=3");
    /* another tag */
    EXPECT_OPS("p: div:", "div: p:", "move div before p");
    /* the site tells apart what only looks alike */
    EXPECT_OPS("p:@1.id=x p:@2.id=y", "p:@2.id=y", "remove p");
    EXPECT_OPS("p:@2.id=y", "p:@1.id=x p:@2.id=y", "insert p before p");
    /* occurrences are counted in order */
    EXPECT_OPS("p:@1.id=1 div: p:@1.id=2 span:", "span: p:@1.id=1 p:@1.id=2",
               "remove div; move span before p");
    EXPECT_OPS("a p:@1 b p:@1", "p:@1 a p:@1 b", "move p before b; move p before a");
}

static void texts(void **state)
{
    EXPECT_OPS("'x'", "'x'", "");
    EXPECT_OPS("'x'", "'y'", "text 'y'");
    EXPECT_OPS("'x'", "''", "text ''");
    EXPECT_OPS("''", "'x'", "text 'x'");
    EXPECT_OPS("'a' 'b'", "'a'", "remove 'b'");
    EXPECT_OPS("'x' b", "b", "remove 'x'");
    EXPECT_OPS("p:('count: 1')", "p:('count: 2')", "text 'count: 2'");
    EXPECT_OPS("p:('x')", "p:(b)", "remove 'x'; insert b last");
    EXPECT_OPS("'a'@1 'b'@2", "'b'@2", "remove 'a'");
}

static void fragments(void **state)
{
    EXPECT_OPS("[ a b ] c", "[ a x b ] c", "insert x before b");
    EXPECT_OPS("[ a b ] c", "[ a b x ] c", "insert x before c");
    EXPECT_OPS("[ a b ] c", "c", "remove []");
    EXPECT_OPS("[ ] c", "[ x ] c", "insert x before c");
    EXPECT_OPS("k[ a b ] l[ c d ]", "l[ c d ] k[ a b ]", "move [l] before a");
    /* moved, and changed inside */
    EXPECT_OPS("k[ a b ] l[ c d ]", "l[ d c x ] k[ b ]",
               "remove a; insert x before b; move d before c; move [l] before b");
    EXPECT_OPS("k[ l[ m[ a ] ] ] b", "b k[ l[ m[ a x ] ] ]", "insert x last; move b before a");
    EXPECT_OPS("[ a ]", "a", "remove []; insert a last");
    EXPECT_OPS("k[ ] l[ ] a", "l[ ] k[ ] a", "move [l] before a");
}

static void slots(void **state)
{
    EXPECT_OPS("{ a b } c", "{ a x b } c", "insert x before b");
    EXPECT_OPS("{ a } { } { b }", "{ a } { x } { b }", "insert x before b");
    EXPECT_OPS("{ } c", "{ x } c", "insert x before c");
    EXPECT_OPS("k{ a b } l{ c }", "l{ c } k{ a x b }", "insert x before b; move {l} before a");
    EXPECT_OPS("p:( { a } { b } )", "p:( { a 'x' } { 'y' b } )",
               "insert 'y' before b; insert 'x' before 'y'");
    EXPECT_OPS("C:{ a } D:{ b }", "D:{ b } C:{ a }", "move {} before a");
}

static void attributes(void **state)
{
    EXPECT_OPS("a.id=1", "a.id=1", "");
    EXPECT_OPS("a.id=1", "a.id=2", "set a id=2");
    EXPECT_OPS("a.id=1", "a", "del a id");
    EXPECT_OPS("a", "a.id=1.class_name=c", "set a id=1; set a className=c");
    EXPECT_OPS("a.id=1.title=t.class_name=c", "a.class_name=c.id=1", "del a title"); /* any order */
    EXPECT_OPS("a.id=''", "a.id=x", "set a id=x");
    EXPECT_OPS("a.id=x", "a.id=''", "set a id=");
    EXPECT_OPS("a.disabled", "a", "del a disabled");
    EXPECT_OPS("input:a.checked", "input:a.checked!", "set a checked!");
    EXPECT_OPS("input:a.checked!", "input:a.checked!", "");
    EXPECT_OPS("input:a.checked!", "input:a", "del a checked");
    EXPECT_OPS("a.style='top: 1px'", "a.style='top: 2px'", "set a style=top: 2px");
    EXPECT_OPS("a.data-x=1.aria-live=off", "a.data-x=2.aria-live=off", "set a data-x=2");
    /* value and its default are one attribute in HTML: the old one goes first */
    EXPECT_OPS("input:a.default_value=1", "input:a.value=2", "del a defaultValue; set a value=2");
    EXPECT_OPS("a.disabled", "a.disabled=yes", "set a disabled=yes");
}

static void raw_html(void **state)
{
    EXPECT_OPS("a.html='<b>'", "a.html='<b>'", "");
    EXPECT_OPS("a.html='<b>'", "a.html='<i>'", "set a html=<i>");
    EXPECT_OPS("a.html='<b>'", "a(b c)", "del a html; insert c last; insert b before c");
    EXPECT_OPS("a(b c)", "a.html='<b>'", "remove b; remove c; set a html=<b>");
}

static void handlers(void **state)
{
    EXPECT_OPS("a.onclick", "a.onclick", "");
    EXPECT_OPS("a.onclick", "a.onclick=1", "set a onclick=1/1"); /* the id stays */
    EXPECT_OPS("a.onclick", "a", "del a onclick");
    EXPECT_OPS("a.onclick", "a.oninput.onclick", "set a oninput=2/0");
    EXPECT_OPS("a.onclick b.onclick", "b.onclick a.onclick", "move b before a");
    /* click and class have the same number, in lists of their own */
    EXPECT_OPS("a.class_name=x", "a.class_name=x.onclick", "set a onclick=1/0");
    EXPECT_OPS("a.class_name=x.onclick", "a.onclick", "del a className");
}

static void select_value(void **state)
{
    EXPECT_OPS("select:s.value=b( option:a option:b )", "select:s.value=b( option:a option:b )",
               "");
    EXPECT_OPS("select:s.value=a( option:a )", "select:s.value=b( option:a option:b )",
               "insert b last; set s value=b");
    /* the value did not change, but the browser lost it with the option */
    EXPECT_OPS("select:s.value=b( option:a option:b )", "select:s.value=b( {option:x option:b} )",
               "remove a; remove b; insert {} last; set s value=b");
}

static void twins(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a a a b");
    assert_int_equal(rig->twins, 2);
    EXPECT(rig, "a a a b", "");
    assert_int_equal(rig->twins, 2);
    EXPECT(rig, "a b", "remove a; remove a");
    assert_int_equal(rig->twins, 0);
    EXPECT(rig, "a b a", "insert a last"); /* a twin of one in the prefix */
    assert_int_equal(rig->twins, 1);
    SHOW(rig, "x a b a x");
    assert_int_equal(rig->twins, 2);
    SHOW(rig, "p:a div:a");
    assert_int_equal(rig->twins, 1);
}

static void nids_are_never_reused(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a(b 'x') [ c ] { d }");
    assert_int_equal(rig->next_nid, 6); /* a b x c d: 1 to 5 in document order, but right to left */
    SHOW(rig, "");
    SHOW(rig, "a(b 'x')");
    assert_int_equal(rig->next_nid, 9);
    const bh_node *a = rig->root.cur->u.el.first;
    assert_int_equal(a->nid, 6);
    assert_int_equal(a->u.el.first->nid, 7);
    assert_int_equal(a->u.el.first->next->nid, 8);
    SHOW(rig, "z a(b 'y')");
    assert_int_equal(rig->root.cur->u.el.first->nid, 9);
    assert_int_equal(rig->root.cur->u.el.first->next->nid, 6);
}

/* A render that faulted has matched already; the match that follows must not believe it. */
static void matched_twice(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a b c");
    bh_node *given_up = tree_parse(rig, "a b c");
    bh_match_children(rig->scratch, rig->root.cur, given_up);
    EXPECT(rig, "c", "remove a; remove b");
    given_up = tree_parse(rig, "c");
    bh_match_children(rig->scratch, rig->root.cur, given_up);
    EXPECT(rig, "x", "remove c; insert x last");
}

static void whole_trees(void **state)
{
    tree_rig *rig = *state;
    bh_diff d = {&rig->log_sink, rig->scratch, &rig->next_nid, NULL, NULL, NULL};
    bh_node *a = tree_parse(rig, "p:(a b) [ c ] 'x'"), *b = tree_parse(rig, "p:(b a) [ ] 'y' 'z'");
    bh_diff_trees(&d, NULL, a);
    assert_int_equal(bh_dom_count(a), 5);
    oplog_clear(&rig->log);
    bh_diff_trees(&d, a, b);
    assert_string_equal(oplog_text(&rig->log),
                        "insert 'z' last; text 'y'; remove c; move b before a");
    assert_true(bh_page_model_equals(rig->page, b, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys),
        TEST(key_kinds),
        TEST(same_key_other_tag),
        TEST(unkeyed),
        TEST(texts),
        TEST(fragments),
        TEST(slots),
        TEST(attributes),
        TEST(raw_html),
        TEST(handlers),
        TEST(select_value),
        TEST(twins),
        TEST(matched_twice),
        TEST(nids_are_never_reused),
        TEST(whole_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
