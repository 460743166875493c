/* SPDX-License-Identifier: MIT
 * Page paths that the server answers itself are refused at start; ones that only look like them are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <uv.h>

#include <backhaul/backhaul.h>
#include <backhaul/html.h>

BH_COMPONENT0(Hello)
{
    P() { TEXT("hello"); }
}

static void on_done(bh_server *server, void *arg)
{
    (void)server;
    *(bool *)arg = true;
}

static int start(const char *path)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    const bh_page pages[] = {{.path = path, .component = &Hello_component}, {.path = NULL}};
    bh_config config;
    bh_config_init(&config);
    config.port = 0;
    bh_server *server = NULL;
    int r = bh_server_new(&config, pages, &loop, &server);
    if (r == 0) {
        bool done = false;
        bh_server_stop(server, on_done, &done);
        while (!done) uv_run(&loop, UV_RUN_ONCE);
        bh_server_free(server);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    return r;
}

static void paths(void **state)
{
    (void)state;
    static const char *const ours[] = {"/healthz",  "/stats",     "/metrics",
                                       "/_bh",      "/_bh/bh.js", "/static",
                                       "/static/a", "/_reactpy",  "/_reactpy/stream/x"};
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) assert_true(start(ours[i]) < 0);
    static const char *const free_for_all[] = {"/", "/statistics", "/stats/mine", "/_bhx",
                                               "/healthz2"};
    for (size_t i = 0; i < sizeof(free_for_all) / sizeof(free_for_all[0]); i++)
        assert_int_equal(start(free_for_all[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
