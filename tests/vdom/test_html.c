/* SPDX-License-Identifier: MIT
 * HTML as the browser will read it back (docs/PROTOCOL.md §6). */
#include <string.h>

#include "vdom/html.h"
#include "vdom/vdom_test.h"

static const char *html(tree_rig *rig, bh_node *root)
{
    static bh_buf out;
    out.len = 0;
    bh_html_write(&out, rig->names, root);
    bh_buf_byte(&out, '\0');
    const char *copy = bh_arena_copy(&rig->arena, (const char *)out.data, out.len);
    bh_buf_fini(&out);
    return copy;
}
#define EXPECT_HTML(source, text)                                                                  \
    assert_string_equal(html(*state, tree_parse(*state, source)), text)

static void elements(void **state)
{
    EXPECT_HTML("", "");
    EXPECT_HTML("p:", "<p></p>");
    EXPECT_HTML("p:( 'a' b( ) )", "<p>a<li></li></p>");
    EXPECT_HTML("br: input:.type=text img:.src='/x.png' area:",
                "<br><input type=\"text\"><img src=\"/x.png\"><area>");
    EXPECT_HTML("svg:.viewBox='0 0 1 1'( foreignObject:( p: ) )",
                "<svg viewBox=\"0 0 1 1\"><foreignObject><p></p></foreignObject></svg>");
    EXPECT_HTML("p:.id=x.class_name=c.onclick.hidden.data-x='1'",
                "<p id=\"x\" class=\"c\" hidden=\"\" data-x=\"1\"></p>");
    EXPECT_HTML("p:.style='top: 1px'", "<p data-bh-style=\"top: 1px\"></p>");
    EXPECT_HTML("p:.html='<b>x</b>' 'y'", "<p data-bh-raw=\"\"><b>x</b></p>y");
}

static void texts(void **state)
{
    EXPECT_HTML("'a' 'b'", "a<!---->b");
    EXPECT_HTML("'a' '' 'b'", "a<!--e-->b");
    EXPECT_HTML("'' ''", "<!--e--><!--e-->");
    EXPECT_HTML("'a' [ ] { 'b' } [ { 'c' } ] 'd'", "a<!---->b<!---->c<!---->d");
    EXPECT_HTML("'a' p: 'b'", "a<p></p>b");
    EXPECT_HTML("p:( 'a' ) 'b'", "<p>a</p>b");
    EXPECT_HTML("'a' p:( 'b' 'c' )", "a<p>b<!---->c</p>");
    EXPECT_HTML("'a' br: 'b'", "a<br>b");
}

static void newlines(void **state)
{
    EXPECT_HTML("pre:( '\nx' )", "<pre>\n\nx</pre>");
    EXPECT_HTML("pre:( 'x' '\ny' )", "<pre>x<!---->\ny</pre>");
    EXPECT_HTML("pre:( '' '\ny' )", "<pre><!--e-->\ny</pre>");
    EXPECT_HTML("pre:( { [ '\nx' ] } )", "<pre>\n\nx</pre>");
    EXPECT_HTML("pre:( p:( '\nx' ) )", "<pre><p>\nx</p></pre>");
    EXPECT_HTML("listing:( '\nx' )", "<listing>\n\nx</listing>");
    EXPECT_HTML("textarea:.value='\nx'", "<textarea>\n\nx</textarea>");
    EXPECT_HTML("pre:.html='\nx'", "<pre data-bh-raw=\"\">\n\nx</pre>");
    EXPECT_HTML("p:( '\nx' )", "<p>\nx</p>");
    EXPECT_HTML("'a\rb'", "a&#13;b");
}

static void form_values(void **state)
{
    EXPECT_HTML("input:.value=x.checked", "<input value=\"x\" checked=\"\">");
    EXPECT_HTML("input:.checked!", "<input>");
    EXPECT_HTML("input:.default_value=x.default_checked", "<input value=\"x\" checked=\"\">");
    EXPECT_HTML("input:.default_value=x.value=y", "<input value=\"y\">");
    EXPECT_HTML("input:.default_checked.checked!", "<input>");
    EXPECT_HTML("textarea:.value='a<b'", "<textarea>a&lt;b</textarea>");
    EXPECT_HTML("textarea:.default_value=x.id=t", "<textarea id=\"t\">x</textarea>");
    EXPECT_HTML("textarea:.value='</textarea>'", "<textarea>&lt;/textarea&gt;</textarea>");
}

static void selects(void **state)
{
    EXPECT_HTML("select:.value=b( option:.value=a option:.value=b )",
                "<select><option value=\"a\"></option>"
                "<option value=\"b\" selected=\"\"></option></select>");
    EXPECT_HTML("select:.value='a b'( { option:( ' a ' '  b' ) } option:.value='a b' )",
                "<select><option selected=\"\"> a <!---->  b</option>"
                "<option value=\"a b\"></option></select>");
    EXPECT_HTML("select:.multiple( option:.selected.value=1 option:.selected!.value=2 )",
                "<select multiple=\"\"><option selected=\"\" value=\"1\"></option>"
                "<option value=\"2\"></option></select>");
    EXPECT_HTML("select:.value=b( optgroup:( option:.value=b ) ) option:.value=b",
                "<select><optgroup><option value=\"b\" selected=\"\"></option></optgroup></select>"
                "<option value=\"b\"></option>");
    EXPECT_HTML("select:.default_value=a( option:.value=a )",
                "<select><option value=\"a\" selected=\"\"></option></select>");
}

/* Undoes the escaping as a parser would, for the entities we write. */
static size_t unescape(const char *s, size_t len, char *out)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#13;", '\r'}};
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        size_t k = 0;
        for (; s[i] == '&' && k < 5; k++)
            if (strncmp(s + i, entities[k].name, strlen(entities[k].name)) == 0)
                break;
        if (s[i] != '&') {
            out[n++] = s[i++];
        } else {
            assert_true(k < 5);
            out[n++] = entities[k].c;
            i += strlen(entities[k].name);
        }
    }
    return n;
}

static void escaping_round_trip(void **state)
{
    (void)state;
    static const char chars[] = "&<>\"'\r\n\t ;ampltgquo#13x/!-=\xc3\xa9";
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char s[40], back[40];
        size_t len = (seed >> 20) % sizeof s;
        for (size_t k = 0; k < len; k++) {
            seed = seed * 1664525u + 1013904223u;
            s[k] = chars[(seed >> 16) % (sizeof chars - 1)];
        }
        seed = seed * 1664525u + 1013904223u;
        for (int attr = 0; attr < 2; attr++) {
            bh_buf out;
            bh_buf_init(&out);
            if (attr)
                bh_html_escape_attr(&out, s, len);
            else
                bh_html_escape_text(&out, s, len);
            for (size_t k = 0; k < out.len; k++)
                assert_true(out.data[k] != '<' && out.data[k] != '\r' &&
                            out.data[k] != (attr ? '"' : '>'));
            bh_buf_byte(&out, '\0');
            assert_int_equal(unescape((const char *)out.data, out.len - 1, back), len);
            assert_memory_equal(back, s, len);
            bh_buf_fini(&out);
        }
    }
}

static void hostile(void **state)
{
    EXPECT_HTML("'</p><script>alert(1)</script>'",
                "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    EXPECT_HTML("p:.title='\" onclick=\"x'", "<p title=\"&quot; onclick=&quot;x\"></p>");
    EXPECT_HTML("'<!-- -->' '-->'", "&lt;!-- --&gt;<!---->--&gt;");
    bh_buf out;
    bh_buf_init(&out);
    bh_html_escape_text(&out, "a\0b", 3);
    assert_int_equal(out.len, 5);
    assert_memory_equal(out.data,
                        "a\xef\xbf\xbd"
                        "b",
                        5);
    bh_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(elements),
        TEST(texts),
        TEST(newlines),
        TEST(form_values),
        TEST(selects),
        TEST(hostile),
        TEST(escaping_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
