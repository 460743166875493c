/* SPDX-License-Identifier: MIT
 * backhaul/backhaul.h — everything a component author needs in one include.
 * Short element names are opt-in: <backhaul/html.h>. */
#ifndef BACKHAUL_H
#define BACKHAUL_H

#include <backhaul/app.h>
#include <backhaul/base.h>
#include <backhaul/component.h>
#include <backhaul/element.h>
#include <backhaul/event.h>

#endif
