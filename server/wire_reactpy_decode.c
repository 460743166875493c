/* SPDX-License-Identifier: MIT
 * ReactPy, in: `{"type":"layout-event","target":"<handler id>","data":[<event>]}`. The only file that
 * knows cJSON; nothing reaches it that has not passed the gate. Members are looked up by exact name
 * (cJSON's plain lookup ignores case) and an object that says a name twice is refused: which one
 * counts would be up to the reader. Strings move to the arena, the cJSON tree is gone on return. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "server/json_gate.h"
#include "server/limits.h"
#include "server/wire.h"

enum { FEW_MEMBERS = 16 }; /* compared pairwise; more are sorted */

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static bool twice(const cJSON *object, bh_arena *arena)
{
    size_t n = 0;
    for (const cJSON *c = object->child; c; c = c->next, n++) {
        if (n == FEW_MEMBERS)
            break;
        for (const cJSON *d = object->child; d != c; d = d->next)
            if (d->string[0] == c->string[0] && strcmp(d->string, c->string) == 0)
                return true;
    }
    if (n < FEW_MEMBERS)
        return false;
    n = 0;
    for (const cJSON *c = object->child; c; c = c->next)
        n++;
    const char **names = bh_arena_alloc(arena, n * sizeof *names);
    n = 0;
    for (const cJSON *c = object->child; c; c = c->next)
        names[n++] = c->string;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return true;
    return false;
}

/* Depth is bounded by the gate. */
static int refuse_duplicates(const cJSON *v, bh_arena *arena)
{
    if (cJSON_IsObject(v) && twice(v, arena))
        return -EPROTO;
    for (const cJSON *c = v->child; c; c = c->next) {
        int rc = c->child ? refuse_duplicates(c, arena) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- members; of another kind than expected is as good as absent -------------------------------- */

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;
}

static const char *get_string(const cJSON *object, const char *name)
{
    const cJSON *v = get(object, name);
    return cJSON_IsString(v) ? v->valuestring : NULL;
}

static bool get_true(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(get(object, name));
}

static bool get_number(const cJSON *object, const char *name, double *ret)
{
    const cJSON *v = get(object, name);
    if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
        return false;
    *ret = v->valuedouble;
    return true;
}

static bool get_point(const cJSON *object, const char *x, const char *y, bh_event *ev)
{
    double at_x, at_y;
    if (!get_number(object, x, &at_x) || !get_number(object, y, &at_y))
        return false;
    ev->x = at_x;
    ev->y = at_y;
    return true;
}

static const char *keep(bh_arena *arena, const char *s)
{
    return s ? bh_arena_copy(arena, s, strlen(s)) : "";
}

/* A control's value: a string, or a number (meter, progress, li). NULL: none. */
static const char *value_of(const cJSON *control, bh_arena *arena)
{
    const char *s = get_string(control, "value");
    if (s)
        return keep(arena, s);
    double number;
    if (!get_number(control, "value", &number))
        return NULL;
    char text[32];
    snprintf(text, sizeof text, "%.15g", number);
    return keep(arena, text);
}

/* True if a form would submit this control. */
static bool successful(const cJSON *control)
{
    static const char *const never[] = {"submit", "button", "reset", "image", "file"};
    const char *name = get_string(control, "name"), *type = get_string(control, "type");
    if (!name || !*name || get_true(control, "disabled"))
        return false;
    if (!type)
        return true;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strcmp(type, never[i]) == 0)
            return false;
    bool box = strcmp(type, "checkbox") == 0 || strcmp(type, "radio") == 0;
    return !box || get_true(control, "checked");
}

/* What 1.x makes of a select (an array of its options) and of a form (of its controls; 0.3.x says
 * target.elements). Options have `selected`, controls do not. */
static void read_list(const cJSON *list, bh_arena *arena, bh_event *ev)
{
    size_t n = 0;
    for (const cJSON *c = list->child; c && n < BH_MAX_FIELDS; c = c->next)
        n++;
    if (n == 0)
        return;
    bh_field *fields = bh_arena_alloc(arena, n * sizeof *fields);
    size_t used = 0;
    for (const cJSON *c = list->child; c && used < n; c = c->next) {
        const cJSON *selected = get(c, "selected");
        bool option = cJSON_IsBool(selected);
        if (option ? !cJSON_IsTrue(selected) : !successful(c))
            continue;
        const char *value = value_of(c, arena);
        if (!value)
            continue;
        fields[used].name = option ? "" : keep(arena, get_string(c, "name"));
        fields[used].value = value;
        if (option && used == 0)
            ev->value = value;
        used++;
    }
    ev->fields = fields;
    ev->n_fields = used;
}

static void read_target(const cJSON *target, bh_arena *arena, bh_event *ev)
{
    if (cJSON_IsArray(target)) {
        read_list(target, arena, ev);
        return;
    }
    const char *value = value_of(target, arena);
    if (value)
        ev->value = value;
    ev->checked = get_true(target, "checked") || get_true(target, "open");
    const cJSON *elements = get(target, "elements");
    if (cJSON_IsArray(elements))
        read_list(elements, arena, ev);
}

static void read_event(const cJSON *data, bh_arena *arena, bh_event *ev)
{
    static const struct {
        const char *name;
        unsigned mod;
    } mods[] = {{"shiftKey", BH_MOD_SHIFT},
                {"ctrlKey", BH_MOD_CTRL},
                {"altKey", BH_MOD_ALT},
                {"metaKey", BH_MOD_META}};
    const cJSON *target = get(data, "target");
    ev->value = "";
    if (target)
        read_target(target, arena, ev);
    ev->key = keep(arena, get_string(data, "key"));
    for (size_t i = 0; i < sizeof mods / sizeof *mods; i++)
        if (get_true(data, mods[i].name))
            ev->mods |= mods[i].mod;
    /* bh_event.x and y are relative to the element where the client says so */
    if (!get_point(data, "deltaX", "deltaY", ev) && !get_point(data, "offsetX", "offsetY", ev) &&
        !get_point(data, "clientX", "clientY", ev))
        (void)get_point(target, "scrollLeft", "scrollTop", ev);
    double button;
    if (get_number(data, "button", &button) && button >= 0 && button <= 255)
        ev->button = (int)button;
}

/* ---- the message ------------------------------------------------------------------------------------ */

/* Handler ids are written in decimal, shortest form. */
static int read_hid(const char *s, uint32_t *ret)
{
    uint64_t v = 0;
    size_t n = 0;
    for (; s[n] >= '0' && s[n] <= '9' && n < 11; n++)
        v = v * 10 + (uint64_t)(s[n] - '0');
    if (n == 0 || s[n] || s[0] == '0' || v > UINT32_MAX)
        return -ENOMSG;
    *ret = (uint32_t)v;
    return 0;
}

static int read_message(const cJSON *root, bh_arena *arena, bh_reactpy_message *m)
{
    if (!cJSON_IsObject(root))
        return -EPROTO;
    int rc = refuse_duplicates(root, arena);
    if (rc < 0)
        return rc;
    const char *type = get_string(root, "type");
    if (!type)
        return -EPROTO;
    if (strcmp(type, "layout-event") != 0)
        return -ENOMSG;
    const char *target = get_string(root, "target");
    const cJSON *data = get(root, "data"), *seq = get(root, "seq");
    if (!target || !cJSON_IsArray(data))
        return -EPROTO;
    rc = read_hid(target, &m->hid);
    if (rc < 0)
        return rc;
    if (seq) {
        double v = cJSON_IsNumber(seq) ? seq->valuedouble : -1;
        if (!(v >= 0 && v <= UINT32_MAX) || v != floor(v))
            return -EPROTO;
        m->seq = (uint32_t)v;
    }
    read_event(data->child, arena, &m->event);
    return 0;
}

int bh_reactpy_decode(const unsigned char *data, size_t len, bh_arena *arena,
                      bh_reactpy_message *ret)
{
    int rc = bh_json_gate(data, len);
    if (rc < 0)
        return rc;
    cJSON *root = cJSON_ParseWithLengthOpts((const char *)data, len, NULL, 0);
    if (!root)
        return -EPROTO;
    bh_reactpy_message m = {0};
    rc = read_message(root, arena, &m);
    cJSON_Delete(root);
    if (rc == 0)
        *ret = m;
    return rc;
}
