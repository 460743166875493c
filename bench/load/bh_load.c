/* SPDX-License-Identifier: MIT
 * bh_load: many sessions against one running server, from one thread.
 *
 *   connect  opens the sessions, a bounded number of handshakes at a time, until each has its first
 *            page; every mode begins with it
 *   idle     then leaves them alone and asks the server's /stats what they weigh
 *   click    then each clicks the last button of its page, waits for the answer, clicks again
 *   churn    instead: connects, waits for the page, closes, over and over
 *
 * A closed loop: a slow server is asked less often, so read the times beside the rate. A session that
 * ends before it should counts as lost and makes the exit status 1. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "hist.h"

enum mode { CONNECT, IDLE, CLICK, CHURN };
static const char *const mode_names[] = {"connect", "idle", "click", "churn"};

static struct {
    bh_target target;
    enum mode mode;
    unsigned sessions, outstanding;
    double seconds;
    int epoll;
    bh_client *clients;
    unsigned shaking, live, lost, next; /* next: the first client that may be idle */
    uint64_t pages, answers;
    bool clicking, churning;
    bh_hist first, answer;
} load = {.mode = CONNECT, .sessions = 100, .outstanding = 64, .seconds = 3};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* ---- what clients report ------------------------------------------------------------------ */

static void click(bh_client *c)
{
    c->since = now_ns();
    bh_client_click(c);
}

static void on_first(bh_client *c)
{
    bh_hist_add(&load.first, now_ns() - c->since);
    load.shaking--;
    load.pages++;
    if (load.churning) {
        bh_client_close(c);
        load.next = 0;
    } else {
        load.live++;
    }
}

static void on_answered(bh_client *c)
{
    bh_hist_add(&load.answer, now_ns() - c->since);
    load.answers++;
    if (load.clicking)
        click(c);
}

static void on_lost(bh_client *c, bool live, const char *why)
{
    if (live)
        load.live--;
    else
        load.shaking--;
    if (load.lost++ < 5)
        fprintf(stderr, "bh_load: lost session %zu: %s\n", (size_t)(c - load.clients), why);
}

static const bh_client_ops ops = {.first = on_first, .answered = on_answered, .lost = on_lost};

/* ---- the loop ----------------------------------------------------------------------------- */

static void open_some(void)
{
    for (; load.next < load.sessions && load.shaking < load.outstanding; load.next++) {
        bh_client *c = &load.clients[load.next];
        if (c->state != BH_CLIENT_IDLE)
            continue;
        c->since = now_ns();
        int r = bh_client_open(c);
        struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT, .data.ptr = c};
        if (r == 0 && epoll_ctl(load.epoll, EPOLL_CTL_ADD, c->fd, &ev))
            r = -errno;
        if (r) {
            fprintf(stderr, "bh_load: cannot open session %u: %s\n", load.next, strerror(-r));
            exit(1);
        }
        load.shaking++;
    }
}

/* Serves the sockets until `until`, or until all pages are there if that is 0. */
static void run(uint64_t until)
{
    struct epoll_event events[256];
    for (;;) {
        open_some();
        uint64_t now = now_ns();
        bool busy = load.shaking > 0 || load.next < load.sessions;
        if (until ? now >= until : !busy)
            return;
        uint64_t wait_ms = until ? (until - now) / 1000000 + 1 : 10000;
        int n = epoll_wait(load.epoll, events, 256, wait_ms < 10000 ? (int)wait_ms : 10000);
        if (n < 0 && errno != EINTR) {
            perror("bh_load: epoll_wait");
            exit(1);
        }
        if (n == 0 && !until) {
            fprintf(stderr, "bh_load: %u handshakes got no answer for 10 s\n", load.shaking);
            exit(1);
        }
        for (int i = 0; i < n; i++) {
            bh_client *c = events[i].data.ptr;
            bool connects = c->state == BH_CLIENT_CONNECTS;
            if (c->fd < 0)
                continue;
            bh_client_ready(c);
            if (connects && c->fd >= 0) {
                struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};
                epoll_ctl(load.epoll, EPOLL_CTL_MOD, c->fd, &ev);
            }
        }
    }
}

/* ---- what the server says of itself ------------------------------------------------------- */

static unsigned long long server_stat(const char *name)
{
    static char answer[1 << 16];
    char request[200];
    size_t len = 0;
    ssize_t n;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int size =
        snprintf(request, sizeof(request),
                 "GET /stats HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", load.target.host);
    if (fd < 0 ||
        connect(fd, (struct sockaddr *)&load.target.address, sizeof(load.target.address)) ||
        send(fd, request, (size_t)size, MSG_NOSIGNAL) != size) {
        perror("bh_load: /stats");
        exit(1);
    }
    while (len < sizeof(answer) - 1 &&
           (n = recv(fd, answer + len, sizeof(answer) - 1 - len, 0)) > 0)
        len += (size_t)n;
    close(fd);
    answer[len] = '\0';
    char key[80];
    snprintf(key, sizeof(key), "\"%s\":", name);
    const char *at = strstr(answer, key);
    if (strncmp(answer, "HTTP/1.1 200", 12) != 0 || !at) {
        fprintf(stderr, "bh_load: /stats has no %s\n", name);
        exit(1);
    }
    return strtoull(at + strlen(key), NULL, 10);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void print_times(const char *what, const bh_hist *h)
{
    printf("%s_p50_us %.1f\n%s_p99_us %.1f\n%s_max_us %.1f\n", what,
           (double)bh_hist_at(h, 0.5) / 1e3, what, (double)bh_hist_at(h, 0.99) / 1e3, what,
           (double)h->max / 1e3);
}

static uint64_t after(double seconds) { return now_ns() + (uint64_t)(seconds * 1e9); }

static void click_all(void)
{
    for (unsigned i = 0; i < load.sessions; i++) {
        if (load.clients[i].state == BH_CLIENT_LIVE && !load.clients[i].hid) {
            fprintf(stderr, "bh_load: this page has no button to click\n");
            exit(1);
        }
    }
    uint64_t start = now_ns();
    load.clicking = true;
    for (unsigned i = 0; i < load.sessions; i++)
        if (load.clients[i].state == BH_CLIENT_LIVE)
            click(&load.clients[i]);
    run(after(load.seconds));
    load.clicking = false;
    printf("clicks %llu\n", (unsigned long long)load.answers);
    printf("clicks_per_s %.0f\n", (double)load.answers / ((double)(now_ns() - start) / 1e9));
    run(after(0.3)); /* the last answers */
    print_times("click", &load.answer);
    unsigned unanswered = 0;
    for (unsigned i = 0; i < load.sessions; i++)
        unanswered += load.clients[i].state == BH_CLIENT_LIVE && load.clients[i].clicked;
    printf("unanswered %u\n", unanswered);
    load.lost += unanswered;
}

static void measure(void)
{
    unsigned long long rss = server_stat("rss_bytes"), sessions = server_stat("sessions_live");
    uint64_t start = now_ns();
    if (load.mode == CHURN) {
        load.churning = true;
        run(after(load.seconds));
        load.churning = false;
        printf("pages_per_s %.0f\n", (double)load.pages / ((double)(now_ns() - start) / 1e9));
        print_times("first_page", &load.first);
        return;
    }
    run(0);
    printf("sessions %u\nconnect_s %.3f\n", load.live, (double)(now_ns() - start) / 1e9);
    print_times("first_page", &load.first);
    if (load.mode == IDLE) {
        run(after(load.seconds));
        double n = load.live ? load.live : 1;
        unsigned long long there = server_stat("sessions_live") - sessions;
        printf("server_sessions %llu\n", there);
        printf("rss_per_session_bytes %.0f\n",
               ((double)server_stat("rss_bytes") - (double)rss) / n);
        printf("accounted_per_session_bytes %.0f\n", (double)server_stat("session_bytes") / n);
        if (there != load.live)
            load.lost++;
    } else if (load.mode == CLICK) {
        click_all();
    }
}

static void usage(FILE *out)
{
    fprintf(out, "usage: bh_load [options] http://A.B.C.D:PORT/path\n"
                 "  --mode connect|idle|click|churn   connect\n"
                 "  --proto v1|reactpy                v1\n"
                 "  --sessions N                      100\n"
                 "  --outstanding N                   64 handshakes at a time\n"
                 "  --seconds S                       3, of the mode's second part\n");
}

static bool number(const char *text, unsigned min, unsigned max, unsigned *ret)
{
    char *end;
    errno = 0;
    unsigned long v = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || v < min || v > max)
        return false;
    *ret = (unsigned)v;
    return true;
}

static bool parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"mode", required_argument, NULL, 'm'},
        {"proto", required_argument, NULL, 'p'},
        {"sessions", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 's'},
        {"outstanding", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool ok = true, reactpy = false;
    unsigned seconds = 0;
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'h') {
            usage(stdout);
            exit(0);
        } else if (o == 'n') {
            ok = number(optarg, 1, 60000, &load.sessions);
        } else if (o == 'o') {
            ok = number(optarg, 1, 60000, &load.outstanding);
        } else if (o == 's') {
            ok = number(optarg, 1, 3600, &seconds);
            load.seconds = seconds;
        } else if (o == 'p') {
            reactpy = strcmp(optarg, "reactpy") == 0;
            ok = reactpy || strcmp(optarg, "v1") == 0;
        } else if (o == 'm') {
            unsigned m = 0;
            while (m < 4 && strcmp(optarg, mode_names[m]) != 0) m++;
            ok = m < 4;
            load.mode = (enum mode)m;
        } else {
            return false;
        }
        if (!ok)
            fprintf(stderr, "bh_load: '%s' is no value for that option\n", optarg);
    }
    if (!ok || optind != argc - 1 || bh_target_parse(&load.target, argv[optind]))
        return false;
    load.target.reactpy = reactpy;
    return true;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        usage(stderr);
        return 2;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < load.sessions + 16) {
        fprintf(stderr, "bh_load: %u sessions need more open files than %llu; see ulimit -Hn\n",
                load.sessions, (unsigned long long)files.rlim_cur);
        return 1;
    }
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    load.clients = calloc(load.sessions, sizeof(*load.clients));
    if (load.epoll < 0 || !load.clients)
        abort();
    for (unsigned i = 0; i < load.sessions; i++)
        bh_client_init(&load.clients[i], &load.target, &ops);
    measure();
    printf("lost %u\n", load.lost);
    for (unsigned i = 0; i < load.sessions; i++) bh_client_close(&load.clients[i]);
    free(load.clients);
    close(load.epoll);
    return load.lost ? 1 : 0;
}
