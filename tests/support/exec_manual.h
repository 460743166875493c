/* SPDX-License-Identifier: MIT
 * tests/support/exec_manual.h — an executor whose loop runs when the test says so: chosen
 * interleavings of the two sides on one thread. */
#ifndef BH_TESTS_EXEC_MANUAL_H
#define BH_TESTS_EXEC_MANUAL_H

#include <stdbool.h>

#include "server/exec.h"

extern const bh_exec_ops bh_exec_manual;
/* One turn of the render loop of the executor that was started last; false: none is running. */
bool exec_manual_turn(void);

#endif
