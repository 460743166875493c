/* SPDX-License-Identifier: MIT
 * vdom/names.h — interned names: tags and attributes as small numbers.
 *
 * Known names (names.def) have fixed atoms; others are interned per bh_names, at most
 * BH_NAMES_MAX of each kind, and live as long as it. Atom 0 is "none".
 * Threads: a bh_names belongs to the thread that renders; the known part is constant. */
#ifndef BH_VDOM_NAMES_H
#define BH_VDOM_NAMES_H

#include <backhaul/element.h>

enum {
    BH_NAME_VOID = 1,    /* element without children */
    BH_NAME_RAWTEXT = 2, /* unused by known tags; script and style are refused */
    BH_NAME_SVG = 4,
    BH_NAME_MATHML = 8,
    BH_NAME_URL = 16,
    BH_NAME_PROP = 32,
    BH_NAME_ENUM = 64,
    BH_NAME_BOOL = 128,
    BH_NAME_STYLE = 256,
};

/* Attribute atoms of known names, in the order of names.def: BH_A_class_name, ... */
typedef enum bh_attr_atom {
    BH_A_NONE = 0,
#define BH_ATTR_STR(field, html, react, flags) BH_A_##field,
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags) BH_A_##field,
#include <backhaul/names.def>
    BH_A__KNOWN,
} bh_attr_atom;

typedef struct bh_name {
    const char *html;  /* as in HTML: "class" */
    const char *react; /* as React spells it: "className" */
    uint16_t len;      /* of html */
    uint16_t flags;
} bh_name;

typedef struct bh_names bh_names;
enum { BH_NAMES_MAX = 4096, BH_NAME_LEN_MAX = 64 };

bh_names *bh_names_new(void);
void bh_names_free(bh_names *names);
/* The atom of a name; 0 if it breaks the name pattern, is refused, or the table is full. Refused are
 * tags that run code, load documents or change how HTML is parsed (script, style, iframe, object,
 * embed, base, meta, link, template, noscript, html, body, ...; the list is in names.c), and the
 * attributes on*, srcdoc, data-bh-*. Known names are found in any case of letters; others keep
 * theirs (viewBox). */
uint16_t bh_tag_atom(bh_names *names, const char *tag);
uint16_t bh_attr_atom_of(bh_names *names, const char *attr);
const bh_name *bh_tag_name(const bh_names *names, uint16_t atom);
const bh_name *bh_attr_name(const bh_names *names, uint16_t atom);

/* Events are a third, fixed kind: DOM name, React name. */
const char *bh_event_dom_name(bh_event_type type);
const char *bh_event_react_name(bh_event_type type);

/* True if a URL attribute may hold this value: http, https, mailto, tel, or relative, after
 * controls and spaces are stripped as browsers do. data:image/{png,gif,jpeg,webp,svg+xml} is
 * allowed for src of img only (is_image). */
bool bh_url_allowed(const char *url, bool is_image);

#endif
