/* SPDX-License-Identifier: MIT
 * All examples in one server. The index shows two of them as they are: a component is a component,
 * whether it is a whole page or a part of one. */
#include "chat/chat.h"
#include "clock/clock.h"
#include "counter/counter.h"
#include "form/form.h"
#include "monitor/monitor.h"
#include "todo/todo.h"
#include <backhaul/html.h>

static const struct { const char *href, *name, *text; } cards[] = {
    {"/todo", "To do", "A keyed list: add, tick off, move, delete, filter. What moves stays the same node."},
    {"/form", "Form", "Every kind of input, checked while it is filled in, and what the program knows of it."},
    {"/chat", "Chat", "Between tabs: open it twice. Who is here is counted by an effect and its cleanup."},
    {"/monitor", "Monitor", "CPU, memory and network of the machine this runs on, pushed by a thread of its own."},
};

static void heading(bh_cx *cx, const char *href, const char *name)
{
    H2() A(.href = href) TEXT(name);
}

BH_COMPONENT0(Gallery)
{
    MAIN(.class_name = "page wide stack") {
        H1() TEXT("backhaul");
        P(.class_name = "muted") TEXT("Live pages from C. Every card is a component that this server renders; "
                                      "your browser only applies what changes.");
        DIV(.class_name = "cards") {
            SECTION(.class_name = "card") {
                heading(cx, "/counter", "Counter");
                BH_USE(Counter, .start = 3, .step = 1);
            }
            for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) SECTION(.class_name = "card") {
                heading(cx, cards[i].href, cards[i].name);
                P() TEXT(cards[i].text);
            }
            SECTION(.class_name = "card") {
                heading(cx, "/clock", "Clock");
                BH_USE(Clock, .look_every_ms = 100);
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct chat_room *room = chat_room_new();
    struct monitor *monitor = monitor_start();
    int status = bh_main(argc, argv, BH_PAGE0("/", Gallery), BH_PAGE("/counter", Counter, .step = 1),
                         BH_PAGE0("/todo", Todo), BH_PAGE0("/form", Form),
                         BH_PAGE("/clock", Clock, .look_every_ms = 100), BH_PAGE("/chat", Chat, .room = room),
                         BH_PAGE("/monitor", Monitor, .samples = monitor_samples(monitor)));
    monitor_stop(monitor);
    chat_room_free(room);
    return status;
}
