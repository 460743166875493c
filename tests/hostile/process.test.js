// SPDX-License-Identifier: MIT
// The process: command line, binding, descriptors, signals, silence, system calls.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { run, start, get, raw, alive, Peer, sleep, stats, SERVER } from './lib.js';

const once = (...args) => spawnSync(SERVER, args, { encoding: 'utf8', timeout: 10000 });

test('--help, --version, mistakes: one line, exit 2', () => {
    const help = once('--help');
    assert.equal(help.status, 0);
    for (const o of ['host', 'port', 'backhaul', 'commit-interval', 'cpu-main', 'cpu-render', 'max-sessions', 'max-per-address', 'window',
        'window-bytes', 'max-message', 'max-event-rate', 'resume-seconds', 'resume-sessions', 'resume-bytes', 'prerender-seconds',
        'static-dir', 'allow-origin', 'require-origin', 'reactpy-mode', 'show-errors', 'log-level', 'version'])
        assert.match(help.stdout, new RegExp(`--${o}\\b`));
    assert.match(once('--version').stdout, /^backhaul \d+\.\d+\.\d+\n$/);
    for (const bad of ['--nope', '--por=1', '-x', 'word', '--port', '--port=', '--port=x', '--port=65536', '--port=-1', '--port=1x',
        '--backhaul=maybe', '--commit-interval=2', '--commit-interval=2min', '--commit-interval=11s', '--window=0', '--max-message=2M',
        '--max-message=100', '--log-level=loud', '--reactpy-mode=x', '--allow-origin=example.com', '--allow-origin=*',
        '--allow-origin=https://a/b', '--show-errors=yes', '--host=']) {
        const r = once(bad);
        assert.equal(r.status, 2, bad);
        assert.equal(r.stdout, '', bad);
        assert.match(r.stderr, /^[^\n]+\n$/, bad);
        if (bad.startsWith('--') && bad !== '--nope' && bad !== '--por=1') assert.ok(r.stderr.includes(bad.split('=')[0]), r.stderr);
    }
});

test('what cannot start says so in one line, exit 1', async () => {
    const s = await start();
    const cases = {
        'port in use': [`--port=${s.port}`],
        'no such address': ['--port=0', '--host=192.0.2.1'],
        'no such name': ['--port=0', '--host=no-such-host.invalid'],
        'no such directory': ['--port=0', '--static-dir=/no/such/dir'],
        'no such processor': ['--port=0', '--cpu-main=1000'],
    };
    for (const [name, args] of Object.entries(cases)) {
        const r = run(args);
        r.listening.catch(() => {});
        assert.deepEqual(await r.exited, { code: 1, signal: null }, name);
        assert.equal(r.out, '', name);
        assert.match(r.err, /^[^\n]+\n$/, `${name}: ${r.err}`);
    }
    // Short of file descriptors by any number: never an abort, a hang, or a word about something else.
    for (let n = 6; n < 30; n++) {
        const r = run(['--port=0'], { wrap: ['prlimit', `--nofile=${n}:${n}`] });
        const started = await r.listening.then(() => true, () => false);
        if (started) { await r.stop(); continue; }
        assert.deepEqual(await r.exited, { code: 1, signal: null }, `${n} descriptors: ${r.err}`);
        assert.match(r.err, /^[^\n]*descriptors[^\n]*ulimit[^\n]*\n$/, `${n} descriptors: ${r.err}`);
    }
    const busy = run([`--port=${s.port}`]);
    await busy.exited;
    assert.match(busy.err, new RegExp(`port ${s.port} .*in use.*--port`));
    await s.stop();
});

test('without the libuv plugin of libwebsockets: one line that names the package', async (t) => {
    const shim = process.env.BH_NO_PLUGIN;
    if (!shim) { t.skip('a sanitizer has to come first in LD_PRELOAD'); return; }
    const r = run(['--port=0'], { env: { LD_PRELOAD: shim } });
    r.listening.catch(() => {});
    assert.deepEqual(await r.exited, { code: 1, signal: null });
    assert.match(r.err, /^[^\n]*libwebsockets-evlib-uv[^\n]*\n$/);
});

// Sockets that listen, as the kernel has them: "0100007F:1F90" and so on, of this process only.
function listening(pid) {
    const mine = new Set(fs.readdirSync(`/proc/${pid}/fd`).map((f) => {
        try { return /socket:\[(\d+)\]/.exec(fs.readlinkSync(`/proc/${pid}/fd/${f}`))?.[1]; } catch { return null; }
    }));
    return ['tcp', 'tcp6'].flatMap((f) => { try { return fs.readFileSync(`/proc/net/${f}`, 'utf8').split('\n').slice(1); } catch { return []; } })
        .map((l) => l.trim().split(/\s+/)).filter((c) => c[3] === '0A' && mine.has(c[9])).map((c) => c[1].split(':')[0]).sort();
}
test('it listens on exactly what was asked for', async (t) => {
    const any6 = '0'.repeat(32);
    const one6 = '0'.repeat(24) + '01000000';
    const want = { '127.0.0.1': [['0100007F']], '0.0.0.0': [['00000000']], '::1': [[one6]], '::': [[any6]], localhost: [['0100007F'], [one6], [one6, '0100007F'].sort()] };
    const v6 = fs.existsSync('/proc/net/if_inet6') && fs.readFileSync('/proc/net/if_inet6', 'utf8') !== '';
    for (const [host, sets] of Object.entries(want)) {
        if (host.includes(':') && !v6) { t.diagnostic(`no IPv6 here: ${host} not tried`); continue; }
        const s = await start([`--host=${host}`]);
        const got = listening(s.pid);
        assert.ok(sets.some((x) => JSON.stringify(x) === JSON.stringify(got)), `${host}: ${got}`);
        assert.match(s.out, host.includes(':') ? /http:\/\/\[::1?\]:\d+\/\n$/ : /http:\/\/[\w.]+:\d+\/\n$/);
        await s.stop();
    }
});

test('no file descriptors left: no spin, no flood of log lines, and service again', async () => {
    const s = await start(['--log-level=warn'], { wrap: ['prlimit', '--nofile=64:64'] });
    const socks = [];
    for (let i = 0; i < 200; i++) { const c = net.connect(s.port, '127.0.0.1'); c.on('error', () => {}); socks.push(c); }
    await sleep(500);
    const ticks = () => { const f = fs.readFileSync(`/proc/${s.pid}/stat`, 'utf8').split(') ')[1].split(' '); return (+f[11] + +f[12]) * 10; };
    const before = ticks();
    await sleep(2000);
    const used = ticks() - before;
    assert.ok(used < 200, `CPU ${used} ms of 2000`);
    assert.ok(s.err.split('\n').length <= 6, s.err);
    assert.match(s.err, /accepting is paused/);
    socks.forEach((c) => c.destroy());
    let ok = false;
    for (let i = 0; i < 10 && !ok; i++) { ok = (await get(s.port, '/healthz')).status === 200; if (!ok) await sleep(100); }
    assert.ok(ok, 'served again within a second');
    assert.ok(await alive(s));
    assert.deepEqual(await s.stop(), { code: 0, signal: null });
});

test('silence: no request, half a head, a byte a second, no HELLO', async () => {
    const s = await start();
    const t0 = Date.now();
    const dripping = net.connect(s.port, '127.0.0.1');
    dripping.on('error', () => {});
    const head = [...'GET / HTTP/1.1\r\nHost: x\r\n'];
    const drip = setInterval(() => { if (!dripping.destroyed) dripping.write(head.shift() || 'X'); }, 1000);
    const cut = (bytes) => new Promise((r) => { const c = net.connect(s.port, '127.0.0.1', () => c.write(bytes)); c.on('error', () => {}); c.on('close', () => r(Date.now() - t0)); c.resume(); });
    const mute = Peer.connect(s.port);
    const times = await Promise.all([cut(''), cut('GET / HTTP/1.1\r\nHost:'), new Promise((r) => dripping.on('close', () => r(Date.now() - t0)).resume())]);
    clearInterval(drip);
    for (const ms of times) assert.ok(ms > 3500 && ms < 8000, `${ms} ms`);
    assert.equal(await (await mute).code(13000), 4401);
    assert.ok(await alive(s));
    await s.stop();
});

test('SIGTERM: 1001 to the living, the frozen are cut, exit 0 in time', async () => {
    const s = await start();
    const live = [];
    for (let i = 0; i < 100; i++) { const p = await Peer.connect(s.port); p.hello(); live.push(p); }
    const frozen = [];
    for (let i = 0; i < 50; i++) { const p = await Peer.connect(s.port, { path: '/big' }); p.socket.pause(); p.hello(); frozen.push(p); }
    const half = net.connect(s.port, '127.0.0.1', () => half.write('GET / HT'));
    half.on('error', () => {});
    await sleep(300);
    for (const p of live) p.until(() => p.closeCode).then(() => p.send(8, Buffer.from([0x03, 0xe9])));
    const t0 = Date.now();
    s.process.kill('SIGTERM');
    const how = await s.exited;
    const took = Date.now() - t0;
    assert.deepEqual(how, { code: 0, signal: null });
    assert.ok(took < (process.env.BH_SANITIZED ? 20000 : 5000), `${took} ms`);
    assert.ok(live.every((p) => p.closeCode === 1001));
    assert.equal(s.err, '');
    frozen.forEach((p) => p.end());
    half.destroy();
});

test('SIGTERM with nobody there is quick; SIGINT is the same; new connections are refused', async () => {
    for (const sig of ['SIGTERM', 'SIGINT']) {
        const s = await start();
        const t0 = Date.now();
        s.process.kill(sig);
        assert.deepEqual(await s.exited, { code: 0, signal: null });
        assert.ok(Date.now() - t0 < (process.env.BH_SANITIZED ? 5000 : 1000));
        assert.equal((await raw(s.port, 'GET / HTTP/1.1\r\n\r\n')).text, '');
    }
});

test('a second signal ends it at once', async () => {
    // It leaves the render thread as it is, finished perhaps and not joined: no leak that matters.
    const env = { TSAN_OPTIONS: `${process.env.TSAN_OPTIONS ?? ''}:report_thread_leaks=0` };
    // True if the second signal came while the first was still at work: a busy machine may sleep longer than asked.
    const twice = async (sig, code) => {
        const s = await start([], { env });
        const frozen = await Peer.connect(s.port, { path: '/big' });
        frozen.socket.pause();
        frozen.hello();
        await sleep(200);
        const t0 = Date.now();
        s.process.kill('SIGTERM');
        await sleep(100);
        const t1 = Date.now();
        const late = s.process.exitCode !== null || t1 - t0 > 1000;
        s.process.kill(sig);
        const how = await s.exited;
        frozen.end();
        if (late || (how.code === 0 && Date.now() - t1 < 300)) return false;
        assert.deepEqual(how, { code, signal: null });
        assert.ok(Date.now() - t1 < (process.env.BH_SANITIZED ? 3000 : 500));
        return true;
    };
    for (const [sig, code] of [['SIGTERM', 143], ['SIGINT', 130]]) {
        let tried = 0;
        while (!await twice(sig, code)) assert.ok(++tried < 10, 'this machine is too busy to tell');
    }
});

test('system calls of the network thread per event when busy: at most 4', async (t) => {
    if (process.env.BH_SANITIZED) { t.skip('a sanitizer makes system calls of its own'); return; }
    const tried = spawnSync('strace', ['-c', 'true'], { encoding: 'utf8' });
    assert.equal(tried.error, undefined, 'strace is missing: run scripts/setup check');
    // Some sandboxes forbid tracing; that is the one reason not to look.
    if (tried.status !== 0) { assert.match(tried.stderr, /not permitted/); t.skip('tracing is not permitted here'); return; }
    const s = await start(['--max-event-rate=0']);
    const peers = [];
    for (let i = 0; i < 100; i++) { const p = await Peer.connect(s.port); await p.page(); peers.push(p); }
    let stop = false;
    const loops = peers.map(async (p) => { // a closed loop: the next click when the last is answered
        let n = p.data().length;
        while (!stop) {
            p.ack = n - 1;
            p.click();
            if (!await p.until(() => p.frames.length > n, 5000)) return;
            n = p.frames.length;
        }
    });
    await sleep(200);
    const trace = spawn('strace', ['-c', '-p', String(s.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    trace.stderr.on('data', (d) => { text += d; });
    for (let i = 0; i < 50 && !text.includes('attached'); i++) await sleep(20);
    const before = (await stats(s)).messages_in;
    await sleep(1500);
    const after = (await stats(s)).messages_in;
    trace.kill('SIGINT');
    await new Promise((r) => trace.on('exit', r));
    stop = true;
    await Promise.all(loops);
    await s.stop();
    if (/not permitted/.test(text)) { t.skip('tracing is not permitted here'); return; }
    assert.match(text, /total/, 'strace counted nothing');
    const calls = +/(\d+)\s+(?:\d+\s+)?total/.exec(text)[1];
    const events = after - before;
    t.diagnostic(`${calls} calls, ${events} events: ${(calls / events).toFixed(2)} each\n${text}`);
    assert.ok(events > 200, `${events} events`);
    assert.ok(calls / events <= 4, `${calls} calls for ${events} events\n${text}`);
});
