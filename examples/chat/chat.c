/* SPDX-License-Identifier: MIT
 * Chat between tabs. What is said is in the room, which all tabs share; a topic tells them that it
 * changed. A tab's own name and draft are its state. Everything a peer can make grow has an end. */
#include "chat.h"
#include <backhaul/html.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = 50, NAME = 32, TEXT_MAX = 400 };

struct message { unsigned long id; unsigned author; char name[NAME]; char text[TEXT_MAX]; };
struct chat_room {
    bh_topic *changed; /* its value: how often it did */
    unsigned long changes, said;
    unsigned guests, here;
    struct message messages[HISTORY]; /* number n is at n % HISTORY */
};
struct guest { struct chat_room *room; unsigned number; char name[NAME]; char draft[TEXT_MAX]; };

struct chat_room *chat_room_new(void)
{
    struct chat_room *room = calloc(1, sizeof(*room));
    if (!room) abort();
    room->changed = bh_topic_new("chat");
    return room;
}

void chat_room_free(struct chat_room *room)
{
    bh_topic_free(room->changed);
    free(room);
}

static void changed(struct chat_room *room)
{
    room->changes++;
    bh_publish(room->changed, &room->changes, sizeof(room->changes));
}

/* Cuts what is too long, between two characters. */
static void copy_text(char *to, size_t room, const char *text)
{
    size_t n = strlen(text);
    if (n >= room)
        for (n = room - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--) {}
    memcpy(to, text, n);
    to[n] = '\0';
}

/* ---- a guest's state and what changes it --------------------------------------------------- */

static void arrive(void *state, const void *arg)
{
    struct guest *g = state;
    g->room = *(struct chat_room *const *)arg;
    g->number = ++g->room->guests;
    snprintf(g->name, sizeof(g->name), "Guest %u", g->number);
}
static void set_name(void *state, const void *text)
{
    copy_text(((struct guest *)state)->name, NAME, text);
}
static void set_draft(void *state, const void *text)
{
    copy_text(((struct guest *)state)->draft, TEXT_MAX, text);
}
static void say(void *state, const void *arg BH_UNUSED)
{
    struct guest *g = state;
    if (!g->draft[strspn(g->draft, " ")]) return;
    unsigned long id = g->room->said++;
    struct message *m = &g->room->messages[id % HISTORY];
    *m = (struct message){.id = id, .author = g->number};
    memcpy(m->name, g->name[0] ? g->name : "Anonymous", g->name[0] ? NAME : sizeof("Anonymous"));
    memcpy(m->text, g->draft, TEXT_MAX);
    g->draft[0] = '\0';
    changed(g->room);
}

BH_HANDLER(on_name, { bh_ref guest; }) { bh_update(cx, cap->guest, set_name, ev->value); }
BH_HANDLER(on_draft, { bh_ref guest; }) { bh_update(cx, cap->guest, set_draft, ev->value); }
BH_HANDLER(on_say, { bh_ref guest; }) { bh_update(cx, cap->guest, say, NULL); }

/* ---- who is here: an effect, for its cleanup runs exactly once, however the tab goes -------- */

static void leave(bh_cx *cx BH_UNUSED, void *arg)
{
    struct chat_room *room = arg;
    room->here--;
    changed(room);
}
BH_EFFECT(come, { struct chat_room *room; })
{
    cap->room->here++;
    changed(cap->room);
    return BH_CLEANUP(leave, cap->room);
}

BH_COMPONENT_DEFINE(Chat)
{
    struct chat_room *room = props->room;
    bh_ref at;
    const struct guest *me = bh_use_state_lazy(cx, &at, sizeof(*me), arrive, NULL, &room);
    bh_use_topic(cx, room->changed, &(size_t){0}); /* render again whenever the room changes */
    BH_USE_EFFECT(cx, BH_ONCE, come, room);
    const char *name_id = bh_use_id(cx);

    MAIN(.class_name = "page stack") {
        DIV(.class_name = "row between") {
            H1() TEXT("Chat");
            SPAN(.class_name = "badge ok", .role = "status") TEXTF("%u here", room->here);
        }
        /* Newest first, and upside down by style: the list then stays at its newest end by itself. */
        OL(.class_name = "log", .role = "log", .aria_label = "Messages",
           .style = "flex-direction: column-reverse") {
            unsigned long first = room->said > HISTORY ? room->said - HISTORY : 0;
            for (unsigned long id = room->said; id-- > first;) {
                const struct message *m = &room->messages[id % HISTORY];
                LI(.key = KEY((int64_t)id), .class_name = m->author == me->number ? "mine" : NULL) {
                    STRONG() TEXT(m->name);
                    DIV() TEXT(m->text);
                }
            }
        }
        DIV(.class_name = "row") {
            LABEL(.for_id = name_id) TEXT("Your name");
            INPUT(.id = name_id, .value = me->name, .max_length = "24",
                  .autocomplete = "nickname", ON(input, on_name, at)) {}
        }
        FORM(.class_name = "row", ON_PREVENT(submit, on_say, at)) {
            INPUT(.class_name = "grow", .aria_label = "Message", .placeholder = "Say something",
                  .max_length = "300", .autocomplete = "off", .value = me->draft, ON(input, on_draft, at)) {}
            BUTTON(.class_name = "primary", .type = "submit") TEXT("Send");
        }
    }
}

int main(int argc, char **argv)
{
    struct chat_room *room = chat_room_new();
    int status = bh_main(argc, argv, BH_PAGE("/", Chat, .room = room));
    chat_room_free(room);
    return status;
}
