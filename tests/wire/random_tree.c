/* SPDX-License-Identifier: MIT */
#include "tests/wire/random_tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <backhaul/base.h>

uint64_t random_seed(void)
{
    const char *given = getenv("BH_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
    printf("BH_SEED=%" PRIu64 "\n", seed);
    return seed ? seed : 1;
}

unsigned random_rounds(unsigned normal)
{
    const char *given = getenv("BH_ROUNDS");
    return given ? (unsigned)strtoul(given, NULL, 0) : normal;
}

unsigned random_below(uint64_t *seed, unsigned n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (unsigned)((*seed >> 16) % n);
}

static char text[1 << 16];
static size_t used;

BH_PRINTF(1, 2) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text - used)
        abort();
    used += (size_t)n;
}

static void key(uint64_t *seed, bool keyed, unsigned i)
{
    (void)i;
    if (keyed)
        put(random_below(seed, 6) ? " key=%u" : " key='%u'", random_below(seed, 7));
}

static void attrs(uint64_t *seed)
{
    static const char *const pool[] = {
        " class=\"a\"",
        " class=\"b c\"",
        " id=\"x\"",
        " title=\"t\"",
        " title=\"\"",
        " style=\"top:0\"",
        " disabled",
        " hidden",
        " data-a=\"1\"",
        " data-a=\"2\"",
        " data-b=\"3\"",
        " value=\"v\"",
        " value=\"w\"",
        " checked",
        " checked!",
        " on:click=1:1",
        " on:input=2",
        " on:keydown=3",
        " default-value=\"d\"",
    };
    /* names of the pool that may not occur twice in one element */
    static const unsigned kind[] = {0, 0, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 8, 9, 9, 10, 11, 12, 8};
    unsigned seen = 0;
    for (unsigned n = random_below(seed, 5); n; n--) {
        unsigned k = random_below(seed, sizeof pool / sizeof *pool);
        if (seen & 1u << kind[k])
            continue;
        seen |= 1u << kind[k];
        put("%s", pool[k]);
    }
}

static void children(uint64_t *seed, unsigned depth)
{
    static const char *const tags[] = {"div", "p", "input", "svg", "ul", "x-y", "foreignObject"};
    unsigned n = random_below(seed, depth ? 6 : 2);
    bool keyed = random_below(seed, 2);
    for (unsigned i = 0; i < n; i++) {
        unsigned what = random_below(seed, 10);
        if (what < 3 || !depth) {
            static const char *const texts[] = {"", "a", "bc", "d\xc3\xa9"};
            put("%s|", texts[random_below(seed, 4)]);
        } else if (what < 4) {
            put("<frag");
            key(seed, keyed, i);
            put(">");
            children(seed, depth - 1);
            put("</>");
        } else if (what < 6) {
            put("<slot");
            key(seed, keyed, i);
            put(">");
            children(seed, depth - 1);
            put("</>");
        } else {
            const char *tag = tags[random_below(seed, 7)];
            put("<%s", tag);
            key(seed, keyed, i);
            attrs(seed);
            if (tag[0] == 'i' || random_below(seed, 12) == 0) {
                if (tag[0] == 'i' || random_below(seed, 2))
                    put("/>");
                else
                    put(" html=\"<b>%u</b>\"/>", random_below(seed, 2));
                continue;
            }
            put(">");
            children(seed, depth - 1);
            put("</>");
        }
    }
}

const char *random_tree(uint64_t *seed)
{
    used = 0;
    text[0] = '\0';
    children(seed, 1 + random_below(seed, 4));
    return text;
}
