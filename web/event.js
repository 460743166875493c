// SPDX-License-Identifier: MIT
// DOM events to the server: docs/PROTOCOL.md §4. One listener per event type on the view; handlers
// are found by walking from the target up to the view, as the browser would.
import { EVENTS } from './names.js';
import { info, more } from './patch.js';

const utf8 = new TextEncoder();

// A message in the making: numbers and strings.
export const int = (out, n) => {
  for (; n > 127; n = Math.floor(n / 128)) out.push((n % 128) + 128);
  out.push(n);
};
export const str = (out, s) => {
  // The server's handlers get C strings.
  const bytes = utf8.encode((s + '').replaceAll('\0', ''));
  int(out, bytes.length);
  for (const b of bytes) out.push(b);
};

// What a handler on el is told about event e.
export const fields = (e, el) => {
  const out = [];
  const { type } = e;
  const t = /^(inp|sel|texta|but)/.test(el.localName) ? el : e.target;
  const list = t.multiple && t.selectedOptions;
  const edit = /^(inp|cha)/.test(type);
  const pair = (k, x) => {
    out.push(7);
    out.pairs = -~out.pairs;
    str(out, k);
    str(out, x);
  };
  const text = (code, x) => x && str(out, x, out.push(code));
  if ((edit && !list) || /^(key|foc)/.test(type) || (type == 'click' && t.localName == 'button')) text(1, t.value);
  if ((edit && t.checked) || (type == 'toggle' && t.open)) out.push(2);
  text(3, e.key);
  const mods = e.shiftKey + 2 * e.ctrlKey + 4 * e.altKey + 8 * e.metaKey;
  if (mods) out.push(4, mods);
  more.xy?.(out, e, el);
  if (edit && list) for (const o of list) pair('', o.value);
  if (type == 'submit') for (const [k, x] of new FormData(t, e.submitter)) pair(k, x.name ?? x);
  return out;
};

// Event number seq, which went to a handler of el, told the server what is in control n.
export const told = (v, n, el, seq) => {
  const s = info(v, n);
  s.edit = seq;
  s.own = n == el;
  if (s.own) for (const c of [n, ...(n.options ?? [])]) info(v, c).p = {};
};

const handle = (v, e) => {
  // Blur of what we remove, focus of what we move: none of it is the user's doing.
  if (v.busy) return;
  const { type, target } = e;
  const code = EVENTS.indexOf(type);
  for (let el = target; el && el != v; el = el.parentNode) {
    const h = el[v.k]?.h?.[code];
    if (!h || !(e.bubbles || el == target)) continue;
    if (h[1] & 1) e.preventDefault();
    const seq = v.event(h[0], fields(e, el), target);
    if (/^(inp|cha)/.test(type)) told(v, target, el, seq);
    more.sent?.(v, e, el, seq);
    if (h[1] & 2) return e.stopPropagation();
  }
};

export const on = (v, n, code, handler) => {
  const type = EVENTS[code];
  (info(v, n).h ??= {})[code] = handler;
  // Scroll and toggle do not bubble.
  v.heard[type] ??= v.addEventListener(type, (e) => handle(v, e), code == 19 || code == 20) ?? 1;
};
