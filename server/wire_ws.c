/* SPDX-License-Identifier: MIT
 * Header of an outgoing WebSocket frame (RFC 6455 §5.2): FIN, no mask, shortest length form. */
#include <assert.h>

#include "server/wire.h"

size_t bh_ws_header_before(unsigned char *payload, unsigned opcode, uint64_t len)
{
    assert(opcode < 16 && len < UINT64_C(1) << 63);
    size_t n = len < 126 ? 2 : len < 65536 ? 4 : 10;
    unsigned char *h = payload - n;
    h[0] = (unsigned char)(0x80u | opcode);
    if (n == 2) {
        h[1] = (unsigned char)len;
        return n;
    }
    h[1] = n == 4 ? 126 : 127;
    for (size_t i = n - 1; i >= 2; i--, len >>= 8)
        h[i] = (unsigned char)(len & 0xffu);
    return n;
}
