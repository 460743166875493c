// SPDX-License-Identifier: MIT
// A server process and a raw WebSocket peer that can lie. No packages.
import net from 'node:net';
import { spawn } from 'node:child_process';

const SERVER = process.env.BH_FRONT_SERVER;
const MODE = process.env.BH_TEST_MODE === 'inline' ? 'off' : 'on';
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

// Starts the server; every one started is killed when this process ends, whatever happened.
const running = new Set();
process.on('exit', () => running.forEach((p) => p.kill('SIGKILL')));

function run(args, { wrap = [], env = {} } = {}) {
    const all = [...wrap, SERVER, `--backhaul=${MODE}`, ...args];
    const p = spawn(all[0], all.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    running.add(p);
    const s = { process: p, pid: p.pid, out: '', err: '', port: 0 };
    p.stderr.on('data', (d) => { s.err += d; });
    s.exited = new Promise((r) => p.on('exit', (code, signal) => { running.delete(p); r({ code, signal }); }));
    s.listening = new Promise((resolve, reject) => {
        p.stdout.on('data', (d) => {
            s.out += d;
            const m = /^LISTENING http:\/\/\S+:(\d+)\/$/m.exec(s.out);
            if (m) { s.port = +m[1]; resolve(s); }
        });
        p.on('exit', () => reject(new Error(`the server ended before LISTENING: ${s.err}`)));
        p.on('error', reject);
    });
    s.listening.catch(() => {});
    s.stop = async () => {
        p.kill('SIGTERM');
        const t = setTimeout(() => p.kill('SIGKILL'), 8000);
        const how = await s.exited;
        clearTimeout(t);
        return how;
    };
    return s;
}
const start = (args = [], options = {}) => run(['--port=0', ...args], options).listening;

// Sends bytes, returns everything that came until the peer closed or `ms` passed without a byte.
function raw(port, bytes, { ms = 1500, host = '127.0.0.1' } = {}) {
    return new Promise((resolve) => {
        const s = net.connect(port, host);
        let got = Buffer.alloc(0);
        let closed = false;
        s.setTimeout(ms, () => s.destroy());
        s.on('data', (d) => { got = Buffer.concat([got, d]); });
        s.on('end', () => { closed = true; });
        s.on('error', () => { closed = true; });
        s.on('close', () => resolve({ text: got.toString('latin1'), closed }));
        s.on('connect', () => s.write(bytes));
    });
}
function parse(text) {
    const at = text.indexOf('\r\n\r\n');
    const lines = text.slice(0, at < 0 ? undefined : at).split('\r\n');
    const headers = {};
    for (const l of lines.slice(1)) {
        const c = l.indexOf(':');
        headers[l.slice(0, c).toLowerCase()] = l.slice(c + 1).trim();
    }
    return { status: +(lines[0].split(' ')[1] || 0), headers, body: at < 0 ? '' : text.slice(at + 4) };
}
async function get(port, path, { method = 'GET', headers = {}, host = 'localhost' } = {}) {
    const all = { Host: host, Connection: 'close', ...headers };
    const head = Object.entries(all).map(([k, v]) => `${k}: ${v}\r\n`).join('');
    return parse((await raw(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n`)).text);
}

const varint = (n) => { const b = []; while (n > 127) { b.push((n & 127) | 128); n = Math.floor(n / 128); } b.push(n); return b; };
const HELLO = Buffer.from([1, 1, 0, 0, 0]);

// One client frame. `length` lies about the payload's length, `form` forces its encoding.
function frame(opcode, payload = Buffer.alloc(0), { fin = true, mask = true, rsv = 0, length, form } = {}) {
    payload = Buffer.from(payload);
    const n = BigInt(length === undefined ? payload.length : length);
    const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode];
    const m = mask ? 0x80 : 0;
    const f = form || (n < 126n ? 7 : n < 65536n ? 16 : 64);
    if (f === 7) head.push(m | Number(n));
    else if (f === 16) head.push(m | 126, Number(n >> 8n), Number(n & 255n));
    else { head.push(m | 127); for (let i = 7n; i >= 0n; i--) head.push(Number((n >> (8n * i)) & 255n)); }
    if (!mask) return Buffer.concat([Buffer.from(head), payload]);
    const key = [0x12, 0x34, 0x56, 0x78];
    const out = Buffer.from(payload);
    for (let i = 0; i < out.length; i++) out[i] ^= key[i & 3];
    return Buffer.concat([Buffer.from(head), Buffer.from(key), out]);
}

class Peer {
    // Resolves to a Peer; status is 101, or what the server answered instead (0: nothing).
    static connect(port, { path = '/', protocol = 'backhaul.v1', headers = {}, method = 'GET', version = 'HTTP/1.1',
        drop = [], first = Buffer.alloc(0), pause = false, timeout = 3000 } = {}) {
        const h = { Host: `127.0.0.1:${port}`, Upgrade: 'websocket', Connection: 'Upgrade',
            'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': '13',
            ...(protocol ? { 'Sec-WebSocket-Protocol': protocol } : {}), ...headers };
        for (const d of drop) delete h[d];
        const head = Object.entries(h).flatMap(([k, v]) => [].concat(v).map((x) => `${k}: ${x}\r\n`)).join('');
        const p = new Peer();
        p.socket = net.connect(port, '127.0.0.1');
        p.frames = [];
        p.buffer = Buffer.alloc(0);
        p.closed = false;
        p.waiters = new Set();
        return new Promise((resolve) => {
            let opened = false;
            let text = '';
            const timer = setTimeout(() => { if (!opened) { p.socket.destroy(); } }, timeout);
            p.socket.on('data', (d) => {
                if (opened) return p.feed(d);
                text += d.toString('latin1');
                const at = text.indexOf('\r\n\r\n');
                if (at < 0) return;
                const r = parse(text);
                if (r.status !== 101) { p.answer = r; return; }
                opened = true;
                clearTimeout(timer);
                p.status = 101;
                p.headers = r.headers;
                if (pause) p.socket.pause();
                p.feed(Buffer.from(text.slice(at + 4), 'latin1'));
                resolve(p);
            });
            p.socket.on('error', () => {});
            p.socket.on('close', () => {
                clearTimeout(timer);
                p.closed = true;
                p.wake();
                if (!opened) { p.status = parse(text).status || 0; p.answer = parse(text); resolve(p); }
            });
            p.socket.on('connect', () => {
                p.socket.setNoDelay(true);
                p.socket.write(Buffer.concat([Buffer.from(`${method} ${path} ${version}\r\n${head}\r\n`), first]));
            });
        });
    }

    feed(d) {
        this.buffer = this.buffer.length ? Buffer.concat([this.buffer, d]) : d;
        for (;;) {
            const b = this.buffer;
            if (b.length < 2) break;
            let n = b[1] & 127;
            let at = 2;
            if (n === 126) { if (b.length < 4) break; n = b.readUInt16BE(2); at = 4; }
            else if (n === 127) { if (b.length < 10) break; n = Number(b.readBigUInt64BE(2)); at = 10; }
            if (b.length < at + n) break;
            const f = { fin: !!(b[0] & 0x80), rsv: (b[0] >> 4) & 7, opcode: b[0] & 15, masked: !!(b[1] & 128),
                payload: b.subarray(at, at + n), headLength: at };
            if (f.opcode === 8) this.closeCode = n >= 2 ? f.payload.readUInt16BE(0) : 1005;
            this.frames.push(f);
            this.buffer = b.subarray(at + n);
        }
        this.wake();
    }

    wake() { for (const w of this.waiters) w(); }

    // Waits until test() is true, or the time is over; says which.
    until(test, ms = 3000) {
        return new Promise((resolve) => {
            const check = () => { if (test()) { done(true); } };
            const done = (ok) => { clearTimeout(timer); this.waiters.delete(check); resolve(ok); };
            const timer = setTimeout(() => done(test()), ms);
            this.waiters.add(check);
            check();
        });
    }

    write(bytes) { if (!this.socket.destroyed) this.socket.write(bytes); return this; }
    send(opcode, payload, options) { return this.write(frame(opcode, payload, options)); }
    hello() { return this.send(2, HELLO); }
    data() { return this.frames.filter((f) => f.opcode < 3); }
    pongs() { return this.frames.filter((f) => f.opcode === 10); }
    // The close code; 1006 if the socket closed without one; 0 if it is still open.
    async code(ms = 3000) {
        await this.until(() => this.closeCode || this.closed, ms);
        return this.closeCode || (this.closed ? 1006 : 0);
    }
    // Hello and the first page; the id of its first click handler.
    async page(ms = 3000) {
        this.hello();
        const found = () => this.data().map((f) => f.payload.indexOf(Buffer.from([9, 1]))).findIndex((i) => i >= 0);
        await this.until(() => found() >= 0, ms);
        const f = this.data()[found()];
        if (!f) return 0;
        this.seq = 0;
        this.ack = 1;
        return (this.handler = f.payload[f.payload.indexOf(Buffer.from([9, 1])) + 2]);
    }
    click(handler = this.handler) {
        return this.send(2, Buffer.from([2, ...varint(++this.seq), ...varint(this.ack), ...varint(handler)]));
    }
    end() { this.socket.destroy(); }
}

async function stats(s) { return JSON.parse((await get(s.port, '/stats')).body); }
// The server still serves others: what every hostile test ends with.
async function alive(s) {
    const p = await Peer.connect(s.port);
    const ok = p.status === 101 && await p.page() > 0;
    p.click();
    const answered = await p.until(() => p.data().length >= 3, 3000);
    p.end();
    return ok && answered;
}

export { run, start, raw, get, parse, frame, Peer, HELLO, sleep, stats, alive, varint, SERVER, MODE };
