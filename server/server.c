/* SPDX-License-Identifier: MIT
 * server — the life of a server on somebody's loop.
 *
 * Stop, in order: listeners shut; the hub tells every client (1001) and ends the render side; what
 * is still connected after BH_STOP_TIMEOUT_MS is cut; lws is destroyed, outside of every lws
 * callback; when its own handles have left the loop, ours follow; done. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/limits.h"
#include "server/log.h"
#include "server/server.h"
#include "vdom/mem.h"

/* ---- measuring the loop ------------------------------------------------------------------- */

const uint64_t bh_lag_bounds_us[BH_LAG_BUCKETS - 1] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 1000000};

/* Once a turn, before the loop sleeps: how long this turn kept everything else waiting. The time
 * asleep is libuv's own measure, so work done in I/O callbacks counts and waiting does not. */
static void on_turn(uv_prepare_t *prepare)
{
    bh_server *server = prepare->data;
    uint64_t now = uv_hrtime(), idle = uv_metrics_idle_time(server->loop);
    if (server->turn_at) {
        uint64_t asleep = idle - server->turn_idle, all = now - server->turn_at;
        uint64_t busy = all > asleep ? all - asleep : 0;
        unsigned i = 0;
        while (i < BH_LAG_BUCKETS - 1 && busy > bh_lag_bounds_us[i] * 1000)
            i++;
        server->stats.lag[i]++;
        server->stats.turns++;
        server->stats.busy_ns += busy;
        if (busy > server->stats.busy_max_ns)
            server->stats.busy_max_ns = busy;
    }
    server->turn_at = now;
    server->turn_idle = idle;
}

static void on_second(uv_timer_t *timer) { bh_wheel_turn(timer->data); }

/* ---- stop --------------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
    bh_server *server = handle->data;
    if (--server->handles == 0 && server->done)
        server->done(server, server->done_arg);
}

static void close_own_handles(bh_server *server)
{
    uv_handle_t *all[] = {(uv_handle_t *)&server->second, (uv_handle_t *)&server->resume_accept,
                          (uv_handle_t *)&server->stopper, (uv_handle_t *)&server->turn};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        uv_close(all[i], on_handle_closed);
}

static void kill_all(bh_server *server)
{
    for (unsigned i = 0; i < BH_WHEEL_SLOTS; i++)
        while (server->wheel[i])
            bh_link_kill(server->wheel[i]);
}

/* Runs every few milliseconds from stop to end: each step waits for the one before. */
static void on_stopper(uv_timer_t *timer)
{
    bh_server *server = timer->data;
    if (!server->hub_gone) {
        if (uv_now(server->loop) - server->stop_at >= BH_STOP_TIMEOUT_MS)
            kill_all(server);
        return;
    }
    if (server->lws) {
        kill_all(server);
        bh_front_lws_destroy(server);
        return;
    }
    if (!bh_front_lws_gone(server) || server->n_links)
        return;
    uv_timer_stop(&server->stopper);
    close_own_handles(server);
}

static void on_hub_gone(bh_hub *hub BH_UNUSED, void *arg)
{
    bh_server *server = arg;
    server->hub_gone = true;
}

void bh_server_stop(bh_server *server, void (*done)(bh_server *server, void *arg), void *arg)
{
    if (server->stopping)
        return;
    server->stopping = true;
    server->done = done;
    server->done_arg = arg;
    server->stop_at = uv_now(server->loop);
    bh_listen_close(server);
    uv_timer_start(&server->stopper, on_stopper, 1, 5);
    bh_hub_stop(server->hub, on_hub_gone, server);
}

void bh_server_free(bh_server *server)
{
    if (!server)
        return;
    bh_hub_free(server->hub);
    if (server->reserve_fd >= 0)
        close(server->reserve_fd);
    if (server->static_fd >= 0)
        close(server->static_fd);
    bh_free(server);
}

/* ---- start -------------------------------------------------------------------------------- */

/* What the server answers itself; a page there would hide it, or be hidden. */
static bool is_ours(const char *path)
{
    static const char *const whole[] = {"/healthz", "/stats",  "/metrics",
                                        "/_bh",     "/static", "/_reactpy"};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        size_t n = strlen(whole[i]);
        if (strncmp(path, whole[i], n) == 0 && (!path[n] || (i >= 3 && path[n] == '/')))
            return true;
    }
    return false;
}

static int check_pages(const bh_page *pages)
{
    for (int i = 0; pages[i].path; i++) {
        const char *p = pages[i].path;
        size_t n = strlen(p);
        if (p[0] != '/' || (n > 1 && p[n - 1] == '/') || strstr(p, "//") || strpbrk(p, "?#%")) {
            bh_log(BH_LOG_ERROR,
                   "page path '%s' must begin with '/' and have no trailing or double "
                   "slash and none of ? # %%",
                   p);
            return -EINVAL;
        }
        if (is_ours(p)) {
            bh_log(BH_LOG_ERROR, "page path '%s' is one that the server itself answers", p);
            return -EINVAL;
        }
        for (int k = 0; k < i; k++)
            if (strcmp(pages[k].path, p) == 0) {
                bh_log(BH_LOG_ERROR, "page path '%s' is served twice", p);
                return -EINVAL;
            }
    }
    return 0;
}

static int open_static(bh_server *server)
{
    server->static_fd = -1;
    if (!server->config.static_dir)
        return 0;
    server->static_fd = open(server->config.static_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (server->static_fd >= 0)
        return 0;
    int r = -errno;
    bh_log(BH_LOG_ERROR, "cannot serve --static-dir=%s: %s", server->config.static_dir,
           // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's has a buffer a thread
           strerror(-r));
    return r;
}

static void take_limits(bh_server *server)
{
    struct rlimit lim;
    unsigned nofile = 1024;
    if (getrlimit(RLIMIT_NOFILE, &lim) == 0)
        nofile = lim.rlim_cur > 1u << 20 ? 1u << 20 : (unsigned)lim.rlim_cur;
    unsigned reserve = nofile / 4 < 64 ? nofile / 4 : 64; /* files, loops, the program's own */
    server->max_links = nofile - reserve;
}

static void init_timers(bh_server *server)
{
    uv_timer_init(server->loop, &server->second);
    uv_timer_init(server->loop, &server->resume_accept);
    uv_timer_init(server->loop, &server->stopper);
    uv_prepare_init(server->loop, &server->turn);
    server->second.data = server->resume_accept.data = server->stopper.data = server->turn.data =
        server;
    server->handles = 4;
    uv_timer_start(&server->second, on_second, 1000, 1000);
    uv_prepare_start(&server->turn, on_turn);
    if (uv_loop_configure(server->loop, UV_METRICS_IDLE_TIME))
        bh_log(BH_LOG_DEBUG, "libuv does not measure idle time; loop lag includes waiting");
}

/* What has been started is stopped by turning the loop until it has let go. */
static void undo(bh_server *server)
{
    bh_server_stop(server, NULL, NULL);
    while (server->handles)
        uv_run(server->loop, UV_RUN_ONCE);
    bh_server_free(server);
}

int bh_server_new(const bh_config *config, const bh_page *pages, struct uv_loop_s *loop,
                  bh_server **ret_server)
{
    bh_log_set_level(config->log_level);
    int r = check_pages(pages);
    if (r)
        return r;
    if (!bh_files_left())
        return -EMFILE;
    bh_server *server = bh_zalloc(sizeof(*server));
    server->config = *config;
    server->pages = pages;
    server->loop = loop;
    server->reserve_fd = -1;
    server->stats.started_ms = uv_hrtime() / 1000000;
    r = open_static(server);
    if (!r) {
        bh_hub_params params = {.config = &server->config,
                                .pages = pages,
                                .main_loop = loop,
                                .exec = config->backhaul ? &bh_exec_thread : &bh_exec_inline,
                                .server = server};
        r = bh_hub_new(&params, &server->hub);
        if (r)
            // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's has a buffer a thread
            bh_log(BH_LOG_ERROR, "cannot start rendering: %s", strerror(-r));
    }
    if (r) {
        bh_server_free(server);
        return r;
    }
    take_limits(server);
    init_timers(server);
    r = bh_front_lws_open(server);
    if (!r)
        r = bh_listen_open(server);
    if (r) {
        undo(server);
        return r;
    }
    *ret_server = server;
    return 0;
}

int bh_server_port(const bh_server *server) { return server->port; }

int bh_post(bh_server *server, void (*fn)(void *data, size_t len), const void *data, size_t len)
{
    return bh_hub_post(server->hub, fn, data, len);
}
