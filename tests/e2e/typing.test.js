// SPDX-License-Identifier: MIT
// Fingers against a slow server: 300 ms there and back, unless a test says otherwise.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PAGES, context, network, noComplaints, notice, serve, settled, shows, sleep, visit } from './lib.js';

const server = await serve(PAGES);
const slow = await network(server.port, 150);
test.after(async () => {
  await slow.close();
  await server.stop();
});
// The network is slow from the moment the page is live.
const open = async (path, options) => {
  slow.delay = 0;
  const page = await visit(slow.url + path, options);
  slow.delay = 150;
  return page;
};
const value = (page, selector) => page.inputValue(selector);
const caret = (page, selector) => page.$eval(selector, (el) => [el.selectionStart, el.selectionEnd]);

test('B41: typing faster than the round trip loses nothing', async () => {
  const page = await open('/typing');
  const words = 'the quick brown fox';
  await page.locator('#text').pressSequentially(words, { delay: 40 });
  assert.equal(await value(page, '#text'), words);
  await shows(page, '#echo', words);
  await settled(page);
  assert.equal(await value(page, '#text'), words);
  assert.deepEqual(await caret(page, '#text'), [19, 19]);
  await shows(page, '#error', '19 bytes, too few');
  assert.equal(await value(page, '#area'), words, 'the other control that shows the same state follows');
  await page.context().close();
});

test('B42: typing in the middle of a word keeps the caret there', async () => {
  const page = await open('/typing');
  await page.locator('#text').fill('hello');
  await settled(page);
  await page.$eval('#text', (el) => (el.focus(), el.setSelectionRange(2, 2)));
  await page.keyboard.type('XYZ', { delay: 30 });
  await shows(page, '#echo', 'heXYZllo');
  await settled(page);
  assert.equal(await value(page, '#text'), 'heXYZllo');
  assert.deepEqual(await caret(page, '#text'), [5, 5]);
  await page.context().close();
});

test('a value that the server changes: capitals, the caret stays in its place', async () => {
  const page = await open('/typing');
  await page.locator('#upper').pressSequentially('hello', { delay: 30 });
  await page.waitForFunction(() => document.querySelector('#upper').value === 'HELLO');
  await page.$eval('#upper', (el) => el.setSelectionRange(2, 2));
  await page.keyboard.type('xyz', { delay: 60 });
  await page.waitForFunction(() => document.querySelector('#upper').value === 'HEXYZLLO');
  assert.deepEqual(await caret(page, '#upper'), [5, 5]);
  await page.context().close();
});

test('B44: what is typed after the submit stays, and both sides agree', async () => {
  const page = await open('/clearing');
  await page.locator('#item').pressSequentially('a', { delay: 20 });
  await page.keyboard.press('Enter');
  await page.keyboard.type('b');
  await shows(page, '#log', 'a');
  await settled(page);
  await sleep(400);
  const [shown, known] = [await value(page, '#item'), await page.textContent('#text')];
  assert.equal(shown, known);
  assert.equal(shown, 'ab', 'the edit that came after the submit is the newest word');
  await page.keyboard.press('Enter');
  await shows(page, '#log', 'ab');
  await page.waitForFunction(() => document.querySelector('#item').value === '');
  await page.context().close();
});

test('B45: a textarea is cleared, focused or not', async () => {
  const page = await open('/clearing');
  await page.click('#clear');
  await page.waitForFunction(() => document.querySelector('#area').value === '');
  await page.locator('#area').pressSequentially('more\ntext', { delay: 20 });
  await shows(page, '#areatext', 'more\ntext');
  // By the keyboard of the server's side: the button is clicked by script, the focus stays in the field.
  await page.$eval('#clear', (b) => b.click());
  await page.waitForFunction(() => document.querySelector('#area').value === '');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'area');
  assert.equal(await page.$eval('#area', (el) => el.childNodes.length <= 1), true, 'never by child text');
  await page.context().close();
});

test('B46: a tidied value is shown although the state is the same as before', async () => {
  const page = await open('/clearing');
  await page.locator('#tidy').fill('1 0 00');
  await page.locator('#item').focus();
  await page.waitForFunction(() => document.querySelector('#tidy').value === '1000');
  await shows(page, '#tidied', '1000');
  await page.context().close();
});

test('B47: ticks beside them leave alone what nobody controls', async () => {
  const page = await open('/ticking');
  await page.fill('#text', 'mine');
  await page.fill('#area', 'mine too');
  await page.check('#box');
  await page.selectOption('#select', 'b');
  await page.click('summary');
  const first = Number(await page.textContent('#tick'));
  await page.waitForFunction((n) => Number(document.querySelector('#tick').textContent) > n + 60, first);
  assert.deepEqual(
    await page.evaluate(() => ['#text', '#area', '#select'].map((s) => document.querySelector(s).value)),
    ['mine', 'mine too', 'b']);
  assert.equal(await page.isChecked('#box'), true);
  assert.equal(await page.$eval('#details', (d) => d.open), true);
  await page.context().close();
});

test('B48: checkboxes follow their keys; one that is fixed goes back', async () => {
  const page = await open('/choosing');
  await page.check('#c1');
  await settled(page);
  await page.click('#remove');
  await page.waitForFunction(() => !document.querySelector('#c0'));
  assert.deepEqual(await page.evaluate(() => [1, 2, 3].map((i) => document.querySelector('#c' + i).checked)), [true, false, false]);
  await page.$eval('#fixed', (el) => el.click());
  assert.equal(await page.isChecked('#fixed'), false, 'until the server has answered');
  await page.waitForFunction(() => document.querySelector('#fixed').checked);
  await page.$eval('#r0', (el) => el.click());
  await page.waitForFunction(() => document.querySelector('#r1').checked && !document.querySelector('#r0').checked);
  await page.context().close();
});

test('B49: selects follow the server after the user has touched them', async () => {
  const page = await open('/choosing');
  const many = () => page.$eval('#many', (el) => [...el.selectedOptions].map((o) => o.value).join());
  assert.equal(await many(), '1,2');
  await page.selectOption('#many', ['0', '4']);
  await shows(page, '#mask', '17');
  assert.equal(await many(), '0,4');
  await page.click('#to8');
  await shows(page, '#mask', '8');
  assert.equal(await many(), '3');
  await page.click('#shift');
  await page.waitForFunction(() => document.querySelector('#many').options[0].value === '1');
  assert.equal(await many(), '3', 'the options were replaced around it');
  assert.equal(await value(page, '#one'), 'b');
  await page.selectOption('#one', 'c');
  await shows(page, '#onetext', 'c');
  assert.equal(await many(), '3');
  await page.context().close();
});

test('B50: no digit or dot is eaten while a number is typed', async () => {
  const page = await open('/number');
  for (const typed of ['3.14', '1e3', '0.50']) {
    await page.fill('#number', '');
    await settled(page);
    await page.locator('#number').pressSequentially(typed, { delay: 200 });
    await shows(page, '#echo', String(Number(typed)));
    await settled(page);
    assert.equal(Number(await value(page, '#number')), Number(typed));
  }
  await page.context().close();
});

for (const mode of ['moveBefore', 'without moveBefore']) {
  test(`B51: focus, selection and scroll survive inserts and moves (${mode})`, async () => {
    const c = await context();
    if (mode !== 'moveBefore') {
      await c.addInitScript(() => {
        for (const type of [Element, Document, DocumentFragment]) delete type.prototype.moveBefore;
      });
    }
    const page = await open('/moving', { context: c });
    assert.equal(await page.evaluate(() => 'moveBefore' in document.body), mode === 'moveBefore');
    await page.$eval('#scroller', (el) => (el.scrollTop = 123));
    // The patch comes 300 ms later, when the user is in the field.
    await page.$eval('#turn', (el) => el.click());
    await page.focus('#i3');
    await page.fill('#i3', 'half typed');
    await page.$eval('#i3', (el) => el.setSelectionRange(2, 6));
    for (let turn = 1; turn <= 5; turn++) {
      await page.waitForFunction((t) => document.querySelector('#rows li').textContent === 'new ' + t, turn);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'i3');
      assert.deepEqual(await caret(page, '#i3'), [2, 6]);
      assert.equal(await value(page, '#i3'), 'half typed');
      assert.equal(await page.$eval('#scroller', (el) => el.scrollTop), 123);
      const order = await page.$$eval('#rows input', (all) => all.map((el) => el.id.slice(1)).join(''));
      assert.equal(order, [0, 1, 2, 3, 4, 5].map((i) => (i + turn) % 6).join(''));
      await page.$eval('#turn', (el) => el.click());
    }
    await c.close();
  });
}

test('B52: a word that is composed comes once, and nothing is written into it', async () => {
  const page = await open('/typing');
  await page.focus('#upper');
  await page.evaluate(() => {
    globalThis.writes = [];
    const el = document.querySelector('#upper');
    const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    Object.defineProperty(el, 'value', { get: own.get, set(x) {
      globalThis.writes.push([globalThis.composing, x]);
      own.set.call(this, x);
    } });
    el.addEventListener('compositionstart', () => (globalThis.composing = true));
    el.addEventListener('compositionend', () => (globalThis.composing = false));
  });
  const cdp = await page.context().newCDPSession(page);
  for (const s of ['n', 'ni', 'nih', 'niho']) {
    await cdp.send('Input.imeSetComposition', { text: s, selectionStart: s.length, selectionEnd: s.length });
    await sleep(250);
  }
  await cdp.send('Input.insertText', { text: 'niho' });
  await page.waitForFunction(() => document.querySelector('#upper').value === 'NIHO');
  await settled(page);
  assert.equal(await value(page, '#upper'), 'NIHO');
  assert.deepEqual((await page.evaluate(() => globalThis.writes)).filter(([composing]) => composing), []);
  await page.context().close();
});

test('B33: pastes up to the limit arrive; larger ones are refused on that field, the rest goes on', async () => {
  const page = await visit(server.url + '/going');
  const paste = (s) => page.$eval('#big', (el, s) => {
    el.focus();
    el.select();
    document.execCommand('insertText', false, s);
  }, s);
  await page.fill('#other', 'half');
  await paste('x'.repeat(20000));
  await shows(page, '#size', '20000');
  for (const [what, s] of [['40 KB', 'y'.repeat(40000)], ['2 MB', 'z'.repeat(2000000)], ['emoji', '😀'.repeat(20000)]]) {
    await page.$eval('#big', (el, s) => {
      el.value = s;
      el.dispatchEvent(new Event('input', { bubbles: true }));
    }, s);
    assert.match(await notice(page), /too long/, what);
    assert.equal(await page.$eval('#big', (el) => el.validity.customError), true, what);
    assert.equal((await page.inputValue('#big')).length, s.length, 'the text is not taken away');
  }
  await page.fill('#other', 'the rest');
  await shows(page, '#othertext', 'the rest');
  await shows(page, '#size', '20000');
  await paste('short again');
  await shows(page, '#size', '11');
  assert.equal(await page.$eval('#big', (el) => el.validity.customError), false);
  assert.equal(await notice(page), '');
  await page.context().close();
});

test('B34: a second click on a button that replaces itself does nothing', async () => {
  const page = await open('/going');
  // The server has taken the button away by the second click, the page does not know yet.
  await page.$eval('#once', (el) => {
    el.click();
    return new Promise((done) => setTimeout(() => done(el.click()), 120));
  });
  await page.waitForFunction(() => !document.querySelector('#once'));
  await settled(page);
  await shows(page, '#count', '1');
  await page.context().close();
});

test('B35: the blur of a field that the server takes away is nobody\'s doing', async () => {
  const page = await open('/going');
  await page.focus('#enter');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.querySelector('#enter'));
  await page.click('#click');
  await shows(page, '#clicks', '1');
  await shows(page, '#blurs', '0');
  await page.context().close();
});

test('B38: a press that is dragged off a button is no click', async () => {
  const page = await open('/going');
  const box = await page.locator('#click').boundingBox();
  await page.mouse.move(box.x + 3, box.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + 3, box.y + 300);
  await page.mouse.up();
  await page.click('#click');
  await shows(page, '#clicks', '1');
  await page.context().close();
});

noComplaints();
