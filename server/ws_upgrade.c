/* SPDX-License-Identifier: MIT
 * ws_upgrade — the checks before 101, in the order in which a client should learn of them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "server/ws_upgrade.h"

int bh_page_find(const bh_page *pages, const char *path)
{
    for (int i = 0; pages[i].path; i++)
        if (strcmp(pages[i].path, path) == 0)
            return i;
    return -1;
}

bool bh_list_has(const char *list, const char *name)
{
    size_t want = strlen(name);
    while (*list) {
        list += strspn(list, " \t,");
        size_t n = strcspn(list, ",");
        size_t len = n;
        while (len && (list[len - 1] == ' ' || list[len - 1] == '\t'))
            len--;
        if (len == want && memcmp(list, name, want) == 0)
            return true;
        list += n;
    }
    return false;
}

/* ---- Origin ------------------------------------------------------------------------------- */

/* Host and port of an origin or a Host header: a default port is the same as none. */
typedef struct authority {
    const char *ptr;
    size_t len;
} authority;

static authority without_port(const char *s, size_t len, const char *port)
{
    size_t n = strlen(port);
    if (len > n && memcmp(s + len - n, port, n) == 0)
        len -= n;
    return (authority){s, len};
}

static bool same_authority(authority a, authority b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* Splits http://x and https://x; only lower-case schemes, as browsers send them. */
static bool split_origin(const char *s, size_t len, bool *ret_https, authority *ret)
{
    size_t at = 0;
    if (len > 8 && memcmp(s, "https://", 8) == 0)
        at = 8;
    else if (len > 7 && memcmp(s, "http://", 7) == 0)
        at = 7;
    if (!at)
        return false;
    for (size_t i = at; i < len; i++) /* no path, query, fragment, userinfo, blank or list */
        if (!isalnum((unsigned char)s[i]) && !strchr("-._[]:", s[i]))
            return false;
    *ret_https = at == 8;
    *ret = without_port(s + at, len - at, at == 8 ? ":443" : ":80");
    return true;
}

bool bh_origin_allowed(const bh_config *config, const char *origin, const char *host)
{
    if (!origin)
        return config->allow_no_origin;
    bool https, item_https;
    authority from, item;
    if (!split_origin(origin, strlen(origin), &https, &from))
        return false; /* "null" too */
    if (host && same_authority(from, without_port(host, strlen(host), https ? ":443" : ":80")))
        return true;
    const char *p = config->allow_origins;
    while (p && *p) {
        size_t n = strcspn(p, ",");
        if (split_origin(p, n, &item_https, &item) && item_https == https &&
            same_authority(from, item))
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static bh_upgrade_answer refuse(int status, const char *reason)
{
    return (bh_upgrade_answer){.status = status, .reason = reason};
}

static bh_upgrade_answer check_path(const bh_page *pages, const bh_upgrade *up)
{
    size_t prefix = strlen(BH_REACTPY_PREFIX);
    bool reactpy = strncmp(up->path, BH_REACTPY_PREFIX, prefix) == 0 &&
                   (up->path[prefix] == '/' || up->path[prefix] == '\0');
    const char *path = reactpy ? up->path + prefix : up->path;
    if (reactpy && !*path) /* that client trims a trailing slash, so "/" arrives as nothing */
        path = "/";
    int page = bh_page_find(pages, path);
    if (page < 0)
        return refuse(404, "no page here");
    bool offered = up->protocols && *up->protocols;
    if (reactpy && offered)
        return refuse(400, "this socket takes no subprotocol");
    if (!reactpy && (!offered || !bh_list_has(up->protocols, BH_SUBPROTOCOL)))
        return refuse(400, "this socket needs subprotocol " BH_SUBPROTOCOL);
    return (bh_upgrade_answer){.status = 101,
                               .page = (uint32_t)page,
                               .codec = reactpy ? BH_CODEC_REACTPY : BH_CODEC_V1,
                               .page_path = path};
}

bh_upgrade_answer bh_upgrade_check(const bh_config *config, const bh_page *pages,
                                   const bh_upgrade *up)
{
    if (!up->is_get)
        return refuse(405, "a WebSocket begins with GET");
    if (!up->http11)
        return refuse(400, "a WebSocket needs HTTP/1.1");
    if (!up->host || !*up->host || up->host_twice || strpbrk(up->host, "@/ ,"))
        return refuse(400, "one Host, please");
    if (!up->version || strcmp(up->version, "13") != 0)
        return refuse(426, "WebSocket version 13 is spoken here");
    bh_upgrade_answer answer = check_path(pages, up);
    if (answer.status != 101)
        return answer;
    if (up->origin_twice || !bh_origin_allowed(config, up->origin, up->host))
        return refuse(403, "this Origin is not allowed");
    return answer;
}
