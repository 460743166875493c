/* SPDX-License-Identifier: MIT
 * Any bytes: a message whose strings can be read to their ends, or a refusal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    bh_v1_message m;
    bh_chunk_pool_init(&pool);
    bh_arena_init(&arena, &pool);
    int rc = bh_v1_decode(data, size, &arena, &m);
    check(rc == 0 || rc == -EPROTO || rc == -EILSEQ);
    if (rc == 0) {
        check(m.kind >= BH_V1_HELLO && m.kind <= BH_V1_PING);
        check(m.event.type == BH_ON_NONE && m.event.n_fields <= BH_MAX_FIELDS);
        check(m.event.mods < 16 && m.event.button >= 0 && m.event.button < 256);
        check_string(m.token);
        check_string(m.event.value);
        check_string(m.event.key);
        for (size_t i = 0; i < m.event.n_fields; i++) {
            check_string(m.event.fields[i].name);
            check_string(m.event.fields[i].value);
        }
    }
    bh_arena_clear(&arena);
    bh_chunk_pool_fini(&pool);
    return 0;
}
