/* SPDX-License-Identifier: MIT
 * server/wire_v1_ops.h — the codes of backhaul.v1; docs/PROTOCOL.md §3 and §4. */
#ifndef BH_SERVER_WIRE_V1_OPS_H
#define BH_SERVER_WIRE_V1_OPS_H

/* server to client */
enum {
    BH_V1_OP_TEXT = 0x01,
    BH_V1_OP_ATTR,
    BH_V1_OP_DEL,
    BH_V1_OP_BOOL,
    BH_V1_OP_INSERT,
    BH_V1_OP_MOVE,
    BH_V1_OP_MOVE_LAST,
    BH_V1_OP_REMOVE,
    BH_V1_OP_ON,
    BH_V1_OP_OFF,
    BH_V1_OP_HTML,
    BH_V1_OP_STYLE,
    BH_V1_OP_WELCOME,
    BH_V1_OP_RESET,
    BH_V1_OP_PONG,
    BH_V1_OP_NOTICE,
    BH_V1_OP__END,
};
enum { BH_V1_NODE_ELEMENT = 1, BH_V1_NODE_TEXT };

/* fields of an event */
enum {
    BH_V1_F_VALUE = 1,
    BH_V1_F_CHECKED,
    BH_V1_F_KEY,
    BH_V1_F_MODS,
    BH_V1_F_XY,
    BH_V1_F_BUTTON,
    BH_V1_F_FIELD,
};
enum { BH_V1_VERSION = 1, BH_V1_TOKEN_MAX = 128 };

#endif
