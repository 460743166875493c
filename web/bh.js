// SPDX-License-Identifier: MIT
// <backhaul-view src="/counter">: a component of the server, live in any page. Without src: the page's
// own path. With data-token it takes over the HTML that the server wrote into it. Plain ES modules,
// no build, no eval; docs/PROTOCOL.md §5 to §8. extra.js adds what is not needed to run.
import { adopt, apply, more } from './patch.js';
import { int, str } from './event.js';

const DELAYS = [10, 50, 100, 250, 500, 1000, 2000, 5000];

customElements.define('backhaul-view', class extends HTMLElement {
  k = Symbol();
  ids = new Map();
  dirty = new Set();
  heard = {};
  next = 1;
  // Frames: applied, confirmed. Events: sent, confirmed by the server, waiting for that.
  last = 0;
  acked = 0;
  seq = 0;
  ack = 0;
  out = [];
  tries = 0;

  connectedCallback() {
    if (this.token == null) {
      this.token = this.dataset.token ?? '';
      delete this.dataset.token;
      // Parsers split long texts.
      this.normalize();
      if (this.token) adopt(this, this);
    }
    import('./extra.js').finally(() => {
      more.watch?.(this);
      this.open();
    });
  }

  disconnectedCallback() {
    this.hangUp();
    more.watch?.(this, 1);
  }

  say(what) {
    more.say?.(this, what);
  }

  send(...out) {
    clearTimeout(this.late);
    this.late = 0;
    if ((this.live || out[0] == 1) && this.ws.readyState == 1) this.ws.send(new Uint8Array(out));
  }

  open() {
    this.hangUp();
    if (!this.isConnected) return;
    const url = new URL(this.getAttribute('src') || location, document.baseURI);
    url.protocol = url.protocol.replace('http', 'ws');
    url.hash = '';
    const ws = (this.ws = new WebSocket(url, 'backhaul.v1'));
    ws.binaryType = 'arraybuffer';
    ws.onopen = () => {
      const hello = [1, 1];
      str(hello, this.token);
      int(hello, this.last);
      // The nodes that the server's HTML has; none when it is known that it is of no use.
      int(hello, this.last || this.anew ? 0 : this.next - 1);
      this.send(...hello);
    };
    ws.onmessage = (e) => ws == this.ws && this.receive(new Uint8Array(e.data));
    ws.onclose = (e) => ws == this.ws && this.closed(e.code);
    this.beat = setTimeout(() => this.closed(), 20000);
  }

  hangUp() {
    for (const t of [this.timer, this.beat, this.late]) clearTimeout(t);
    this.ws?.close();
    this.ws = this.live = this.late = null;
  }

  closed(code) {
    this.hangUp();
    more.closed?.(this, code);
    this.over = code == 4409;
    if (code == 4400) this.token = '';
    const ms = code == 4429 ? 5000 : DELAYS[Math.min(this.tries++, 7)];
    if (!this.over && !document.hidden) this.timer = setTimeout(() => this.open(), ms * (0.7 + 0.6 * Math.random()));
  }

  receive(bytes) {
    clearTimeout(this.beat);
    this.beat = setTimeout(() => {
      this.tries = 0;
      this.send(4);
      this.beat = setTimeout(() => this.closed(), 20000);
    }, 25000);
    this.busy = 1;
    try {
      apply(this, bytes);
    } catch (e) {
      // Somebody else has changed our nodes, a page translator perhaps: have them all again.
      console.warn('backhaul loads the page anew', e);
      // Confirmed or not, frames are of no use now.
      this.confirm();
      this.last = 0;
      this.anew = 1;
      this.closed();
    }
    this.busy = 0;
    this.out = this.out.filter((m) => m.seq > this.ack);
    if (this.last - this.acked > 3) this.confirm();
    else if (this.last > this.acked) this.late ||= setTimeout(() => this.confirm(), 200);
  }

  confirm() {
    const out = [3];
    int(out, (this.acked = this.last));
    this.send(...out);
  }

  welcome(flags, token) {
    this.token = token;
    this.live = 1;
    this.anew = 0;
    this.say(flags & 8 && this.last && 2);
    if (flags & 1) {
      this.last = this.acked = this.seq = this.ack = 0;
      this.out = [];
    }
    for (const m of this.out) if (m.seq > this.ack) this.post(m);
  }

  // Numbers an event and sends it, now and after each reconnect, until the server confirms it.
  event(hid, body, target) {
    const m = { hid, body, target, seq: this.seq + 1 };
    const no = more.refuse?.(this, m);
    if (no) return no;
    this.seq++;
    this.out.push(m);
    this.post(m);
    return m.seq;
  }

  post(m) {
    const head = [2];
    int(head, m.seq);
    int(head, (this.acked = this.last));
    int(head, m.hid);
    m.sent = this.live;
    this.send(...head.concat(m.body));
  }
});
