/* SPDX-License-Identifier: MIT
 * Topics: the latest value of something, published by any thread, shown by any page of any server.
 *
 * One bh_topic_link joins a topic and a render side. It lives from the first use there until that
 * side stops; only then is it taken off the topic, under the topic's lock. A publisher posts "changed"
 * under the same lock and at most once until the render side has looked, through the gate that a
 * stopping hub closes first: a link therefore outlives every message that names it. */
#include <assert.h>
#include <string.h>

#include "server/worker.h"
#include "vdom/mem.h"

struct bh_topic_link {
    /* --- immutable */
    bh_topic *topic;
    bh_worker *worker;
    /* --- under topic->lock */
    bh_topic_link *next, **at; /* among the topic's */
    bool queued;               /* a "changed" is on its way */
    /* --- render */
    bh_topic_link *next_here; /* among the worker's */
    bh_source source;
};

struct bh_topic {
    char *name;
    uv_mutex_t lock;
    /* --- under lock */
    void *data;
    size_t len, cap;
    uint64_t version; /* publishes so far */
    bh_topic_link *links;
};

bh_topic *bh_topic_new(const char *name)
{
    bh_topic *t = bh_zalloc(sizeof *t);
    size_t len = strlen(name) + 1;
    t->name = bh_alloc(len);
    memcpy(t->name, name, len);
    uv_mutex_init(&t->lock);
    return t;
}

void bh_topic_free(bh_topic *topic)
{
    if (!topic)
        return;
    assert(!topic->links); /* a server that used it is still there */
    uv_mutex_destroy(&topic->lock);
    bh_free(topic->data);
    bh_free(topic->name);
    bh_free(topic);
}

static void changed(void *data, size_t len)
{
    assert(len == sizeof(bh_topic_link *));
    (void)len;
    bh_topic_link *link;
    memcpy(&link, data, sizeof link);
    uv_mutex_lock(&link->topic->lock);
    link->queued = false; /* before looking: a later publish posts again */
    uv_mutex_unlock(&link->topic->lock);
    bh_source_notify(&link->source);
}

void bh_publish(bh_topic *topic, const void *data, size_t len)
{
    uv_mutex_lock(&topic->lock);
    if (len > topic->cap) {
        bh_free(topic->data);
        topic->data = bh_alloc(len);
        topic->cap = len;
    }
    if (len)
        memcpy(topic->data, data, len);
    topic->len = len;
    topic->version++;
    for (bh_topic_link *link = topic->links; link; link = link->next) {
        if (!link->queued && bh__hub_call(link->worker->hub, changed, &link, sizeof link) == 0)
            link->queued = true;
    }
    uv_mutex_unlock(&topic->lock);
}

static bh_topic_link *link_of(bh_worker *w, bh_topic *topic)
{
    for (bh_topic_link *link = w->topics; link; link = link->next_here) {
        if (link->topic == topic)
            return link;
    }
    bh_topic_link *link = bh_zalloc(sizeof *link);
    link->topic = topic;
    link->worker = w;
    link->next_here = w->topics;
    w->topics = link;
    uv_mutex_lock(&topic->lock);
    link->next = topic->links;
    link->at = &topic->links;
    if (link->next)
        link->next->at = &link->next;
    topic->links = link;
    uv_mutex_unlock(&topic->lock);
    return link;
}

const void *bh__use_topic(bh_cx *cx, bh_topic *topic, size_t *ret_len, const char *file, int line)
{
    bh_worker *w = (bh_worker *)(void *)bh__cx_host(cx);
    /* The calls below that can end in a fault leave by longjmp: none of them under the lock. */
    bh__use_source(cx, &link_of(w, topic)->source, file, line);
    void *copy = NULL;
    size_t room = 0, len;
    for (;;) {
        uv_mutex_lock(&topic->lock);
        bool published = topic->version > 0;
        len = topic->len;
        if (published && copy && len <= room) {
            memcpy(copy, topic->data ? topic->data : copy, len);
            uv_mutex_unlock(&topic->lock);
            break;
        }
        uv_mutex_unlock(&topic->lock);
        if (!published) {
            len = 0;
            copy = NULL;
            break;
        }
        room = len;
        copy = bh__cx_alloc(cx, len ? len : 1);
    }
    if (ret_len)
        *ret_len = len;
    return copy;
}

void bh__topics_fini(bh_worker *w)
{
    while (w->topics) {
        bh_topic_link *link = w->topics;
        w->topics = link->next_here;
        assert(!link->source.first); /* the sessions are gone */
        uv_mutex_lock(&link->topic->lock);
        *link->at = link->next;
        if (link->next)
            link->next->at = link->at;
        uv_mutex_unlock(&link->topic->lock);
        bh_free(link);
    }
}
