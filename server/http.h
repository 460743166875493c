/* SPDX-License-Identifier: MIT
 * server/http.h — pieces of HTTP without a library: what pages, files and numbers are made of.
 * Main thread. */
#ifndef BH_SERVER_HTTP_H
#define BH_SERVER_HTTP_H

#include <sys/types.h>

#include <backhaul/app.h>

#include "server/hub.h"
#include "vdom/buf.h"

struct bh_server;

/* --- http_page.c: the document around a page's HTML. max_message: the client refuses more itself, where
 * the user sees it. */
void bh_page_document(bh_buf *out, const bh_page *page, const char *html, size_t len,
                      const char *token, size_t max_message);
/* What goes before _bh/bh.js so that it is found from path, wherever a proxy has put us: "" or "../". */
void bh_page_prefix(bh_buf *out, const char *path);

/* --- http_static.c */
/* Opens a regular file below dir_fd; never leaves it, by whatever name. 0, -ENOENT, -EACCES, ... */
int bh_static_open(int dir_fd, const char *path, int *ret_fd, uint64_t *ret_size, char etag[48]);
const char *bh_mime(const char *name);

/* --- stats.c, metrics.c */
void bh_stats_json(bh_buf *out, const bh_server *server, const bh_hub_stats *hub);
void bh_metrics_text(bh_buf *out, const bh_server *server, const bh_hub_stats *hub);
typedef struct bh_process {
    uint64_t rss, peak_rss, cpu_main_ns, open_fds;
} bh_process;
bh_process bh_process_get(void); /* on the main thread */

void bh_buf_printf(bh_buf *out, const char *format, ...) BH_PRINTF(2, 3);

#endif
