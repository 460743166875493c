/* SPDX-License-Identifier: MIT
 * server/json_gate.h — what must hold of JSON text from a client before cJSON sees it.
 *
 * cJSON 1.7.15 accepts raw invalid UTF-8 and control bytes, `01` and `1.`; cuts strings at NUL;
 * recurses; and spends 64 bytes a value. One linear scan, without memory, refuses all that. */
#ifndef BH_SERVER_JSON_GATE_H
#define BH_SERVER_JSON_GATE_H

#include <backhaul/base.h>

/* 0 if data is exactly one JSON text (RFC 8259) that is UTF-8 without NUL and lone surrogates, at
 * most BH_JSON_DEPTH deep and BH_JSON_VALUES values; else -EPROTO (grammar, NUL), -EILSEQ (UTF-8,
 * surrogates), -E2BIG (depth, values). */
int bh_json_gate(const unsigned char *data, size_t len);

#endif
