/* SPDX-License-Identifier: MIT
 * Controlled inputs: what the browser shows, what the program wants, and the difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <backhaul/component.h>

#include "support/fake_host.h"

#include <backhaul/html.h>

static int setup(void **state)
{
    static fake f;
    fake_init(&f);
    *state = &f;
    return 0;
}
static int teardown(void **state)
{
    fake_fini(*state);
    return 0;
}
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

BH_HANDLER(bump, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }
BH_HANDLER(keep, { bh_ref s; }) { bh_set_string(cx, cap->s, ev->value); }
BH_HANDLER(keep_digits, { bh_ref s; })
{
    char out[64];
    size_t n = 0;
    for (const char *c = ev->value; *c && n < sizeof out - 1; c++)
        if (*c >= '0' && *c <= '9')
            out[n++] = *c;
    out[n] = 0;
    bh_set_string(cx, cap->s, out);
}

BH_COMPONENT0(Field)
{
    bh_string s = bh_use_string(cx, "");
    INPUT(.value = s.value, ON(input, keep, s.ref)) {}
}
static void taking_the_value_over_sends_nothing(void **state) /* B41, B42: no echo */
{
    fake *f = *state;
    fake_start(f, &Field_component, NULL);
    fake_type(f, 0, "h");
    assert_int_equal(fake_turn(f), 0);
    fake_type(f, 0, "he");
    fake_type(f, 0, "hel");
    assert_int_equal(fake_turn(f), 0);
    assert_page(f, "<input value=\"hel\" @input></input>");
}

/* A client that acknowledges nothing is not rendered for; its edits still come. */
static void edits_without_a_render_are_bounded(void **state)
{
    fake *f = *state;
    fake_start(f, &Field_component, NULL);
    static char text[32001];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 2000; i++) { /* 64 MB of them */
        text[0] = (char)('a' + i % 2);
        fake_type(f, 0, text);
    }
    assert_true(bh_session_bytes(f->session) < 2 << 20);
    assert_int_equal(f->warnings, 1);
    fake_turn(f);
    char end[32001 + 64];
    snprintf(end, sizeof end, "<input value=\"%s\" @input></input>", text);
    assert_page(f, end);
    fake_type(f, 0, "as ever");
    assert_int_equal(fake_turn(f), 0);
    assert_page(f, "<input value=\"as ever\" @input></input>");
}

BH_COMPONENT0(Tidy)
{
    bh_string s = bh_use_string(cx, "1000");
    INPUT(.value = s.value, ON(blur, keep_digits, s.ref)) {}
}
static void b46_equal_state_still_corrects_the_field(void **state)
{
    fake *f = *state;
    fake_start(f, &Tidy_component, NULL);
    fake_event(f, 0, &(bh_event){.type = BH_ON_blur, .value = "1 000"});
    assert_true(bh_session_pending(f->session));
    assert_int_equal(fake_turn(f), 1); /* the value, though the state did not change */
    assert_page(f, "<input value=\"1000\" @focusout></input>");
    fake_event(f, 0, &(bh_event){.type = BH_ON_blur, .value = "1000"});
    assert_false(bh_session_pending(f->session));
}

BH_HANDLER(clear, { bh_ref s; }) { bh_set_string(cx, cap->s, ""); }
BH_COMPONENT0(Area)
{
    bh_string s = bh_use_string(cx, "a");
    TEXTAREA(.value = s.value, ON(input, keep, s.ref)) {}
    BUTTON(ON(click, clear, s.ref)) {}
}
static void b45_textarea_can_be_cleared(void **state)
{
    fake *f = *state;
    fake_start(f, &Area_component, NULL);
    fake_type(f, 0, "abc");
    fake_turn(f);
    fake_click(f, 0);
    assert_int_equal(fake_turn(f), 1);
    assert_page(f, "<textarea value=\"\" @input></textarea><button @click></button>");
}

BH_COMPONENT0(Uncontrolled)
{
    bh_int n = bh_use_int(cx, 0);
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
    INPUT(.default_value = "x", ON(input, bump, n.ref)) {}
    SELECT() {
        OPTION() { TEXT("a"); }
    }
    DETAILS() {}
}
static void b47_uncontrolled_inputs_are_left_alone(void **state)
{
    fake *f = *state;
    fake_start(f, &Uncontrolled_component, NULL);
    for (int i = 0; i < 60; i++) {
        fake_click(f, 0);
        assert_int_equal(fake_turn(f), 1); /* the text alone */
    }
    fake_type(f, 0, "typed");
    assert_int_equal(fake_turn(f), 1);
}

BH_HANDLER0(ignore) {}
BH_HANDLER(drop_first, { bh_ref n; }) { bh_add_int(cx, cap->n, 1); }
BH_HANDLER(check, {
    bh_ref mask;
    int i;
})
{
    static int mask;
    mask = ev->checked ? mask | 1 << cap->i : mask & ~(1 << cap->i);
    bh_set_int(cx, cap->mask, mask);
}
BH_COMPONENT0(Checks)
{
    bh_int mask = bh_use_int(cx, 0), first = bh_use_int(cx, 0);
    P(ON(click, drop_first, first.ref)) {}
    for (int i = first.value; i < 3; i++)
        INPUT(.key = KEY(i), .type = "checkbox", .checked = BH_TRI(mask.value & 1 << i),
              ON(change, check, mask.ref, i))
        {
        }
    INPUT(.type = "checkbox", .checked = true, ON0(change, ignore)) {}
}
static void b48_checkboxes_follow_the_program(void **state)
{
    fake *f = *state;
    fake_start(f, &Checks_component, NULL);
    fake_event(f, 1, &(bh_event){.type = BH_ON_change, .checked = true, .value = "on"});
    assert_int_equal(fake_turn(f), 0); /* it shows already */
    fake_click(f, 0);
    assert_int_equal(fake_turn(f), 1); /* one removed */
    assert_page(f, "<p @click></p><input type=\"checkbox\" checked @change></input>"
                   "<input type=\"checkbox\" !checked @change></input>"
                   "<input type=\"checkbox\" checked @change></input>");
    fake_event(f, 2, &(bh_event){.type = BH_ON_change, .checked = false, .value = "on"});
    assert_int_equal(fake_turn(f), 1); /* the one that is always on goes back */
}

BH_COMPONENT0(Radios)
{
    INPUT(.type = "radio", .name = "r", .checked = true, ON0(change, ignore)) {}
    INPUT(.type = "radio", .name = "r", .checked = BH_TRI(false), ON0(change, ignore)) {}
    INPUT(.type = "radio", .name = "other", .checked = true, ON0(change, ignore)) {}
}
static void radios_go_back_as_a_group(void **state)
{
    fake *f = *state;
    fake_start(f, &Radios_component, NULL);
    fake_event(f, 1, &(bh_event){.type = BH_ON_change, .checked = true, .value = "on"});
    assert_int_equal(fake_turn(f), 2); /* second off, first on again */
}

BH_HANDLER(choose, { bh_ref s; }) { bh_set_string(cx, cap->s, ev->value); }
BH_COMPONENT0(Selects)
{
    bh_string s = bh_use_string(cx, "b");
    SELECT(.value = s.value, ON(change, choose, s.ref)) {
        OPTION(.value = "a") {}
        OPTION(.value = "b") {}
    }
    SELECT(.multiple = true, ON0(change, ignore)) {
        OPTION(.value = "1", .selected = true) {}
        OPTION(.value = "2", .selected = BH_TRI(false)) {}
        OPTION(.selected = BH_TRI(false)) { TEXT("3"); }
    }
}
static void b49_selects(void **state)
{
    fake *f = *state;
    fake_start(f, &Selects_component, NULL);
    fake_event(f, 0, &(bh_event){.type = BH_ON_change, .value = "a"});
    assert_int_equal(fake_turn(f), 0);
    const bh_field chosen[] = {{"", "2"}, {"", "3"}};
    fake_event(f, 1,
               &(bh_event){.type = BH_ON_change, .value = "2", .fields = chosen, .n_fields = 2});
    assert_int_equal(fake_turn(f), 3); /* 1 on, 2 and 3 off again */
}

BH_COMPONENT0(HideOnKey)
{
    bh_int n = bh_use_int(cx, 0);
    if (n.value == 0)
        INPUT(ON(keydown, bump, n.ref), ON(blur, bump, n.ref)) {}
    P(ON(click, bump, n.ref)) { TEXTF("%d", n.value); }
}
static void b35_blur_of_what_we_removed(void **state)
{
    fake *f = *state;
    fake_start(f, &HideOnKey_component, NULL);
    uint32_t blur = fake_hid(f, BH_ON_blur, 0);
    fake_event(f, 0, &(bh_event){.type = BH_ON_keydown, .key = "Enter"});
    fake_turn(f);
    assert_false(bh_session_event(f->session, blur, &(bh_event){.type = BH_ON_blur}));
    assert_int_equal(f->faults, 0);
    fake_click(f, 0);
    fake_turn(f);
    assert_page(f, "<p @click>2</p>");
}

BH_HANDLER(read_form, { bh_ref s; })
{
    const char *name = bh_event_field(ev, "name");
    bh_set_string(cx, cap->s, name ? name : "(none)");
    if (bh_event_field(ev, "absent"))
        bh_set_string(cx, cap->s, "wrong");
}
BH_COMPONENT0(Form)
{
    bh_string s = bh_use_string(cx, "");
    FORM(ON_PREVENT(submit, read_form, s.ref)) { TEXT(s.value); }
}
static void form_fields(void **state)
{
    fake *f = *state;
    fake_start(f, &Form_component, NULL);
    const bh_field fields[] = {{"other", "x"}, {"name", "Ada"}};
    fake_event(f, 0, &(bh_event){.type = BH_ON_submit, .fields = fields, .n_fields = 2});
    fake_turn(f);
    assert_page(f, "<form @submit>Ada</form>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(taking_the_value_over_sends_nothing),
        T(edits_without_a_render_are_bounded),
        T(b46_equal_state_still_corrects_the_field),
        T(b45_textarea_can_be_cleared),
        T(b47_uncontrolled_inputs_are_left_alone),
        T(b48_checkboxes_follow_the_program),
        T(radios_go_back_as_a_group),
        T(b49_selects),
        T(b35_blur_of_what_we_removed),
        T(form_fields),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
