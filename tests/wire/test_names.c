/* SPDX-License-Identifier: MIT
 * names.json, from names.def: what a client in another language must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vdom/names.h"
#include "wire/tree.h"

static const char *kind_of(unsigned flags)
{
    if (flags & BH_NAME_PROP)
        return "prop";
    if (flags & BH_NAME_BOOL)
        return "bool";
    if (flags & BH_NAME_ENUM)
        return "enum";
    return flags & BH_NAME_STYLE ? "style" : "attr";
}

static void test_golden(void **state)
{
    (void)state;
    bh_names *names = bh_names_new();
    bh_buf json;
    bh_buf_init(&json);
    bh_buf_str(&json, "{\"tags\":[");
    for (uint16_t i = 1; i < BH_TAG__KNOWN; i++)
        put_fmt(&json, "%s\"%s\"", i > 1 ? "," : "", bh_tag_name(names, i)->html);
    bh_buf_str(&json, "],\n\"attrs\":[");
    for (uint16_t i = 1; i < BH_A__KNOWN; i++) {
        const bh_name *name = bh_attr_name(names, i);
        put_fmt(&json, "%s[\"%s\",\"%s\"]", i > 1 ? "," : "", name->html, kind_of(name->flags));
    }
    bh_buf_str(&json, "],\n\"events\":[");
    for (unsigned i = 1; i < BH_ON__COUNT; i++)
        put_fmt(&json, "%s\"%s\"", i > 1 ? "," : "", bh_event_dom_name((bh_event_type)i));
    bh_buf_str(&json, "]}\n");
    golden_check("names.json", &json);
    bh_buf_fini(&json);
    bh_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
