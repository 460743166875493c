/* SPDX-License-Identifier: MIT
 * A keyed list whose state owns memory: zeroed at first, changed by apply(), freed by drop(). */
#include "todo.h"
#include <backhaul/html.h>
#include <stdlib.h>
#include <string.h>

typedef struct item { int id, done; char *text; } item;
typedef struct todos { item items[100]; int n, left, last_id; char *draft; } todos;
typedef enum verb { DRAFT, ADD, TOGGLE, DELETE, UP, DOWN } verb;
typedef struct change { verb verb; int id; const char *text; } change;
static const char *const filters[] = {"all", "open", "done"};
static const struct { verb verb; const char *sign, *name; } buttons[] = {
    {UP, "↑", "move up"}, {DOWN, "↓", "move down"}, {DELETE, "×", "delete"}};

static void drop(void *state)
{
    todos *t = state;
    for (free(t->draft); t->n; t->n--) free(t->items[t->n - 1].text);
}

static void apply(void *state, const void *arg)
{
    todos *t = state; const change *c = arg;
    int i = 0;
    while (i < t->n && t->items[i].id != c->id) i++; /* i == t->n: no such item */
    if (c->verb == DRAFT) {
        free(t->draft); t->draft = strdup(c->text);
    } else if (c->verb == ADD && t->n < 100 && t->draft && t->draft[strspn(t->draft, " ")]) {
        t->items[t->n++] = (item){++t->last_id, false, t->draft};
        t->draft = NULL; /* the item owns it now */
    } else if (c->verb == DELETE && i < t->n) {
        free(t->items[i].text);
        memmove(t->items + i, t->items + i + 1, (size_t)(--t->n - i) * sizeof(item));
    } else if (i < t->n) {
        int to = c->verb == UP && i > 0 ? i - 1 : c->verb == DOWN && i < t->n - 1 ? i + 1 : i;
        item it = {c->id, t->items[i].done ^ (c->verb == TOGGLE), t->items[i].text};
        t->items[i] = t->items[to];
        t->items[to] = it;
    }
    for (i = t->left = 0; i < t->n; i++) t->left += !t->items[i].done;
}

BH_HANDLER(act, { bh_ref at; verb verb; int id; }) {
    bh_update(cx, cap->at, apply, &(change){cap->verb, cap->id, ev->value});
}
BH_HANDLER(on_show, { bh_ref show; int to; }) { bh_set_int(cx, cap->show, cap->to); }

BH_COMPONENT_DEFINE0(Todo)
{
    bh_ref at; const todos *t = bh_use_state_lazy(cx, &at, sizeof(todos), NULL, drop, NULL);
    bh_int show = bh_use_int(cx, 0);
    MAIN(.class_name = "page stack") {
        H1() TEXT("To do");
        FORM(.class_name = "row", ON_PREVENT(submit, act, at, ADD, 0)) {
            INPUT(.aria_label = "New item", .class_name = "grow", .max_length = "200",
                  .value = t->draft ? t->draft : "", ON(input, act, at, DRAFT, 0)) {}
            BUTTON(.class_name = "primary", .type = "submit") TEXT("Add");
        }
        P(.class_name = "row", .role = "group", .aria_label = "Show") {
            for (int f = 0; f < 3; f++) BUTTON(ON(click, on_show, show.ref, f),
                .aria_pressed = BH_TRI(show.value == f)) TEXT(filters[f]);
            SPAN(.role = "status") TEXTF("%d of %d open", t->left, t->n);
        }
        UL(.class_name = "list") for (const item *i = t->items; i < t->items + t->n; i++) {
            if (show.value && (show.value == 2) != i->done) continue;
            LI(.key = KEY(i->id), .class_name = i->done ? "row done" : "row") {
                LABEL(.class_name = "check grow") {
                    INPUT(.type = "checkbox", .checked = BH_TRI(i->done),
                          ON(change, act, at, TOGGLE, i->id)) {}
                    TEXT(i->text);
                }
                for (int b = 0; b < 3; b++) BUTTON(ON(click, act, at, buttons[b].verb, i->id),
                    .aria_label = FMT("%s %s", buttons[b].name, i->text)) TEXT(buttons[b].sign);
            }
        }
    }
}

int main(int argc, char **argv) { return bh_main(argc, argv, BH_PAGE0("/", Todo)); }
