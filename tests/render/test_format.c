/* SPDX-License-Identifier: MIT
 * bh_textf and bh_fmt write what printf would, whichever of the two writers gets to do it. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include <backhaul/component.h>

#include "support/fake_host.h"

#include <backhaul/html.h>

static unsigned n_checked;

/* Compares within the render; cmocka must not jump out of it, so a difference ends the test. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char expected[1024];                                                                       \
        snprintf(expected, sizeof expected, __VA_ARGS__);                                          \
        const char *got = bh_fmt(cx, __VA_ARGS__);                                                 \
        if (strcmp(got, expected) != 0) {                                                          \
            fprintf(stderr, "line %d: \"%s\" instead of \"%s\"\n", __LINE__, got, expected);       \
            abort();                                                                               \
        }                                                                                          \
        n_checked++;                                                                               \
    } while (0)

BH_COMPONENT(Directives, { int unused; })
{
    (void)props;
    SAME("plain");
    SAME("%d %d %d", 0, INT_MIN, INT_MAX);
    SAME("%u %u", 0U, UINT_MAX);
    SAME("%ld %ld", LONG_MIN, LONG_MAX);
    SAME("%lu", ULONG_MAX);
    SAME("%lld %lld", LLONG_MIN, LLONG_MAX);
    SAME("%llu", ULLONG_MAX);
    SAME("%zu %zu", (size_t)0, SIZE_MAX);
    SAME("[%s] [%s]", "", "text");
    SAME("%c%c", 'a', 'z');
    SAME("100%% %d%%", 7);
    SAME("%d %s %c %zu %lld", -1, "x", 'y', (size_t)2, -3LL);
    /* What the small writer leaves to printf, after it has taken arguments already. */
    SAME("%d %s %.2f", 1, "one", 1.5);
    SAME("%s %5d|%-5d|%05d", "w", 1, 2, 3);
    SAME("%d %x %X %o", 1, 255U, 255U, 8U);
    SAME("%d %.3s %*d", 1, "abcdef", 6, 42);
    SAME("%u %zd %hd %hhd", 1U, (ssize_t)-2, (short)-3, (signed char)-4);
    P() { TEXTF("%d of %s", 3, "many"); }
}

static void directives(void **state)
{
    (void)state;
    fake f;
    fake_init(&f);
    n_checked = 0;
    fake_start(&f, &Directives_component, &(struct Directives_props){0});
    assert_int_equal(n_checked, 17);
    assert_page(&f, "<p>3 of many</p>");
    fake_fini(&f);
}

/* Every length around every end of a chunk: one of them is exactly the room that is left. */
BH_COMPONENT(Lengths, { int unused; })
{
    (void)props;
    static char text[512];
    memset(text, 'x', sizeof text - 1);
    for (int len = 0; len < 400; len++) {
        text[len] = '\0';
        SAME("%s", text);
        SAME("%d%s", len, text);
        text[len] = 'x';
    }
    P() { TEXT("done"); }
}

static void lengths(void **state)
{
    (void)state;
    fake f;
    fake_init(&f);
    n_checked = 0;
    fake_start(&f, &Lengths_component, &(struct Lengths_props){0});
    assert_int_equal(n_checked, 800);
    assert_page(&f, "<p>done</p>");
    fake_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(directives), cmocka_unit_test(lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
