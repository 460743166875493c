/* SPDX-License-Identifier: MIT
 * server/utf8.h — UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Any thread. */
#ifndef BH_SERVER_UTF8_H
#define BH_SERVER_UTF8_H

#include <backhaul/base.h>

/* Length of the character that s begins with, 1 to 4; 0 if it is malformed or cut off by len. */
size_t bh_utf8_step(const unsigned char *s, size_t len);
bool bh_utf8_valid(const unsigned char *s, size_t len);

#endif
