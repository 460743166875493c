/* SPDX-License-Identifier: MIT
 * http_page — the document a page is sent in. All its URLs are relative: behind a proxy the page may
 * live anywhere. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server/http.h"
#include "vdom/html.h"

void bh_buf_printf(bh_buf *out, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), format, ap);
    if (n > 0 && (size_t)n < sizeof(small)) {
        bh_buf_put(out, small, (size_t)n);
    } else if (n > 0) {
        char *room = (char *)bh_buf_room(out, (size_t)n + 1);
        vsnprintf(room, (size_t)n + 1, format, again);
        out->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void bh_page_prefix(bh_buf *out, const char *path)
{
    for (const char *p = path + 1; *p; p++)
        if (*p == '/')
            bh_buf_str(out, "../");
}

static void attr(bh_buf *out, const char *s) { bh_html_escape_attr(out, s, strlen(s)); }

void bh_page_document(bh_buf *out, const bh_page *page, const char *html, size_t len,
                      const char *token, size_t max_message)
{
    const char *title = page->title ? page->title : page->component->name;
    bh_buf_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    bh_html_escape_text(out, title, strlen(title));
    bh_buf_str(
        out,
        "</title><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">"
        "<link rel=\"stylesheet\" href=\"");
    bh_page_prefix(out, page->path);
    bh_buf_str(out, "_bh/bh.css\">");
    if (page->stylesheet) {
        bh_buf_str(out, "<link rel=\"stylesheet\" href=\"");
        attr(out, page->stylesheet);
        bh_buf_str(out, "\">");
    }
    if (page->head_html)
        bh_buf_str(out, page->head_html);
    /* All modules at once: one that is found inside another costs a round trip more. */
    static const char *const modules[] = {"patch", "event", "names", "extra"};
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        bh_buf_str(out, "<link rel=\"modulepreload\" href=\"");
        bh_page_prefix(out, page->path);
        bh_buf_printf(out, "_bh/%s.js\">", modules[i]);
    }
    bh_buf_str(out, "<script type=\"module\" src=\"");
    bh_page_prefix(out, page->path);
    bh_buf_str(out, "_bh/bh.js\"></script></head>\n<body><backhaul-view data-token=\"");
    attr(out, token);
    bh_buf_printf(out, "\" data-max=\"%zu\">", max_message);
    bh_buf_put(out, html, len);
    bh_buf_str(out, "</backhaul-view><noscript><p>This page shows its first state only: it needs "
                    "JavaScript to stay live.</p></noscript></body></html>\n");
}
