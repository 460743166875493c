/* SPDX-License-Identifier: MIT
 * A server on somebody else's loop: started and stopped again and again, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <uv.h>

#include <backhaul/backhaul.h>
#include <backhaul/html.h>

BH_COMPONENT0(Hello)
{
    P() { TEXT("hello"); }
}

static bool inline_mode(void)
{
    const char *mode = getenv("BH_TEST_MODE");
    return mode && strcmp(mode, "inline") == 0;
}

static int stops;
static void on_done(bh_server *server, void *arg)
{
    assert_ptr_equal(server, *(bh_server **)arg);
    stops++;
}

static int ticks;
static void on_tick(uv_timer_t *t BH_UNUSED) { ticks++; }

static void again_and_again(void **state BH_UNUSED)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_t mine;
    uv_timer_init(&loop, &mine);
    uv_timer_start(&mine, on_tick, 1, 1);
    const bh_page pages[] = {BH_PAGE0("/", Hello), {.path = NULL}};
    bh_config config;
    bh_config_init(&config);
    config.port = 0;
    config.backhaul = !inline_mode();
    for (int i = 0; i < 5; i++) {
        bh_server *server = NULL;
        assert_int_equal(bh_server_new(&config, pages, &loop, &server), 0);
        assert_true(bh_server_port(server) > 0);
        for (int k = 0; k < i * 3; k++) uv_run(&loop, UV_RUN_NOWAIT);
        stops = 0;
        bh_server_stop(server, on_done, &server);
        bh_server_stop(server, NULL, NULL); /* the second call changes nothing */
        while (!stops) uv_run(&loop, UV_RUN_ONCE);
        assert_int_equal(stops, 1);
        bh_server_free(server);
    }
    assert_true(ticks > 0);
    uv_close((uv_handle_t *)&mine, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    bh_server_free(NULL);
}

static void two_at_once(void **state BH_UNUSED)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    const bh_page pages[] = {BH_PAGE0("/", Hello), {.path = NULL}};
    bh_config config;
    bh_config_init(&config);
    config.port = 0;
    config.backhaul = !inline_mode();
    bh_server *a = NULL, *b = NULL;
    assert_int_equal(bh_server_new(&config, pages, &loop, &a), 0);
    assert_int_equal(bh_server_new(&config, pages, &loop, &b), 0);
    assert_int_not_equal(bh_server_port(a), bh_server_port(b));
    stops = 0;
    bh_server_stop(a, on_done, &a);
    while (stops < 1) uv_run(&loop, UV_RUN_ONCE);
    bh_server_free(a);
    bh_server_stop(b, on_done, &b);
    while (stops < 2) uv_run(&loop, UV_RUN_ONCE);
    bh_server_free(b);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void bad_starts_leave_nothing(void **state BH_UNUSED)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    bh_config config;
    bh_config_init(&config);
    config.port = 0;
    config.backhaul = !inline_mode();
    bh_server *server = NULL;
    const char *const bad[] = {"", "x", "/a/", "//", "/a//b", "/a?b", "/%41"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const bh_page pages[] = {{.path = bad[i], .component = &Hello_component}, {.path = NULL}};
        assert_true(bh_server_new(&config, pages, &loop, &server) < 0);
    }
    const bh_page twice[] = {BH_PAGE0("/", Hello), BH_PAGE0("/", Hello), {.path = NULL}};
    assert_true(bh_server_new(&config, twice, &loop, &server) < 0);
    const bh_page pages[] = {BH_PAGE0("/", Hello), {.path = NULL}};
    config.host = "192.0.2.1"; /* nobody's */
    assert_true(bh_server_new(&config, pages, &loop, &server) < 0);
    config.host = "127.0.0.1";
    config.static_dir = "/no/such/directory";
    assert_true(bh_server_new(&config, pages, &loop, &server) < 0);
    assert_null(server);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(again_and_again),
                                       cmocka_unit_test(two_at_once),
                                       cmocka_unit_test(bad_starts_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
