/* SPDX-License-Identifier: MIT
 * Pages that the browser tests drive: each shows one thing that can go wrong between a person's
 * fingers and a server that answers late. */
#include <backhaul/backhaul.h>
#include <backhaul/html.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is typed comes back with a remark (B41, B42, B52), or changed (caret) ------------------ */

BH_HANDLER(on_text, { bh_ref text; }) { bh_set_string(cx, cap->text, ev->value); }
BH_HANDLER(on_upper, { bh_ref text; })
{
    char buf[256];
    size_t n = strlen(ev->value);
    for (size_t i = 0; i <= n && i < sizeof(buf); i++)
        buf[i] = (char)toupper((unsigned char)ev->value[i]);
    buf[sizeof(buf) - 1] = '\0';
    bh_set_string(cx, cap->text, buf);
}
BH_COMPONENT0(Typing)
{
    bh_string text = bh_use_string(cx, ""), upper = bh_use_string(cx, "");
    INPUT(.id = "text", .value = text.value, ON(input, on_text, text.ref)) {}
    P(.id = "error") TEXTF("%zu bytes, too few", strlen(text.value));
    P(.id = "echo") TEXT(text.value);
    INPUT(.id = "upper", .value = upper.value, ON(input, on_upper, upper.ref)) {}
    TEXTAREA(.id = "area", .value = text.value, ON(input, on_text, text.ref)) {}
}

/* ---- submit clears (B44), a button clears a textarea (B45), blur tidies (B46) -------------------- */

BH_HANDLER(on_submit, { bh_ref text, log; })
{
    bh_set_string(cx, cap->log, bh_event_field(ev, "item") ? bh_event_field(ev, "item") : "(none)");
    bh_set_string(cx, cap->text, "");
}
BH_HANDLER(on_clear, { bh_ref text; }) { bh_set_string(cx, cap->text, ""); }
BH_HANDLER(on_tidy, { bh_ref text; })
{
    char buf[64];
    size_t n = 0;
    for (const char *p = ev->value; *p && n < sizeof(buf) - 1; p++)
        if (*p != ' ')
            buf[n++] = *p;
    buf[n] = '\0';
    bh_set_string(cx, cap->text, buf);
}
BH_COMPONENT0(Clearing)
{
    bh_string text = bh_use_string(cx, ""), log = bh_use_string(cx, ""),
              area = bh_use_string(cx, "a");
    bh_string tidy = bh_use_string(cx, "1000");
    FORM(.id = "form", ON_PREVENT(submit, on_submit, text.ref, log.ref)) {
        INPUT(.id = "item", .name = "item", .value = text.value, ON(input, on_text, text.ref)) {}
        BUTTON(.id = "add") TEXT("add");
    }
    P(.id = "log") TEXT(log.value);
    P(.id = "text") TEXT(text.value);
    TEXTAREA(.id = "area", .value = area.value, ON(input, on_text, area.ref)) {}
    BUTTON(.id = "clear", .type = "button", ON(click, on_clear, area.ref)) TEXT("clear");
    P(.id = "areatext") TEXT(area.value);
    INPUT(.id = "tidy", .value = tidy.value, ON(blur, on_tidy, tidy.ref)) {}
    P(.id = "tidied") TEXT(tidy.value);
}

/* ---- checkboxes follow their keys, one cannot be unchecked (B48); selects (B49) ------------------- */

BH_HANDLER(on_check, {
    bh_ref bits;
    int bit;
})
{
    bh_set_int(cx, cap->bits, ev->checked ? cap->bit : 0);
}
BH_HANDLER(on_first, { bh_ref first; }) { bh_add_int(cx, cap->first, 1); }
BH_HANDLER0(on_nothing) {}
BH_HANDLER(on_pick, { bh_ref mask; })
{
    int mask = 0;
    for (size_t i = 0; i < ev->n_fields; i++) mask |= 1 << atoi(ev->fields[i].value);
    bh_set_int(cx, cap->mask, mask);
}
BH_HANDLER(on_mask, {
    bh_ref mask;
    int to;
})
{
    bh_set_int(cx, cap->mask, cap->to);
}
BH_COMPONENT0(Choosing)
{
    bh_int checked = bh_use_int(cx, 0), first = bh_use_int(cx, 0), mask = bh_use_int(cx, 6);
    bh_int base = bh_use_int(cx, 0), radio = bh_use_int(cx, 1);
    bh_string one = bh_use_string(cx, "b");
    for (int i = first.value; i < 4; i++)
        LABEL(.key = KEY(i)) {
            INPUT(.type = "checkbox", .id = FMT("c%d", i),
                  .checked = BH_TRI(checked.value == i + 1),
                  ON(change, on_check, checked.ref, i + 1))
            {
            }
            TEXTF("box %d", i);
        }
    BUTTON(.id = "remove", ON(click, on_first, first.ref)) TEXT("remove the first");
    INPUT(.type = "checkbox", .id = "fixed", .checked = BH_TRI(true), ON0(change, on_nothing)) {}
    SELECT(.id = "many", .multiple = true, ON(change, on_pick, mask.ref))
        for (int i = base.value; i < base.value + 5; i++)
            OPTION(.key = KEY(i), .value = FMT("%d", i), .selected = BH_TRI(mask.value >> i & 1))
                TEXTF("option %d", i);
    P(.id = "mask") TEXTF("%d", mask.value);
    BUTTON(.id = "to8", ON(click, on_mask, mask.ref, 8)) TEXT("only 3");
    BUTTON(.id = "shift", ON(click, on_first, base.ref)) TEXT("other options");
    SELECT(.id = "one", .value = one.value, ON(change, on_text, one.ref)) {
        OPTION(.value = "a") TEXT("a");
        OPTION(.value = "b") TEXT("b");
        OPTION(.value = "c") TEXT("c");
    }
    P(.id = "onetext") TEXT(one.value);
    /* The program lets only the second be chosen. */
    for (int i = 0; i < 2; i++)
        INPUT(.type = "radio", .name = "r", .id = FMT("r%d", i),
              .checked = BH_TRI(radio.value == i), ON0(change, on_nothing))
        {
        }
}

/* ---- a number is echoed as it was understood (B50) ------------------------------------------------ */

BH_HANDLER(on_number, { bh_ref number; })
{
    bh_set_double(cx, cap->number, strtod(ev->value, NULL));
}
BH_COMPONENT0(Number)
{
    bh_double n = bh_use_double(cx, 0);
    INPUT(.id = "number", .type = "number", .step = "any", .value = FMT("%g", n.value),
          ON(input, on_number, n.ref))
    {
    }
    P(.id = "echo") TEXTF("%g", n.value);
}

/* ---- things move and come around what has the focus (B51), focus on reorder ----------------------- */

BH_HANDLER(on_turn, { bh_ref turn; }) { bh_add_int(cx, cap->turn, 1); }
BH_COMPONENT0(Moving)
{
    bh_int turn = bh_use_int(cx, 0);
    BUTTON(.id = "turn", ON(click, on_turn, turn.ref)) TEXT("turn");
    UL(.id = "rows") {
        if (turn.value)
            LI(.key = KEY("new")) TEXTF("new %d", turn.value);
        for (int i = 0; i < 6; i++) {
            int n = (i + turn.value) % 6;
            LI(.key = KEY(n)) {
                INPUT(.id = FMT("i%d", n), .default_value = FMT("row %d", n)) {}
                if (n == 3)
                    DIV(.id = "scroller", .style = "height: 40px; overflow: auto")
                        DIV(.style = "height: 400px") TEXT("tall");
            }
        }
    }
}

/* ---- a tick beside what nobody controls (B47) ------------------------------------------------------ */

BH_HANDLER(on_tick, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }
BH_COMPONENT0(Ticking)
{
    bh_int n = bh_use_int(cx, 0);
    BH_USE_INTERVAL(cx, 50, on_tick, n.ref);
    P(.id = "tick") TEXTF("%d", n.value);
    INPUT(.id = "text", .default_value = "start") {}
    INPUT(.id = "box", .type = "checkbox") {}
    SELECT(.id = "select") {
        OPTION() TEXT("a");
        OPTION() TEXT("b");
    }
    DETAILS(.id = "details") {
        SUMMARY() TEXT("more");
        P() TEXT("inside");
    }
    TEXTAREA(.id = "area", .default_value = "start") {}
}

/* ---- large pastes (B33), buttons that go (B34), blur of what goes (B35), drags (B38) --------------- */

BH_HANDLER(on_enter, { bh_ref shown; })
{
    if (!strcmp(ev->key, "Enter"))
        bh_set_bool(cx, cap->shown, false);
}
BH_HANDLER(on_gone, { bh_ref shown, count; })
{
    bh_set_bool(cx, cap->shown, false);
    bh_add_int(cx, cap->count, 1);
}
BH_COMPONENT0(Going)
{
    bh_string big = bh_use_string(cx, ""), other = bh_use_string(cx, "");
    bh_bool shown = bh_use_bool(cx, true), button = bh_use_bool(cx, true);
    bh_int blurs = bh_use_int(cx, 0), count = bh_use_int(cx, 0), clicks = bh_use_int(cx, 0);
    TEXTAREA(.id = "big", .value = big.value, ON(input, on_text, big.ref)) {}
    P(.id = "size") TEXTF("%zu", strlen(big.value));
    INPUT(.id = "other", .value = other.value, ON(input, on_text, other.ref)) {}
    P(.id = "othertext") TEXT(other.value);
    if (shown.value)
        INPUT(.id = "enter", ON(keydown, on_enter, shown.ref), ON(blur, on_tick, blurs.ref)) {}
    P(.id = "blurs") TEXTF("%d", blurs.value);
    if (button.value)
        BUTTON(.id = "once", ON(click, on_gone, button.ref, count.ref)) TEXT("once");
    P(.id = "count") TEXTF("%d", count.value);
    BUTTON(.id = "click", ON(click, on_tick, clicks.ref)) TEXT("click");
    P(.id = "clicks") TEXTF("%d", clicks.value);
}

/* ---- first pages: texts, styles, raw HTML, other namespaces ---------------------------------------- */

BH_COMPONENT0(Shapes)
{
    bh_int n = bh_use_int(cx, 0);
    BUTTON(.id = "more", ON(click, on_tick, n.ref)) TEXT("more");
    P(.id = "texts") {
        TEXT("");
        TEXT("a");
        TEXTF("b%d", n.value);
        TEXT(n.value % 2 ? "" : "c");
    }
    P(.id = "styled", .style = FMT("padding-left: %dpx", 3 + n.value)) TEXT("styled");
    DIV(.id = "raw", .unsafe_html = {n.value % 2 ? "<i>two</i>" : "<b>one</b><!-- kept -->"}) {}
    PRE(.id = "pre") TEXT("\nfirst line is empty");
    SVG(.id = "svg", .attrs = ATTRS({"viewBox", "0 0 10 10"})) {
        CIRCLE(.attrs = ATTRS({"r", FMT("%d", n.value + 1)})) {}
        FOREIGN_OBJECT(.width = "10", .height = "10") INPUT(.id = "inside", .default_value = "html")
            {
            }
        if (n.value)
            RECT(.width = "2", .height = "2") {}
    }
    P(.id = "odd")
        TEXT("\xef\xbb\xbf"
             "&lt;script>alert(1)</script> \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7");
    TABLE()
        TBODY()
            TR()
                TD(.id = "cell") TEXTF("%d", n.value);
    LABEL() {
        TEXT("t");
        TEXTAREA(.id = "area", .default_value = "\nline") {}
    }
}

int main(int argc, char **argv)
{
    return bh_main(argc, argv, BH_PAGE0("/typing", Typing), BH_PAGE0("/clearing", Clearing),
                   BH_PAGE0("/choosing", Choosing), BH_PAGE0("/number", Number),
                   BH_PAGE0("/moving", Moving), BH_PAGE0("/ticking", Ticking),
                   BH_PAGE0("/going", Going), BH_PAGE0("/shapes", Shapes));
}
