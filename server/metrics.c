/* SPDX-License-Identifier: MIT
 * metrics — /metrics: the numbers of /stats in Prometheus' text format. */
#include "server/http.h"
#include "server/server.h"
#include "server/stats.h"

static void one(bh_buf *out, const char *name, bool counter, const char *help, uint64_t value)
{
    const char *suffix = counter ? "_total" : "";
    bh_buf_printf(out, "# HELP backhaul_%s%s %s\n# TYPE backhaul_%s%s %s\nbackhaul_%s%s %llu\n",
                  name, suffix, help, name, suffix, counter ? "counter" : "gauge", name, suffix,
                  (unsigned long long)value);
}

void bh_metrics_text(bh_buf *out, const bh_server *server, const bh_hub_stats *hub)
{
    bh_process p = bh_process_get();
    one(out, "resident_bytes", false, "resident memory", p.rss);
    one(out, "resident_peak_bytes", false, "most resident memory ever", p.peak_rss);
    one(out, "open_fds", false, "open file descriptors", p.open_fds);
    one(out, "cpu_main_ns", true, "CPU time of the network thread", p.cpu_main_ns);
    one(out, "connections", false, "open connections", server->n_links);
    one(out, "websockets", false, "open WebSockets", server->n_ws);
    for (size_t i = 0; i < bh_hub_stat_count; i++) {
        const bh_hub_stat *s = &bh_hub_stat_list[i];
        one(out, s->name, s->counter, s->help,
            *(const uint64_t *)(const void *)((const char *)hub + s->offset));
    }
    for (size_t i = 0; i < bh_front_stat_count; i++) {
        const bh_front_stat *s = &bh_front_stat_list[i];
        one(out, s->name, true, s->help,
            *(const uint64_t *)(const void *)((const char *)&server->stats + s->offset));
    }
    bh_buf_str(out, "# HELP backhaul_loop_lag_seconds how long a turn of the network loop kept the "
                    "rest waiting\n"
                    "# TYPE backhaul_loop_lag_seconds histogram\n");
    uint64_t sum = 0;
    for (int i = 0; i < BH_LAG_BUCKETS - 1; i++) {
        sum += server->stats.lag[i];
        bh_buf_printf(out, "backhaul_loop_lag_seconds_bucket{le=\"%g\"} %llu\n",
                      (double)bh_lag_bounds_us[i] / 1e6, (unsigned long long)sum);
    }
    sum += server->stats.lag[BH_LAG_BUCKETS - 1];
    bh_buf_printf(
        out,
        "backhaul_loop_lag_seconds_bucket{le=\"+Inf\"} %llu\nbackhaul_loop_lag_seconds_sum %g\n"
        "backhaul_loop_lag_seconds_count %llu\n",
        (unsigned long long)sum, (double)server->stats.busy_ns / 1e9, (unsigned long long)sum);
}
