/* SPDX-License-Identifier: MIT
 * The mailbox: order of each poster, nothing lost, one wake for many, no wake for one's own thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/mbox.h"
#include "vdom/mem.h"

enum { PRODUCERS = 3 };

struct sink {
    bh_mbox mb;
    uv_loop_t loop;
    uint64_t next[PRODUCERS]; /* expected number of each */
    uint64_t total, expected;
    bool posts_again;
    bool closed;
};

static void on_closed(bh_mbox *mb)
{
    struct sink *s = mb->owner;
    s->closed = true;
}

static void on_batch(bh_mbox *mb, bh_msg *fifo)
{
    struct sink *s = mb->owner;
    while (fifo) {
        bh_msg *next = fifo->next;
        assert_int_equal(fifo->owner, s->next[fifo->code]);
        s->next[fifo->code]++;
        s->total++;
        bh_msg_free(fifo);
        fifo = next;
    }
    if (s->posts_again && s->total < s->expected) {
        bh_msg *m = bh_msg_new(BH_MSG_DATA, 0, 0);
        m->owner = s->next[0];
        bh_mbox_post(mb, m);
    }
    if (s->total == s->expected)
        bh_mbox_close(mb, on_closed);
}

static void sink_init(struct sink *s, uint64_t expected)
{
    memset(s, 0, sizeof *s);
    s->expected = expected;
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(bh_mbox_init(&s->mb, &s->loop, on_batch, s), 0);
}

static void sink_run(struct sink *s)
{
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_true(s->closed);
    assert_int_equal(s->total, s->expected);
    assert_int_equal(uv_loop_close(&s->loop), 0);
}

static bh_msg *numbered(uint32_t producer, uint64_t n)
{
    bh_msg *m = bh_msg_new(BH_MSG_DATA, 0, 0);
    m->code = producer;
    m->owner = n;
    return m;
}

static void test_list_keeps_order(void **state)
{
    (void)state;
    struct sink s;
    sink_init(&s, 7);
    bh_mbox_post(&s.mb, numbered(0, 0));
    bh_outq q = {0};
    for (uint64_t i = 1; i < 6; i++) bh_outq_add(&q, numbered(0, i));
    bh_outq_flush(&q, &s.mb);
    bh_outq_flush(&q, &s.mb); /* empty: nothing */
    bh_mbox_post(&s.mb, numbered(0, 6));
    sink_run(&s);
    assert_int_equal(s.mb.batches, 1);
    assert_int_equal(s.mb.high_water, 7);
    assert_int_equal(atomic_load(&s.mb.wakes), 0); /* own thread: no system call */
}

static void test_post_from_batch(void **state)
{
    (void)state;
    struct sink s;
    sink_init(&s, 100);
    s.posts_again = true;
    bh_mbox_post(&s.mb, numbered(0, 0));
    sink_run(&s);
    assert_int_equal(s.mb.batches, 100);
}

struct producer {
    uv_thread_t thread;
    struct sink *sink;
    uint32_t index;
    uint64_t n;
};

static void produce(void *arg)
{
    struct producer *p = arg;
    bh_outq q = {0};
    for (uint64_t i = 0; i < p->n; i++) {
        if (p->index == 0) {
            bh_mbox_post(&p->sink->mb, numbered(p->index, i));
            continue;
        }
        bh_outq_add(&q, numbered(p->index, i)); /* the others in runs of changing length */
        if (i % (7 * p->index) == 0)
            bh_outq_flush(&q, &p->sink->mb);
    }
    bh_outq_flush(&q, &p->sink->mb);
}

static void test_stress(void **state)
{
    (void)state;
    static struct sink s;
    uint64_t each = getenv("BH_STRESS") ? strtoull(getenv("BH_STRESS"), NULL, 10) : 1000000;
    sink_init(&s, PRODUCERS * each);
    struct producer p[PRODUCERS];
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        p[i] = (struct producer){.sink = &s, .index = i, .n = each};
        assert_int_equal(uv_thread_create(&p[i].thread, produce, &p[i]), 0);
    }
    uv_run(&s.loop, UV_RUN_DEFAULT);
    for (uint32_t i = 0; i < PRODUCERS; i++) uv_thread_join(&p[i].thread);
    assert_true(s.closed);
    assert_int_equal(uv_loop_close(&s.loop), 0);
    for (uint32_t i = 0; i < PRODUCERS; i++) assert_int_equal(s.next[i], each);
    print_message("%llu messages, %llu batches, %llu wakes\n", (unsigned long long)s.total,
                  (unsigned long long)s.mb.batches, (unsigned long long)atomic_load(&s.mb.wakes));
    assert_true(atomic_load(&s.mb.wakes) <= s.mb.batches + 1);
}

static void test_pool(void **state)
{
    (void)state;
    bh_msg_pool pool;
    bh_msg_pool_init(&pool, 4096);
    bh_msg *a = bh_msg_pool_get(&pool, BH_MSG_DATA, 1, 100);
    assert_true(a->cap >= 100 + BH_MSG_HEADROOM);
    a->len = 9;
    bh_msg_pool_put(&pool, a);
    bh_msg *b = bh_msg_pool_get(&pool, BH_MSG_DATA, 2, 120);
    assert_ptr_equal(a, b); /* recycled, and clean */
    assert_int_equal(b->len, 0);
    assert_int_equal(b->off, BH_MSG_HEADROOM);
    assert_int_equal(b->sid, 2);
    bh_msg *big =
        bh_msg_pool_get(&pool, BH_MSG_DATA, 0, (size_t)BH_MSG_CLASS_MIN << BH_MSG_CLASSES);
    assert_int_equal(big->pool, 0);
    bh_msg_pool_put(&pool, big);
    assert_int_equal(pool.cached_bytes, 0);
    bh_msg *mid = bh_msg_pool_get(&pool, BH_MSG_DATA, 0, 5000);
    bh_msg_pool_put(&pool, mid); /* over the limit: freed */
    assert_int_equal(pool.cached_bytes, 0);
    bh_msg_pool_put(&pool, b);
    assert_int_equal(pool.cached_bytes, BH_MSG_CLASS_MIN);
    bh_msg_pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_keeps_order),
        cmocka_unit_test(test_post_from_batch),
        cmocka_unit_test(test_stress),
        cmocka_unit_test(test_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
