/* SPDX-License-Identifier: MIT */
#pragma once
#include <backhaul/backhaul.h>

/* A thread that reads /proc once a second and publishes what it saw. */
struct monitor;
struct monitor *monitor_start(void);
void monitor_stop(struct monitor *m); /* when the servers that show it are gone */
bh_topic *monitor_samples(struct monitor *m);

BH_COMPONENT_DECLARE(Monitor, { bh_topic *samples; });
