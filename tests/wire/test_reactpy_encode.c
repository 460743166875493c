/* SPDX-License-Identifier: MIT
 * ReactPy out. The judge is the client's own rule, written here with cJSON: a JSON pointer is set in
 * the model of the page; what comes out must be the model of the new page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "server/wire.h"
#include "wire/random_tree.h"
#include "wire/tree.h"

/* ---- the client --------------------------------------------------------------------------------------- */

/* Sets what `path` names, as npm's json-pointer does; the page is a root object. */
static void apply(cJSON **page, const cJSON *update)
{
    const char *at = cJSON_GetObjectItemCaseSensitive(update, "path")->valuestring;
    cJSON *model = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(update, "model"), 1);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(update, "type")->valuestring,
                        "layout-update");
    assert_int_equal(cJSON_GetArraySize(update), 3);
    if (!*at) {
        cJSON_Delete(*page);
        *page = model;
        return;
    }
    cJSON *in = *page;
    for (;;) {
        char token[64];
        assert_int_equal(*at, '/');
        size_t len = strcspn(++at, "/");
        assert_true(len && len < sizeof token);
        memcpy(token, at, len);
        token[len] = '\0';
        at += len;
        if (cJSON_IsArray(in)) {
            int index = atoi(token), size = cJSON_GetArraySize(in);
            assert_in_range(index, 0, *at ? size - 1 : size); /* one past the end appends */
            if (*at)
                in = cJSON_GetArrayItem(in, index);
            else if (index == size)
                cJSON_AddItemToArray(in, model);
            else
                cJSON_ReplaceItemInArray(in, index, model);
        } else {
            assert_true(cJSON_IsObject(in)); /* not into a text */
            cJSON *next = cJSON_GetObjectItemCaseSensitive(in, token);
            if (!*at && next)
                cJSON_ReplaceItemInObjectCaseSensitive(in, token, model);
            else if (!*at)
                cJSON_AddItemToObject(in, token, model);
            else if (!next)
                next = cJSON_AddObjectToObject(in, token);
            if (*at)
                in = next;
        }
        if (!*at)
            return;
    }
}

/* What React shows the same: no attribute and null, no member and an empty one. */
static void normalise(cJSON *node)
{
    static const char *const members[] = {"attributes", "eventHandlers", "children"};
    for (size_t i = 0; i < 3 && cJSON_IsObject(node); i++) {
        cJSON *m = cJSON_GetObjectItemCaseSensitive(node, members[i]);
        if (!m)
            continue;
        for (cJSON *c = m->child, *next; c; c = next) {
            next = c->next;
            if (i < 2 && cJSON_IsNull(c))
                cJSON_Delete(cJSON_DetachItemViaPointer(m, c));
            else if (i == 2)
                normalise(c);
        }
        if (!m->child)
            cJSON_DeleteItemFromObjectCaseSensitive(node, members[i]);
    }
}

/* Children are strings and objects with a tagName; raw HTML and children exclude each other. */
static void assert_renderable(const cJSON *node)
{
    if (cJSON_IsString(node))
        return;
    assert_true(cJSON_IsObject(node));
    assert_true(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(node, "tagName")));
    const cJSON *children = cJSON_GetObjectItemCaseSensitive(node, "children");
    const cJSON *attrs = cJSON_GetObjectItemCaseSensitive(node, "attributes");
    const cJSON *raw = cJSON_GetObjectItemCaseSensitive(attrs, "dangerouslySetInnerHTML");
    assert_true(!children || cJSON_IsArray(children));
    assert_false(raw && !cJSON_IsNull(raw) && children);
    for (const cJSON *c = children ? children->child : NULL; c; c = c->next) assert_renderable(c);
}

static cJSON *parse(const bh_buf *message)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts((char *)message->data, message->len, &end, 0);
    if (!json || end != (char *)message->data + message->len)
        fail_msg("not JSON: %.*s", (int)message->len, (char *)message->data);
    return json;
}

static void put_root(bh_reactpy_encoder *enc, bh_buf *out, tree *t)
{
    out->len = 0;
    bh_reactpy_root(enc, t->root);
}

/* One render: `before` is the tree shown, cur the new one. */
static void put_update(tree_env *env, bh_reactpy_encoder *enc, bh_buf *out, tree *old, tree *cur)
{
    bh_patch_sink sink = bh_reactpy_sink(enc);
    out->len = 0;
    bh_reactpy_begin(enc);
    tree_diff(env, old, cur, &sink);
    bh_reactpy_finish(enc);
}

static void check_step(cJSON **page, const bh_buf *update, const bh_buf *root)
{
    if (update->len) {
        cJSON *json = parse(update);
        apply(page, json);
        cJSON_Delete(json);
    }
    cJSON *want = NULL, *json = parse(root);
    apply(&want, json);
    assert_renderable(*page);
    normalise(*page);
    normalise(want);
    if (!cJSON_Compare(*page, want, 1)) {
        char *is = cJSON_PrintUnformatted(*page), *should = cJSON_PrintUnformatted(want);
        fail_msg("update %.*s\n gives %s\n not   %s", (int)update->len, (char *)update->data, is,
                 should);
    }
    cJSON_Delete(json);
    cJSON_Delete(want);
}

/* ---- golden ------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *before, *after, *diff_path, *subtree_path;
} cases[] = {
    {"counter", "<div class=\"c\"><button on:click=1>+</><span>3</></>",
     "<div class=\"c\"><button on:click=1>+</><span>4</></>",
     "/children/0/children/0/children/1/children/0", "/children/0"},
    {"inside a component", "<h1>t</><slot><p>a</><slot key=2>x</></>",
     "<h1>t</><slot><p>a</><slot key=2>y</></>", "/children/0/children/1/children/1/children/0",
     "/children/0/children/1/children/1"},
    {"two components", "<slot>a</><slot>b</>", "<slot>c</><slot>d</>", "/children/0/children",
     "/children/0"},
    {"two texts of one element", "<p>a|b</>", "<p>c|d</>", "/children/0/children/0/children",
     "/children/0"},
    {"one attribute", "<p title=\"a\">x</>", "<p title=\"b\">x</>",
     "/children/0/children/0/attributes/title", "/children/0"},
    {"first attribute", "<p>x</>", "<p class=\"b\">x</>",
     "/children/0/children/0/attributes/className", "/children/0"},
    {"attribute goes", "<p class=\"b\">x</>", "<p>x</>",
     "/children/0/children/0/attributes/className", "/children/0"},
    {"two attributes", "<p class=\"a\" id=\"i\">x</>", "<p class=\"b\" title=\"t\">x</>",
     "/children/0/children/0/attributes", "/children/0"},
    {"attribute and text", "<p class=\"a\">x</>", "<p class=\"b\">y</>", "/children/0/children/0",
     "/children/0"},
    {"names and kinds",
     "<label for=\"a\" tabindex=\"1\" data-x=\"1\" aria-expanded=\"false\"/><input readonly "
     "checked!/>",
     "<label for=\"b\" tabindex=\"2\" data-x=\"2\" aria-expanded=\"true\"/><input checked/>",
     "/children/0/children", "/children/0"},
    {"style",
     "<p style=\"color:red;;-webkit-mask: url('a;b'); --my-var : 1 ; Background-Color:blue/* ; "
     "*/\"/>",
     "<p style=\"-ms-flex: 1; border-top-width: 2px; junk; x:\"/>",
     "/children/0/children/0/attributes/style", "/children/0"},
    {"raw html", "<div html=\"<b>a</b>\"/>", "<div html=\"<i>\n</i>\"/>",
     "/children/0/children/0/attributes/dangerouslySetInnerHTML", "/children/0"},
    {"raw html to children", "<div html=\"<b>a</b>\"/>", "<div>a</>", "/children/0/children/0",
     "/children/0"},
    {"handlers", "<a on:click=1:3 on:focusin=2/>", "<a on:click=1:1/>",
     "/children/0/children/0/eventHandlers", "/children/0"},
    {"append", "<ul><li key=1>a</></>", "<ul><li key=1>a</><li key=2>b</></>",
     "/children/0/children/0/children/1", "/children/0"},
    {"first child", "<ul/>", "<ul><li key=1>a</></>", "/children/0/children/0/children",
     "/children/0"},
    {"insert in front", "<ul><li key=2>a</></>", "<ul><li key=1>b</><li key=2>a</></>",
     "/children/0/children/0/children", "/children/0"},
    {"remove", "<ul><li key='a'>a</><li key='b'>b</></>", "<ul><li key='b'>b</></>",
     "/children/0/children/0/children", "/children/0"},
    {"all goes", "<p>a</>", "", "/children/0/children", "/children/0"},
    {"keys: integers, strings, twins", "<i key=1/>",
     "<i key=1/><i key='1'/><i key='$'/><i key='-2'/><i key=1/>", "/children/0/children",
     "/children/0"},
    {"fragments keep their index", "<frag/><frag key=1>a|b</>z", "<frag/><frag key=1>a|c</>z",
     "/children/0/children/1/children/1", "/children/0"},
    {"escapes", "<p>a</>",
     "<p>\"\\\b\f\n\r\t\x01\x1f\x7f/\xc3\xa9\xe2\x80\xa8 and bad: \xff\xc3(\xed\xa0\x80.</>",
     "/children/0/children/0/children/0", "/children/0"},
    {"svg", "<svg viewBox=\"0 0 1 1\"><circle r=\"1\"/></>",
     "<svg viewBox=\"0 0 1 1\"><circle r=\"2\"/></>",
     "/children/0/children/0/children/0/attributes/r", "/children/0"},
    {"nothing", "<p>a</>", "<p>a</>", NULL, NULL},
};

static void check_path(const bh_buf *update, const char *path)
{
    if (!path) {
        assert_int_equal(update->len, 0);
        return;
    }
    cJSON *json = parse(update);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(json, "path")->valuestring, path);
    cJSON_Delete(json);
}

static void golden_case(size_t i, bh_buf *json)
{
    bh_buf root, update, after;
    bh_buf_init(&root);
    bh_buf_init(&update);
    bh_buf_init(&after);
    bh_buf_str(json, i ? ",\n{\"name\":" : "[\n{\"name\":");
    put_json(json, cases[i].name);
    for (int diff = 1; diff >= 0; diff--) {
        tree_env env;
        tree_env_init(&env);
        tree *old = tree_parse(&env, cases[i].before), *cur = tree_parse(&env, cases[i].after);
        bh_reactpy_encoder enc = {.out = &root, .names = env.names, .diff = diff};
        cJSON *page = NULL, *first;
        tree_number(&env, old);
        put_root(&enc, &root, old);
        first = parse(&root);
        apply(&page, first);
        cJSON_Delete(first);
        enc.out = &update;
        put_update(&env, &enc, &update, old, cur);
        enc.out = &after;
        put_root(&enc, &after, cur);
        check_step(&page, &update, &after);
        check_path(&update, diff ? cases[i].diff_path : cases[i].subtree_path);
        cJSON_Delete(page);
        if (diff) {
            bh_buf_str(json, ",\"root\":");
            bh_buf_put(json, root.data, root.len);
        }
        bh_buf_str(json, diff ? ",\"diff\":" : ",\"subtree\":");
        if (update.len)
            bh_buf_put(json, update.data, update.len);
        else
            bh_buf_str(json, "null");
        tree_free(old);
        tree_free(cur);
        tree_env_fini(&env);
    }
    bh_buf_str(json, ",\"model\":");
    /* the rest of the message; its last brace closes this object */
    size_t head = strlen("{\"type\":\"layout-update\",\"path\":\"\",\"model\":");
    bh_buf_put(json, after.data + head, after.len - head);
    bh_buf_fini(&root);
    bh_buf_fini(&update);
    bh_buf_fini(&after);
}

static void test_golden(void **state)
{
    (void)state;
    bh_buf json;
    bh_buf_init(&json);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) golden_case(i, &json);
    bh_buf_str(&json, "\n]\n");
    golden_check("reactpy.json", &json);
    cJSON *whole = cJSON_ParseWithLength((char *)json.data, json.len);
    assert_int_equal(cJSON_GetArraySize(whole), sizeof cases / sizeof *cases);
    cJSON_Delete(whole);
    bh_buf_fini(&json);
}

/* The members, their order and their form as ReactPy writes them. */
static void test_shape(void **state)
{
    (void)state;
    static const char want[] =
        "{\"type\":\"layout-update\",\"path\":\"\",\"model\":{\"tagName\":\"\",\"children\":["
        "{\"tagName\":\"\",\"children\":["
        "{\"tagName\":\"input\",\"key\":\"5\",\"attributes\":{\"className\":\"a\",\"value\":\"x\","
        "\"disabled\":true,\"key\":\"5\"},\"eventHandlers\":{\"onChange\":{\"target\":\"12\","
        "\"preventDefault\":true,\"stopPropagation\":false}}},"
        "{\"tagName\":\"\",\"key\":\"k\",\"attributes\":{\"key\":\"k\"},\"children\":[\"a\",\"\"]},"
        "{\"tagName\":\"\",\"children\":[]},{\"tagName\":\"br\"}]}]}}";
    tree_env env;
    bh_buf out;
    tree_env_init(&env);
    bh_buf_init(&out);
    tree *t = tree_parse(&env, "<input key=5 class=\"a\" value=\"x\" disabled on:change=12:1/>"
                               "<slot key='k'>a||</><slot/><br/>");
    tree_number(&env, t);
    bh_reactpy_encoder enc = {.out = &out, .names = env.names};
    bh_reactpy_root(&enc, t->root);
    bh_buf_byte(&out, 0);
    assert_string_equal((char *)out.data, want);
    tree_free(t);
    tree_env_fini(&env);
    bh_buf_fini(&out);
}

/* 1.x: an acknowledgement with the value it lets through, and only there. */
static void test_acks(void **state)
{
    (void)state;
    static const char want[] = "{\"type\":\"layout-update\",\"path\":\"/children/0/children/0/"
                               "attributes\",\"model\":{\"value\":\"ab\",\"_reactpy_ack_seq\":6}}";
    static const char *const before =
                                 "<input value=\"a\" on:input=4 on:change=5/><input value=\"\"/>"
                                 "<button on:click=4>b</>",
                             *const after = "<input value=\"ab\" on:input=4 on:change=5/>"
                                            "<input value=\"\"/><button on:click=4>b</>";
    tree_env env;
    bh_buf out;
    bh_reactpy_acks acks = {0};
    tree_env_init(&env);
    bh_buf_init(&out);
    tree *old = tree_parse(&env, before), *cur = tree_parse(&env, after);
    tree_number(&env, old);
    bh_reactpy_acks_note(&acks, 4, 7);
    bh_reactpy_acks_note(&acks, 5, 3);
    bh_reactpy_acks_note(&acks, 4, 6);
    bh_reactpy_encoder enc = {.out = &out, .names = env.names, .diff = true, .acks = &acks};
    put_update(&env, &enc, &out, old, cur);
    bh_buf_byte(&out, 0);
    assert_string_equal((char *)out.data, want);
    put_root(&enc, &out, cur);
    bh_buf_byte(&out, 0);
    const char *first = strstr((char *)out.data, "_reactpy_ack_seq");
    assert_non_null(first);
    assert_null(strstr(first + 1, "_reactpy_ack_seq"));
    for (uint32_t hid = 100; hid < 100 + BH_REACTPY_ACKS; hid++)
        bh_reactpy_acks_note(&acks, hid, 1);
    assert_int_equal(acks.n, BH_REACTPY_ACKS);
    put_root(&enc, &out, cur);
    bh_buf_byte(&out, 0);
    assert_null(strstr((char *)out.data, "_reactpy_ack_seq")); /* the oldest went */
    tree_free(old);
    tree_free(cur);
    tree_env_fini(&env);
    bh_buf_fini(&out);
}

/* Every length and every place of a special byte, against a byte-wise writer. */
static void test_escape(void **state)
{
    (void)state;
    bh_buf out;
    bh_buf_init(&out);
    for (size_t len = 0; len < 70; len++) {
        for (size_t at = 0; at <= len; at++) {
            static const char special[] = "\"\\\n\x1f\x7f\xc3";
            for (size_t k = 0; k < sizeof special; k++) {
                char s[72], want[160], *w = want;
                memset(s, 'a', sizeof s);
                if (at < len)
                    s[at] = special[k];
                *w++ = '"';
                for (size_t i = 0; i < len; i++) {
                    unsigned char c = (unsigned char)s[i];
                    if (c == '"' || c == '\\' || c == '\n')
                        w += sprintf(w, "\\%c", c == '\n' ? 'n' : c);
                    else if (c < 0x20)
                        w += sprintf(w, "\\u%04x", c);
                    else if (c >= 0x80)
                        w += sprintf(w, "\xef\xbf\xbd");
                    else
                        *w++ = (char)c;
                }
                *w++ = '"';
                out.len = 0;
                bh_json_string(&out, s, len);
                assert_int_equal(out.len, w - want);
                assert_memory_equal(out.data, want, out.len);
            }
        }
    }
    bh_buf_fini(&out);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = random_seed();
    bh_buf update, root;
    bh_buf_init(&update);
    bh_buf_init(&root);
    for (unsigned round = 0; round < random_rounds(700); round++) {
        tree_env env;
        tree_env_init(&env);
        bh_reactpy_encoder enc = {.names = env.names, .diff = random_below(&seed, 2)};
        tree *old = tree_parse(&env, random_tree(&seed));
        tree_number(&env, old);
        cJSON *page = NULL, *first;
        enc.out = &root;
        put_root(&enc, &root, old);
        first = parse(&root);
        apply(&page, first);
        cJSON_Delete(first);
        for (unsigned step = 0; step < 3; step++) {
            tree *cur = tree_parse(&env, random_tree(&seed));
            enc.out = &update;
            put_update(&env, &enc, &update, old, cur);
            enc.out = &root;
            put_root(&enc, &root, cur);
            check_step(&page, &update, &root);
            tree_free(old);
            old = cur;
        }
        cJSON_Delete(page);
        tree_free(old);
        tree_env_fini(&env);
    }
    bh_buf_fini(&update);
    bh_buf_fini(&root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape), cmocka_unit_test(test_shape),  cmocka_unit_test(test_golden),
        cmocka_unit_test(test_acks),   cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
