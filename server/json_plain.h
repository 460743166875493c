/* SPDX-License-Identifier: MIT
 * server/json_plain.h — the one scan that both directions of JSON lean on. */
#ifndef BH_SERVER_JSON_PLAIN_H
#define BH_SERVER_JSON_PLAIN_H

#include <backhaul/base.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool bh__json_is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__
/* Bit i: byte i is not plain. As signed bytes all that is not ASCII is below 0x20 too: one comparison
 * for both. */
static inline unsigned bh__json_special(__m128i x)
{
    __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, slash)));
}
#endif

/* Number of leading bytes that stand for themselves in a JSON string and are ASCII. */
static inline size_t bh__json_plain(const unsigned char *s, size_t len)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; len - i >= 16; i += 16) {
        unsigned mask = bh__json_special(_mm_loadu_si128((const __m128i *)(const void *)(s + i)));
        if (mask)
            return i + (size_t)__builtin_ctz(mask);
    }
#endif
    while (i < len && bh__json_is_plain(s[i]))
        i++;
    return i;
}

#endif
