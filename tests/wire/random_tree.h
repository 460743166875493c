/* SPDX-License-Identifier: MIT
 * tests/wire/random_tree.h — random pages in the text form of tree.h. */
#ifndef BH_TESTS_WIRE_RANDOM_TREE_H
#define BH_TESTS_WIRE_RANDOM_TREE_H

#include <stdint.h>

uint64_t random_seed(void);              /* from BH_SEED or the clock; printed */
unsigned random_rounds(unsigned normal); /* BH_ROUNDS overrides */
unsigned random_below(uint64_t *seed, unsigned n);
const char *random_tree(uint64_t *seed); /* valid until the next call */

#endif
