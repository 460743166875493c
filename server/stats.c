/* SPDX-License-Identifier: MIT
 * stats — /stats: everything there is to know about a running server, as one JSON object. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/config.h"
#include "server/http.h"
#include "server/server.h"
#include "server/stats.h"

const bh_hub_stat bh_hub_stat_list[] = {
#define N(field, kind, help)                                                                       \
    {                                                                                              \
#field, offsetof(bh_hub_stats, field), kind, help                                          \
    }
    N(conns_open, 0, "WebSockets open"),
    N(conns_total, 1, "WebSockets ever opened"),
    N(conns_refused, 1, "WebSockets refused for lack of room"),
    N(messages_in, 1, "messages from clients"),
    N(bytes_in, 1, "bytes of those messages"),
    N(frames_out, 1, "frames sent to clients"),
    N(bytes_out, 1, "bytes of those frames"),
    N(sends, 1, "writes they went out in"),
    N(stale_out, 1, "frames for connections that were gone"),
    N(stale_in, 1, "messages for sessions that were gone"),
    N(inbox_high_water, 0, "most messages ever waiting for the render side"),
    N(outbox_high_water, 0, "most messages ever waiting for the network side"),
    N(out_queue_high_water, 0, "most bytes ever waiting for one client"),
    N(rx_pauses, 1, "times reading from a client was paused"),
    N(sessions_live, 0, "sessions with a client"),
    N(sessions_parked, 0, "sessions waiting for their client to return"),
    N(sessions_prerendered, 0, "sessions of pages whose socket has not come yet"),
    N(sessions_total, 1, "sessions ever made"),
    N(renders, 1, "renders of sessions"),
    N(component_renders, 1, "renders of components"),
    N(faults, 1, "components that failed"),
    N(frames, 1, "frames made"),
    N(stale_refs, 1, "state set on components that were gone"),
    N(unknown_handlers, 1, "events for handlers that were gone"),
    N(refused_attrs, 1, "attributes refused by name or URL"),
    N(twin_keys, 1, "children with a sibling's key"),
    N(bad_messages, 1, "malformed messages"),
    N(ignored_messages, 1, "messages ignored"),
    N(dropped_posts, 1, "posts refused for lack of room"),
    N(resumed, 1, "sessions resumed"),
    N(resume_lost, 1, "resumes that came too late"),
    N(taken_over, 1, "sockets ended by another of their session"),
    N(evicted, 1, "parked sessions given up for room"),
    N(replayed_frames, 1, "frames sent again"),
    N(stalls, 1, "times a changed session had to wait for its client to acknowledge"),
    N(commits, 1, "ticks of the commit clock"),
    N(session_bytes, 0, "bytes held by sessions"),
    N(retained_bytes, 0, "bytes kept for replay"),
    N(pool_bytes, 0, "bytes of recycled buffers"),
    N(cpu_render_ns, 1, "CPU time of the rendering thread"),
#undef N
};
const size_t bh_hub_stat_count = sizeof(bh_hub_stat_list) / sizeof(bh_hub_stat_list[0]);

const bh_front_stat bh_front_stat_list[] = {
#define N(field, help)                                                                             \
    {                                                                                              \
#field, offsetof(bh_front_stats, field), help                                              \
    }
    N(accepted, "connections accepted"),
    N(refused_full, "connections refused for lack of file descriptors"),
    N(refused_address, "connections over the limit by address"),
    N(accept_pauses, "times accepting was paused"),
    N(http_requests, "HTTP requests"),
    N(ws_opened, "WebSockets opened"),
    N(ws_refused, "WebSocket upgrades refused"),
    N(pings, "pings sent"),
    N(timeouts, "connections closed for silence"),
    N(floods, "connections closed for a flood of control frames or fragments"),
    N(protocol_errors, "connections closed for breaking the protocol"),
    N(turns, "turns of the network loop"),
    N(busy_ns, "time the network loop was busy"),
#undef N
};
const size_t bh_front_stat_count = sizeof(bh_front_stat_list) / sizeof(bh_front_stat_list[0]);

bh_process bh_process_get(void)
{
    bh_process p = {0};
    char line[256];
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (strncmp(line, "VmRSS:", 6) == 0)
            p.rss = strtoull(line + 6, NULL, 10) * 1024;
        if (strncmp(line, "VmHWM:", 6) == 0)
            p.peak_rss = strtoull(line + 6, NULL, 10) * 1024;
    }
    if (f)
        fclose(f);
    DIR *d = opendir("/proc/self/fd");
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own
    while (d && readdir(d))
        p.open_fds++;
    if (d) {
        closedir(d);
        p.open_fds -= p.open_fds > 3 ? 3 : p.open_fds; /* . and .. and the directory itself */
    }
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    p.cpu_main_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    return p;
}

static void json_string(bh_buf *out, const char *s)
{
    bh_buf_byte(out, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            bh_buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            bh_buf_printf(out, "\\u%04x", c);
        else
            bh_buf_byte(out, c);
    }
    bh_buf_byte(out, '"');
}

static void member(bh_buf *out, const char *name, uint64_t value)
{
    bh_buf_printf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void echo(void *arg, const char *name, const char *text, bool is_string)
{
    bh_buf *out = arg;
    if (out->data[out->len - 1] != '{')
        bh_buf_byte(out, ',');
    json_string(out, name);
    bh_buf_byte(out, ':');
    if (is_string)
        json_string(out, text);
    else
        bh_buf_str(out, text);
}

void bh_stats_json(bh_buf *out, const bh_server *server, const bh_hub_stats *hub)
{
    bh_process p = bh_process_get();
    bh_buf_str(out, "{\"version\":\"" BH_VERSION "\",\"config\":{");
    bh_config_each(&server->config, echo, out);
    bh_buf_printf(out, "},\"uptime_ms\":%llu",
                  (unsigned long long)(uv_hrtime() / 1000000 - server->stats.started_ms));
    member(out, "rss_bytes", p.rss);
    member(out, "peak_rss_bytes", p.peak_rss);
    member(out, "open_fds", p.open_fds);
    member(out, "cpu_main_ns", p.cpu_main_ns);
    member(out, "connections", server->n_links);
    member(out, "websockets", server->n_ws);
    for (size_t i = 0; i < bh_hub_stat_count; i++) {
        const bh_hub_stat *s = &bh_hub_stat_list[i];
        member(out, s->name, *(const uint64_t *)(const void *)((const char *)hub + s->offset));
    }
    for (size_t i = 0; i < bh_front_stat_count; i++) {
        const bh_front_stat *s = &bh_front_stat_list[i];
        member(out, s->name,
               *(const uint64_t *)(const void *)((const char *)&server->stats + s->offset));
    }
    member(out, "loop_busy_max_us", server->stats.busy_max_ns / 1000);
    bh_buf_str(out, ",\"loop_lag_us\":[");
    for (int i = 0; i < BH_LAG_BUCKETS; i++) {
        if (i < BH_LAG_BUCKETS - 1)
            bh_buf_printf(out, "%s{\"le\":%llu,\"count\":%llu}", i ? "," : "",
                          (unsigned long long)bh_lag_bounds_us[i],
                          (unsigned long long)server->stats.lag[i]);
        else
            bh_buf_printf(out, ",{\"le\":null,\"count\":%llu}",
                          (unsigned long long)server->stats.lag[i]);
    }
    bh_buf_str(out, "]}\n");
}
