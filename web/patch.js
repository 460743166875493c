// SPDX-License-Identifier: MIT
// Frames from the server into the DOM: docs/PROTOCOL.md §3 and §6.
//
// A view v knows its nodes by number (v.ids). What is remembered of a node hangs on it under the
// view's own symbol (v.k), so that views may nest:
//   id    its number
//   h     handlers: event code -> [handler id, flags]
//   p     live properties that the server has set and that are not written yet
//   edit  number of the event that told the server the last edit; Infinity: it will be told
//   own   that event went to a handler of this very control
import { TAGS, ATTRS } from './names.js';
import { on } from './event.js';

// What extra.js adds. All of it is optional.
export const more = {};

const NS = { svg: 'http://www.w3.org/2000/svg', math: 'http://www.w3.org/1998/Math/MathML' };
// A byte order mark is text like any other.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export const info = (v, n) => (n[v.k] ??= {});

const number = (v, n) => {
  v.ids.set((info(v, n).id = v.next++), n);
  return n;
};

// An option's edits are its select's.
const owner = (v, n) => info(v, (n.localName == 'option' && n.closest('select')) || n);

const setAttr = (v, n, name, x) => {
  const prop = name[0] == '.' && name.slice(1);
  if (name == '.selected' || (prop && /^(inp|sel|texta)/.test(n.localName))) {
    const o = owner(v, n);
    // The server's tree takes over what an event to the control tells, and the server then says what
    // is different: what it said before it saw the event is out of date.
    if (o.own && o.edit > v.ack) return;
    (info(v, n).p ??= {})[prop] = x ?? (prop == 'value' ? '' : false);
    v.dirty.add(n);
  } else if (name == 'value' && n.localName == 'textarea') n.defaultValue = x ?? '';
  else if (!x && x !== '') n.removeAttribute(prop || name);
  else n.setAttribute(prop || name, x === true ? '' : x);
};

// Writes live properties, unless the user is ahead of the server or in the middle of a character.
export const flush = (v) => {
  for (const n of v.dirty) {
    if (owner(v, n).edit > v.ack || n == v.composing || more.busy?.(n)) continue;
    v.dirty.delete(n);
    const s = info(v, n);
    for (const k in s.p) if (n[k] !== s.p[k]) (more.write ?? Reflect.set)(n, k, s.p[k]);
    s.p = {};
  }
};

const forget = (v, n) => {
  v.ids.delete(n[v.k]?.id);
  v.dirty.delete(n);
  n.childNodes.forEach((c) => forget(v, c));
};

// Numbers the server's HTML.
export const adopt = (v, parent) => {
  for (const n of [...parent.childNodes]) {
    if (n.nodeType == 8) {
      if (n.data == 'e') n.replaceWith(number(v, new Text()));
      else n.remove();
    } else if (number(v, n).nodeType == 1) {
      const style = n.getAttribute('data-bh-style');
      if (style != null) n.style.cssText = style;
      n.removeAttribute('data-bh-style');
      if (n.localName != 'textarea' && !n.hasAttribute('data-bh-raw')) adopt(v, n);
    }
  }
};

// Applies one frame. Throws if the page is not what the server believes it to be.
export const apply = (v, bytes) => {
  let at = 0;
  const int = () => {
    let n = 0;
    let m = 1;
    let b;
    do {
      n += ((b = bytes[at++]) & 127) * m;
      m *= 128;
    } while (b > 127);
    return n;
  };
  const str = () => {
    const n = int();
    return utf8.decode(bytes.subarray(at, (at += n)));
  };
  const name = (list) => list[int()] || str();
  // Number 0 is the view where a parent is named, and nothing where a neighbour is.
  const node = (zero = v) => {
    const id = int();
    const n = id ? v.ids.get(id) : zero;
    if (n !== null && !n?.isConnected) throw id;
    return n;
  };
  const attr = (n, op) => {
    if (op == 2) setAttr(v, n, name(ATTRS), str());
    else if (op == 3) setAttr(v, n, name(ATTRS));
    else if (op == 4) setAttr(v, n, name(ATTRS), !!int());
    else if (op == 9) on(v, n, int(), [int(), int()]);
    else if (op == 10) delete info(v, n).h[int()];
    else if (op == 11) n.innerHTML = str();
    else if (op == 12) n.style.cssText = str();
    else throw op;
  };
  const build = (ns) => {
    if (int() == 2) return number(v, new Text(str()));
    const tag = name(TAGS);
    ns = NS[tag] ?? ns;
    const n = number(v, document.createElementNS(ns, tag));
    for (let i = int(); i--; ) attr(n, int());
    for (let i = int(); i--; ) n.append(build(tag == 'foreignObject' ? v.namespaceURI : ns));
    return n;
  };
  const move = (n, p, before) => (p.moveBefore ?? more.move ?? p.insertBefore).call(p, n, before);

  const seq = int();
  const ack = int();
  if (seq) {
    if (seq <= v.last) return;
    v.last = seq;
  }
  if (ack > v.ack) v.ack = ack;
  while (at < bytes.length) {
    const op = int();
    if (op == 1) node().data = str();
    else if (op == 5) {
      const p = node();
      const before = node(null);
      p.insertBefore(build(p.localName == 'foreignObject' ? v.namespaceURI : p.namespaceURI), before);
    } else if (op == 6) {
      const n = node();
      const before = node();
      move(n, before.parentNode, before);
    } else if (op == 7) move(node(), node(), null);
    else if (op == 8) {
      const n = v.ids.get(int());
      n.remove();
      forget(v, n);
    } else if (op == 13) v.welcome(int(), str());
    else if (op == 14) {
      v.replaceChildren();
      v.ids.clear();
      v.dirty.clear();
      v.next = 1;
    } else if (op == 16) v.say(str(int()));
    else if (op != 15) attr(node(), op);
  }
  flush(v);
};
