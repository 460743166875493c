/* SPDX-License-Identifier: MIT
 * Preloaded by a test: a machine without libwebsockets' libuv plugin. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *, int);
    if (name && strstr(name, "evlib_uv"))
        return NULL;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real(name, flags);
}
