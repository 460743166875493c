/* SPDX-License-Identifier: MIT
 * A clock. The timer looks at the wall clock more often than the hand moves; setting a state to what
 * it already is renders nothing, so the page gets one patch a second, close to the turn of it. */
#include "clock.h"
#include <backhaul/html.h>
#include <time.h>

BH_HANDLER(on_look, { bh_ref now; }) { BH_SET(cx, cap->now, time_t, time(NULL)); }

/* From the middle of the dial outwards, turned clockwise by `degrees`. */
static void hand(bh_cx *cx, double degrees, int from, int to, const char *width, const char *color)
{
    LINE(.attrs = ATTRS({"y1", FMT("%d", -from)}, {"y2", FMT("%d", -to)}, {"stroke-width", width},
                        {"stroke", color}, {"transform", FMT("rotate(%g)", degrees)})) {}
}

BH_COMPONENT_DEFINE(Clock)
{
    bh_ref at;
    const time_t *now = BH_USE_STATE(cx, &at, time_t, time(NULL));
    BH_USE_INTERVAL(cx, props->look_every_ms, on_look, at);

    struct tm t;
    localtime_r(now, &t);
    const char *text = FMT("%02d:%02d:%02d", t.tm_hour, t.tm_min, t.tm_sec);
    FIGURE(.class_name = "page") {
        SVG(.role = "img", .aria_label = FMT("Dial at %s", text), .width = "220", .height = "220",
            .attrs = ATTRS({"viewBox", "-52 -52 104 104"}, {"stroke-linecap", "round"})) {
            CIRCLE(.attrs = ATTRS({"r", "50"}, {"fill", "none"}, {"stroke", "currentColor"})) {}
            for (int hour = 0; hour < 12; hour++) hand(cx, hour * 30, 44, 48, "1.5", "currentColor");
            hand(cx, t.tm_hour % 12 * 30 + t.tm_min * 0.5, 0, 26, "4", "currentColor");
            hand(cx, t.tm_min * 6 + t.tm_sec * 0.1, 0, 38, "2.5", "currentColor");
            hand(cx, t.tm_sec * 6, -8, 42, "1", "crimson");
        }
        FIGCAPTION() {
            TIME(.class_name = "big", .role = "timer", .attrs = ATTRS({"datetime", text})) TEXT(text);
            DIV(.class_name = "muted")
                TEXTF("%d-%02d-%02d, by the server", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
        }
    }
}

int main(int argc, char **argv)
{
    return bh_main(argc, argv, BH_PAGE("/", Clock, .look_every_ms = 100));
}
