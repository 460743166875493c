/* SPDX-License-Identifier: MIT
 * server/server_tcp.h — what the kernel knows of a connection. Any thread. */
#ifndef BH_SERVER_SERVER_TCP_H
#define BH_SERVER_SERVER_TCP_H

#include <stdint.h>

/* Bytes this process has read from the socket since it was accepted. 0 or -errno. */
int bh_tcp_received(int fd, uint64_t *ret_bytes);

#endif
