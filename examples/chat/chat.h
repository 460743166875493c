/* SPDX-License-Identifier: MIT */
#pragma once
#include <backhaul/backhaul.h>

/* One room. Only the thread that renders touches it, so it has no lock: the handlers, effects and
 * render functions of all its tabs run there, one after the other. One room, one server. */
struct chat_room;
struct chat_room *chat_room_new(void);
void chat_room_free(struct chat_room *room); /* when its server is gone */

BH_COMPONENT_DECLARE(Chat, { struct chat_room *room; });
