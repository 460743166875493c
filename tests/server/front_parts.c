/* SPDX-License-Identifier: MIT
 * The front's parts that need no socket: upgrade checks, the page's document, files. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/embed.h"
#include "server/http.h"
#include "server/ws_upgrade.h"

static const bh_component comp = {"Comp<x>", NULL, 0, 0};
static const bh_page pages[] = {
    {.path = "/", .component = &comp},
    {.path = "/a/b", .component = &comp, .title = "A & B", .stylesheet = "x.css?\"1"},
    {.path = NULL}};

static bh_upgrade good(void)
{
    return (bh_upgrade){.is_get = true,
                        .http11 = true,
                        .path = "/a/b",
                        .host = "h",
                        .version = "13",
                        .protocols = "backhaul.v1"};
}

static void upgrades(void **state BH_UNUSED)
{
    bh_config c;
    bh_config_init(&c);
    bh_upgrade u = good();
    bh_upgrade_answer a = bh_upgrade_check(&c, pages, &u);
    assert_int_equal(a.status, 101);
    assert_int_equal(a.page, 1);
    assert_int_equal(a.codec, BH_CODEC_V1);
    assert_string_equal(a.page_path, "/a/b");
    u.path = "/_reactpy/stream/a/b";
    assert_int_equal(bh_upgrade_check(&c, pages, &u).status, 400);
    u.protocols = NULL;
    a = bh_upgrade_check(&c, pages, &u);
    assert_int_equal(a.status, 101);
    assert_int_equal(a.codec, BH_CODEC_REACTPY);
    assert_string_equal(a.page_path, "/a/b");
    u.path = "/_reactpy/stream";
    assert_int_equal(bh_upgrade_check(&c, pages, &u).page, 0);
#define REFUSED(code, field, value)                                                                \
    do {                                                                                           \
        bh_upgrade r = good();                                                                     \
        r.field = value;                                                                           \
        bh_upgrade_answer refused = bh_upgrade_check(&c, pages, &r);                               \
        assert_int_equal(refused.status, code);                                                    \
        assert_non_null(refused.reason);                                                           \
    } while (0)
    REFUSED(405, is_get, false);
    REFUSED(400, http11, false);
    REFUSED(404, path, "/a");
    REFUSED(404, path, "");
    REFUSED(400, host, NULL);
    REFUSED(400, host, "");
    REFUSED(400, host, "a@h");
    REFUSED(400, host, "a, b");
    REFUSED(400, host_twice, true);
    REFUSED(426, version, NULL);
    REFUSED(426, version, "12");
    REFUSED(426, version, "13 ");
    REFUSED(400, protocols, NULL);
    REFUSED(400, protocols, "");
    REFUSED(400, protocols, "backhaul.v10");
    REFUSED(403, origin, "null");
    REFUSED(403, origin, "http://h/");
    REFUSED(403, origin_twice, true);
#undef REFUSED
    c.allow_no_origin = false;
    u = good();
    assert_int_equal(bh_upgrade_check(&c, pages, &u).status, 403);
    u.origin = "http://H";
    assert_int_equal(bh_upgrade_check(&c, pages, &u).status, 101);
}

static void lists(void **state BH_UNUSED)
{
    assert_true(bh_list_has("a", "a"));
    assert_true(bh_list_has("x,a", "a"));
    assert_true(bh_list_has(" x ,\ta\t, y", "a"));
    assert_false(bh_list_has("", "a"));
    assert_false(bh_list_has("aa", "a"));
    assert_false(bh_list_has("A", "a"));
    assert_false(bh_list_has(",,", "a"));
    assert_false(bh_list_has("a b", "a"));
}

static void document(void **state BH_UNUSED)
{
    bh_buf b;
    bh_buf_init(&b);
    bh_page_document(&b, &pages[1], "<i>x</i>", 8, "00ff", 4096);
    bh_buf_byte(&b, '\0');
    const char *s = (const char *)b.data;
    assert_non_null(strstr(s, "<title>A &amp; B</title>"));
    assert_non_null(strstr(s, "href=\"x.css?&quot;1\""));
    assert_non_null(strstr(s, "src=\"../_bh/bh.js\""));
    assert_non_null(
        strstr(s, "<backhaul-view data-token=\"00ff\" data-max=\"4096\"><i>x</i></backhaul-view>"));
    b.len = 0;
    bh_page_document(&b, &pages[0], "", 0, "", 32768);
    bh_buf_byte(&b, '\0');
    assert_non_null(strstr((const char *)b.data, "<title>Comp&lt;x&gt;</title>"));
    assert_non_null(strstr((const char *)b.data, "src=\"_bh/bh.js\""));
    b.len = 0;
    bh_buf_printf(&b, "%300d", 7);
    assert_int_equal(b.len, 300);
    bh_buf_fini(&b);
}

static void files(void **state BH_UNUSED)
{
    char dir[] = "/tmp/bh-front-XXXXXX", path[64], etag[48] = "";
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/f.txt", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "abc", 3), 3);
    close(fd);
    snprintf(path, sizeof(path), "%s/pipe", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), got = -1;
    uint64_t size = 0;
    assert_int_equal(bh_static_open(at, "f.txt", &got, &size, etag), 0);
    assert_int_equal(size, 3);
    assert_true(etag[0] == '"' && strlen(etag) > 4);
    close(got);
    got = -7;
    static const char *const bad[] = {"",         "/",    "f.txt/", "./f.txt", "../f.txt",
                                      "x//f.txt", ".",    "..",     "pipe",    "nope",
                                      "f.txt/x",  "a\\b", "a\nb",   ".f"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_true(bh_static_open(at, bad[i], &got, &size, etag) < 0);
    assert_int_equal(got, -7);
    unlink(path);
    snprintf(path, sizeof(path), "%s/f.txt", dir);
    unlink(path);
    rmdir(dir);
    close(at);
    assert_string_equal(bh_mime("a.b.CSS"), "text/css; charset=utf-8");
    assert_string_equal(bh_mime("css"), "application/octet-stream");
}

static void embedded(void **state BH_UNUSED)
{
    bool js = false, css = false;
    for (size_t i = 0; i < bh_embedded_count; i++) {
        js |= strcmp(bh_embedded[i].name, "bh.js") == 0;
        css |= strcmp(bh_embedded[i].name, "bh.css") == 0;
        char path[256];
        snprintf(path, sizeof(path), "%s/../web/%s", BH_TEST_SOURCE_DIR, bh_embedded[i].name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        unsigned char *bytes = malloc(1 << 20);
        assert_non_null(bytes);
        size_t n = fread(bytes, 1, 1 << 20, f);
        if (strstr(bh_embedded[i].name, ".js")) { /* scripts lose their comments on the way in */
            assert_true(bh_embedded[i].len > 500 && bh_embedded[i].len <= n);
        } else {
            assert_int_equal(n, bh_embedded[i].len);
            assert_memory_equal(bytes, bh_embedded[i].data, n);
        }
        free(bytes);
        fclose(f);
        assert_int_equal(strlen(bh_embedded[i].etag), 18);
    }
    assert_true(js && css);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(upgrades), cmocka_unit_test(lists),
                                       cmocka_unit_test(document), cmocka_unit_test(files),
                                       cmocka_unit_test(embedded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
