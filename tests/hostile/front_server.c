/* SPDX-License-Identifier: MIT
 * The server that the hostile tests talk to: a counter, a page of several megabytes, and a handler
 * that blocks whatever thread renders. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <backhaul/backhaul.h>
#include <backhaul/html.h>

BH_HANDLER(on_add, {
    bh_ref count;
    int by;
})
{
    bh_add_int(cx, cap->count, cap->by);
}

BH_COMPONENT0(Counter)
{
    bh_int n = bh_use_int(cx, 0);
    DIV() {
        BUTTON(ON(click, on_add, .count = n.ref, .by = 1)) { TEXT("+"); }
        SPAN() { TEXTF("%d", n.value); }
    }
}

enum { BIG = 3500000 };
BH_COMPONENT0(Big)
{
    static char *text;
    if (!text) {
        text = malloc(BIG + 1);
        if (!text)
            abort();
        for (int i = 0; i < BIG; i++) text[i] = (char)('a' + i % 23);
        text[BIG] = '\0';
    }
    PRE() { TEXT(text); }
}

BH_HANDLER(on_nap, { bh_ref count; })
{
    sleep(2);
    bh_add_int(cx, cap->count, 1);
}

BH_COMPONENT0(Nap)
{
    bh_int n = bh_use_int(cx, 0);
    BUTTON(ON(click, on_nap, .count = n.ref)) { TEXTF("%d", n.value); }
}

int main(int argc, char **argv)
{
    return bh_main(argc, argv, BH_PAGE0("/", Counter), BH_PAGE0("/a/b", Counter),
                   BH_PAGE0("/big", Big), BH_PAGE0("/nap", Nap));
}
