// SPDX-License-Identifier: MIT
// The gallery: every example works, first page and live; keyboard and focus; two tabs talk.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { GALLERY, context, noComplaints, serve, settled, shows, until, visit, text } from './lib.js';

const server = await serve(GALLERY);
test.after(() => server.stop());

test('the index shows every example, and two of them live', async () => {
  const page = await visit(server.url + '/');
  for (const name of ['Counter', 'Clock', 'To do', 'Form', 'Chat', 'Monitor']) {
    assert.ok(await page.getByRole('link', { name, exact: true }).isVisible(), name);
  }
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '4');
  await page.getByRole('link', { name: 'To do' }).click();
  await page.waitForURL(/\/todo$/);
  await page.close();
});

test('the first page is there without JavaScript', async () => {
  const c = await context({ javaScriptEnabled: false });
  const page = await c.newPage();
  await page.goto(server.url + '/todo');
  assert.match(await text(page, 'h1'), /To do/);
  await c.close();
});

test('the server renders the first page once and the client adopts it', async () => {
  const c = await context();
  const page = await c.newPage();
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      globalThis.first = document.querySelector('output');
      new MutationObserver((all) => (globalThis.changes = (globalThis.changes ?? 0) + all.flatMap((m) => [...m.addedNodes]).length))
        .observe(document.querySelector('backhaul-view'), { childList: true, subtree: true });
    });
  });
  await page.goto(server.url + '/counter');
  await page.waitForFunction(() => document.querySelector('backhaul-view').live);
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  assert.equal(await page.evaluate(() => globalThis.first === document.querySelector('output')), true);
  assert.equal(await page.evaluate(() => globalThis.changes ?? 0), 0, 'nothing was added');
  assert.equal(await page.getAttribute('backhaul-view', 'data-token'), null, 'the secret does not stay in the page');
  await c.close();
});

test('counter', async () => {
  const page = await visit(server.url + '/counter');
  for (let i = 0; i < 5; i++) await page.getByRole('button', { name: 'more' }).click();
  await page.getByRole('button', { name: 'less' }).click();
  await shows(page, 'output', '4');
  await page.getByRole('button', { name: 'more' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await shows(page, 'output', '6');
  await page.context().close();
});

test('todo: add, toggle, filter, delete; focus stays on reorder', async () => {
  const page = await visit(server.url + '/todo');
  const input = page.getByLabel('New item');
  for (const item of ['milk', 'bread', 'tea']) {
    await input.fill(item);
    await input.press('Enter');
    await page.waitForFunction(() => document.querySelector('form input').value === '');
  }
  await shows(page, '[role=status]', '3 of 3 open');
  await page.getByLabel('bread', { exact: true }).check();
  await shows(page, '[role=status]', '2 of 3 open');
  assert.equal(await page.locator('li.done').count(), 1);

  // Moving the item with the keyboard: the button that is pressed keeps the focus, twice.
  const up = page.getByRole('button', { name: 'move up tea' });
  await up.focus();
  await page.evaluate(() => (globalThis.before = document.activeElement));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => [...document.querySelectorAll('li label')].map((l) => l.textContent).join() === 'milk,tea,bread');
  assert.equal(await page.evaluate(() => document.activeElement === globalThis.before), true);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => [...document.querySelectorAll('li label')].map((l) => l.textContent).join() === 'tea,milk,bread');
  assert.equal(await page.evaluate(() => document.activeElement === globalThis.before), true);

  await page.getByRole('button', { name: 'done', exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll('li').length === 1);
  await page.getByRole('button', { name: 'all', exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll('li').length === 3);
  assert.equal(await page.getByLabel('bread', { exact: true }).isChecked(), true);
  await page.getByRole('button', { name: 'delete milk' }).click();
  await page.waitForFunction(() => document.querySelectorAll('li').length === 2);
  await page.context().close();
});

test('form: every kind of input, errors, reset', async () => {
  const page = await visit(server.url + '/form');
  await page.getByRole('button', { name: 'Save' }).click();
  await shows(page, '[role=status]', 'Not saved.');
  assert.match(await text(page, '.error'), /Who are you/);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('E-mail').fill('ada@example.test');
  await page.getByLabel('Password').fill('longenough');
  await page.getByLabel('Age').fill('36');
  await page.getByLabel('Volume').fill('70');
  await page.getByLabel('Born').fill('1815-12-10');
  await page.getByLabel('Colour').fill('#ff0000');
  await page.getByLabel('Web site').fill('https://example.test');
  await page.getByLabel('Note').fill('two\nlines');
  await page.getByLabel('large').check();
  await page.getByLabel('Country').selectOption('Kenya');
  await page.getByLabel('Tags').selectOption(['red', 'blue']);
  await page.getByLabel('Send me news').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await shows(page, '[role=status]', 'Saved.');
  const known = await page.$$eval('td', (all) => all.map((td) => td.textContent));
  assert.deepEqual(known, ['Ada', 'ada@example.test', '10 bytes', '36', '70', '1815-12-10', '#ff0000', 'https://example.test', 'two\nlines']);
  await shows(page, 'main > p:last-child', 'large, Kenya, red, blue, news: yes');
  assert.equal(await page.locator('.error').count(), 0);
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.waitForFunction(() => document.querySelector('input').value === '');
  await settled(page);
  assert.deepEqual(
    await page.evaluate(() => [...document.querySelectorAll('input, select, textarea')].map((el) => (/check|radio/.test(el.type) ? el.checked : el.value))),
    ['', '', '', '', '50', '', '#0b62c4', '', '', true, false, false, '', '', false]);
  await page.context().close();
});

test('clock: pushes by itself', async () => {
  const page = await visit(server.url + '/clock');
  const first = await text(page, 'time');
  await until(async () => (await text(page, 'time')) !== first);
  assert.equal(await page.evaluate(() => document.querySelector('circle').namespaceURI), 'http://www.w3.org/2000/svg');
  await page.context().close();
});

test('chat: two tabs, who is here, one leaves', async () => {
  const a = await visit(server.url + '/chat');
  const b = await visit(server.url + '/chat');
  await shows(a, '[role=status]', '2 here');
  await b.getByLabel('Your name').fill('Bo');
  await b.getByLabel('Message', { exact: true }).fill('hello <b>there</b>');
  await b.getByLabel('Message', { exact: true }).press('Enter');
  await a.waitForFunction(() => document.querySelector('[role=log]').textContent.includes('Bohello <b>there</b>'));
  assert.equal(await a.locator('[role=log] b').count(), 0, 'text stays text');
  assert.equal(await b.getByLabel('Message', { exact: true }).inputValue(), '');
  assert.equal(await b.locator('.mine').count(), 1);
  assert.equal(await a.locator('.mine').count(), 0);
  await a.context().close();
  await b.context().close();
});

test('monitor: samples come from a thread', async () => {
  const page = await visit(server.url + '/monitor');
  await page.waitForFunction(() => document.querySelector('meter')?.value > 0);
  const before = await page.evaluate(() => document.querySelector('polyline').getAttribute('points'));
  await until(async () => (await page.evaluate(() => document.querySelector('polyline').getAttribute('points'))) !== before);
  await page.context().close();
});

test('what is served is the core that web/test measures', async () => {
  const { gzipSync } = await import('node:zlib');
  const get = async (name) => Buffer.from(await (await fetch(`${server.url}/_bh/${name}`)).arrayBuffer());
  const core = Buffer.concat(await Promise.all(['bh.js', 'patch.js', 'event.js', 'names.js'].map(get)));
  const all = Buffer.concat([core, await get('extra.js')]);
  assert.ok(gzipSync(core, { level: 9 }).length <= 4096, `core ${gzipSync(core, { level: 9 }).length}`);
  assert.ok(gzipSync(all, { level: 9 }).length <= 7168);
});

test('the core works without extra.js', async () => {
  const c = await context();
  await c.route('**/extra.js', (r) => r.abort());
  const page = await c.newPage();
  await page.goto(server.url + '/counter');
  await page.waitForFunction(() => document.querySelector('backhaul-view').live);
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await c.close();
});

noComplaints();
