/* SPDX-License-Identifier: MIT
 * tests/support/oplog.h — a patch sink that writes one line of words:
 *     "remove c; insert e before b; move d last; text 'x'; set a class=red; del a id"
 * A node is called by its key, a text by its quoted content, any other by its tag, "[]" or "{}". */
#ifndef BH_TESTS_OPLOG_H
#define BH_TESTS_OPLOG_H

#include "vdom/buf.h"
#include "vdom/patch.h"

typedef struct oplog {
    bh_buf text; /* NUL-terminated when read by oplog_text */
    const bh_names *names;
    const bh_patch_sink *also; /* each operation goes there too; NULL: nowhere */
    unsigned ops, moves, inserts, removes;
    bool quiet; /* count only */
} oplog;

void oplog_init(oplog *log, const bh_names *names);
void oplog_fini(oplog *log);
void oplog_clear(oplog *log);
const char *oplog_text(oplog *log);
bh_patch_sink oplog_sink(oplog *log);

#endif
