/* SPDX-License-Identifier: MIT */
#pragma once
#include <backhaul/backhaul.h>
BH_COMPONENT_DECLARE(Clock, { unsigned look_every_ms; });
