/* SPDX-License-Identifier: MIT */
#include "server/utf8.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool tail(unsigned char c) { return (c & 0xc0u) == 0x80u; }

size_t bh_utf8_step(const unsigned char *s, size_t len)
{
    if (len == 0)
        return 0;
    unsigned char c = s[0];
    if (c < 0x80)
        return 1;
    if (c < 0xc2)
        return 0;
    if (c < 0xe0)
        return len >= 2 && tail(s[1]) ? 2 : 0;
    if (c < 0xf0) {
        if (len < 3 || !tail(s[1]) || !tail(s[2]))
            return 0;
        if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f))
            return 0;
        return 3;
    }
    if (c > 0xf4 || len < 4 || !tail(s[1]) || !tail(s[2]) || !tail(s[3]))
        return 0;
    if ((c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f))
        return 0;
    return 4;
}

/* Number of leading bytes that are ASCII for sure. */
static size_t skip_ascii(const unsigned char *s, size_t len)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; len - i >= 16; i += 16) {
        int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(s + i)));
        if (high)
            return i + (size_t)__builtin_ctz((unsigned)high);
    }
#else
    for (; len - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s + i, 8);
        if (word & UINT64_C(0x8080808080808080))
            return i;
    }
#endif
    return i;
}

bool bh_utf8_valid(const unsigned char *s, size_t len)
{
    size_t i = 0;
    while (i < len) {
        i += skip_ascii(s + i, len - i);
        if (i == len)
            break;
        size_t n = bh_utf8_step(s + i, len - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}
