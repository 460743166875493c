/* SPDX-License-Identifier: MIT
 * The command line: every option, every form of value, every mistake. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/config.h"

/* Runs the parser on one line of words; what it says on stderr is in `said`. */
static char said[512];
static int parse(bh_config *c, const char *line)
{
    static char words[1024];
    char *argv[32] = {(char *)(uintptr_t) "/usr/bin/prog"};
    int argc = 1;
    snprintf(words, sizeof(words), "%s", line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) argv[argc++] = w;
    bh_config_init(c);
    int fds[2], keep = dup(2);
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    fflush(stderr);
    dup2(fds[1], 2);
    int r = bh_config_parse(c, argc, argv);
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    close(fds[1]);
    ssize_t n = read(fds[0], said, sizeof(said) - 1);
    said[n > 0 ? n : 0] = '\0';
    close(fds[0]);
    return r;
}

static void defaults(void **state BH_UNUSED)
{
    bh_config c;
    assert_int_equal(parse(&c, ""), 0);
    assert_string_equal(c.host, "127.0.0.1");
    assert_int_equal(c.port, 8080);
    assert_int_equal(c.commit_interval_us, 0);
    assert_int_equal(c.cpu_main, -1);
    assert_int_equal(c.cpu_render, -1);
    assert_int_equal(c.max_sessions, 10240);
    assert_int_equal(c.max_per_address, 0);
    assert_int_equal(c.window_frames, 16);
    assert_int_equal(c.window_bytes, 262144);
    assert_int_equal(c.max_event_rate, 1000);
    assert_int_equal(c.max_message, 32768);
    assert_int_equal(c.resume_seconds, 180);
    assert_int_equal(c.resume_sessions, 100);
    assert_int_equal(c.resume_bytes, 64 << 20);
    assert_int_equal(c.prerender_seconds, 10);
    assert_null(c.static_dir);
    assert_null(c.allow_origins);
    assert_true(c.allow_no_origin && c.reactpy_diff && !c.show_errors);
    assert_int_equal(c.log_level, BH_LOG_WARN);
    assert_string_equal(said, "");
}

static void every_option(void **state BH_UNUSED)
{
    bh_config c;
    assert_int_equal(
        parse(
            &c,
            "--host=::1 --port 0 --backhaul=off --commit-interval=2ms --cpu-main=0 --cpu-render 1 "
            "--max-sessions=7 --max-per-address=3 --window=1 --window-bytes=8k --max-message=1M "
            "--max-event-rate=0 --resume-seconds=0 --resume-sessions=5 --resume-bytes=1G "
            "--prerender-seconds=3 --static-dir=/tmp --allow-origin=https://a.example,http://b:81 "
            "--allow-origin=https://[::1]:5 --require-origin --reactpy-mode=subtree --show-errors "
            "--log-level=debug"),
        0);
    assert_string_equal(said, "");
    assert_string_equal(c.host, "::1");
    assert_int_equal(c.port, 0);
    assert_false(c.backhaul);
    assert_int_equal(c.commit_interval_us, 2000);
    assert_int_equal(c.cpu_main, 0);
    assert_int_equal(c.cpu_render, 1);
    assert_int_equal(c.max_sessions, 7);
    assert_int_equal(c.max_per_address, 3);
    assert_int_equal(c.window_frames, 1);
    assert_int_equal(c.window_bytes, 8192);
    assert_int_equal(c.max_message, 1 << 20);
    assert_int_equal(c.max_event_rate, 0);
    assert_int_equal(c.resume_seconds, 0);
    assert_int_equal(c.resume_sessions, 5);
    assert_int_equal(c.resume_bytes, 1 << 30);
    assert_int_equal(c.prerender_seconds, 3);
    assert_string_equal(c.static_dir, "/tmp");
    assert_string_equal(c.allow_origins, "https://a.example,http://b:81,https://[::1]:5");
    free((void *)(uintptr_t)c.allow_origins);
    assert_false(c.allow_no_origin);
    assert_false(c.reactpy_diff);
    assert_true(c.show_errors);
    assert_int_equal(c.log_level, BH_LOG_DEBUG);
    assert_int_equal(parse(&c, "--backhaul=on"), 0);
    assert_true(c.backhaul);
}

static void mistakes(void **state BH_UNUSED)
{
    static const struct {
        const char *line, *says;
    } table[] = {
        {"--nope", "prog: unknown option '--nope'; see --help\n"},
        {"--por=1", "prog: unknown option '--por'; see --help\n"},
        {"-p", "prog: unknown option '-p'; see --help\n"},
        {"--", "prog: unknown option '--'; see --help\n"},
        {"word", "prog: unexpected argument 'word'; see --help\n"},
        {"--port=1 word", "prog: unexpected argument 'word'; see --help\n"},
        {"--port", "prog: --port needs a value; expected --port=0..65535\n"},
        {"--port=", "prog: --port= is malformed; expected --port=0..65535\n"},
        {"--port=+1", "prog: --port=+1 is malformed; expected --port=0..65535\n"},
        {"--port=0x10", "prog: --port=0x10 is malformed; expected --port=0..65535\n"},
        {"--port=65536", "prog: --port=65536 is out of range; expected --port=0..65535\n"},
        {"--port=99999999999999999999999", "prog: --port=99999999999999999999999 is out of range; "
                                           "expected --port=0..65535\n"},
        {"--window=0", "prog: --window=0 is out of range; expected --window=1..4096\n"},
        {"--backhaul=yes", "prog: --backhaul=yes is malformed; expected --backhaul=on|off\n"},
        {"--commit-interval=2", "prog: --commit-interval=2 is malformed; expected "
                                "--commit-interval=DURATION\n"},
        {"--commit-interval=11s", "prog: --commit-interval=11s is out of range; expected "
                                  "--commit-interval=DURATION up to 10s\n"},
        {"--max-message=2M",
         "prog: --max-message=2M is out of range; expected --max-message=SIZE\n"},
        {"--max-message=1MB",
         "prog: --max-message=1MB is malformed; expected --max-message=SIZE\n"},
        {"--log-level=loud",
         "prog: --log-level=loud is malformed; expected --log-level=error|warn|info|debug\n"},
        {"--reactpy-mode=all", "prog: --reactpy-mode=all is malformed; expected "
                               "--reactpy-mode=diff|subtree\n"},
        {"--allow-origin=null", "prog: --allow-origin=null is malformed; expected "
                                "--allow-origin=ORIGIN[,ORIGIN]\n"},
        {"--allow-origin=https://a,", "prog: --allow-origin=https://a, is malformed; expected "
                                      "--allow-origin=ORIGIN[,ORIGIN]\n"},
        {"--show-errors=1", "prog: --show-errors takes no value\n"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        bh_config c;
        assert_int_equal(parse(&c, table[i].line), -EINVAL);
        assert_string_equal(said, table[i].says);
    }
}

static void values(void **state BH_UNUSED)
{
    uint64_t v = 77;
    static const struct {
        const char *s;
        int r;
        uint64_t v;
    } durations[] = {{"0", 0, 0},          {"0s", 0, 0},
                     {"100us", 0, 100},    {"2ms", 0, 2000},
                     {"1s", 0, 1000000},   {"", -EINVAL, 0},
                     {"ms", -EINVAL, 0},   {"-1s", -EINVAL, 0},
                     {"1.5s", -EINVAL, 0}, {"1 s", -EINVAL, 0},
                     {"1S", -EINVAL, 0},   {"18446744073709551615s", -ERANGE, 0}},
      sizes[] = {{"0", 0, 0},
                 {"7", 0, 7},
                 {"2k", 0, 2048},
                 {"2K", 0, 2048},
                 {"3M", 0, 3 << 20},
                 {"1G", 0, 1 << 30},
                 {"", -EINVAL, 0},
                 {"K", -EINVAL, 0},
                 {"1KB", -EINVAL, 0},
                 {"1T", -EINVAL, 0},
                 {"18446744073709551615G", -ERANGE, 0}};
    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        v = 77;
        assert_int_equal(bh_parse_duration(durations[i].s, &v), durations[i].r);
        assert_int_equal(v, durations[i].r ? 77 : durations[i].v);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        v = 77;
        assert_int_equal(bh_parse_size(sizes[i].s, &v), sizes[i].r);
        assert_int_equal(v, sizes[i].r ? 77 : sizes[i].v);
    }
}

static void count(void *arg, const char *name, const char *text, bool is_string)
{
    int *n = arg;
    ++*n;
    if (strcmp(name, "commit-interval") == 0) {
        assert_string_equal(text, "3000");
        assert_false(is_string);
    }
    if (strcmp(name, "require-origin") == 0)
        assert_string_equal(text, "true");
}
static void echo(void **state BH_UNUSED)
{
    bh_config c;
    assert_int_equal(parse(&c, "--commit-interval=3ms --require-origin"), 0);
    int n = 0;
    bh_config_each(&c, count, &n);
    assert_int_equal(n, 22); /* all options but --help and --version */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults), cmocka_unit_test(every_option), cmocka_unit_test(mistakes),
        cmocka_unit_test(values),   cmocka_unit_test(echo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
