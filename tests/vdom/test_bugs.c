/* SPDX-License-Identifier: MIT
 * Faults that other virtual DOMs were reported for. Each test is named by what it looked like; after
 * every step the page must equal the tree (SHOW checks that, the identities and the moves). */
#include <stdio.h>
#include <string.h>

#include "vdom/vdom_test.h"

static uint32_t nid_of(tree_rig *rig, const char *key)
{
    for (const bh_node *c = rig->root.cur->u.el.first; c; c = c->next)
        if (c->key && c->key->kind == BH_KEY_STR && strcmp(c->key->u.str, key) == 0)
            return c->nid;
    return 0;
}

/* Rows are reversed while each changes the kind of its root element. */
static void b01_root_element_changes_during_reorder(void **state)
{
    tree_rig *rig = *state;
    for (int i = 0; i < 50; i++)
        SHOW(rig, i & 1 ? "4{ p:('4') } 3{ div:('3') } 2{ p:('2') } 1{ div:('1') }"
                        : "1{ p:('1') } 2{ div:('2') } 3{ p:('3') } 4{ div:('4') }");
}

/* A component that draws nothing is no anchor for what comes before it. */
static void b02_empty_component_after_fragment(void **state)
{
    EXPECT_OPS("p:", "p: [ a b c { } ]", "insert [] last");
    EXPECT_OPS("[ a { } ]", "[ a b c { } ]", "insert c last; insert b before c");
}

/* A component whose root is a fragment grows beside a sibling. */
static void b03_root_fragment_keeps_its_place(void **state)
{
    tree_rig *rig = *state;
    for (int i = 0; i < 4; i++) {
        SHOW(rig, "H:{ h1:('head') } B:{ [ x ] } f");
        EXPECT(rig, "H:{ h1:('head') } B:{ [ x y ] } f", "insert y before f");
    }
}

/* The same two children, swapped, and what stands after them. */
static void b04_footer_survives_a_swap(void **state)
{
    EXPECT_OPS("p:( a b ) footer:f", "p:( b a ) footer:f", "move b before a");
}

/* Children that are absent among keyed ones. */
static void b06_absent_among_keyed(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a c");
    uint32_t c = nid_of(rig, "c");
    EXPECT(rig, "a b c", "insert b before c");
    EXPECT(rig, "c b", "remove a; move c before b");
    assert_int_equal(nid_of(rig, "c"), c);
    EXPECT(rig, "", "remove c; remove b");
}

/* Keys that occur twice: no node lost, none left behind. */
static void b07_duplicate_keys(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a('1') b('2') a('3')");
    SHOW(rig, "b('1') a('2') b('3')");
    assert_int_equal(rig->twins, 1);
    SHOW(rig, "a a a");
    assert_int_equal(rig->twins, 2);
    EXPECT(rig, "a", "remove a; remove a");
}

/* What was absent appears before X: X goes on, it is not made into the new one. */
static void b08_conditional_before_a_node(void **state)
{
    EXPECT_OPS("X:@2{ input: }", "Y:@1{ } X:@2{ input: }", "insert {} before input");
    EXPECT_OPS("p:@2('x')", "p:@1('y') p:@2('x')", "insert p before p");
}

static void grid(char *out, size_t size, int rows, int cols)
{
    size_t n = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) n += (size_t)snprintf(out + n, size - n, "k%d-%d ", r, c);
}

static void b09_grid_grows_and_shrinks(void **state)
{
    tree_rig *rig = *state;
    char narrow[512], wide[512];
    grid(narrow, sizeof narrow, 5, 2);
    grid(wide, sizeof wide, 5, 3);
    SHOW(rig, narrow);
    for (int i = 0; i < 3; i++) {
        SHOW(rig, wide);
        assert_int_equal(rig->log.ops, 5);
        SHOW(rig, narrow);
        assert_int_equal(rig->log.ops, 5);
    }
}

/* 0 and "" are keys; an integer and a string never are the same one. */
static void b10_zero_and_empty_keys(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "p:#0 p:#1 p:#2");
    EXPECT(rig, "p:#2 p:#0", "remove #1; move #2 before #0");
    EXPECT(rig, "p:#0", "remove #2");
    EXPECT(rig, "p:#0 p:'' p:0", "insert 0 last; insert  before 0");
    assert_int_equal(rig->twins, 0);
    SHOW(rig, "p:0 p:'' p:#0");
    assert_int_equal(rig->log.ops, 2);
}

/* No key at all is not the key "null". */
static void b11_missing_keys_are_not_a_key(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "p: p: p:null p:'(nil)'");
    assert_int_equal(rig->twins, 0);
    EXPECT(rig, "p:'(nil)' p: p:null p:", "move null before p; move (nil) before p");
}

static void b12_insert_in_front_of_an_edit(void **state)
{
    EXPECT_OPS("p:( 'a' a:( div:k ) )", "p:( div:k 'A' a:( ) )",
               "remove k; text 'A'; insert k before 'A'");
}

static void b14_moves_do_not_disturb_each_other(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "a b c d");
    uint32_t c = nid_of(rig, "c");
    SHOW(rig, "d a c b");
    assert_int_equal(rig->log.moves, 2);
    assert_int_equal(nid_of(rig, "c"), c);
    unsigned seed = 7;
    char keys[13] = "abcdefghijkl", line[32];
    for (int i = 0; i < 200; i++) {
        for (unsigned k = 11; k > 0; k--) {
            seed = seed * 1103515245u + 12345u;
            unsigned j = (seed >> 16) % (k + 1);
            char t = keys[k];
            keys[k] = keys[j];
            keys[j] = t;
        }
        for (unsigned k = 0; k < 12; k++) {
            line[2 * k] = keys[k];
            line[2 * k + 1] = ' ';
        }
        line[24] = '\0';
        SHOW(rig, line);
        assert_int_equal(nid_of(rig, "c"), c);
    }
}

static void b15_the_same_list_twice(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "");
    SHOW(rig, "a b c");
    EXPECT(rig, "a b c", "");
    SHOW(rig, "");
    SHOW(rig, "a b c");
    EXPECT(rig, "a b c", "");
}

static void b16_hidden_and_shown_again(void **state)
{
    tree_rig *rig = *state;
    for (int i = 0; i < 5; i++) {
        SHOW(rig, "{ p:a p:b p:c }");
        assert_int_equal(bh_dom_count(rig->root.cur), 3);
        SHOW(rig, "{ }");
        assert_int_equal(bh_dom_count(rig->root.cur), 0);
    }
}

static void b17_keyed_items_of_two_nodes(void **state)
{
    EXPECT_OPS("1[ dt:('1') dd:('one') ] 2[ dt:('2') dd:('two') ] 3[ dt: dd: ]",
               "3[ dt: dd: ] 2[ dt:('2') dd:('two') ] 1[ dt:('1') dd:('one') ]",
               "move [2] before dt; move [3] before dt");
}

static void b19_new_key_is_a_new_element(void **state)
{
    EXPECT_OPS("div:1( { 'state' } )", "div:2( { 'state' } )", "remove 1; insert 2 last");
}

static void b20_same_key_other_sort(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "div:k");
    EXPECT(rig, "span:k", "remove k; insert k last");
    EXPECT(rig, "A:k{ 'a' }", "remove k; insert {k} last");
    EXPECT(rig, "B:k{ 'a' }", "remove {k}; insert {k} last");
    EXPECT(rig, "'text'", "remove {k}; insert 'text' last");
}

static void b21_empty_texts(void **state)
{
    tree_rig *rig = *state;
    for (int i = 0; i < 20; i++) {
        SHOW(rig, "h1: '' pre:( '' '' ) ''");
        SHOW(rig, "h1: 'x' pre:( 'y' ) ''");
    }
}

/* Boolean attributes are there or not there; a live property is on or off. */
static void b53_false_booleans(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "input:a.disabled.read_only.hidden.multiple.required.checked");
    EXPECT(rig, "input:a.checked!",
           "del a disabled; del a readOnly; del a hidden; del a multiple; "
           "del a required; set a checked!");
    SHOW(rig, "input:a.disabled.read_only.hidden.multiple.required.checked");
    assert_int_equal(rig->log.ops, 6);
}

/* Enumerated attributes and data- keep the word false; absence is something else. */
static void b54_enumerated_false_is_a_word(void **state)
{
    EXPECT_OPS("a.aria_expanded=true.data-x=true.draggable=true",
               "a.aria_expanded=false.data-x=false.draggable=false",
               "set a aria-expanded=false; set a data-x=false; set a draggable=false");
    EXPECT_OPS("a.aria_expanded=false", "a", "del a aria-expanded");
}

static void b56_back_to_the_default(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "input:a.class_name=red.value=x");
    EXPECT(rig, "input:a.class_name=''.value=''", "set a className=; set a value=");
    EXPECT(rig, "input:a", "del a className; del a value");
}

/* Names of SVG keep their letters, wherever and whenever they come in. */
static void b57_svg_names(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "svg:.viewBox='0 0 1 1'( foreignObject:f( div:( input: ) ) linearGradient: )");
    const bh_node *svg = rig->root.cur->u.el.first, *f = svg->u.el.first;
    assert_string_equal(bh_attr_name(rig->names, svg->u.el.attrs[0].atom)->html, "viewBox");
    assert_string_equal(bh_tag_name(rig->names, f->tag)->html, "foreignObject");
    assert_string_equal(bh_tag_name(rig->names, f->next->tag)->html, "linearGradient");
    EXPECT(rig, "svg:.viewBox='0 0 1 1'( foreignObject:f( div:( input: p: ) ) linearGradient: )",
           "insert p last");
}

/* Raw HTML, children, raw HTML; and nothing on a render that has no part in it. */
static void b58_raw_html_and_back(void **state)
{
    tree_rig *rig = *state;
    for (int i = 0; i < 2; i++) {
        SHOW(rig, "div:d.html='<b>'");
        EXPECT(rig, "div:d.html='<b>' p:", "insert p last");
        EXPECT(rig, "div:d( 'x' ) p:", "del d html; insert 'x' last");
        EXPECT(rig, "div:d.html='<i>' p:", "remove 'x'; set d html=<i>");
        EXPECT(rig, "", "remove d; remove p");
    }
}

static void b63_adjacent_texts_stay_apart(void **state)
{
    EXPECT_OPS("span:( '' 'a' 'b' )", "span:( '' 'a' 'c' )", "text 'c'");
    tree_rig *rig = *state;
    char long_text[100003];
    memset(long_text, 'x', sizeof long_text);
    long_text[0] = long_text[100001] = '\'';
    long_text[100002] = '\0';
    SHOW(rig, long_text);
    assert_int_equal(rig->root.cur->len, 1);
    assert_int_equal(rig->root.cur->u.el.first->len, 100000);
}

/* Nothing is nothing, an empty text is a text, and words are words. */
static void b65_null_is_not_a_word(void **state)
{
    tree_rig *rig = *state;
    SHOW(rig, "p:( ) p:( '' ) p:( 'NULL' ) p:( '0' )");
    const bh_node *p = rig->root.cur->u.el.first;
    assert_int_equal(bh_dom_count(p), 1);
    assert_int_equal(bh_dom_count(p->next), 2);
    assert_string_equal(p->next->u.el.first->u.text.str, "");
    assert_string_equal(p->next->next->u.el.first->u.text.str, "NULL");
}

/* Bytes in, the same bytes out. */
static void b66_code_points_are_kept(void **state)
{
    tree_rig *rig = *state;
    static const char text[] =
        "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9 e\xcc\x81 \xe2\x80\xae "
        "\xe2\x80\xa8 \xef\xbb\xbf &amp;lt; \xc2\xa0";
    char source[128];
    snprintf(source, sizeof source, "'%s'", text);
    SHOW(rig, "'x'");
    SHOW(rig, source);
    assert_int_equal(rig->root.cur->u.el.first->len, sizeof text - 1);
    assert_memory_equal(rig->root.cur->u.el.first->u.text.str, text, sizeof text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(b01_root_element_changes_during_reorder),
        TEST(b02_empty_component_after_fragment),
        TEST(b03_root_fragment_keeps_its_place),
        TEST(b04_footer_survives_a_swap),
        TEST(b06_absent_among_keyed),
        TEST(b07_duplicate_keys),
        TEST(b08_conditional_before_a_node),
        TEST(b09_grid_grows_and_shrinks),
        TEST(b10_zero_and_empty_keys),
        TEST(b11_missing_keys_are_not_a_key),
        TEST(b12_insert_in_front_of_an_edit),
        TEST(b14_moves_do_not_disturb_each_other),
        TEST(b15_the_same_list_twice),
        TEST(b16_hidden_and_shown_again),
        TEST(b17_keyed_items_of_two_nodes),
        TEST(b19_new_key_is_a_new_element),
        TEST(b20_same_key_other_sort),
        TEST(b21_empty_texts),
        TEST(b53_false_booleans),
        TEST(b54_enumerated_false_is_a_word),
        TEST(b56_back_to_the_default),
        TEST(b57_svg_names),
        TEST(b58_raw_html_and_back),
        TEST(b63_adjacent_texts_stay_apart),
        TEST(b65_null_is_not_a_word),
        TEST(b66_code_points_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
