// SPDX-License-Identifier: MIT
// What a view can run without, but should not: what the user is told, what is too long to send, the
// back/forward cache, the caret, and browsers without moveBefore. Loaded beside the core.
import { flush, info, more } from './patch.js';
import { int, told } from './event.js';

// ---- what the user is told: one bar for all views of a page -------------------------------------
const TEXTS = {
  1: 'Connection lost. Trying again…',
  2: 'Your session had ended. This is a new one.',
  3: 'This is too long to send. It stays here but is not saved.',
  4: 'Too much was entered while offline. What came last is not sent.',
  4400: 'Something went wrong here. The page has started anew.',
  4409: 'This page was opened in another place. Reload it to go on here.',
};
const bar = document.createElement('div');
bar.className = 'bh-notice';
bar.setAttribute('role', 'status');
const said = new Map();

// what: a number of TEXTS, a text of the server's, or 0: nothing any more.
more.say = (view, what, text = TEXTS[what] ?? what) => {
  clearTimeout(view.hush);
  clearTimeout(view.off);
  view.off = 0;
  if (!bar.isConnected) document.body.append(bar);
  if (text) said.set(view, text);
  else said.delete(view);
  bar.textContent = [...said.values()].pop() ?? '';
  if (text && what !== 1 && what !== 4409) view.hush = setTimeout(() => more.say(view, 0), 10000);
};

more.closed = (view, code) => {
  if (code == 1009) more.refuse(view);
  if (code == 4409 || code == 4400) more.say(view, code);
  else if (said.get(view) != TEXTS[1]) view.off ||= setTimeout(more.say, 400, view, 1);
};

// ---- when to connect at once, and when to let go ------------------------------------------------
more.watch = (view, stop) => {
  view.wake ??= (e) => {
    // An open socket would keep the page out of the back/forward cache.
    if (e.type == 'pagehide') view.hangUp();
    else if (!document.hidden && !view.ws && !view.over) view.open();
  };
  const set = stop ? 'removeEventListener' : 'addEventListener';
  document[set]('visibilitychange', view.wake);
  for (const type of ['pageshow', 'pagehide', 'online']) globalThis[set](type, view.wake);
  view.mind ??= (e) => mind(view, e);
  for (const type of ['input', 'focusout', 'compositionstart', 'compositionend']) view[set](type, view.mind);
  if (stop) more.say(view, 0);
};

const mind = (view, { type, target }) => {
  if (type == 'compositionstart') view.composing = target;
  if (type == 'compositionend') view.composing = 0;
  if (type != 'input') return setTimeout(flush, 0, view);
  // An edit that no handler is told of now, but one of change, submit, keyup or blur will be.
  let later;
  for (let el = target; el && el != view; el = el.parentNode) {
    const h = el[view.k]?.h ?? {};
    if (h[2]) return;
    later ||= h[3] || h[4] || h[6] || h[8];
  }
  if (later) info(view, target).edit = Infinity;
};

// ---- events -------------------------------------------------------------------------------------
more.xy = (out, e, el) => {
  let x = 0;
  let y = 0;
  if (e.type == 'wheel') [x, y] = [e.deltaX, e.deltaY];
  else if (e.type == 'scroll') [x, y] = [el.scrollLeft, el.scrollTop];
  else if (/^(mouse|pointer)/.test(e.type)) {
    const box = el.getBoundingClientRect();
    [x, y] = [e.clientX - box.left, e.clientY - box.top];
  }
  [x, y] = [Math.round(x), Math.round(y)];
  if (x || y) {
    out.push(5);
    for (const n of [x, y]) int(out, n < 0 ? -2 * n - 1 : 2 * n);
  }
  if (e.button > 0 && e.type != 'wheel') out.push(6, e.button);
};

// What else the server has learned of by an event: a radio button that is switched on switches off
// the others of its name; keys and blur tell a text field's content; a submitted form says what is in
// all its fields.
more.sent = (view, e, el, seq) => {
  const { type, target } = e;
  if (/^(inp|cha)/.test(type) && target.type == 'radio') {
    for (const r of view.querySelectorAll('[type=radio]')) {
      if (r.name == target.name) told(view, r, el == target ? r : el, seq);
    }
  } else if (type == 'submit') {
    for (const c of target.elements) if (info(view, c).edit == Infinity) told(view, c, el, seq);
  } else if (/^(key|foc)/.test(type) && /^(inp|texta)/.test(target.localName) && !/^(check|rad)/.test(target.type)) {
    told(view, target, el, seq);
  }
};

// Infinity if event m must not be sent: over the server's limit, it would only cost the connection. The
// number of an earlier one if that one tells it now: typed offline, only the last content counts.
// Without m: the server has closed the socket because of a size, so its limit is lower than we knew.
const MAX_FIELDS = 256;
more.refuse = (view, m) => {
  const size = (m) => m.body.length + 20;
  view.max ??= +view.dataset.max || 32768;
  if (!m) {
    m = view.out.reduce((a, b) => (size(a) < size(b) ? b : a), { body: [] });
    if (!m.target) return false;
    // Numbers have no gaps.
    view.out = view.out.filter((o) => o != m);
    for (const o of view.out) if (o.seq > m.seq) o.seq--;
    view.seq--;
    view.max = size(m) - 1;
  }
  const { target, body } = m;
  const data = target.dataset ?? {};
  if (size(m) > view.max || m.body.pairs > MAX_FIELDS) {
    data.bhRefused = '';
    target.setCustomValidity?.(TEXTS[3]);
    target.reportValidity?.();
    more.say(view, 3);
    return Infinity;
  }
  if ('bhRefused' in data && body.length) {
    delete data.bhRefused;
    target.setCustomValidity?.('');
    more.say(view, 0);
  }
  const last = view.out[view.out.length - 1];
  if (last && !last.sent && last.hid == m.hid && last.target == target && body[0] == 1 && 'value' in target) {
    last.body = body;
    return last.seq;
  }
  if (view.out.length < 1000) return 0;
  more.say(view, 4);
  return Infinity;
};

// ---- writing ------------------------------------------------------------------------------------
const focused = (el) => el == el.ownerDocument.activeElement;

// In the middle of a number such as "1e".
more.busy = (el) => focused(el) && el.validity?.badInput;

// The caret keeps its distance from the end; a number that is typed keeps its shape ("3.0").
more.write = (el, k, x) => {
  if (k != 'value' || !focused(el)) {
    // A file field takes nothing but "".
    if (el.type != 'file' || !x) el[k] = x;
    return;
  }
  if (el.type == 'number' && x && +x == +el.value) return;
  const { length } = el.value;
  const caret = el.selectionStart != null && [el.selectionStart, el.selectionEnd];
  el.value = x;
  if (caret) el.setSelectionRange(...caret.map((c) => Math.max(0, x.length + c - length)));
};

// Where moveBefore is missing: focus, selection and scroll positions are put back.
more.move = function (node, before) {
  const el = document.activeElement;
  const range = node.contains(el) && [el.selectionStart, el.selectionEnd];
  const scrolled = [node, ...(node.querySelectorAll?.('*') ?? [])]
    .filter((n) => n.scrollTop || n.scrollLeft)
    .map((n) => [n, n.scrollLeft, n.scrollTop]);
  this.insertBefore(node, before);
  for (const [n, x, y] of scrolled) n.scrollTo(x, y);
  if (!range) return;
  el.focus({ preventScroll: true });
  if (range[0] != null) el.setSelectionRange(...range);
};
