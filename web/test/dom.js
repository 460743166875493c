// SPDX-License-Identifier: MIT
// A DOM that is just large enough to run the client in Node. For tests only.
const HTML = 'http://www.w3.org/1999/xhtml';

class FakeNode extends EventTarget {
  childNodes = [];
  parentNode = null;
  get isConnected() {
    let n = this;
    while (n.parentNode) n = n.parentNode;
    return n === document.body;
  }
  remove() {
    if (!this.parentNode) return;
    const list = this.parentNode.childNodes;
    list.splice(list.indexOf(this), 1);
    this.parentNode = null;
  }
  insertBefore(node, before) {
    if (before === undefined) throw new TypeError('insertBefore: undefined');
    if (before && before.parentNode !== this) throw new Error('NotFoundError');
    for (let n = this; n; n = n.parentNode) if (n === node) throw new Error('HierarchyRequestError');
    if (before === node) return node;
    node.remove();
    const list = this.childNodes;
    list.splice(before ? list.indexOf(before) : list.length, 0, node);
    node.parentNode = this;
    return node;
  }
  append(...nodes) {
    for (const n of nodes) this.insertBefore(n, null);
  }
  replaceChildren() {
    for (const n of [...this.childNodes]) n.remove();
  }
  replaceWith(node) {
    this.parentNode.insertBefore(node, this);
    this.remove();
  }
  contains(node) {
    for (let n = node; n; n = n.parentNode) if (n === this) return true;
    return false;
  }
  normalize() {
    for (let i = 0; i < this.childNodes.length; i++) {
      const a = this.childNodes[i];
      const b = this.childNodes[i + 1];
      if (a.nodeType === 3 && b?.nodeType === 3) {
        a.data += b.data;
        b.remove();
        i--;
      } else a.normalize();
    }
  }
}

export class FakeText extends FakeNode {
  nodeType = 3;
  constructor(data = '') {
    super();
    this.data = data;
  }
}
export class FakeComment extends FakeNode {
  nodeType = 8;
  constructor(data = '') {
    super();
    this.data = data;
  }
}

export class FakeElement extends FakeNode {
  nodeType = 1;
  localName = 'backhaul-view';
  namespaceURI = HTML;
  attributes = new Map();
  style = { cssText: '' };
  // What has been written as a property, and how often.
  props = {};
  writes = 0;
  get dataset() {
    const self = this;
    const attr = (k) => 'data-' + k.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase());
    return new Proxy({}, {
      get: (_, k) => self.attributes.get(attr(k)),
      set: (_, k, x) => (self.attributes.set(attr(k), String(x)), true),
      has: (_, k) => self.attributes.has(attr(k)),
      deleteProperty: (_, k) => (self.attributes.delete(attr(k)), true),
    });
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name) {
    return this.attributes.has(name);
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name) {
    if (name === 'style') this.style.cssText = '';
    this.attributes.delete(name);
  }
  get type() {
    return this.attributes.get('type') ?? { select: 'select-one', textarea: 'textarea', input: 'text' }[this.localName];
  }
  get innerHTML() {
    return this.html;
  }
  set innerHTML(html) {
    this.replaceChildren();
    this.html = html;
  }
  closest(tag) {
    for (let n = this; n; n = n.parentNode) if (n.localName === tag) return n;
    return null;
  }
  querySelectorAll() {
    const all = [];
    const walk = (n) => {
      for (const c of n.childNodes) {
        if (c.nodeType === 1) all.push(c);
        walk(c);
      }
    };
    walk(this);
    return all;
  }
  getBoundingClientRect() {
    return { left: 10, top: 20 };
  }
}
for (const k of ['value', 'checked', 'selected']) {
  Object.defineProperty(FakeElement.prototype, k, {
    get() {
      if (k in this.props) return this.props[k];
      return k === 'value' ? (this.attributes.get('value') ?? '') : this.attributes.has(k);
    },
    set(x) {
      this.props[k] = x;
      this.writes++;
    },
  });
}

// An event that bubbles as far as it should.
export const fire = (target, type, init = {}) => {
  const e = new Event(type, { bubbles: !['scroll', 'toggle'].includes(type), cancelable: true });
  Object.defineProperty(e, 'target', { value: target });
  for (const k in init) Object.defineProperty(e, k, { value: init[k] });
  let stopped = false;
  e.stopPropagation = () => (stopped = true);
  for (let n = target; n && !stopped; n = n.parentNode) {
    for (const [t, fn, capture] of n.listeners ?? []) if (t === type && (e.bubbles || capture)) fn(e);
  }
  return { prevented: e.defaultPrevented, stopped };
};
FakeElement.prototype.addEventListener = function (type, fn, capture) {
  (this.listeners ??= []).push([type, fn, capture]);
};
FakeElement.prototype.removeEventListener = function (type, fn) {
  this.listeners = (this.listeners ?? []).filter((l) => l[0] !== type || l[1] !== fn);
};

const element = (ns, tag) => {
  const el = new FakeElement();
  el.localName = tag;
  el.namespaceURI = ns;
  if (tag === 'textarea') Object.defineProperty(el, 'defaultValue', { set: (x) => (el.attributes.set('value', x)) });
  return el;
};

// The HTML of a first page, as a browser would parse it: only what the server's writer makes.
const VOID = /^(area|br|col|hr|img|input|source|track|wbr)$/;
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
const plain = (s) => s.replace(/&(#?\w+);/g, (all, name) => {
  if (!(name in ENTITIES)) throw new Error('entity ' + all);
  return ENTITIES[name];
});
export const parse = (view, html) => {
  const stack = [view];
  const re = /<!--(.*?)-->|<\/([\w-]+)>|<([\w-]+)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*>|([^<]+)/gsy;
  let m;
  let end = 0;
  while ((m = re.exec(html))) {
    end = re.lastIndex;
    const top = stack.at(-1);
    if (m[1] !== undefined) top.append(new FakeComment(m[1]));
    else if (m[2]) stack.pop();
    else if (m[5]) {
      let text = plain(m[5]);
      if (/^(pre|textarea|listing)$/.test(top.localName) && !top.childNodes.length) text = text.replace(/^\n/, '');
      if (text) top.append(new FakeText(text));
    } else {
      const tag = m[3];
      const parent = top.localName.toLowerCase() === 'foreignobject' ? HTML : top.namespaceURI;
      const ns = { svg: 'http://www.w3.org/2000/svg', math: 'http://www.w3.org/1998/Math/MathML' }[tag] ?? parent;
      const el = element(ns, tag);
      for (const [, name, value] of (m[4] ?? '').matchAll(/([^\s=>]+)(?:="([^"]*)")?/g)) el.setAttribute(name, plain(value ?? ''));
      top.append(el);
      if (!VOID.test(tag)) stack.push(el);
    }
  }
  if (end !== html.length || stack.length !== 1) throw new Error('cannot parse ' + html.slice(end));
};

export const sockets = [];
class FakeSocket {
  sent = [];
  constructor(url, protocol) {
    this.url = String(url);
    this.protocol = protocol;
    sockets.push(this);
  }
  send(bytes) {
    if (!this.open) throw new Error('send before open');
    this.sent.push(Buffer.from(bytes).toString('hex'));
  }
  close() {
    this.closed = true;
  }
  // What the network does.
  connect() {
    this.open = true;
    this.readyState = 1;
    this.onopen();
  }
  frame(hex) {
    this.onmessage({ data: Uint8Array.from(Buffer.from(hex, 'hex')).buffer });
  }
  drop(code = 1006) {
    this.open = false;
    this.onclose({ code });
  }
}

export const defined = {};
export const events = new EventTarget();
const doc = new EventTarget();
Object.assign(doc, {
  body: new FakeElement(),
  hidden: false,
  baseURI: 'http://example.test/app/page',
  activeElement: null,
  createElementNS: element,
  createElement: (tag) => element(HTML, tag),
});
doc.body.localName = 'body';
Object.assign(globalThis, {
  document: doc,
  HTMLElement: FakeElement,
  Text: FakeText,
  WebSocket: FakeSocket,
  location: { toString: () => 'http://example.test/app/page?q=1#part' },
  customElements: { define: (name, type) => (defined[name] = type) },
  addEventListener: (t, f) => events.addEventListener(t, f),
  removeEventListener: (t, f) => events.removeEventListener(t, f),
});
doc.body.ownerDocument = doc;
Object.defineProperty(FakeNode.prototype, 'ownerDocument', { get: () => doc });

// The page in the notation of tests/wire/README.md.
export const notation = (view, EVENTS) => {
  const one = (n) => {
    if (n.nodeType === 3) return n.data;
    const out = { tag: n.localName };
    const ns = { 'http://www.w3.org/2000/svg': 'svg', 'http://www.w3.org/1998/Math/MathML': 'math' }[n.namespaceURI];
    if (ns) out.ns = ns;
    const attrs = Object.fromEntries([...n.attributes].filter(([k]) => k !== 'style' && k !== 'data-bh-raw'));
    if (Object.keys(attrs).length) out.attrs = attrs;
    if (Object.keys(n.props).length) out.props = { ...n.props };
    if (n.style.cssText) out.style = n.style.cssText;
    const on = Object.entries(n[view.k]?.h ?? {}).map(([code, h]) => [EVENTS[code], h]);
    if (on.length) out.on = Object.fromEntries(on);
    if (n.html) out.html = n.html;
    const children = n.childNodes.filter((c) => c.nodeType !== 8).map(one);
    if (children.length) out.children = children;
    return out;
  };
  return view.childNodes.map(one);
};
