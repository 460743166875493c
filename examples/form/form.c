/* SPDX-License-Identifier: MIT
 * Every kind of input, checked while it is filled in. The program holds every value; the browser's
 * own reset and validation are off, so what the page shows is what the program knows. */
#include "form.h"
#include <backhaul/html.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, EMAIL, PASSWORD, AGE, VOLUME, BORN, COLOR, SITE, NOTE, FIELDS };
static const struct { const char *label, *type, *first, *min, *max, *autocomplete; } fields[FIELDS] = {
    [NAME] = {"Name", "text", "", .autocomplete = "name"},
    [EMAIL] = {"E-mail", "email", "", .autocomplete = "email"},
    [PASSWORD] = {"Password", "password", "", .autocomplete = "new-password"},
    [AGE] = {"Age", "number", "", .min = "1", .max = "130"},
    [VOLUME] = {"Volume", "range", "50", .min = "0", .max = "100"},
    [BORN] = {"Born", "date", "", .min = "1900-01-01"},
    [COLOR] = {"Colour", "color", .first = "#0b62c4"},
    [SITE] = {"Web site", "url", "", .autocomplete = "url"},
    [NOTE] = {"Note", NULL, .first = ""}, /* a textarea */
};
static const char *const plans[] = {"small", "medium", "large"};
static const char *const countries[] = {"", "Chile", "Iceland", "Kenya", "Nepal"};
static const char *const tags[] = {"red", "green", "blue"};
enum { PLANS = 3, COUNTRIES = 5, TAGS = 3, VALUE = 200 };

struct model { char value[FIELDS][VALUE]; int plan, country; bool tag[TAGS], news, tried, saved; };
enum what { SET, PLAN, COUNTRY, TAG, NEWS, SUBMIT, RESET };
struct edit { enum what what; int which; const bh_event *ev; };

static const char *wrong(const struct model *m, int field)
{
    const char *v = m->value[field], *at = strchr(v, '@');
    if (field == NAME && !v[strspn(v, " ")]) return "Who are you?";
    if (field == EMAIL && (!at || at == v || !at[1])) return "An address has a name, an @ and a host.";
    if (field == PASSWORD && strlen(v) < 8) return "At least 8 characters.";
    if (field == AGE && (atoi(v) < 1 || atoi(v) > 130)) return "A number from 1 to 130.";
    return NULL;
}

static void start(void *state, const void *arg BH_UNUSED)
{
    struct model *m = state;
    memset(m, 0, sizeof(*m));
    for (int i = 0; i < FIELDS; i++) strcpy(m->value[i], fields[i].first);
}

static void apply(void *state, const void *arg)
{
    struct model *m = state;
    const struct edit *e = arg;
    m->saved = false;
    switch (e->what) {
    case SET: /* the browser knows the limit; what is longer comes from elsewhere */
        if (strlen(e->ev->value) < VALUE) strcpy(m->value[e->which], e->ev->value);
        break;
    case PLAN: m->plan = e->which; break;
    case COUNTRY:
        for (int i = 0; i < COUNTRIES; i++) if (!strcmp(e->ev->value, countries[i])) m->country = i;
        break;
    case TAG: /* backhaul.v1 lists what is selected, ReactPy's client names one */
        for (int i = 0; i < TAGS; i++) {
            m->tag[i] = e->ev->n_fields == 0 && !strcmp(e->ev->value, tags[i]);
            for (size_t f = 0; f < e->ev->n_fields; f++)
                m->tag[i] |= !strcmp(e->ev->fields[f].value, tags[i]);
        }
        break;
    case NEWS: m->news = !m->news; break;
    case RESET: start(m, NULL); break;
    case SUBMIT:
        m->tried = m->saved = true;
        for (int i = 0; i < FIELDS; i++) m->saved &= !wrong(m, i);
        break;
    }
}

BH_HANDLER(on, { bh_ref form; enum what what; int which; })
{
    bh_update(cx, cap->form, apply, &(struct edit){cap->what, cap->which, ev});
}

static void field(bh_cx *cx, const struct model *m, bh_ref at, int i, const char *form_id)
{
    const char *id = FMT("%s-%d", form_id, i), *error_id = FMT("%s-error", id);
    const char *error = m->tried ? wrong(m, i) : NULL;
    const bh_attr_init *aria = ATTRS({"aria-invalid", error ? "true" : NULL},
                                     {"aria-describedby", error ? error_id : NULL});
    DIV(.class_name = "field") {
        LABEL(.for_id = id) TEXT(fields[i].label);
        BH_EL(i == NOTE ? BH_TAG_TEXTAREA : BH_TAG_INPUT, .id = id, .type = fields[i].type, .min = fields[i].min,
              .max = fields[i].max, .autocomplete = fields[i].autocomplete, .max_length = "60",
              .value = m->value[i], .attrs = aria, ON(input, on, at, SET, i)) {}
        if (error) SPAN(.class_name = "error", .id = error_id) TEXT(error);
    }
}

static void choices(bh_cx *cx, const struct model *m, bh_ref at)
{
    FIELDSET() {
        LEGEND() TEXT("Plan");
        for (int i = 0; i < PLANS; i++) LABEL(.class_name = "check") {
            INPUT(.type = "radio", .name = "plan", .checked = BH_TRI(m->plan == i), ON(change, on, at, PLAN, i)) {}
            TEXT(plans[i]);
        }
    }
    LABEL(.class_name = "field") {
        TEXT("Country");
        SELECT(ON(change, on, at, COUNTRY, 0)) for (int i = 0; i < COUNTRIES; i++)
            OPTION(.value = countries[i], .selected = BH_TRI(m->country == i)) TEXT(i ? countries[i] : "choose");
    }
    LABEL(.class_name = "field") {
        TEXT("Tags");
        SELECT(.multiple = true, ON(change, on, at, TAG, 0)) for (int i = 0; i < TAGS; i++)
            OPTION(.value = tags[i], .selected = BH_TRI(m->tag[i])) TEXT(tags[i]);
    }
    LABEL(.class_name = "check") {
        INPUT(.type = "checkbox", .checked = BH_TRI(m->news), ON(change, on, at, NEWS, 0)) {}
        TEXT("Send me news");
    }
}

BH_COMPONENT_DEFINE0(Form)
{
    bh_ref at;
    const struct model *m = bh_use_state_lazy(cx, &at, sizeof(*m), start, NULL, NULL);
    const char *id = bh_use_id(cx);
    MAIN(.class_name = "page stack") {
        H1() TEXT("A form");
        FORM(.class_name = "card stack", .no_validate = true, ON_PREVENT(submit, on, at, SUBMIT, 0),
             ON_PREVENT(reset, on, at, RESET, 0)) {
            for (int i = 0; i < FIELDS; i++) field(cx, m, at, i, id);
            choices(cx, m, at);
            DIV(.class_name = "row") {
                BUTTON(.type = "submit", .class_name = "primary") TEXT("Save");
                BUTTON(.type = "reset") TEXT("Start again");
                SPAN(.role = "status") TEXT(m->saved ? "Saved." : m->tried ? "Not saved." : "");
            }
        }
        H2() TEXT("What the program knows");
        TABLE() TBODY() {
            for (int i = 0; i < FIELDS; i++) TR() {
                TH(.attrs = ATTRS({"scope", "row"})) TEXT(fields[i].label);
                TD() TEXT(i == PASSWORD ? FMT("%zu bytes", strlen(m->value[i])) : m->value[i]);
            }
        }
        P() TEXTF("%s, %s,%s%s%s news: %s", plans[m->plan], m->country ? countries[m->country] : "no country",
                  m->tag[0] ? " red," : "", m->tag[1] ? " green," : "", m->tag[2] ? " blue," : "", m->news ? "yes" : "no");
    }
}

int main(int argc, char **argv) { return bh_main(argc, argv, BH_PAGE0("/", Form)); }
