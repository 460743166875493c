/* SPDX-License-Identifier: MIT
 * server/config.h — pieces of the command line that others need too. Any thread; pure. */
#ifndef BH_SERVER_CONFIG_H
#define BH_SERVER_CONFIG_H

#include <backhaul/app.h>

/* "2ms", "100us", "1s", "0". 0, -EINVAL (form), -ERANGE (overflow). */
int bh_parse_duration(const char *s, uint64_t *ret_us);
/* Bytes, or with K, M, G (powers of 1024). 0, -EINVAL, -ERANGE. */
int bh_parse_size(const char *s, uint64_t *ret);
/* scheme://host[:port] with scheme http or https in lower case and nothing after it. */
bool bh_origin_is_wellformed(const char *s, size_t len);
/* Calls fn for every option that has a value, in --help's order; text is valid for the call. */
void bh_config_each(const bh_config *config,
                    void (*fn)(void *arg, const char *name, const char *text, bool is_string),
                    void *arg);

#endif
