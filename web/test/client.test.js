// SPDX-License-Identifier: MIT
// The client against the golden vectors of tests/wire, and on its own.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { defined, fire, notation, parse, sockets, FakeElement, events } from './dom.js';

// A clock that goes when the test says so (that of node:test behaves differently from version to version).
function fakeTimers(t) {
  const real = { setTimeout, clearTimeout };
  const due = new Map();
  let now = 0, last = 0;
  globalThis.setTimeout = (fn, ms = 0, ...args) => (due.set(++last, { at: now + ms, run: () => fn(...args) }), last);
  globalThis.clearTimeout = (id) => due.delete(id);
  t.after(() => Object.assign(globalThis, real));
  return (ms) => {
    const end = now + ms;
    for (;;) {
      const next = [...due].sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
      if (!next || next[1].at > end) break;
      due.delete(next[0]);
      now = next[1].at;
      next[1].run();
    }
    now = end;
  };
}

await import('../bh.js');
const { TAGS, ATTRS, EVENTS } = await import('../names.js');
const { adopt, apply, more } = await import('../patch.js');
const { fields, int, str } = await import('../event.js');
await import('../extra.js');

const vectors = (name) => JSON.parse(readFileSync(new URL(`../../tests/wire/vectors/${name}.json`, import.meta.url)));
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (list) => Buffer.from(list).toString('hex');
const View = defined['backhaul-view'];

const mount = (html) => {
  const view = new View();
  if (html != null) {
    parse(view, html);
    view.setAttribute('data-token', 'secret');
  }
  document.body.append(view);
  return view;
};
const tick = () => new Promise((done) => setTimeout(done));
// A view with a live socket. setup: a hex frame to begin with.
const live = async (setup, t, html) => {
  const view = mount(html);
  view.connectedCallback();
  await tick();
  const socket = sockets.at(-1);
  socket.connect();
  socket.frame('0000' + '0d' + (html == null ? '01' : '04') + '0141');
  if (setup) socket.frame(setup);
  t.after(() => {
    view.disconnectedCallback();
    view.remove();
  });
  socket.sent.length = 0;
  return { view, socket };
};

test('names are those of names.def', () => {
  const names = vectors('names');
  assert.deepEqual(TAGS.slice(1), names.tags);
  assert.deepEqual(ATTRS.slice(1), names.attrs.map(([name, kind]) => (kind === 'prop' ? '.' + name : name)));
  assert.deepEqual(EVENTS.slice(1), names.events);
});

const frames = vectors('v1_frames');
assert.ok(frames.length > 30);
// A live property that was given up is empty or off, as good as never set.
const tidy = (nodes) =>
  nodes.map((n) => {
    if (typeof n === 'string') return n;
    const { props, children, ...rest } = n;
    const on = Object.entries(props ?? {}).filter(([, x]) => x);
    return { ...rest, ...(on.length && { props: Object.fromEntries(on) }), ...(children && { children: tidy(children) }) };
  });
for (const v of frames) {
  test('frame: ' + v.name, () => {
    const view = mount();
    apply(view, bytes(v.setup));
    assert.deepEqual(tidy(notation(view, EVENTS)), tidy(v.before));
    apply(view, bytes(v.frame));
    assert.deepEqual(tidy(notation(view, EVENTS)), tidy(v.after));
    // Nothing is remembered of nodes that have gone.
    const count = (n) => n.childNodes.reduce((sum, c) => sum + 1 + count(c), 0);
    assert.equal(view.ids.size, count(view));
    view.remove();
  });
  if (v.html != null) {
    test('adopted: ' + v.name, () => {
      const built = mount();
      apply(built, bytes(v.setup));
      const view = mount(v.html);
      view.normalize();
      adopt(view, view);
      assert.equal(view.next, built.next);
      for (const [id, n] of built.ids) {
        const m = view.ids.get(id);
        assert.equal(m.nodeType, n.nodeType);
        assert.equal(m.localName, n.localName);
        assert.equal(m.namespaceURI, n.namespaceURI);
        assert.equal(m.data, n.data);
        assert.equal(m.style?.cssText, n.style?.cssText);
      }
      for (const n of [view, built]) n.remove();
    });
  }
}

for (const v of vectors('v1_messages')) {
  test('message: ' + v.name, async (t) => {
    const m = v.message;
    const { view, socket } = await live(null, t);
    view.last = m.ack ?? m.last ?? 0;
    if (m.kind === 'ping') {
      view.send(4);
    } else if (m.kind === 'ack') {
      view.last = m.seq;
      view.confirm();
    } else if (m.kind === 'hello') {
      view.hangUp();
      view.token = m.token;
      view.next = m.nodes + 1;
      if (m.last && m.nodes) return;
      view.open();
      sockets.at(-1).connect();
      assert.deepEqual(sockets.at(-1).sent, [v.hex]);
      return;
    } else {
      // The bytes of each field, as fields() writes them, in the order of their codes.
      const body = [];
      const text = (code, s) => s && (body.push(code), str(body, s));
      text(1, m.value);
      if (m.checked) body.push(2);
      text(3, m.key);
      if (m.mods) body.push(4, m.mods);
      if (m.x || m.y || m.button) {
        const e = { type: m.x || m.y ? 'mousedown' : 'click', clientX: (m.x ?? 0) + 10, clientY: (m.y ?? 0) + 20, button: m.button ?? 0 };
        more.xy(body, e, new FakeElement());
      }
      for (const [name, value] of m.fields ?? []) {
        body.push(7);
        str(body, name);
        str(body, value);
      }
      view.seq = m.seq - 1;
      view.event(m.hid, body, new FakeElement());
    }
    assert.deepEqual(socket.sent, [v.hex]);
  });
}

const page = (v, build) => {
  const out = [1, 0, 14];
  build(out);
  return hex(out);
};
const insertInput = (out, handlers, extra = []) => {
  out.push(5, 0, 0, 1, TAGS.indexOf('input'), 1 + handlers.length + extra.length, 2, 7, 0);
  for (const [code, hid, flags = 0] of handlers) out.push(9, code, hid, flags);
  for (const e of extra) out.push(...e);
  out.push(0);
};
const frame = (seq, ack, ...ops) => hex([seq, ack, ...ops.flat()]);
const setValue = (nid, s) => [2, nid, 7, s.length, ...Buffer.from(s)];
const type = (view, el, text) => {
  el.props.value = text;
  fire(el, 'input');
};

test('a click is at most 8 bytes and carries an acknowledgement', async (t) => {
  const { view, socket } = await live(page(null, (o) => o.push(5, 0, 0, 1, 5, 1, 9, 1, 1, 0, 1, 2, 1, 0x2b)), t);
  fire(view.childNodes[0], 'click', { button: 0 });
  assert.deepEqual(socket.sent, ['02010101']);
});

test('flags: prevent default, stop propagation', async (t) => {
  const { view, socket } = await live(page(null, (o) => o.push(5, 0, 0, 1, 1, 1, 9, 1, 1, 0, 1, 1, 5, 1, 9, 1, 2, 3, 0)), t);
  const r = fire(view.childNodes[0].childNodes[0], 'click');
  assert.deepEqual(r, { prevented: true, stopped: true });
  assert.deepEqual(socket.sent, ['02010102'], 'the outer handler is not called');
});

test('typing is not overwritten by what was said before it was known', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  type(view, el, 'a');
  type(view, el, 'ab');
  socket.frame(frame(2, 1, setValue(1, 'A')));
  assert.equal(el.value, 'ab');
  socket.frame(frame(3, 2));
  assert.equal(el.value, 'ab', 'what was out of date stays out of date');
  socket.frame(frame(4, 2, setValue(1, 'AB')));
  assert.equal(el.value, 'AB');
});

test('what a form handler says waits for the submit that tells of the edit', async (t) => {
  // <form onsubmit><input value></form>
  const { view, socket } = await live(
    page(null, (o) => o.push(5, 0, 0, 1, TAGS.indexOf('form'), 1, 9, 4, 1, 1, 1, 1, TAGS.indexOf('input'), 1, 2, 7, 0, 0)), t);
  const form = view.childNodes[0];
  const el = form.childNodes[0];
  globalThis.FormData = class { *[Symbol.iterator]() { yield ['n', el.value]; } };
  form.elements = [el];
  type(view, el, 'hello');
  socket.frame(frame(2, 0, setValue(2, 'x')));
  assert.equal(el.value, 'hello');
  assert.equal(fire(form, 'submit').prevented, true);
  type(view, el, 'hello!');
  socket.frame(frame(3, 1, setValue(2, '')));
  assert.equal(el.value, 'hello!', 'typed after the submit');
  fire(form, 'submit');
  socket.frame(frame(4, 2));
  assert.equal(el.value, '');
});

test('an edit that nobody will be told of does not lock the field', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [])), t);
  const el = view.childNodes[0];
  type(view, el, 'mine');
  socket.frame(frame(2, 0, setValue(1, 'theirs')));
  assert.equal(el.value, 'theirs');
});

test('nothing is written during composition, all of it after', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  fire(el, 'compositionstart');
  type(view, el, 'に');
  socket.frame(frame(2, 1, setValue(1, 'NI')));
  assert.equal(el.value, 'に');
  fire(el, 'compositionend');
  await tick();
  assert.equal(el.value, 'NI');
});

test('a value that is there already is not written', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  const before = el.writes;
  type(view, el, 'same');
  socket.frame(frame(2, 1, setValue(1, 'same')));
  assert.equal(el.writes, before);
});

test('the caret keeps its distance from the end; numbers keep their shape', () => {
  const el = document.createElement('input');
  document.activeElement = el;
  let caret;
  Object.assign(el, { selectionStart: 2, selectionEnd: 2, setSelectionRange: (...c) => (caret = c) });
  el.value = '12345';
  more.write(el, 'value', '1,2345');
  assert.deepEqual(caret, [3, 3]);
  el.setAttribute('type', 'number');
  el.value = '3.0';
  more.write(el, 'value', '3');
  assert.equal(el.value, '3.0');
  more.write(el, 'value', '4');
  assert.equal(el.value, '4');
  document.activeElement = null;
});

test('a cut: unconfirmed events are sent again after the resume, confirmed ones are not', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  type(view, el, 'a');
  type(view, el, 'b');
  socket.drop();
  type(view, el, 'c');
  await new Promise((done) => setTimeout(done, 40));
  const again = sockets.at(-1);
  assert.notEqual(again, socket);
  again.connect();
  assert.deepEqual(again.sent, ['0101' + '0141' + '01' + '00'], 'HELLO with token A, frame 1, nothing to adopt');
  again.frame('0001' + '0d02' + '0142');
  assert.deepEqual(again.sent.slice(1), ['020201' + '01' + '010162', '020301' + '01' + '010163']);
  assert.equal(view.token, 'B');
  assert.equal(el.value, 'c', 'what is in the page stays');
  // A frame that is replayed although it was applied changes nothing.
  again.frame(frame(1, 1, [14]));
  assert.equal(view.childNodes.length, 1);
});

test('a fresh session forgets the events of the old one', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  type(view, view.childNodes[0], 'a');
  socket.drop();
  await new Promise((done) => setTimeout(done, 40));
  const again = sockets.at(-1);
  again.connect();
  again.frame('0000' + '0d09' + '0143');
  assert.equal(again.sent.length, 1);
  assert.match(document.body.childNodes.find((n) => n.className === 'bh-notice').textContent, /session had ended/);
  again.frame(page(null, (o) => insertInput(o, [[2, 7]])));
  type(view, view.childNodes[0], 'b');
  assert.equal(again.sent[1], '02010107' + '010162');
});

test('taken over: stops and says so; malformed: starts afresh; too many events: waits', async (t) => {
  const { view, socket } = await live(null, t);
  const before = sockets.length;
  socket.drop(4409);
  await new Promise((done) => setTimeout(done, 40));
  assert.equal(sockets.length, before);
  assert.match(document.body.childNodes.find((n) => n.className === 'bh-notice').textContent, /another place/);
  const b = await live(null, t);
  b.socket.drop(4400);
  assert.equal(b.view.token, '');
  assert.match(document.body.childNodes.find((n) => n.className === 'bh-notice').textContent, /started anew/);
  const c = await live(null, t);
  c.socket.drop(4429);
  const n = sockets.length;
  await new Promise((done) => setTimeout(done, 40));
  assert.equal(sockets.length, n > before ? sockets.length : -1);
  assert.equal(c.view.ws, null);
});

test('a page that others have changed is loaded anew once', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const { view, socket } = await live(page(null, (o) => o.push(5, 0, 0, 1, 3, 0, 1, 2, 1, 0x61)), t);
  view.childNodes[0].childNodes[0].remove();
  socket.frame(frame(2, 0, [1, 2, 1, 0x62]));
  assert.equal(console.warn.mock.callCount(), 1);
  assert.equal(socket.closed, true);
  await new Promise((done) => setTimeout(done, 40));
  sockets.at(-1).connect();
  assert.deepEqual(sockets.at(-1).sent, ['0101' + '0141' + '00' + '00'], 'the same session, everything');
});

test('acknowledgements: at the fourth frame, else after 200 ms', async (t) => {
  const tick = fakeTimers(t);
  const view = mount();
  view.token = '';
  view.open();
  const socket = sockets.at(-1);
  socket.connect();
  socket.frame('00000d010141');
  socket.sent.length = 0;
  for (let i = 1; i <= 3; i++) socket.frame(frame(i, 0));
  assert.deepEqual(socket.sent, []);
  socket.frame(frame(4, 0));
  assert.deepEqual(socket.sent, ['0304']);
  socket.frame(frame(5, 0));
  tick(199);
  assert.equal(socket.sent.length, 1);
  tick(1);
  assert.deepEqual(socket.sent, ['0304', '0305']);
  // Silence: a ping after 25 s, and the end 20 s later.
  tick(24800);
  assert.equal(socket.sent.at(-1), '04');
  tick(20000);
  assert.equal(socket.closed, true);
  view.hangUp();
  view.remove();
});

test('delays grow, are spread, and stop while the page is hidden', async (t) => {
  const tick = fakeTimers(t);
  const view = mount();
  view.token = '';
  more.watch(view);
  view.open();
  for (const ms of [10, 50, 100, 250, 500, 1000, 2000, 5000, 5000]) {
    const n = sockets.length;
    sockets.at(-1).drop();
    tick(Math.floor(ms * 0.7) - 1);
    assert.equal(sockets.length, n, `not before ${ms * 0.7} ms`);
    tick(Math.ceil(ms * 0.6) + 2);
    assert.equal(sockets.length, n + 1, `after ${ms * 1.3} ms`);
  }
  document.hidden = true;
  const n = sockets.length;
  sockets.at(-1).drop();
  tick(60000);
  assert.equal(sockets.length, n);
  document.hidden = false;
  document.dispatchEvent(new Event('visibilitychange'));
  assert.equal(sockets.length, n + 1, 'at once when it is shown again');
  events.dispatchEvent(new Event('pagehide'));
  assert.equal(sockets.at(-1).closed, true);
  events.dispatchEvent(new Event('pageshow'));
  assert.equal(sockets.length, n + 2);
  more.watch(view, 1);
  view.hangUp();
  view.remove();
});

test('too long: refused on that field, nothing sent, the rest goes on', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  let validity;
  el.setCustomValidity = (s) => (validity = s);
  type(view, el, 'x'.repeat(32768));
  assert.deepEqual(socket.sent, []);
  assert.match(validity, /too long/);
  assert.equal(el.hasAttribute('data-bh-refused'), true);
  socket.frame(frame(2, 0, setValue(1, 'old')));
  assert.equal(el.value.length, 32768, 'it stays in the field');
  type(view, el, 'x'.repeat(20000));
  assert.equal(socket.sent.length, 1);
  assert.equal(validity, '');
  assert.equal(el.hasAttribute('data-bh-refused'), false);
});

test('typed while offline: one event, the last content; what is too much is said', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  type(view, el, 'a');
  socket.drop();
  for (let i = 0; i < 2000; i++) type(view, el, 'b'.repeat(i % 50) + 'c');
  assert.equal(view.out.length, 2, 'the one that was sent may have been applied: it stays as it is');
  assert.equal(view.seq, 2);
  assert.deepEqual(view.out[1].body.slice(-2), [98, 99]);
  for (let i = 0; i < 1200; i++) view.event(7, [], el);
  assert.equal(view.out.length, 1000);
  assert.match(document.body.childNodes.find((n) => n.className === 'bh-notice').textContent, /not sent/);
  await new Promise((done) => setTimeout(done, 40));
  const again = sockets.at(-1);
  again.connect();
  again.frame('0000' + '0d02' + '0142');
  assert.equal(again.sent.length, 1 + 1000);
  assert.ok(view.out.every((m) => m.sent));
});

test('closed for a size: the event that did it is not sent again', async (t) => {
  const { view, socket } = await live(page(null, (o) => insertInput(o, [[2, 1]])), t);
  const el = view.childNodes[0];
  type(view, el, 'x'.repeat(5000));
  assert.equal(socket.sent.length, 1);
  socket.drop(1009);
  assert.equal(view.out.length, 0);
  assert.equal(el.hasAttribute('data-bh-refused'), true);
});

test('where the socket is', async (t) => {
  const { socket } = await live(null, t);
  assert.equal(socket.url, 'ws://example.test/app/page?q=1');
  const view = new View();
  view.setAttribute('src', '/counter');
  view.token = '';
  document.body.append(view);
  view.open();
  assert.equal(sockets.at(-1).url, 'ws://example.test/counter');
  assert.equal(sockets.at(-1).protocol, 'backhaul.v1');
  view.hangUp();
  view.remove();
});

test('events carry what the protocol says', () => {
  const el = (tag, more = {}) => Object.assign(document.createElement(tag), more);
  const base = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
  const f = (e, on) => hex(fields({ ...base, target: on, ...e }, on));
  assert.equal(f({ type: 'click', ctrlKey: true }, el('a')), '0402');
  assert.equal(f({ type: 'click' }, el('button', { value: 'v' })), '010176');
  assert.equal(f({ type: 'click' }, el('input', { value: 'v' })), '');
  assert.equal(f({ type: 'keydown', key: 'Enter', shiftKey: true }, el('input', { value: 'v' })), '010176' + '0305456e746572' + '0401');
  assert.equal(f({ type: 'change' }, el('input', { checked: true })), '02');
  assert.equal(f({ type: 'change' }, el('select', { multiple: true, selectedOptions: [{ value: 'a' }, { value: 'b' }] })), '07000161' + '07000162');
  assert.equal(f({ type: 'pointerdown', clientX: 5, clientY: 21, button: 2 }, el('div')), '05' + '0902' + '0602');
  assert.equal(f({ type: 'wheel', deltaX: 0, deltaY: -100 }, el('div')), '0500c701');
  assert.equal(f({ type: 'scroll' }, el('div', { scrollLeft: 0, scrollTop: 64 })), '05008001');
  assert.equal(f({ type: 'toggle' }, el('details', { open: true })), '02');
  assert.equal(f({ type: 'focusout' }, el('input', { value: '1 000' })), '010531203030' + '30');
  assert.equal(f({ type: 'input' }, el('input', { value: 'a\0b' })), '01026162');
  const out = [];
  int(out, 2 ** 32 - 1);
  assert.equal(hex(out), 'ffffffff0f');
});
