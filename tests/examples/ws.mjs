// SPDX-License-Identifier: MIT
// A WebSocket client on a plain socket, and a ReactPy client on top of it: enough to drive an example.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import net from 'node:net';

const LIMIT_MS = 10_000 * (Number(process.env.BH_TEST_SLOW) || 1);

export function within(promise, what) {
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error(`${what}: nothing within ${LIMIT_MS} ms`)), LIMIT_MS); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export class Socket {
  #data = Buffer.alloc(0); #messages = []; #waiting = null; #upgraded = null; #key = crypto.randomBytes(16).toString('base64');
  closed = null; // [code, reason] or an error

  static open(url, protocol) {
    const socket = new Socket();
    return within(socket.#connect(new URL(url), protocol), `upgrade of ${url}`);
  }
  #connect(url, protocol) {
    this.tcp = net.connect(Number(url.port), url.hostname);
    this.tcp.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${this.#key}\r\n${protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : ''}\r\n`);
    this.tcp.on('data', (data) => { this.#data = Buffer.concat([this.#data, data]); this.#read(); });
    this.tcp.on('error', (error) => this.#end(error));
    this.tcp.on('close', () => this.#end(new Error('the connection ended')));
    return new Promise((yes, no) => { this.#upgraded = { yes, no }; });
  }
  #end(why) {
    this.closed ??= why;
    this.#upgraded?.no(why);
    this.#waiting?.();
  }
  #read() {
    if (this.#upgraded) {
      const end = this.#data.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#data.subarray(0, end).toString();
      const accept = crypto.createHash('sha1').update(this.#key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
      const { yes, no } = this.#upgraded;
      this.#upgraded = null;
      this.#data = this.#data.subarray(end + 4);
      if (head.startsWith('HTTP/1.1 101') && head.includes(accept)) yes(this); else no(new Error(head.split('\r\n')[0]));
    }
    for (;;) {
      const d = this.#data;
      if (d.length < 2) return;
      let size = d[1], head = 2;
      if (size === 126) { head = 4; size = d.length < 4 ? Infinity : d.readUInt16BE(2); }
      else if (size === 127) { head = 10; size = d.length < 10 ? Infinity : Number(d.readBigUInt64BE(2)); }
      if (d.length < head + size) return;
      const payload = d.subarray(head, head + size);
      this.#data = d.subarray(head + size);
      assert.ok(d[0] & 0x80, 'the server never cuts a message');
      if ((d[0] & 15) === 9) this.#frame(10, payload);
      else if ((d[0] & 15) === 8) { this.closed = [payload.length ? payload.readUInt16BE(0) : 1005, payload.subarray(2).toString()]; this.#frame(8, payload); this.tcp.end(); }
      else { this.#messages.push((d[0] & 15) === 1 ? payload.toString() : payload); this.#waiting?.(); }
    }
  }
  #frame(opcode, payload) {
    const mask = crypto.randomBytes(4), n = payload.length;
    const head = n < 126 ? Buffer.from([0x80 | opcode, 0x80 | n]) : Buffer.from([0x80 | opcode, 0x80 | 126, n >> 8, n & 255]);
    assert.ok(n < 65536);
    this.tcp.write(Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i & 3])]));
  }
  send(message) {
    this.#frame(typeof message === 'string' ? 1 : 2, Buffer.from(message));
  }
  async next() {
    while (!this.#messages.length) {
      if (this.closed) throw new Error(`closed: ${this.closed}`);
      await within(new Promise((yes) => { this.#waiting = yes; }), 'a message');
    }
    return this.#messages.shift();
  }
  close() {
    this.#frame(8, Buffer.from([3, 232]));
    this.tcp.end();
  }
}

// The page as ReactPy's client keeps it: one model, edited by JSON pointers.
export class Page {
  static async open(base, name) {
    const page = new Page();
    page.model = { tagName: '' };
    page.socket = await Socket.open(`${base.replace(/^http/, 'ws')}_reactpy/stream${name}`);
    await page.step();
    return page;
  }
  async step() {
    const { type, path, model } = JSON.parse(await this.socket.next());
    assert.equal(type, 'layout-update');
    if (path === '') { Object.assign(this.model, model); return; }
    const keys = path.slice(1).split('/').map((k) => k.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    let at = this.model;
    for (const key of keys) {
      at = at[key] ??= {};
    }
    if (last === '-') at.push(model); else at[last] = model;
  }
  // Applies updates until the condition holds.
  async until(condition, what) {
    let result;
    const end = Date.now() + LIMIT_MS;
    while (!(result = condition())) {
      if (Date.now() > end) throw new Error(`${what ?? condition} did not come true\n${this.html()}`);
      await this.step().catch((e) => { throw new Error(`waiting for ${what ?? condition}: ${e.message}\n${this.html()}`); });
    }
    return result;
  }
  all(test, node = this.model, found = []) {
    if (typeof node === 'object' && node) {
      if (test(node)) found.push(node);
      for (const child of node.children ?? []) this.all(test, child, found);
    }
    return found;
  }
  one(test) {
    const found = this.all(test);
    assert.equal(found.length, 1, `${found.length} match ${test} in ${this.html()}`);
    return found[0];
  }
  tag(name, n = 0) { return this.all((node) => node.tagName === name)[n]; }
  labelled(label) { return this.one((node) => node.attributes?.['aria-label'] === label); }
  // The control that a <label> names, by `for` or by being around it.
  field(label) {
    const of = this.one((node) => node.tagName === 'label' && text(node).startsWith(label));
    const id = of.attributes?.htmlFor;
    return id ? this.one((node) => node.attributes?.id === id) : this.all((n) => /^(input|select|textarea)$/.test(n.tagName), of)[0];
  }
  button(label) { return this.one((node) => node.tagName === 'button' && text(node) === label); }
  fire(node, name, event = {}) {
    const handler = node.eventHandlers?.[name];
    assert.ok(handler, `${node.tagName} has no ${name}, only ${Object.keys(node.eventHandlers ?? {})}`);
    this.socket.send(JSON.stringify({ type: 'layout-event', target: handler.target, data: [event] }));
  }
  click(node) { this.fire(node, 'onClick', { type: 'click', target: { tagName: 'BUTTON', value: '' } }); }
  type(node, value) {
    const name = node.eventHandlers?.onInput ? 'onInput' : 'onChange';
    this.fire(node, name, { type: 'input', target: { tagName: node.tagName.toUpperCase(), value } });
  }
  text() { return text(this.model); }
  html() { return JSON.stringify(this.model); }
  close() { this.socket.close(); }
}

export function text(node) {
  return typeof node === 'string' ? node : (node.children ?? []).map(text).join('');
}
