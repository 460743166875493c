/* SPDX-License-Identifier: MIT
 * vdom/names.c — tags and attributes as small numbers, and what of them is refused.
 *
 * One open-addressing table a kind holds known and interned names alike, so a lookup costs one hash
 * and, nearly always, one comparison. Known names are found in any case of letters (HTML does not
 * distinguish them, and `HREF` must not get around the URL rule); others keep theirs, because SVG
 * does distinguish them (viewBox). */
#include "vdom/names.h"

#include <string.h>
#include <strings.h>

#include "vdom/mem.h"

#define VOID BH_NAME_VOID
#define RAWTEXT BH_NAME_RAWTEXT
#define SVG BH_NAME_SVG
#define MATHML BH_NAME_MATHML
#define URL BH_NAME_URL
#define PROP BH_NAME_PROP
#define ENUM BH_NAME_ENUM
#define BOOL BH_NAME_BOOL
#define STYLE BH_NAME_STYLE
static const bh_name known_tags[] = {
    {"", "", 0, 0},
#define BH_TAG(id, name, flags) {name, name, sizeof(name) - 1, flags},
#include <backhaul/names.def>
};
static const bh_name known_attrs[] = {
    {"", "", 0, 0},
#define BH_ATTR_STR(field, html, react, flags) {html, react, sizeof(html) - 1, flags},
#include <backhaul/names.def>
#define BH_ATTR_TRI(field, html, react, flags) {html, react, sizeof(html) - 1, flags},
#include <backhaul/names.def>
};
static const char *const event_dom[] = {
    "",
#define BH_EVENT(id, dom, react) dom,
#include <backhaul/names.def>
};
static const char *const event_react[] = {
    "",
#define BH_EVENT(id, dom, react) react,
#include <backhaul/names.def>
};
#undef VOID
#undef RAWTEXT
#undef SVG
#undef MATHML
#undef URL
#undef PROP
#undef ENUM
#undef BOOL
#undef STYLE

enum {
    N_TAGS = sizeof known_tags / sizeof known_tags[0],
    N_ATTRS = sizeof known_attrs / sizeof known_attrs[0],
    TABLE_FIRST = 256,
};
_Static_assert((int)N_TAGS == (int)BH_TAG__KNOWN, "one entry a tag");
_Static_assert((int)N_ATTRS == (int)BH_A__KNOWN, "one entry an attribute");

/* Refused tags run code, load documents, or make the HTML parser read on by other rules or build
 * other nodes than were written, so that the page could not be numbered. set and animate can write
 * a javascript: URL into a link long after its attributes were checked. */
static const char *const refused_tags[] = {
    "script",   "style",    "iframe",    "object", "embed",    "base", "meta",  "link",
    "template", "frame",    "frameset",  "applet", "noscript", "xmp",  "set",   "animate",
    "noembed",  "noframes", "plaintext", "html",   "head",     "body", "image", NULL,
};
static const char *const void_tags[] = {"area", "param", "keygen", "basefont", "bgsound", NULL};
static const char *const url_attrs[] = {
    "action", "formaction", "xlink:href", "poster", "cite", "background", "longdesc",
    "data",   "manifest",   "icon",       "usemap", "ping", NULL,
};

typedef struct interned {
    bh_name name;
    char text[];
} interned;

typedef struct table {
    const bh_name *known;
    uint16_t n_known;
    uint16_t n; /* interned */
    interned **more;
    uint16_t *slots; /* atoms; 0: free; never more than half full */
    uint32_t mask;
} table;

struct bh_names {
    table tags, attrs;
};

static inline unsigned char lower(unsigned char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static uint32_t hash_name(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ lower((unsigned char)s[i])) * 16777619u;
    return h ^ (h >> 15);
}

static const bh_name *name_of(const table *t, unsigned atom)
{
    if (atom < t->n_known)
        return &t->known[atom];
    return atom - t->n_known < t->n ? &t->more[atom - t->n_known]->name : &t->known[0];
}

/* The slot of a name, or the free one where it would go. */
static uint32_t find(const table *t, const char *s, size_t len)
{
    uint32_t i = hash_name(s, len) & t->mask;
    for (; t->slots[i]; i = (i + 1) & t->mask) {
        const bh_name *name = name_of(t, t->slots[i]);
        if (name->len != len)
            continue;
        if (memcmp(name->html, s, len) == 0)
            break;
        if (t->slots[i] < t->n_known && strncasecmp(name->html, s, len) == 0)
            break;
    }
    return i;
}

static void add(table *t, unsigned atom)
{
    const bh_name *name = name_of(t, atom);
    uint32_t i = find(t, name->html, name->len);
    if (!t->slots[i]) /* the first of a name wins: "value" is value, not default_value */
        t->slots[i] = (uint16_t)atom;
}

static void rehash(table *t, uint32_t size)
{
    bh_free(t->slots);
    t->slots = bh_zalloc(size * sizeof t->slots[0]);
    t->mask = size - 1;
    for (unsigned atom = 1; atom < (unsigned)t->n_known + t->n; atom++)
        add(t, atom);
}

static void table_init(table *t, const bh_name *known, unsigned n_known)
{
    *t = (table){.known = known, .n_known = (uint16_t)n_known};
    rehash(t, TABLE_FIRST);
}

static void table_fini(table *t)
{
    for (unsigned i = 0; i < t->n; i++)
        bh_free(t->more[i]);
    bh_free(t->more);
    bh_free(t->slots);
}

static uint16_t intern(table *t, const char *s, size_t len, unsigned flags)
{
    if (t->n >= BH_NAMES_MAX)
        return 0;
    if (!(t->n & (t->n - 1u))) /* a power of two, or 0: full */
        t->more = bh_realloc(t->more, (t->n ? t->n * 2u : 1u) * sizeof t->more[0]);
    interned *in = bh_alloc(sizeof *in + len + 1);
    memcpy(in->text, s, len + 1);
    in->name = (bh_name){in->text, in->text, (uint16_t)len, (uint16_t)flags};
    unsigned atom = (unsigned)t->n_known + t->n;
    t->more[t->n++] = in;
    if (atom * 2 > t->mask)
        rehash(t, (t->mask + 1) * 2);
    else
        add(t, atom);
    return (uint16_t)atom;
}

bh_names *bh_names_new(void)
{
    bh_names *names = bh_alloc(sizeof *names);
    table_init(&names->tags, known_tags, N_TAGS);
    table_init(&names->attrs, known_attrs, N_ATTRS);
    return names;
}

void bh_names_free(bh_names *names)
{
    if (!names)
        return;
    table_fini(&names->tags);
    table_fini(&names->attrs);
    bh_free(names);
}

static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Length of a name that matches [A-Za-z_:][A-Za-z0-9_:.-]*, at most BH_NAME_LEN_MAX; else 0. */
static size_t valid_len(const char *s)
{
    if (!is_alpha(s[0]) && s[0] != '_' && s[0] != ':')
        return 0;
    size_t len = 1;
    for (; s[len]; len++) {
        char c = s[len];
        if (len >= BH_NAME_LEN_MAX || !(is_alpha(c) || (c >= '0' && c <= '9') || c == '_' ||
                                        c == ':' || c == '.' || c == '-'))
            return 0;
    }
    return len;
}

static bool in_list(const char *const *list, const char *s)
{
    for (; *list; list++)
        if (strcasecmp(*list, s) == 0)
            return true;
    return false;
}

uint16_t bh_tag_atom(bh_names *names, const char *tag)
{
    /* The parser takes "<_" for text: a tag begins with a letter. */
    size_t len = tag && is_alpha(tag[0]) ? valid_len(tag) : 0;
    if (!len)
        return 0;
    uint32_t i = find(&names->tags, tag, len);
    if (names->tags.slots[i])
        return names->tags.slots[i];
    if (in_list(refused_tags, tag))
        return 0;
    return intern(&names->tags, tag, len, in_list(void_tags, tag) ? BH_NAME_VOID : 0);
}

uint16_t bh_attr_atom_of(bh_names *names, const char *attr)
{
    size_t len = attr ? valid_len(attr) : 0;
    if (!len)
        return 0;
    uint32_t i = find(&names->attrs, attr, len);
    if (names->attrs.slots[i])
        return names->attrs.slots[i];
    if (strncasecmp(attr, "on", 2) == 0 || strcasecmp(attr, "srcdoc") == 0 ||
        strncasecmp(attr, "data-bh-", 8) == 0) /* the client's own: it would act on them */
        return 0;
    return intern(&names->attrs, attr, len, in_list(url_attrs, attr) ? BH_NAME_URL : 0);
}

const bh_name *bh_tag_name(const bh_names *names, uint16_t atom)
{
    return name_of(&names->tags, atom);
}

const bh_name *bh_attr_name(const bh_names *names, uint16_t atom)
{
    return name_of(&names->attrs, atom);
}

const char *bh_event_dom_name(bh_event_type type)
{
    return event_dom[(unsigned)type < BH_ON__COUNT ? type : 0];
}

const char *bh_event_react_name(bh_event_type type)
{
    return event_react[(unsigned)type < BH_ON__COUNT ? type : 0];
}

/* ---- URLs ----------------------------------------------------------------------------------- */

/* As browsers read it: what is at most a space is skipped in front, tab and newline everywhere. */
static bool skipped(char c) { return c == '\t' || c == '\n' || c == '\r'; }

/* True if s begins with `word`, case and skipped characters apart; *ret_rest is what follows. */
static bool starts(const char *s, const char *word, const char **ret_rest)
{
    for (; *word; s++) {
        if (skipped(*s))
            continue;
        if ((char)lower((unsigned char)*s) != *word)
            return false;
        word++;
    }
    while (skipped(*s))
        s++;
    *ret_rest = s;
    return true;
}

bool bh_url_allowed(const char *url, bool is_image)
{
    static const char *const schemes[] = {"http:", "https:", "mailto:", "tel:", NULL};
    static const char *const images[] = {"png", "gif", "jpeg", "webp", "svg+xml", NULL};
    while (*url && (unsigned char)*url <= ' ')
        url++;
    const char *s = url, *rest;
    for (; skipped(*s) || is_alpha(*s) || (s > url && *s && strchr("0123456789+.-", *s)); s++)
        ;
    if (*s != ':' || s == url)
        return true; /* no scheme: relative */
    for (unsigned i = 0; schemes[i]; i++)
        if (starts(url, schemes[i], &rest))
            return true;
    if (!is_image || !starts(url, "data:image/", &rest))
        return false;
    for (unsigned i = 0; images[i]; i++) {
        const char *end;
        if (starts(rest, images[i], &end) && (*end == ';' || *end == ','))
            return true;
    }
    return false;
}
