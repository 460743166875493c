/* SPDX-License-Identifier: MIT
 * config — defaults and the command line.
 *
 * One table describes every option: it is what --help prints, what getopt_long gets and what the
 * parser obeys, so the three can't disagree. An error is one line on stderr that names the option
 * and the form it expects. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <backhaul/app.h>

#include "server/config.h"
#include "server/limits.h"

#ifndef BH_DEFAULT_BACKHAUL
#define BH_DEFAULT_BACKHAUL 1 /* set by -DBACKHAUL_THREAD, in server/front.cmake */
#endif

typedef enum opt_kind {
    OPT_STRING,
    OPT_INT,      /* int, min..max */
    OPT_UNSIGNED, /* unsigned, min..max */
    OPT_SIZE,     /* size_t, min..max, with K, M, G */
    OPT_DURATION, /* uint64_t microseconds, min..max */
    OPT_SWITCH,   /* bool, on|off */
    OPT_FLAG,     /* bool, no argument; min is the value it sets */
    OPT_CHOICE,   /* bool, "first|second": first is true */
    OPT_LEVEL,    /* bh_log_level */
    OPT_ORIGINS,  /* appended to a list */
    OPT_HELP,
    OPT_VERSION,
} opt_kind;

typedef struct opt {
    const char *name, *form; /* form: what --help and errors show; NULL: no argument */
    opt_kind kind;
    size_t offset;
    uint64_t min, max;
    const char *help;
} opt;

#define AT(field) offsetof(bh_config, field)
static const opt options[] = {
    {"host", "ADDRESS", OPT_STRING, AT(host), 1, 255, "address to listen on (127.0.0.1)"},
    {"port", "0..65535", OPT_INT, AT(port), 0, 65535, "port; 0 takes any free one (8080)"},
    {"backhaul", "on|off", OPT_SWITCH, AT(backhaul), 0, 0,
     "render on the backhaul thread (on) or on the network loop (off)"},
    {"commit-interval", "DURATION", OPT_DURATION, AT(commit_interval_us), 0, 10000000,
     "commit all changes on a clock: 2ms, 100us, 1s; 0 commits at once (0)"},
    {"cpu-main", "CPU", OPT_INT, AT(cpu_main), 0, 1023, "pin the network loop to a processor"},
    {"cpu-render", "CPU", OPT_INT, AT(cpu_render), 0, 1023,
     "pin the backhaul thread to a processor"},
    {"max-sessions", "1..1048576", OPT_UNSIGNED, AT(max_sessions), 1, BH_SESSIONS_CEILING,
     "live sessions at most; more are answered 503 (10240)"},
    {"max-per-address", "COUNT", OPT_UNSIGNED, AT(max_per_address), 0, 1000000,
     "connections from one address at most; 0: no limit (0)"},
    {"window", "1..4096", OPT_UNSIGNED, AT(window_frames), 1, 4096,
     "frames in flight to one client; 1: strictly one (16)"},
    {"window-bytes", "SIZE", OPT_SIZE, AT(window_bytes), 4096, 1u << 30,
     "bytes in flight to one client (256K)"},
    {"max-message", "SIZE", OPT_SIZE, AT(max_message), 1024, BH_MAX_MESSAGE_CEILING,
     "longest message from a client, 1K..1M (32K)"},
    {"max-event-rate", "COUNT", OPT_UNSIGNED, AT(max_event_rate), 0, 10000000,
     "events a second from one client; 0: no limit (1000)"},
    {"resume-seconds", "SECONDS", OPT_UNSIGNED, AT(resume_seconds), 0, 86400,
     "how long a dropped session waits for its client (180)"},
    {"resume-sessions", "COUNT", OPT_UNSIGNED, AT(resume_sessions), 0, BH_SESSIONS_CEILING,
     "how many of them at most (100)"},
    {"resume-bytes", "SIZE", OPT_SIZE, AT(resume_bytes), 0, (uint64_t)1 << 40,
     "and how much memory they may hold (64M)"},
    {"prerender-seconds", "SECONDS", OPT_UNSIGNED, AT(prerender_seconds), 0, 3600,
     "how long a page's session waits for its socket (10)"},
    {"static-dir", "DIRECTORY", OPT_STRING, AT(static_dir), 1, 4095,
     "serve its files under /static/"},
    {"allow-origin", "ORIGIN[,ORIGIN]", OPT_ORIGINS, AT(allow_origins), 0, 0,
     "accept sockets of pages from scheme://host[:port] too; may be repeated"},
    {"require-origin", NULL, OPT_FLAG, AT(allow_no_origin), 0, 0,
     "refuse clients that send no Origin (programs that aren't browsers)"},
    {"reactpy-mode", "diff|subtree", OPT_CHOICE, AT(reactpy_diff), 0, 0,
     "ReactPy sockets: fine-grained updates or whole components (diff)"},
    {"show-errors", NULL, OPT_FLAG, AT(show_errors), 1, 0, "show fault texts in the page"},
    {"log-level", "error|warn|info|debug", OPT_LEVEL, AT(log_level), 0, 0,
     "how much to log on stderr (warn)"},
    {"help", NULL, OPT_HELP, 0, 0, 0, "show this and exit"},
    {"version", NULL, OPT_VERSION, 0, 0, 0, "show the version and exit"},
};
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };
static const char *const levels[] = {"error", "warn", "info", "debug"};

void bh_config_init(bh_config *config)
{
    *config = (bh_config){
        .host = "127.0.0.1",
        .port = 8080,
        .backhaul = BH_DEFAULT_BACKHAUL,
        .cpu_main = -1,
        .cpu_render = -1,
        .max_sessions = 10240,
        .window_frames = 16,
        .window_bytes = 262144,
        .max_message = 32768,
        .max_event_rate = BH_EVENTS_PER_S,
        .resume_seconds = 180,
        .resume_sessions = 100,
        .resume_bytes = (size_t)64 << 20,
        .prerender_seconds = 10,
        .allow_no_origin = true,
        .reactpy_diff = true,
        .log_level = BH_LOG_WARN,
    };
}

/* ---- values ------------------------------------------------------------------------------- */

/* Digits only (no sign, blank or sign of another base), then *ret_rest. */
static int parse_number(const char *s, uint64_t *ret, const char **ret_rest)
{
    uint64_t v = 0;
    if (!isdigit((unsigned char)*s))
        return -EINVAL;
    for (; isdigit((unsigned char)*s); s++) {
        if (v > (UINT64_MAX - 9) / 10)
            return -ERANGE;
        v = v * 10 + (uint64_t)(*s - '0');
    }
    *ret = v;
    *ret_rest = s;
    return 0;
}

int bh_parse_duration(const char *s, uint64_t *ret_us)
{
    static const struct {
        const char *unit;
        uint64_t us;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    uint64_t v;
    const char *rest;
    int r = parse_number(s, &v, &rest);
    if (r)
        return r;
    if (!*rest && v == 0) { /* 0 needs no unit; anything else does: 2 of what? */
        *ret_us = 0;
        return 0;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(rest, units[i].unit) != 0)
            continue;
        if (v > UINT64_MAX / units[i].us)
            return -ERANGE;
        *ret_us = v * units[i].us;
        return 0;
    }
    return -EINVAL;
}

int bh_parse_size(const char *s, uint64_t *ret)
{
    uint64_t v;
    const char *rest;
    unsigned shift = 0;
    int r = parse_number(s, &v, &rest);
    if (r)
        return r;
    switch (*rest) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift)
        rest++;
    if (*rest)
        return -EINVAL;
    if (v > UINT64_MAX >> shift)
        return -ERANGE;
    *ret = v << shift;
    return 0;
}

/* scheme://host[:port], lower case scheme http or https, nothing after it. */
bool bh_origin_is_wellformed(const char *s, size_t len)
{
    size_t at = 0;
    if (len > 7 && memcmp(s, "http://", 7) == 0)
        at = 7;
    else if (len > 8 && memcmp(s, "https://", 8) == 0)
        at = 8;
    if (!at || len - at > 255)
        return false;
    for (size_t i = at; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (!isalnum(c) && !strchr("-._[]:", c))
            return false;
    }
    return s[at] != ':' && s[len - 1] != ':';
}

/* Joins what several options say. `*built` is the list as far as this parse has made it. */
static int add_origins(const char **list, const char *arg, char **built)
{
    const char *p = arg;
    while (true) {
        size_t n = strcspn(p, ",");
        if (!bh_origin_is_wellformed(p, n))
            return -EINVAL;
        if (!p[n])
            break;
        p += n + 1;
    }
    char *joined;
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", arg) < 0)
        return -ENOMEM;
    free(*built);
    *built = joined;
    *list = joined;
    return 0;
}

static int set_bool(bool *to, const char *arg, const char *yes, const char *no)
{
    if (strcmp(arg, yes) == 0)
        *to = true;
    else if (strcmp(arg, no) == 0)
        *to = false;
    else
        return -EINVAL;
    return 0;
}

static int set_level(bh_log_level *to, const char *arg)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(arg, levels[i]) == 0) {
            *to = (bh_log_level)i;
            return 0;
        }
    return -EINVAL;
}

static int set_number(const opt *o, void *at, const char *arg)
{
    uint64_t v = 0;
    const char *rest = "";
    int r = o->kind == OPT_SIZE       ? bh_parse_size(arg, &v)
            : o->kind == OPT_DURATION ? bh_parse_duration(arg, &v)
                                      : parse_number(arg, &v, &rest);
    if (r || *rest)
        return r ? r : -EINVAL;
    if (v < o->min || v > o->max)
        return -ERANGE;
    switch ((int)o->kind) {
    case OPT_INT:
        *(int *)at = (int)v;
        break;
    case OPT_UNSIGNED:
        *(unsigned *)at = (unsigned)v;
        break;
    case OPT_SIZE:
        *(size_t *)at = (size_t)v;
        break;
    default:
        *(uint64_t *)at = v;
        break;
    }
    return 0;
}

static int set_option(bh_config *config, const opt *o, const char *arg, char **origins)
{
    void *at = (char *)config + o->offset;
    switch (o->kind) {
    case OPT_STRING:
        if (strlen(arg) < o->min || strlen(arg) > o->max)
            return -EINVAL;
        *(const char **)at = arg;
        return 0;
    case OPT_SWITCH:
        return set_bool(at, arg, "on", "off");
    case OPT_CHOICE:
        return set_bool(at, arg, "diff", "subtree");
    case OPT_FLAG:
        *(bool *)at = o->min != 0;
        return 0;
    case OPT_LEVEL:
        return set_level(at, arg);
    case OPT_ORIGINS:
        return add_origins(at, arg, origins);
    case OPT_INT:
    case OPT_UNSIGNED:
    case OPT_SIZE:
    case OPT_DURATION:
        return set_number(o, at, arg);
    case OPT_HELP:
    case OPT_VERSION:
        break;
    }
    return 0;
}

/* ---- the command line --------------------------------------------------------------------- */

static void print_help(const char *program)
{
    printf("Usage: %s [OPTION]...\nServes live pages over HTTP and WebSocket.\n\n", program);
    for (int i = 0; i < N_OPTIONS; i++) {
        char left[64];
        snprintf(left, sizeof(left), "--%s%s%s", options[i].name, options[i].form ? "=" : "",
                 options[i].form ? options[i].form : "");
        printf("  %-34s %s\n", left, options[i].help);
    }
    printf("\nDURATION is a whole number with us, ms or s, or 0. SIZE is a whole number of bytes, "
           "or with K, M or G.\nOnce it accepts connections it prints LISTENING and its address on "
           "standard output.\nSIGTERM and SIGINT stop it in order; a second one at once.\n");
}

static int complain(const char *program, const opt *o, const char *arg, int why)
{
    if (why == -ENOMEM)
        fprintf(stderr, "%s: out of memory\n", program);
    else if (why == -ERANGE)
        fprintf(stderr, "%s: --%s=%s is out of range; expected --%s=%s%s\n", program, o->name, arg,
                o->name, o->form, o->kind == OPT_DURATION ? " up to 10s" : "");
    else
        fprintf(stderr, "%s: --%s=%s is malformed; expected --%s=%s\n", program, o->name, arg,
                o->name, o->form);
    return -EINVAL;
}

/* getopt_long accepts abbreviations and so would bind us to every prefix we ever had: refuse them. */
static int refused_word(const char *program, const char *word)
{
    if (word[0] != '-' || !word[1]) {
        fprintf(stderr, "%s: unexpected argument '%s'; see --help\n", program, word);
        return -EINVAL;
    }
    size_t n = strcspn(word, "=");
    for (int i = 0; i < N_OPTIONS; i++)
        if (n > 2 && strlen(options[i].name) == n - 2 &&
            memcmp(word + 2, options[i].name, n - 2) == 0)
            return 0;
    fprintf(stderr, "%s: unknown option '%.*s'; see --help\n", program, (int)n, word);
    return -EINVAL;
}

/* getopt knows the option (refused_word has seen to that) but not its form. */
static void print_wrong_form(const char *program, const char *word)
{
    size_t n = strcspn(word, "=");
    const opt *o = NULL;
    for (int k = 0; k < N_OPTIONS; k++)
        if (strlen(options[k].name) == n - 2 && !memcmp(word + 2, options[k].name, n - 2))
            o = &options[k];
    if (o && o->form)
        fprintf(stderr, "%s: --%s needs a value; expected --%s=%s\n", program, o->name, o->name,
                o->form);
    else
        fprintf(stderr, "%s: %.*s takes no value\n", program, (int)n, word);
}

int bh_config_parse(bh_config *config, int argc, char **argv)
{
    const char *program = argc > 0 && argv[0] && *argv[0] ? argv[0] : "backhaul";
    const char *slash = strrchr(program, '/');
    program = slash ? slash + 1 : program;
    struct option longs[N_OPTIONS + 1] = {{0}};
    for (int i = 0; i < N_OPTIONS; i++)
        longs[i] = (struct option){options[i].name,
                                   options[i].form ? required_argument : no_argument, NULL, i};
    char *origins = NULL;
    optind = 0; /* glibc: start afresh, so that an embedding program may call this more than once */
    opterr = 0;
    while (optind < argc || optind == 0) {
        int word = optind ? optind : 1;
        if (word >= argc)
            return 0;
        if (refused_word(program, argv[word]))
            return -EINVAL;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): at start, before there is a thread
        int i = getopt_long(argc, argv, "+:", longs, NULL);
        if (i == -1)
            break;
        if (i == ':' || i == '?') {
            print_wrong_form(program, argv[word]);
            return -EINVAL;
        }
        const opt *o = &options[i];
        if (o->kind == OPT_HELP) {
            print_help(program);
            return 1;
        }
        if (o->kind == OPT_VERSION) {
            printf("backhaul %s\n", BH_VERSION);
            return 1;
        }
        int r = set_option(config, o, optarg, &origins);
        if (r)
            return complain(program, o, optarg, r);
    }
    return 0;
}

/* ---- echo --------------------------------------------------------------------------------- */

void bh_config_each(const bh_config *config,
                    void (*fn)(void *arg, const char *name, const char *text, bool is_string),
                    void *arg)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        const opt *o = &options[i];
        const void *at = (const char *)config + o->offset;
        char text[32];
        switch (o->kind) {
        case OPT_STRING:
        case OPT_ORIGINS:
            fn(arg, o->name, *(const char *const *)at ? *(const char *const *)at : "", true);
            continue;
        case OPT_INT:
            snprintf(text, sizeof(text), "%d", *(const int *)at);
            break;
        case OPT_UNSIGNED:
            snprintf(text, sizeof(text), "%u", *(const unsigned *)at);
            break;
        case OPT_SIZE:
            snprintf(text, sizeof(text), "%zu", *(const size_t *)at);
            break;
        case OPT_DURATION:
            snprintf(text, sizeof(text), "%llu", (unsigned long long)*(const uint64_t *)at);
            break;
        case OPT_SWITCH:
            snprintf(text, sizeof(text), "%s", *(const bool *)at ? "true" : "false");
            break;
        case OPT_FLAG:
            snprintf(text, sizeof(text), "%s",
                     *(const bool *)at == (o->min != 0) ? "true" : "false");
            break;
        case OPT_CHOICE:
            fn(arg, o->name, *(const bool *)at ? "diff" : "subtree", true);
            continue;
        case OPT_LEVEL:
            fn(arg, o->name, levels[*(const bh_log_level *)at], true);
            continue;
        case OPT_HELP:
        case OPT_VERSION:
            continue;
        }
        fn(arg, o->name, text, false);
    }
}
