/* SPDX-License-Identifier: MIT
 * server_tcp — a file of its own: the kernel's struct tcp_info has what is wanted here, the C
 * library's (which <uv.h> includes) ends before it, and the two can't be included together. */
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "server/server_tcp.h"

int bh_tcp_received(int fd, uint64_t *ret_bytes)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);
    int unread = 0;
    if (fd < 0)
        return -EBADF;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) || ioctl(fd, SIOCINQ, &unread))
        return -errno;
    *ret_bytes = (uint64_t)info.tcpi_bytes_received - (unsigned)unread;
    return 0;
}
