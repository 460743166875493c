/* SPDX-License-Identifier: MIT
 * server/embed.h — the files of web/ that are in the binary; made by cmake/embed.cmake. Constant. */
#ifndef BH_SERVER_EMBED_H
#define BH_SERVER_EMBED_H

#include <stddef.h>

typedef struct bh_embed {
    const char *name; /* as in the URL after _bh/ */
    const unsigned char *data;
    size_t len;
    const char *etag; /* quoted: the digest of the bytes */
} bh_embed;

extern const bh_embed bh_embedded[];
extern const size_t bh_embedded_count;

#endif
