/* SPDX-License-Identifier: MIT */
#include "counter.h"
#include <backhaul/html.h>

BH_HANDLER(on_add, { bh_ref count; int by; }) { bh_add_int(cx, cap->count, cap->by); }

BH_COMPONENT_DEFINE(Counter)
{
    bh_int count = bh_use_int(cx, props->start);
    DIV(.class_name = "page row", .role = "group", .aria_label = "Counter") {
        BUTTON(.aria_label = "less", ON(click, on_add, count.ref, -props->step)) { TEXT("−"); }
        OUTPUT(.class_name = "big") { TEXTF("%d", count.value); }
        BUTTON(.aria_label = "more", ON(click, on_add, count.ref, props->step)) { TEXT("+"); }
    }
}

int main(int argc, char **argv) { return bh_main(argc, argv, BH_PAGE("/", Counter, .step = 1)); }
