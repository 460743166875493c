/* SPDX-License-Identifier: MIT
 * For random trees a and b: showing b after a leaves the page equal to b, with right identities, the
 * fewest moves, sound invariants; and showing b once more changes nothing.
 *
 * BH_PROP_N pairs (200000; a tenth of it in sanitizer builds), BH_PROP_SEED to repeat a run. A pair
 * that fails is made as small as it will go and printed in the language of tests/support/tree.h. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/spec.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAIRS 20000
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAIRS 20000
#endif
#endif
#ifndef PAIRS
#define PAIRS 200000
#endif

/* NULL if all is well. */
static const char *try_pair(tree_rig *rig, const spec_tree *a, const spec_tree *b)
{
    tree_rig_reset(rig);
    tree_show_node(rig, spec_build(rig, a));
    if (rig->why)
        return rig->why;
    tree_show_node(rig, spec_build(rig, b));
    if (rig->why)
        return rig->why;
    tree_show_node(rig, spec_build(rig, b));
    if (rig->why)
        return rig->why;
    if (rig->log.ops)
        return "the same tree again is not nothing";
    tree_show_node(rig, spec_build(rig, a));
    return rig->why;
}

static bool shrink_one(tree_rig *rig, spec_tree *a, spec_tree *b, spec_tree *which)
{
    for (unsigned i = 0; i < which->n; i++) {
        spec_tree before = *which;
        spec_drop(which, i);
        if (try_pair(rig, a, b))
            return true;
        *which = before;
        if (which->nodes[i].attrs) {
            which->nodes[i].attrs = 0;
            if (try_pair(rig, a, b))
                return true;
            *which = before;
        }
    }
    return false;
}

static void print(const char *what, const spec_tree *tree)
{
    bh_buf out;
    bh_buf_init(&out);
    spec_print(&out, tree);
    bh_buf_byte(&out, '\0');
    fprintf(stderr, "  %s %s\n", what, (const char *)out.data);
    bh_buf_fini(&out);
}

int main(void)
{
    const char *seed_text = getenv("BH_PROP_SEED"), *n_text = getenv("BH_PROP_N");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0)
                              : (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec;
    unsigned long n = n_text ? strtoul(n_text, NULL, 0) : PAIRS, ops = 0, moves = 0;
    printf("BH_PROP_SEED=%llu BH_PROP_N=%lu\n", (unsigned long long)seed, n);
    fflush(stdout);
    tree_rig rig;
    tree_rig_init(&rig);
    rig.log.quiet = true;
    for (unsigned long i = 0; i < n; i++) {
        spec_source src = {.state = seed + i};
        spec_tree a, b;
        unsigned size = i % 64 == 0 ? 100 : i % 8 == 0 ? 40 : 14;
        spec_make(&a, &src, size);
        if (spec_pick(&src, 3) == 0)
            spec_make(&b, &src, size);
        else
            spec_mutate(&b, &a, &src, size);
        const char *why = try_pair(&rig, &a, &b);
        ops += rig.log.ops;
        moves += rig.log.moves;
        if (!why)
            continue;
        fprintf(stderr, "pair %lu of seed %llu: %s\n", i, (unsigned long long)seed, why);
        while (shrink_one(&rig, &a, &b, &a) || shrink_one(&rig, &a, &b, &b))
            ;
        fprintf(stderr, "smallest: %s\n", try_pair(&rig, &a, &b));
        print("from", &a);
        print("to  ", &b);
        return 1;
    }
    printf("%lu pairs, %lu operations, %lu moves on the way back\n", n, ops, moves);
    tree_rig_fini(&rig);
    return ops && moves ? 0 : 1; /* a generator that makes nothing proves nothing */
}
