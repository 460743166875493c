/* SPDX-License-Identifier: MIT
 * Interned names, what is refused, URLs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vdom/names.h"

static int setup(void **state)
{
    *state = bh_names_new();
    return 0;
}
static int teardown(void **state)
{
    bh_names_free(*state);
    return 0;
}

static void known(void **state)
{
    bh_names *names = *state;
    for (unsigned t = 1; t < BH_TAG__KNOWN; t++) {
        const bh_name *name = bh_tag_name(names, (uint16_t)t);
        assert_int_equal(bh_tag_atom(names, name->html), t);
        assert_int_equal(name->len, strlen(name->html));
    }
    for (unsigned a = 1; a < BH_A__KNOWN; a++) {
        unsigned found = bh_attr_atom_of(names, bh_attr_name(names, (uint16_t)a)->html);
        if (a == BH_A_default_value)
            assert_int_equal(found, BH_A_value);
        else if (a == BH_A_default_checked)
            assert_int_equal(found, BH_A_checked);
        else
            assert_int_equal(found, a);
    }
    assert_int_equal(bh_tag_atom(names, "DIV"), BH_TAG_DIV);
    assert_int_equal(bh_attr_atom_of(names, "HREF"), BH_A_href);
    assert_true(bh_tag_name(names, BH_TAG_BR)->flags & BH_NAME_VOID);
    assert_true(bh_attr_name(names, BH_A_href)->flags & BH_NAME_URL);
    assert_string_equal(bh_event_dom_name(BH_ON_focus), "focusin");
    assert_string_equal(bh_event_react_name(BH_ON_dblclick), "onDoubleClick");
    assert_string_equal(bh_event_dom_name((bh_event_type)999), "");
    assert_string_equal(bh_tag_name(names, 60000)->html, "");
}

static void interned(void **state)
{
    bh_names *names = *state;
    uint16_t a = bh_attr_atom_of(names, "viewBox"), b = bh_attr_atom_of(names, "viewbox");
    assert_true(a >= BH_A__KNOWN && b >= BH_A__KNOWN && a != b);
    assert_int_equal(bh_attr_atom_of(names, "viewBox"), a);
    assert_string_equal(bh_attr_name(names, a)->html, "viewBox");
    assert_true(bh_tag_atom(names, "my-element"));
    assert_true(bh_tag_name(names, bh_tag_atom(names, "area"))->flags & BH_NAME_VOID);
    assert_true(bh_attr_name(names, bh_attr_atom_of(names, "formaction"))->flags & BH_NAME_URL);
    assert_true(bh_attr_name(names, bh_attr_atom_of(names, "XLink:HREF"))->flags & BH_NAME_URL);
}

static void fills_up(void **state)
{
    bh_names *names = *state;
    char name[32];
    uint16_t atoms[BH_NAMES_MAX];
    for (int i = 0; i < BH_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "data-%d", i);
        atoms[i] = bh_attr_atom_of(names, name);
        assert_true(atoms[i]);
    }
    assert_int_equal(bh_attr_atom_of(names, "data-more"), 0);
    assert_int_equal(bh_attr_atom_of(names, "class"), BH_A_class_name);
    for (int i = 0; i < BH_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "data-%d", i);
        assert_int_equal(bh_attr_atom_of(names, name), atoms[i]);
        assert_string_equal(bh_attr_name(names, atoms[i])->html, name);
    }
}

static void refused(void **state)
{
    static const char *const tags[] = {
        "script", "SCRIPT",   "style",    "iframe", "object",  "embed", "base",    "meta",
        "link",   "template", "noscript", "body",   "animate", "Set",   "",        "1a",
        "a b",    "a>",       "_a",       ":a",     "a\"",     "a/b",   "\xc3\xa9"};
    static const char *const attrs[] = {
        "onclick", "OnClick", "on",  "one", "srcdoc",      "SRCDOC",
        "",        "a b",     "a=",  "a\"", "a>",          "1",
        "-a",      ".a",      "a/b", "a\n", "data-bh-raw", "DATA-BH-STYLE"};
    bh_names *names = *state;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (bh_tag_atom(names, tags[i]))
            fail_msg("tag '%s' was taken", tags[i]);
    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++)
        if (bh_attr_atom_of(names, attrs[i]))
            fail_msg("attribute '%s' was taken", attrs[i]);
    assert_int_equal(bh_tag_atom(names, NULL), 0);
    assert_int_equal(bh_attr_atom_of(names, NULL), 0);
    char name[BH_NAME_LEN_MAX + 2];
    memset(name, 'a', sizeof name);
    name[BH_NAME_LEN_MAX + 1] = '\0';
    assert_int_equal(bh_tag_atom(names, name), 0);
    name[BH_NAME_LEN_MAX] = '\0';
    assert_true(bh_tag_atom(names, name));
}

static void urls(void **state)
{
    (void)state;
    static const char *const good[] = {
        "",       "/",          "a",           "a/b:c",          "?q=a:b",
        "#a:b",   "//host/x",   "http://x",    "HTTPS://x",      "mailto:a@b",
        "tel:+1", " https://x", "ht\ntps://x", "./javascript:x", "1a:b",
        ":x",     "\xc3\xa9:x", "a b:c"};
    static const char *const bad[] = {
        "javascript:alert(1)", "JavaScript:x",     " javascript:x",
        "java\nscript:x",      "java\tscript:x",   "javascript\r:x",
        "\x01javascript:x",    "vbscript:x",       "data:text/html,x",
        "file:///etc/passwd",  "blob:x",           "ftp://x",
        "https+x:y",           "httpsx:y",         "data:image/png;base64,x",
        "view-source:x",       "\n\tjavascript:x", "ws://x"};
    static const char *const images[] = {"data:image/png;base64,x", "data:image/svg+xml,x",
                                         "DATA:image/JPEG;x", "data:image/gif,x", "/x"};
    static const char *const no_images[] = {"data:text/html,x", "data:image/pngx,x", "javascript:x",
                                            "data:image/tiff,x", "data:image/png"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!bh_url_allowed(good[i], false))
            fail_msg("'%s' was refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (bh_url_allowed(bad[i], false))
            fail_msg("'%s' was allowed", bad[i]);
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        if (!bh_url_allowed(images[i], true))
            fail_msg("'%s' was refused", images[i]);
    for (size_t i = 0; i < sizeof no_images / sizeof no_images[0]; i++)
        if (bh_url_allowed(no_images[i], true))
            fail_msg("'%s' was allowed", no_images[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(known, setup, teardown),
        cmocka_unit_test_setup_teardown(interned, setup, teardown),
        cmocka_unit_test_setup_teardown(fills_up, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(urls, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
