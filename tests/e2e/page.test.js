// SPDX-License-Identifier: MIT
// The page around us: several views, other people's hands on our nodes, first pages, policies.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GALLERY, PAGES, alive, context, noComplaints, notice, serve, settled, shows, sleep, text, visit } from './lib.js';

const dir = mkdtempSync(join(tmpdir(), 'bh-page-'));
writeFileSync(join(dir, 'two.html'), `<!doctype html><title>two</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/_bh/bh.css">
<script type="module" src="/_bh/bh.js"></script><h1>My own page</h1>
<backhaul-view id="a" src="/counter"></backhaul-view><backhaul-view id="b" src="/counter"></backhaul-view>
<backhaul-view id="c" src="../clock"></backhaul-view>`);
const gallery = await serve(GALLERY, { args: [`--static-dir=${dir}`] });
const pages = await serve(PAGES);
test.after(async () => {
  await gallery.stop();
  await pages.stop();
  rmSync(dir, { recursive: true });
});

test('the policy is the strict one', async () => {
  for (const path of ['/counter', '/static/two.html']) {
    const { headers } = await fetch(gallery.url + path);
    const csp = headers.get('content-security-policy');
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"]) {
      assert.ok(csp?.includes(part), `${path}: ${part} in ${csp}`);
    }
    assert.doesNotMatch(csp, /unsafe/);
  }
});

test('several views in one page, each its own session; one is taken out and put back', async () => {
  const page = await visit(gallery.url + '/static/two.html');
  await page.locator('#a').getByRole('button', { name: 'more' }).click();
  await page.locator('#b').getByRole('button', { name: 'less' }).click();
  await shows(page, '#a output', '1');
  await shows(page, '#b output', '-1');
  await page.waitForFunction(() => document.querySelector('#c time').textContent.length === 8);
  await page.evaluate(() => {
    globalThis.a = document.querySelector('#a');
    globalThis.a.remove();
  });
  await sleep(100);
  assert.equal(await page.evaluate(() => globalThis.a.ws), null, 'its socket is closed');
  await page.evaluate(() => document.body.append(globalThis.a));
  await page.locator('#a').getByRole('button', { name: 'more' }).click();
  await shows(page, '#a output', '2');
  await page.evaluate(() => {
    const v = document.createElement('backhaul-view');
    v.setAttribute('src', '/todo');
    v.id = 'd';
    document.body.append(v);
  });
  await shows(page, '#d h1', 'To do');
  await page.context().close();
});

test('B62: a page translator and a script that deletes: loaded anew, same state, no dead page', async () => {
  const expected = [/loads the page anew/];
  const page = await visit(gallery.url + '/counter', { expected });
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  // As the translator of a browser does it: texts go into font elements, which replace them.
  const vandal = () => page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('backhaul-view'), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const t of texts) {
      const outer = document.createElement('font');
      const inner = document.createElement('font');
      inner.textContent = t.data;
      outer.append(inner);
      t.replaceWith(outer);
    }
  });
  await settled(page);
  await vandal();
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '2');
  for (let i = 3; i < 10; i++) {
    await page.getByRole('button', { name: 'more' }).click();
    await shows(page, 'output', String(i));
  }
  await settled(page);
  await page.evaluate(() => document.querySelector('output').remove());
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '10');
  assert.equal(await notice(page), '');
  await page.context().close();

  const list = await visit(gallery.url + '/todo', { expected });
  for (const item of ['one', 'two', 'three']) {
    await list.getByLabel('New item').fill(item);
    await list.getByLabel('New item').press('Enter');
    await list.waitForFunction(() => document.querySelector('form input').value === '');
  }
  await settled(list);
  await list.evaluate(() => document.querySelectorAll('li')[2].remove());
  await list.getByRole('button', { name: 'move down one' }).click();
  await list.waitForFunction(() => [...document.querySelectorAll('li label')].map((l) => l.textContent).join().startsWith('two,one'));
  await list.getByRole('button', { name: 'done', exact: true }).click();
  await list.waitForFunction(() => !document.querySelector('li'));
  await list.getByRole('button', { name: 'all', exact: true }).click();
  await list.waitForFunction(() => [...document.querySelectorAll('li label')].map((l) => l.textContent).join() === 'two,one,three');
  await list.context().close();
});

test('first pages: texts, styles, raw HTML, SVG and foreignObject are adopted and then patched', async () => {
  const page = await visit(pages.url + '/shapes');
  const state = () => page.evaluate(() => ({
    texts: document.querySelector('#texts').textContent,
    style: document.querySelector('#styled').style.paddingLeft,
    raw: document.querySelector('#raw').innerHTML,
    pre: document.querySelector('#pre').textContent,
    r: document.querySelector('circle').getAttribute('r'),
    ns: [document.querySelector('circle'), document.querySelector('#inside'), document.querySelector('#svg').lastElementChild].map((n) => n.namespaceURI.split('/').pop()),
    last: document.querySelector('#svg').lastElementChild.localName,
    cell: document.querySelector('#cell').textContent,
    odd: document.querySelector('#odd').textContent,
    area: document.querySelector('#area').value,
  }));
  const odd = '\ufeff&lt;script>alert(1)</script> 👩‍👧';
  assert.deepEqual(await state(), {
    texts: 'ab0c', style: '3px', raw: '<b>one</b><!-- kept -->', pre: '\nfirst line is empty', r: '1',
    ns: ['svg', 'xhtml', 'svg'], last: 'foreignObject', cell: '0', odd, area: '\nline',
  });
  const adopted = await page.evaluate(() => document.querySelector('#inside'));
  await page.fill('#inside', 'kept');
  await page.click('#more');
  await shows(page, '#cell', '1');
  assert.deepEqual(await state(), {
    texts: 'ab1', style: '4px', raw: '<i>two</i>', pre: '\nfirst line is empty', r: '2',
    ns: ['svg', 'xhtml', 'svg'], last: 'rect', cell: '1', odd, area: '\nline',
  });
  assert.equal(await page.inputValue('#inside'), 'kept');
  await page.click('#more');
  await shows(page, '#texts', 'ab2c');
  assert.ok(adopted);
  await page.context().close();
});

test('typed before the page is live: it stays', async () => {
  const c = await context();
  let go;
  const gate = new Promise((done) => (go = done));
  await c.route('**/_bh/patch.js', async (r) => {
    await gate;
    await r.continue();
  });
  const page = await c.newPage();
  await page.goto(gallery.url + '/todo', { waitUntil: 'commit' });
  await page.fill('form input', 'early');
  go();
  await alive(page);
  assert.equal(await page.inputValue('form input'), 'early');
  await page.locator('form input').press('End');
  await page.keyboard.type('!');
  await page.keyboard.press('Enter');
  await shows(page, 'li label', 'early!');
  await c.close();
});

test('text is text: markup that is typed never becomes markup', async () => {
  const page = await visit(gallery.url + '/todo');
  const evil = '<img src=x onerror=alert(1)>&amp;{"tagName":"img"}';
  await page.getByLabel('New item').fill(evil);
  await page.getByLabel('New item').press('Enter');
  await shows(page, 'li label', evil);
  assert.equal(await page.locator('li img').count(), 0);
  assert.equal(await text(page, 'li label'), evil);
  await page.context().close();
});

noComplaints();
