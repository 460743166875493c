/* SPDX-License-Identifier: MIT
 * backhaul/base.h — attributes, strings and version shared by every public header. */
#ifndef BACKHAUL_BASE_H
#define BACKHAUL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BH_VERSION_MAJOR 0
#define BH_VERSION_MINOR 1
#define BH_VERSION_PATCH 0
#define BH_VERSION "0.1.0"

#ifdef __cplusplus
#define BH_BEGIN_DECLS extern "C" {
#define BH_END_DECLS }
#else
#define BH_BEGIN_DECLS
#define BH_END_DECLS
#endif

#define BH_API __attribute__((visibility("default")))
#define BH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define BH_NODISCARD __attribute__((warn_unused_result))
#define BH_NORETURN __attribute__((noreturn))
#define BH_UNUSED __attribute__((unused))

#define BH__CAT_(a, b) a##b
#define BH__CAT(a, b) BH__CAT_(a, b)

/* A borrowed run of UTF-8 bytes; not necessarily NUL-terminated. */
typedef struct bh_str {
    const char *ptr;
    size_t len;
} bh_str;

/* What a render function, handler or effect is given; valid only during that call,
 * and only on the thread that renders. */
typedef struct bh_cx bh_cx;

#endif
