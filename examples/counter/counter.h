/* SPDX-License-Identifier: MIT */
#pragma once
#include <backhaul/backhaul.h>
BH_COMPONENT_DECLARE(Counter, { int start; int step; });
