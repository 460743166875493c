/* SPDX-License-Identifier: MIT
 * vdom/html.h — writes a tree as HTML: the first page.
 *
 * What the browser parses must be, node for node, what the client would have built, so that it can
 * number it (docs/PROTOCOL.md §6): a comment <!----> separates adjacent texts, an empty text is
 * <!--e-->, a text at the start of pre, textarea or listing that begins with a newline gets one
 * more, style goes to data-bh-style (strict policies forbid style attributes; the client sets it by
 * CSSOM), raw HTML elements get data-bh-raw. textarea's value is its text; option selected and input
 * checked are attributes. Handlers are left out. */
#ifndef BH_VDOM_HTML_H
#define BH_VDOM_HTML_H

#include "vdom/buf.h"
#include "vdom/node.h"

void bh_html_write(bh_buf *out, const bh_names *names, const bh_node *root);
void bh_html_escape_text(bh_buf *out, const char *s, size_t len);
void bh_html_escape_attr(bh_buf *out, const char *s, size_t len); /* for double quotes */

#endif
