/* SPDX-License-Identifier: MIT
 * http_static — files below one directory. The kernel keeps the path inside (openat2 with
 * RESOLVE_BENEATH: neither .. nor a symbolic link leads out); where it can't, no link is followed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/http.h"

static const struct {
    const char *ending, *type;
} types[] = {
    {"html", "text/html; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"txt", "text/plain; charset=utf-8"},
    {"md", "text/plain; charset=utf-8"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"avif", "image/avif"},
    {"ico", "image/x-icon"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"ttf", "font/ttf"},
    {"pdf", "application/pdf"},
    {"xml", "application/xml"},
    {"csv", "text/csv; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
    {"mp3", "audio/mpeg"},
    {"ogg", "audio/ogg"},
    {"webmanifest", "application/manifest+json"},
};

const char *bh_mime(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcasecmp(dot + 1, types[i].ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}

/* No empty, dot or hidden component, nothing unprintable, no backslash. */
static bool plain_path(const char *path)
{
    if (!*path || strlen(path) > 1024)
        return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 0 || p[0] == '.')
            return false;
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)p[i] < 0x20 || p[i] == '\\' || p[i] == 0x7f)
                return false;
        p += n;
        if (*p == '/' && !*++p)
            return false;
    }
    return true;
}

enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/* For kernels before 5.6 and filters that refuse the call: component by component, no links. */
static int open_slowly(int dir_fd, const char *path)
{
    char part[1025];
    int at = dir_fd, fd = -1;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        memcpy(part, p, n);
        part[n] = '\0';
        bool last = p[n] == '\0';
        fd = openat(at, part,
                    last ? FLAGS | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int r = errno;
        if (at != dir_fd)
            close(at);
        if (fd < 0)
            return -r;
        at = fd;
        p += n + !last;
    }
    return fd;
}

int bh_static_open(int dir_fd, const char *path, int *ret_fd, uint64_t *ret_size, char etag[48])
{
    if (!plain_path(path))
        return -ENOENT;
    struct open_how how = {.flags = FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_slowly(dir_fd, path);
    else if (fd < 0)
        fd = -errno;
    if (fd < 0)
        return fd;
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return -ENOENT;
    }
    snprintf(etag, 48, "\"%llx-%llx-%lx\"", (unsigned long long)st.st_size,
             (unsigned long long)st.st_mtim.tv_sec, (unsigned long)st.st_mtim.tv_nsec);
    *ret_fd = fd;
    *ret_size = (uint64_t)st.st_size;
    return 0;
}
