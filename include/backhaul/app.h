/* SPDX-License-Identifier: MIT
 * backhaul/app.h — pages, the server, and the calls that any thread may make.
 *
 * Alone:      int main(int argc, char **argv) { return bh_main(argc, argv, BH_PAGE("/", App)); }
 * Embedded:   bh_server_new() on a uv loop of yours, then run your loop.
 * Threads: bh_post, bh_publish and bh_topic_* may be called from any thread; everything else from
 * the thread that runs the server's network loop (the main thread). */
#ifndef BACKHAUL_APP_H
#define BACKHAUL_APP_H

#include <backhaul/component.h>

BH_BEGIN_DECLS

struct uv_loop_s; /* libuv's uv_loop_t; no libuv header is needed here */

/* A page: GET path serves its first HTML, the same path takes the WebSocket (backhaul.v1), and
 * /_reactpy/stream<path> takes ReactPy's client. Borrowed for the server's life. */
typedef struct bh_page {
    /* Begins with '/', no trailing slash but "/" itself; none that the server itself answers:
     * /healthz /stats /metrics, and what is below /_bh /static /_reactpy. */
    const char *path;
    const bh_component *component;
    const void *props;      /* component->props_size bytes, or NULL */
    const char *title;      /* NULL: the component's name */
    const char *stylesheet; /* URL of one more stylesheet; NULL: none */
    const char *head_html;  /* trusted HTML for <head>; NULL: none */
} bh_page;
#define BH_PAGE(path_, Name, ...)                                                                  \
    {                                                                                              \
        .path = (path_), .component = &Name##_component, .title = #Name,                           \
        .props = &(const struct Name##_props)                                                      \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define BH_PAGE0(path_, Name)                                                                      \
    {                                                                                              \
        .path = (path_), .component = &Name##_component, .title = #Name                            \
    }

typedef enum bh_log_level { BH_LOG_ERROR, BH_LOG_WARN, BH_LOG_INFO, BH_LOG_DEBUG } bh_log_level;

/* Every option of the server; bh_config_init sets the defaults given here. Strings are borrowed. */
typedef struct bh_config {
    const char *host;            /* "127.0.0.1"; a literal address or a name of this machine */
    int port;                    /* 8080; 0: any free port */
    bool backhaul;               /* render on the backhaul thread (true) or on the network loop */
    uint64_t commit_interval_us; /* 0: commit at once */
    int cpu_main, cpu_render;    /* -1: not pinned */
    unsigned max_sessions;       /* 10240 live sessions */
    unsigned max_per_address;    /* 0: no limit by address */
    unsigned window_frames;      /* 16 frames in flight a session */
    size_t window_bytes;         /* 262144 */
    unsigned max_event_rate;     /* 1000 events a second and session, bursts of 4 s; 0: no limit */
    size_t max_message;          /* 32768 bytes from a client; ceiling 1 MiB */
    unsigned resume_seconds;     /* 180 */
    unsigned resume_sessions;    /* 100 parked at most */
    size_t resume_bytes;         /* 64 MiB parked at most */
    unsigned prerender_seconds;  /* 10: how long a page's session waits for its socket */
    const char *static_dir;      /* files under /static/; NULL: none */
    const char *allow_origins; /* comma-separated origins besides the page's own host; NULL: none */
    bool allow_no_origin;      /* accept clients that send no Origin (programs); true */
    bool reactpy_diff;         /* ReactPy sockets: fine-grained paths (true) or whole components */
    bool show_errors;          /* show fault texts in the page (false: a neutral sentence) */
    bh_log_level log_level;    /* BH_LOG_WARN */
} bh_config;
BH_API void bh_config_init(bh_config *config);
/* Reads the command line into config. Returns 0 to go on, 1 when all is done (--help, --version:
 * already printed), -EINVAL after printing one line that says what is wrong. Strings point into
 * argv, but allow_origins, if set, is a new one: free() it after the server. */
BH_API BH_NODISCARD int bh_config_parse(bh_config *config, int argc, char **argv);

typedef struct bh_server bh_server;
/* Listens at once. `loop` is the caller's uv_loop_t and stays the caller's, who runs it. Pages end
 * with path == NULL. Returns 0, or -errno after logging one line that says what to do; to undo what
 * was begun it may have turned the loop. */
BH_API BH_NODISCARD int bh_server_new(const bh_config *config, const bh_page *pages,
                                      struct uv_loop_s *loop, bh_server **ret_server);
BH_API int bh_server_port(const bh_server *server);
/* Orderly stop: no new connections, clients told (1001), effects cleaned up. `done` is called on
 * the loop when nothing of the server is left on it; then call bh_server_free. Once: a second call
 * does nothing, and its `done` is not called. */
BH_API void bh_server_stop(bh_server *server, void (*done)(bh_server *server, void *arg),
                           void *arg);
BH_API void bh_server_free(bh_server *server); /* after done; NULL is fine */

/* A whole program: options, own loop, signals, orderly stop. Returns main's exit status. */
BH_API int bh_main_pages(int argc, char **argv, const bh_page *pages);
#define bh_main(argc, argv, ...)                                                                   \
    bh_main_pages(argc, argv, (const bh_page[]){__VA_ARGS__, {.path = NULL}})

/* Runs fn(copy of data, len) on the thread that renders, after what was posted before it. Any
 * thread. Returns 0, -ESHUTDOWN after bh_server_stop, -ENOBUFS when 65,536 posts are waiting. */
BH_API BH_NODISCARD int bh_post(bh_server *server, void (*fn)(void *data, size_t len),
                                const void *data, size_t len);
BH_API bh_server *bh_cx_server(bh_cx *cx);

/* A topic: the latest value of something, published by any thread, shown by any page.
 * Publishing coalesces: a page that renders slower than the publisher sees the newest value.
 * Free a topic only when no server that used it is left. */
typedef struct bh_topic bh_topic;
BH_API bh_topic *bh_topic_new(const char *name);
BH_API void bh_topic_free(bh_topic *topic);
BH_API void bh_publish(bh_topic *topic, const void *data, size_t len); /* copies */
/* Subscribes this component; it renders again on each publish. Returns a copy that lives for this
 * render (NULL and *ret_len 0 before the first publish), aligned for any type. */
#define bh_use_topic(cx, topic, ret_len) bh__use_topic(cx, topic, ret_len, __FILE__, __LINE__)
BH_API const void *bh__use_topic(bh_cx *cx, bh_topic *topic, size_t *ret_len, const char *file,
                                 int line);

BH_END_DECLS
#endif
