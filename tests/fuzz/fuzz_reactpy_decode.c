/* SPDX-License-Identifier: MIT
 * Any bytes: an event whose strings can be read to their ends, or a refusal; and what comes out as
 * text goes back in: bh_json_string of any bytes passes the gate unless it holds NUL escapes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/json_gate.h"
#include "server/limits.h"
#include "server/utf8.h"
#include "server/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_string(const char *s)
{
    check(bh_utf8_valid((const unsigned char *)s, strlen(s)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bh_chunk_pool pool;
    bh_arena arena;
    bh_buf out;
    bh_reactpy_message m;
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    int rc = bh_reactpy_decode(data, size, &arena, &m);
    check(rc == 0 || rc == -EPROTO || rc == -EILSEQ || rc == -E2BIG || rc == -ENOMSG);
    if (rc == 0) {
        check(m.hid != 0 && m.event.type == BH_ON_NONE && m.event.n_fields <= BH_MAX_FIELDS);
        check(isfinite(m.event.x) && isfinite(m.event.y));
        check_string(m.event.value);
        check_string(m.event.key);
        for (size_t i = 0; i < m.event.n_fields; i++) {
            check_string(m.event.fields[i].name);
            check_string(m.event.fields[i].value);
        }
    }
    bh_buf_init(&out);
    bh_json_string(&out, (const char *)data, size);
    check(bh_json_gate(out.data, out.len) == 0 || memchr(data, 0, size));
    bh_buf_fini(&out);
    bh_arena_clear(&arena);
    bh_chunk_pool_fini(&pool);
    return 0;
}
