// SPDX-License-Identifier: MIT
// HTTP: what is served, what is refused, and what a hostile request gets.
import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { start, raw, get, parse, alive, stats, Peer } from './lib.js';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bh-static-'));
fs.mkdirSync(path.join(dir, 'www/sub'), { recursive: true });
fs.writeFileSync(path.join(dir, 'secret.txt'), 'SECRET');
fs.writeFileSync(path.join(dir, 'www/a.txt'), 'hello');
fs.writeFileSync(path.join(dir, 'www/.hidden'), 'SECRET');
fs.writeFileSync(path.join(dir, 'www/sub/b.css'), 'p{}');
fs.writeFileSync(path.join(dir, 'www/large.bin'), Buffer.alloc(3_000_001, 'xyz'));
fs.writeFileSync(path.join(dir, 'www/empty'), '');
fs.symlinkSync('../secret.txt', path.join(dir, 'www/out'));
fs.symlinkSync('/etc', path.join(dir, 'www/etc'));
fs.symlinkSync('a.txt', path.join(dir, 'www/in'));
test.after(() => fs.rmSync(dir, { recursive: true }));

let s;
test.before(async () => { s = await start([`--static-dir=${path.join(dir, 'www')}`]); });
test.after(async () => { assert.deepEqual(await s.stop(), { code: 0, signal: null }); assert.equal(s.err, ''); });

test('a page: document, relative URLs, security headers', async () => {
    const r = await get(s.port, '/');
    assert.equal(r.status, 200);
    assert.match(r.headers['content-type'], /^text\/html; charset=utf-8$/);
    assert.equal(r.headers['content-security-policy'], "default-src 'none'; script-src 'self'; style-src 'self'; " +
        "connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'");
    assert.equal(r.headers['x-content-type-options'], 'nosniff');
    assert.equal(r.headers['referrer-policy'], 'no-referrer');
    assert.equal(r.headers['cache-control'], 'no-store');
    assert.match(r.body, /^<!doctype html>/);
    assert.match(r.body, /<title>Counter<\/title>/);
    assert.match(r.body, /<backhaul-view data-token="[0-9a-f]+" data-max="32768"><div><button>\+<\/button><span>0<\/span><\/div><\/backhaul-view>/);
    assert.match(r.body, /src="_bh\/bh.js"/);
    assert.equal(+r.headers['content-length'], Buffer.byteLength(r.body, 'latin1'));
    const deep = await get(s.port, '/a/b');
    assert.match(deep.body, /src="..\/_bh\/bh.js"/);
    assert.doesNotMatch(r.body + deep.body, /(src|href)="\//);
});

test('the first page is adopted by the socket that shows its token', async () => {
    const token = /data-token="([0-9a-f]+)"/.exec((await get(s.port, '/')).body)[1];
    const p = await Peer.connect(s.port);
    p.send(2, Buffer.concat([Buffer.from([1, 1, token.length]), Buffer.from(token), Buffer.from([0, 5])]));
    assert.ok(await p.until(() => p.data().length >= 2));
    const at = p.data()[0].payload.indexOf(0x0d);
    assert.equal(p.data()[0].payload[at + 1], 4, 'WELCOME says adopted');
    assert.equal(p.data()[1].payload.indexOf(Buffer.from('+')), -1, 'no tree was sent again');
    p.end();
});

test('HEAD: same head, no body, no session', async () => {
    const before = await stats(s);
    const r = await get(s.port, '/', { method: 'HEAD' });
    assert.equal(r.status, 200);
    assert.equal(r.body, '');
    const asset = await get(s.port, '/_bh/bh.js', { method: 'HEAD' });
    assert.ok(+asset.headers['content-length'] > 1000);
    assert.equal(asset.body, '');
    assert.equal((await stats(s)).sessions_total, before.sessions_total);
});

test('embedded client: type, ETag, 304', async () => {
    for (const [name, type] of [['bh.js', 'text/javascript; charset=utf-8'], ['bh.css', 'text/css; charset=utf-8']]) {
        const r = await get(s.port, `/_bh/${name}`);
        assert.equal(r.status, 200);
        assert.equal(r.headers['content-type'], type);
        const source = fs.readFileSync(path.join(process.env.BH_SOURCE_DIR, 'web', name), 'latin1');
        if (name.endsWith('.css')) assert.equal(r.body, source);
        else assert.ok(r.body.length > 1000 && r.body.length <= source.length, 'scripts lose their comments');
        const again = await get(s.port, `/_bh/${name}`, { headers: { 'If-None-Match': r.headers.etag } });
        assert.equal(again.status, 304);
        assert.equal(again.body, '');
        const other = await get(s.port, `/_bh/${name}`, { headers: { 'If-None-Match': '"else"' } });
        assert.equal(other.status, 200);
    }
    // every module that the client imports is there
    const seen = new Set();
    const walk = async (name) => {
        if (seen.has(name)) return;
        seen.add(name);
        const r = await get(s.port, `/_bh/${name}`);
        assert.equal(r.status, 200, name);
        for (const m of r.body.matchAll(/(?:from|import\()\s*'\.\/([\w.]+)'/g)) await walk(m[1]);
    };
    await walk('bh.js');
    assert.ok(seen.size >= 4);
});

test('404, 405, redirect of a trailing slash', async () => {
    for (const p of ['/nope', '/_bh/', '/_bh/nope', '/_bh/../bh.js', '/static', '/static/', '/statsx', '/_reactpy/stream/'])
        assert.equal((await get(s.port, p)).status, 404, p);
    for (const m of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const r = await get(s.port, '/', { method: m, headers: { 'Content-Length': '0' } });
        assert.equal(r.status, 405, m);
        assert.equal(r.headers.allow, 'GET, HEAD');
    }
    const r = await get(s.port, '/a/b/');
    assert.equal(r.status, 301);
    assert.equal(r.headers.location, '../b');
});

test('keep-alive: two requests on one connection, the second after the first answer', async () => {
    const req = (p) => `GET ${p} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const both = (await raw(s.port, req('/healthz') + req('/healthz'))).text;
    assert.equal(both.match(/HTTP\/1\.1 200 OK/g).length, 2);
    const old = await raw(s.port, 'GET /healthz HTTP/1.0\r\n\r\n');
    assert.equal(parse(old.text).status, 200);
    assert.ok(old.closed, 'HTTP/1.0 closes');
});

test('static files: served, and never left', async () => {
    const ok = await get(s.port, '/static/a.txt');
    assert.equal(ok.body, 'hello');
    assert.equal(ok.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal((await get(s.port, '/static/a.txt', { headers: { 'If-None-Match': ok.headers.etag } })).status, 304);
    assert.equal((await get(s.port, '/static/sub/b.css')).headers['content-type'], 'text/css; charset=utf-8');
    assert.equal((await get(s.port, '/static/in')).body, 'hello', 'a link that stays inside');
    assert.equal((await get(s.port, '/static/empty')).status, 200);
    const large = await get(s.port, '/static/large.bin');
    assert.equal(large.body.length, 3_000_001);
    assert.equal(large.body, 'xyz'.repeat(1_000_001).slice(0, 3_000_001));
    assert.equal((await get(s.port, '/static/large.bin', { method: 'HEAD' })).headers['content-length'], '3000001');
    for (const p of ['../secret.txt', '%2e%2e/secret.txt', '..%2fsecret.txt', '%2e%2e%2fsecret.txt', 'sub/../../secret.txt',
        'sub/%2e%2e/%2e%2e/secret.txt', '....//secret.txt', 'a.txt%00.css', '%00', 'out', 'etc/passwd', '.hidden',
        'sub', 'sub/', '/etc/passwd', '%2fetc%2fpasswd', '..\\secret.txt', '%5c..%5csecret.txt', 'nope', 'a.txt/', 'a.txt/x']) {
        const r = await raw(s.port, `GET /static/${p} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        assert.ok([0, 400, 403, 404].includes(parse(r.text).status), `${p}: ${r.text.slice(0, 40)}`);
        assert.doesNotMatch(r.text, /SECRET|root:/, p);
    }
});

test('hostile heads', async () => {
    const cases = {
        'two Hosts': ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', [400]],
        'no Host': ['GET / HTTP/1.1\r\n\r\n', [400]],
        'absolute form': ['GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n', [0, 400, 403]],
        'a body on GET': ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello', [400]],
        'Content-Length twice': ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n', [400]],
        'chunked and length': ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', [400]],
        'zero byte in the path': ['GET /%00x HTTP/1.1\r\nHost: x\r\n\r\n', [0, 400, 403]],
        'zero byte after a page': ['GET /a/b%00.css HTTP/1.1\r\nHost: x\r\n\r\n', [0, 400, 403]],
        'bad percent': ['GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', [0, 400, 403, 404]],
        'unknown method': ['BREW / HTTP/1.1\r\nHost: x\r\n\r\n', [0, 400, 403, 405]],
        'CONNECT': ['CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', [0, 405]],
        'h2 preface': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [0, 400, 403]],
        'h2c upgrade': ['GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n', [400]],
        'TLS hello': [Buffer.from('16030100a5010000a10303', 'hex'), [0, 400, 403]],
        'nonsense': [Buffer.alloc(3000, 0xff), [0, 400, 403]],
        '20 KB of header': [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20000)}\r\n\r\n`, [0, 400, 403, 431]],
    };
    for (const [name, [bytes, want]] of Object.entries(cases)) {
        const r = await raw(s.port, bytes, { ms: 1000 });
        assert.ok(want.includes(parse(r.text).status), `${name}: ${JSON.stringify(r.text.slice(0, 60))}`);
    }
    assert.ok(await alive(s));
});

test('Upgrade: foo, ten thousand times (a use after free in libwebsockets if touched)', async () => {
    const req = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n';
    for (let i = 0; i < 200; i++) {
        const all = await Promise.all(Array.from({ length: 50 }, () => raw(s.port, i % 2 ? req : req + req, { ms: 3000 })));
        for (const r of all) assert.ok([0, 400, 403].includes(parse(r.text).status));
    }
    assert.ok(await alive(s));
});

test('/healthz, /stats, /metrics', async () => {
    assert.equal((await get(s.port, '/healthz')).body, '200 ok\n');
    const p = await Peer.connect(s.port);
    await p.page();
    p.click();
    await p.until(() => p.data().length >= 3);
    const st = await stats(s);
    for (const k of ['uptime_ms', 'rss_bytes', 'peak_rss_bytes', 'open_fds', 'cpu_main_ns', 'cpu_render_ns', 'connections',
        'websockets', 'conns_open', 'messages_in', 'bytes_in', 'frames_out', 'bytes_out', 'sends', 'stale_out', 'stale_in',
        'inbox_high_water', 'outbox_high_water', 'sessions_live', 'sessions_parked', 'renders', 'faults', 'bad_messages',
        'dropped_posts', 'accepted', 'http_requests', 'turns', 'busy_ns', 'loop_busy_max_us'])
        assert.ok(Number.isInteger(st[k]) && st[k] >= 0, `${k}: ${st[k]}`);
    assert.ok(st.websockets >= 1 && st.sessions_live >= 1 && st.renders >= 2 && st.rss_bytes > 1e6 && st.cpu_main_ns > 0);
    assert.equal(st.config.host, '127.0.0.1');
    assert.equal(st.config.backhaul, process.env.BH_TEST_MODE !== 'inline');
    assert.equal(st.config['static-dir'], path.join(dir, 'www'));
    assert.equal(st.loop_lag_us.length, 14);
    assert.ok(st.loop_lag_us.reduce((a, b) => a + b.count, 0) > 0);
    p.end();

    const m = await get(s.port, '/metrics');
    assert.equal(m.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const types = {};
    for (const line of m.body.trimEnd().split('\n')) {
        const t = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
        if (t) { assert.ok(!types[t[1]], 'twice: ' + t[1]); types[t[1]] = t[2]; continue; }
        if (line.startsWith('# HELP ')) continue;
        const v = /^(backhaul_[a-z_]+)(\{le="[^"]+"\})? [0-9.e+-]+$/.exec(line);
        assert.ok(v, line);
        assert.ok(types[v[1].replace(/_(bucket|sum|count)$/, '')] || types[v[1]], line);
        if (types[v[1]] === 'counter') assert.match(v[1], /_total$/);
    }
    assert.ok(Object.keys(types).length > 40);
    const buckets = [...m.body.matchAll(/_bucket\{le="[^"]+"\} (\d+)/g)].map((x) => +x[1]);
    assert.deepEqual(buckets, [...buckets].sort((a, b) => a - b));
});
