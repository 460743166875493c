/* SPDX-License-Identifier: MIT
 * Bytes choose three trees; showing them one after the other must never leave the page different
 * from the tree, break an invariant, or move more than is needed. */
#include <stdlib.h>

#include "support/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tree_rig rig;
    static bool ready;
    if (!ready) {
        tree_rig_init(&rig);
        rig.log.quiet = true;
        ready = true;
    }
    if (size == 0)
        return 0;
    spec_source src = {.at = data, .end = data + size};
    spec_tree trees[3];
    spec_make(&trees[0], &src, 30);
    spec_mutate(&trees[1], &trees[0], &src, 30);
    spec_make(&trees[2], &src, 30);
    tree_rig_reset(&rig);
    for (int i = 0; i < 4; i++) {
        tree_show_node(&rig, spec_build(&rig, &trees[i % 3]));
        if (rig.why)
            abort();
    }
    return 0;
}
