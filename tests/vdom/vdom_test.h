/* SPDX-License-Identifier: MIT
 * tests/vdom/vdom_test.h — what the tests of the diff share. */
#ifndef BH_TESTS_VDOM_TEST_H
#define BH_TESTS_VDOM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/tree.h"

static inline int rig_setup(void **state)
{
    static tree_rig rig;
    tree_rig_init(&rig);
    *state = &rig;
    return 0;
}
static inline int rig_teardown(void **state)
{
    tree_rig_fini(*state);
    return 0;
}

/* Shows a tree and fails if anything that tree_show_node checks is wrong. */
#define SHOW(rig, source)                                                                          \
    __extension__({                                                                                \
        const char *ops_ = tree_show(rig, source);                                                 \
        if ((rig)->why)                                                                            \
            fail_msg("%s: %s (%s)", source, (rig)->why, ops_);                                     \
        ops_;                                                                                      \
    })
#define EXPECT(rig, source, ops) assert_string_equal(SHOW(rig, source), ops)
/* On a fresh page: from one tree to another takes just these operations. */
#define EXPECT_OPS(from, to, ops)                                                                  \
    do {                                                                                           \
        tree_rig_reset(*state);                                                                    \
        SHOW((tree_rig *)*state, from);                                                            \
        EXPECT((tree_rig *)*state, to, ops);                                                       \
    } while (0)
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

#endif
