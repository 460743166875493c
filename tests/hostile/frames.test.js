// SPDX-License-Identifier: MIT
// Frames: conformance (the families of the usual test suites) and hostile ones. Each may cost only the session that sent it.
import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { start, alive, get, Peer, frame, HELLO, sleep, stats } from './lib.js';

let s;
test.before(async () => { s = await start(['--max-event-rate=0']); });
test.after(async () => { assert.deepEqual(await s.stop(), { code: 0, signal: null }); });

const v1 = () => Peer.connect(s.port);
const reactpy = () => Peer.connect(s.port, { path: '/_reactpy/stream/', protocol: null });
const closes = async (p, ms) => { const c = await p.code(ms); p.end(); return c; };
const rss = () => +/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${s.pid}/status`, 'utf8'))[1] * 1024;

test('a message in pieces of one byte, in fragments, with pings between', async () => {
    const slow = await v1();
    for (const b of frame(2, HELLO)) { slow.write(Buffer.from([b])); await sleep(2); }
    assert.ok(await slow.until(() => slow.data().length >= 2));
    slow.end();
    const p = await v1();
    p.send(2, HELLO.subarray(0, 1), { fin: false }).send(9, 'one').send(0, HELLO.subarray(1, 3), { fin: false })
        .send(0, Buffer.alloc(0), { fin: false }).send(0, HELLO.subarray(3));
    assert.ok(await p.until(() => p.data().length >= 2));
    assert.ok(await p.until(() => p.pongs().length === 1));
    assert.equal(p.pongs()[0].payload.toString(), 'one');
    p.end();
    const first = await Peer.connect(s.port, { first: frame(2, HELLO) });
    assert.ok(await first.until(() => first.data().length >= 2), 'a message that came with the upgrade');
    first.end();
});

test('what the server sends: unmasked, no reserved bits, shortest lengths', async () => {
    const p = await v1();
    await p.page();
    for (let i = 0; i < 50; i++) p.click();
    await p.until(() => p.data().length >= 3);
    for (const f of p.frames) {
        assert.equal(f.masked, false);
        assert.equal(f.rsv, 0);
        assert.equal(f.headLength, f.payload.length < 126 ? 2 : f.payload.length < 65536 ? 4 : 10);
    }
    p.end();
});

test('pings: answered, longest payload, with nothing', async () => {
    const p = await v1();
    for (const payload of ['', 'x', 'y'.repeat(125)]) {
        const n = p.pongs().length;
        p.send(9, payload);
        assert.ok(await p.until(() => p.pongs().length > n), `${payload.length} bytes`);
        assert.equal(p.pongs().at(-1).payload.toString(), payload);
    }
    p.send(10, 'unasked');
    p.hello();
    assert.ok(await p.until(() => p.data().length >= 2));
    p.end();
});

test('protocol errors close: reserved bits and opcodes, control frames, continuations', async () => {
    const bad = {
        'rsv1': (p) => p.send(2, HELLO, { rsv: 4 }),
        'rsv3': (p) => p.send(9, '', { rsv: 1 }),
        'opcode 3': (p) => p.send(3, 'x'),
        'opcode 11': (p) => p.send(11, ''),
        'opcode 15': (p) => p.send(15, ''),
        'a fragmented ping': (p) => p.send(9, 'x', { fin: false }),
        'a ping of 126': (p) => p.send(9, 'x'.repeat(126)),
        'a close of 200': (p) => p.send(8, Buffer.alloc(200)),
        'continuation of nothing': (p) => p.send(0, 'x'),
        'final continuation of nothing after a message': (p) => { p.hello(); p.send(0, 'x'); },
        'a new message inside a message': (p) => p.send(2, 'x', { fin: false }).send(2, 'y'),
    };
    for (const [name, f] of Object.entries(bad)) {
        const p = await v1();
        f(p);
        assert.ok([1002, 1006].includes(await closes(p)), name);
    }
});

test('close: codes, echo, both ways, a message after it', async () => {
    const close = (code, reason = '') => Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]);
    for (const [code, want] of [[1000, 1000], [1001, 1001], [1011, 1011], [3000, 3000], [4999, 4999],
        [0, 1002], [999, 1002], [1004, 1002], [1005, 1002], [1006, 1002], [1015, 1002], [2999, 1002], [5000, 1002], [65535, 1002],
        [1012, 1002] /* registered since, but libwebsockets 4.1 does not know it */]) {
        const p = await v1();
        p.send(8, close(code, 'why'));
        assert.equal(await closes(p), want, `code ${code}`);
    }
    const none = await v1();
    none.send(8, '');
    assert.ok(await none.until(() => none.closed), 'no code: closed');
    none.end();
    const one = await v1();
    one.send(8, 'x');
    assert.ok([1002, 1006].includes(await closes(one)));
    const utf8 = await v1();
    utf8.send(8, Buffer.concat([close(1000), Buffer.from([0xff, 0xfe])]));
    assert.ok([1002, 1006, 1007].includes(await closes(utf8)));
    const after = await v1();
    await after.page();
    const n = after.data().length;
    after.write(Buffer.concat([frame(8, close(1000)), frame(2, Buffer.from([2, 1, 1, after.handler]))]));
    assert.equal(await after.code(), 1000);
    assert.equal(after.data().length, n, 'what follows a close is not heard');
    const before = (await stats(s)).websockets;
    const rst = await v1();
    rst.socket.resetAndDestroy();
    await sleep(200);
    assert.ok((await stats(s)).websockets <= before, 'a reset frees its socket');
});

test('UTF-8 in text messages', async () => {
    const text = (...parts) => async () => {
        const p = await reactpy();
        parts.forEach((b, i) => p.send(i ? 0 : 1, Buffer.from(b), { fin: i === parts.length - 1 }));
        const c = await p.code(400);
        p.end();
        return c;
    };
    const event = (v) => Buffer.from(JSON.stringify({ type: 'layout-event', target: '999999', data: [{ v }] }));
    const good = event('κόσμε 👍 \u{10ffff}');
    const cut = good.indexOf(Buffer.from('👍'));
    assert.equal(await text(good)(), 0);
    assert.equal(await text(good.subarray(0, cut + 1), good.subarray(cut + 1, cut + 3), good.subarray(cut + 3))(), 0, 'a code point over three fragments');
    for (const [name, bytes] of Object.entries({ 'lone continuation': [0x80], 'overlong': [0xc0, 0xaf], 'surrogate': [0xed, 0xa0, 0x80],
        'above the end': [0xf4, 0x90, 0x80, 0x80], 'five bytes': [0xf8, 0x88, 0x80, 0x80, 0x80], 'fe': [0xfe] }))
        assert.equal(await text([0x22, ...bytes, 0x22])(), 1007, name);
    assert.equal(await text([0x22, 0xf0, 0x9f])(), 1007, 'cut at the end');
    assert.equal(await text([0x22, 0xf0], [0x9f])(), 1007, 'cut at the end of the last fragment');
});

test('the wrong kind of message', async () => {
    const t = await v1();
    t.send(1, 'hello');
    assert.equal(await closes(t), 4400);
    const b = await reactpy();
    b.send(2, HELLO);
    assert.equal(await closes(b), 4400);
    for (const bytes of [[], [0], [99], [1], [1, 2, 0, 0, 0], [2, 1, 1, 1], [1, 1, 200]]) {
        const p = await v1();
        p.send(2, Buffer.from(bytes));
        assert.ok([4400, 4401, 1002, 1007].includes(await closes(p)), `v1 ${bytes}`);
    }
});

test('sizes: the limit, above it, and lies about it', async () => {
    const junk = (n) => Buffer.alloc(n, 1);
    const at = await v1();
    at.send(2, junk(32768));
    assert.notEqual(await closes(at), 1009, 'the limit itself is within it');
    const over = await v1();
    over.send(2, junk(32769));
    assert.equal(await closes(over), 1009);
    const total = await v1();
    total.send(2, junk(20000), { fin: false }).send(0, junk(20000), { fin: false });
    assert.equal(await closes(total), 1009);
    const before = rss();
    for (const length of [2n ** 62n, 2n ** 40n, 1048577n]) {
        const p = await v1();
        p.write(frame(2, junk(1100), { length }));
        assert.equal(await closes(p), 1009, `declared ${length}`);
    }
    const top = await v1();
    top.write(frame(2, junk(1100), { length: 2n ** 63n }));
    assert.ok([1002, 1006, 1009].includes(await closes(top)));
    assert.ok(rss() - before < 8 << 20, 'no memory for what was only announced');
    const long = await v1(); // a longer form of the length than needed: libwebsockets takes it
    long.write(frame(2, HELLO, { form: 64 }));
    assert.ok(await long.until(() => long.data().length >= 2));
    long.end();
    const bare = await v1(); // and so it does an unmasked frame; documented in docs/LIMITS.md
    bare.write(frame(2, HELLO, { mask: false }));
    assert.ok(await bare.until(() => bare.data().length >= 2 || bare.closed));
    bare.end();
});

test('fragments: too many of one message, and a flood of empty ones', async () => {
    const many = await v1();
    many.send(2, 'x', { fin: false });
    for (let i = 0; i < 70; i++) many.send(0, 'x', { fin: false });
    assert.equal(await closes(many), 1009);
    const empty = await v1();
    await empty.page();
    const e = Buffer.concat(Array.from({ length: 1000 }, () => frame(2, '')));
    for (let i = 0; i < 5; i++) empty.write(e);
    assert.ok([4429, 4400].includes(await closes(empty)));
});

test('a flood of pings ends that connection only', async () => {
    const p = await v1();
    await p.page();
    const burst = Buffer.concat(Array.from({ length: 10000 }, () => frame(9, '')));
    let stop = false;
    const pump = async () => {
        while (!stop && !p.closed) {
            if (!p.socket.write(burst)) await new Promise((r) => { p.socket.once('drain', r); p.socket.once('close', r); });
            await new Promise((r) => setImmediate(r));
        }
    };
    const before = rss();
    const pumping = pump();
    const other = await v1();
    assert.ok(await other.page() > 0, 'another client is served meanwhile');
    other.end();
    assert.equal(await p.code(15000), 4429);
    stop = true;
    p.end();
    await pumping;
    assert.ok(rss() - before < 32 << 20);
    assert.ok((await stats(s)).floods >= 1);
});

test('a message of megabytes leaves in fragments, pongs between them', async () => {
    const p = await Peer.connect(s.port, { path: '/big' });
    p.hello();
    p.socket.pause();
    await sleep(300);
    for (let i = 0; i < 3; i++) p.send(9, `ping ${i}`);
    await sleep(200);
    p.socket.resume();
    const size = () => p.data().reduce((a, f) => a + f.payload.length, 0);
    assert.ok(await p.until(() => size() > 3_500_000 && p.data().at(-1).fin, 8000));
    const parts = p.data().slice(1);
    assert.ok(parts.length > 1);
    assert.deepEqual(parts.map((f) => f.opcode), [2, ...parts.slice(1).map(() => 0)]);
    assert.deepEqual(parts.map((f) => f.fin), [...parts.slice(1).map(() => false), true]);
    const whole = Buffer.concat(parts.map((f) => f.payload));
    const from = whole.indexOf('abcdefghijklmnopqrstuvwabc');
    for (let i = 0; i < 3_500_000; i += 997) assert.equal(whole[from + i], 97 + (i % 23), `byte ${i}`);
    assert.ok(await p.until(() => p.pongs().length >= 1));
    p.end();
});

test('a message of megabytes, cut and resumed: the replay is the same bytes', async () => {
    const first = await Peer.connect(s.port, { path: '/big' });
    first.hello();
    const done = (p) => p.data().length > 1 && p.data().at(-1).fin;
    assert.ok(await first.until(() => done(first), 8000));
    const whole = (p) => Buffer.concat(p.data().slice(1).map((f) => f.payload));
    const token = /[0-9a-f]{40}/.exec(first.data()[0].payload.toString('latin1'))[0];
    first.end(); // nothing acknowledged
    const again = await Peer.connect(s.port, { path: '/big' });
    again.send(2, Buffer.concat([Buffer.from([1, 1, 40]), Buffer.from(token), Buffer.from([0, 0])]));
    assert.ok(await again.until(() => done(again), 8000), 'the frame comes again, whole');
    assert.ok(whole(first).equals(whole(again)));
    again.end();
    assert.ok(await alive(s));
});

test('clients that never read: memory stays, others are served, the state is the newest', async () => {
    const frozen = [];
    for (let i = 0; i < 20; i++) {
        const p = await Peer.connect(s.port, { path: '/big' });
        p.socket.pause();
        p.hello();
        frozen.push(p);
    }
    for (let last = 0; Math.abs(rss() - last) > 1 << 20;) { last = rss(); await sleep(500); }
    const before = rss();
    await sleep(1500);
    assert.ok(rss() - before < 4 << 20, 'nothing is added while they sleep');
    assert.ok(await alive(s));
    frozen.forEach((p) => p.end());
    const p = await v1();
    await p.page();
    for (let i = 0; i < 1000; i++) p.click(); // a thousand clicks in one breath, no acknowledgement
    await p.until(() => p.data().length >= 16, 1500);
    const acks = setInterval(() => { p.send(2, Buffer.from([3, ...lastSeq(p)])); }, 20);
    const done = await p.until(() => p.data().some((f) => f.payload.includes(Buffer.from([1, 5, 4, 0x31, 0x30, 0x30, 0x30]))), 6000);
    clearInterval(acks);
    assert.ok(done, 'TEXT "1000" arrived');
    assert.ok(p.data().length < 1002);
    p.end();
    assert.ok(await alive(s));
});
function lastSeq(p) {
    const b = p.data().at(-1).payload;
    let i = 0;
    while (b[i] & 128) i++;
    return [...b.subarray(0, i + 1)];
}

test('JSON that is deep, double, or no JSON', async () => {
    const deep = (n) => '['.repeat(n) + ']'.repeat(n);
    for (const text of [deep(33), deep(1000), '['.repeat(30000), '{"type":"x","type":"y"}', '{', '"\\ud83d"', '"\\u0000"', '[1]x', '\ufeff{}', '01']) {
        const p = await reactpy();
        p.send(1, text);
        assert.ok([4400, 1007].includes(await closes(p)), text.slice(0, 30));
    }
    const p = await reactpy(); // well-formed and not for us: ignored and counted, the session lives
    const before = (await stats(s)).ignored_messages + (await stats(s)).unknown_handlers;
    p.send(1, '{"type":"nonsense"}').send(1, '{"type":"layout-event","target":"4294967296","data":[]}')
        .send(1, '{"type":"layout-event","target":"-1","data":[]}').send(1, '{"type":"layout-event","target":"77777","data":[]}');
    assert.equal(await p.code(300), 0);
    assert.ok((await stats(s)).ignored_messages + (await stats(s)).unknown_handlers > before);
    p.end();
});

test('pages asked for and never joined: bounded', async () => {
    for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 50 }, () => get(s.port, '/')));
    assert.ok((await stats(s)).sessions_prerendered <= 256);
    assert.ok(await alive(s));
});

test('cut in the middle of a long write', async () => {
    for (let i = 0; i < 20; i++) {
        const p = await Peer.connect(s.port, { path: '/big', pause: true });
        p.hello();
        await sleep(10 * (i % 5));
        if (i % 2) p.socket.resetAndDestroy(); else p.end();
    }
    assert.ok(await alive(s));
});

test('a handler that blocks: pings are answered when rendering has its own thread', async (t) => {
    if (process.env.BH_TEST_MODE === 'inline') { t.skip('inline mode blocks with it, by definition'); return; }
    const nap = await Peer.connect(s.port, { path: '/nap' });
    await nap.page();
    const other = await v1();
    nap.click();
    await sleep(100);
    const n = other.pongs().length;
    other.send(9, 'there?');
    assert.ok(await other.until(() => other.pongs().length > n, 1000));
    assert.ok(await nap.until(() => nap.data().length >= 3, 4000));
    nap.end();
    other.end();
});

test('thousands of connections opened and cut, in every state', async () => {
    const before = rss();
    for (let i = 0; i < 40; i++) {
        await Promise.all(Array.from({ length: 50 }, async (_, k) => {
            const p = await v1();
            if (k % 3 === 0) p.hello();
            if (k % 3 === 1) p.write(frame(2, HELLO).subarray(0, 4));
            if (k % 2) p.socket.resetAndDestroy(); else p.end();
        }));
    }
    for (let i = 0; i < 30 && (await stats(s)).websockets; i++) await sleep(100);
    const st = await stats(s);
    assert.equal(st.websockets, 0);
    assert.equal(st.sessions_live, 0);
    assert.ok(st.sessions_parked <= 100);
    assert.ok(rss() - before < 64 << 20);
    assert.ok(await alive(s));
});
