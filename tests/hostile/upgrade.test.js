// SPDX-License-Identifier: MIT
// What may become a WebSocket: everything libwebsockets lets pass is refused before the 101.
import test from 'node:test';
import assert from 'node:assert/strict';
import { start, alive, Peer, stats } from './lib.js';

let s;
test.before(async () => { s = await start(['--allow-origin=https://app.example.com,http://dev.example:8000']); });
test.after(async () => { assert.deepEqual(await s.stop(), { code: 0, signal: null }); });

const status = async (o) => { const p = await Peer.connect(s.port, o); p.end(); return p.status; };

test('the two sockets that are served', async () => {
    const v1 = await Peer.connect(s.port);
    assert.equal(v1.status, 101);
    assert.equal(v1.headers['sec-websocket-protocol'], 'backhaul.v1');
    v1.end();
    for (const p of ['/_reactpy/stream/', '/_reactpy/stream', '/_reactpy/stream/a/b']) {
        const r = await Peer.connect(s.port, { path: p, protocol: null });
        assert.equal(r.status, 101, p);
        assert.equal(r.headers['sec-websocket-protocol'], undefined);
        assert.ok(await r.until(() => r.data().length), 'the first update comes by itself');
        assert.equal(r.frames[0].opcode, 1);
        assert.equal(JSON.parse(r.frames[0].payload).type, 'layout-update');
        r.end();
    }
    assert.equal(await status({ protocol: 'chat, backhaul.v1' }), 101);
});

test('method, HTTP version, WebSocket version, path, subprotocol', async () => {
    assert.equal(await status({ method: 'POST' }), 405);
    assert.equal(await status({ method: 'HEAD' }), 405);
    assert.equal(await status({ version: 'HTTP/1.0' }), 400);
    const v8 = await Peer.connect(s.port, { headers: { 'Sec-WebSocket-Version': '8' } });
    assert.equal(v8.status, 426);
    assert.equal(v8.answer.headers['sec-websocket-version'], '13');
    assert.equal(await status({ drop: ['Sec-WebSocket-Version'] }), 426);
    assert.equal(await status({ headers: { 'Sec-WebSocket-Version': '13, 8' } }), 426);
    assert.equal(await status({ path: '/nope' }), 404);
    assert.notEqual(await status({ path: '/a/b%00x' }), 101);
    assert.equal(await status({ path: '/_reactpy/stream/nope', protocol: null }), 404);
    assert.equal(await status({ path: '/_reactpy/streamx', protocol: null }), 404);
    assert.equal(await status({ protocol: null }), 400);
    assert.equal(await status({ protocol: 'chat' }), 400);
    assert.equal(await status({ protocol: 'Backhaul.v1' }), 400);
    assert.equal(await status({ protocol: 'x'.repeat(600) }), 400);
    assert.equal(await status({ path: '/_reactpy/stream/', protocol: 'backhaul.v1' }), 400);
    assert.equal(await status({ drop: ['Host'] }), 400);
    assert.equal(await status({ headers: { Host: ['a', 'b'] } }), 400);
    assert.equal(await status({ headers: { Host: 'me@127.0.0.1' } }), 400);
    assert.notEqual(await status({ drop: ['Sec-WebSocket-Key'] }), 101);
    assert.notEqual(await status({ drop: ['Connection'] }), 101);
});

test('Origin', async () => {
    const port = s.port;
    const want = {
        [`http://127.0.0.1:${port}`]: 101,
        [`https://127.0.0.1:${port}`]: 101, // TLS ends at a proxy
        'https://app.example.com': 101,
        'https://APP.example.com': 101,
        'https://app.example.com:443': 101,
        'http://dev.example:8000': 101,
        'null': 403,
        'http://evil.example': 403,
        'http://127.0.0.1': 403,
        [`http://127.0.0.1:${port}.evil.example`]: 403,
        [`http://127.0.0.1.:${port}`]: 403,
        [`http://evil@127.0.0.1:${port}`]: 403,
        [`http://127.0.0.1:${port}/`]: 403,
        [`http://127.0.0.1:${port} http://evil.example`]: 403,
        [`HTTP://127.0.0.1:${port}`]: 403,
        [`ftp://127.0.0.1:${port}`]: 403,
        'http://app.example.com': 403,
        'https://app.example.com:444': 403,
        'https://app.example.com.': 403,
        'https://app.example.com.evil.example': 403,
        'https://evil.app.example.com': 403,
        'https://': 403,
        '': 101, // an empty header counts as none, as libwebsockets drops it
    };
    for (const [origin, code] of Object.entries(want))
        assert.equal(await status({ headers: { Origin: origin } }), code, `Origin: ${origin}`);
    assert.equal(await status({ headers: { Origin: [`http://127.0.0.1:${port}`, 'http://evil.example'] } }), 403);
    assert.equal(await status({ headers: { Host: 'my.example', Origin: 'http://my.example:80' } }), 101);
    assert.equal(await status({ headers: { Host: 'my.example:443', Origin: 'https://my.example' } }), 101);
    assert.equal(await status({ headers: { Host: 'my.example:443', Origin: 'http://my.example' } }), 403);
    const strict = await start(['--require-origin']);
    const p = await Peer.connect(strict.port);
    assert.equal(p.status, 403);
    assert.equal((await Peer.connect(strict.port, { headers: { Origin: `http://127.0.0.1:${strict.port}` } })).status, 101);
    await strict.stop();
});

test('compression is declined', async () => {
    const p = await Peer.connect(s.port, { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' } });
    assert.equal(p.status, 101);
    assert.equal(p.headers['sec-websocket-extensions'], undefined);
    p.end();
});

test('no room: 503 by sessions and by address, and room again', async () => {
    const small = await start(['--max-sessions=3']);
    const open = [];
    for (let i = 0; i < 3; i++) open.push(await Peer.connect(small.port));
    assert.ok(open.every((p) => p.status === 101));
    assert.equal((await Peer.connect(small.port)).status, 503);
    open[0].end();
    let again;
    for (let i = 0; i < 20 && again !== 101; i++) { const p = await Peer.connect(small.port); again = p.status; if (again === 101) open.push(p); }
    assert.equal(again, 101);
    open.forEach((p) => p.end());
    await small.stop();

    const each = await start(['--max-per-address=2']);
    const two = [await Peer.connect(each.port), await Peer.connect(each.port)];
    assert.deepEqual(two.map((p) => p.status), [101, 101]);
    const third = await Peer.connect(each.port);
    assert.equal(third.status, 503);
    assert.match(third.answer.body, /address/);
    two.forEach((p) => p.end());
    await new Promise((r) => setTimeout(r, 100));
    assert.ok((await stats(each)).refused_address >= 1);
    await each.stop();
});

test('others are served after all that', async () => assert.ok(await alive(s)));
