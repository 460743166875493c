// SPDX-License-Identifier: MIT
// Drops, restarts, tabs that sleep, the back button.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { GALLERY, PAGES, alive, context, launch, network, noComplaints, notice, serve, settled, shows, sleep, text, until, visit } from './lib.js';

const gallery = await serve(GALLERY);
const pages = await serve(PAGES);
test.after(async () => {
  await gallery.stop();
  await pages.stop();
});

test('a cut connection resumes: state, and half-typed text', async () => {
  const net = await network(gallery.port);
  const page = await visit(net.url + '/todo');
  await page.getByLabel('New item').fill('milk');
  await page.getByLabel('New item').press('Enter');
  await shows(page, '[role=status]', '1 of 1 open');
  await page.getByLabel('New item').pressSequentially('half ty');
  await settled(page);
  const token = await page.evaluate(() => document.querySelector('backhaul-view').token);
  net.cut();
  await page.waitForFunction((t) => document.querySelector('backhaul-view').token !== t, token);
  assert.equal(await page.getByLabel('New item').inputValue(), 'half ty');
  await page.keyboard.type('ped');
  await page.keyboard.press('Enter');
  await shows(page, '[role=status]', '2 of 2 open');
  assert.deepEqual(await page.$$eval('li label', (all) => all.map((l) => l.textContent)), ['milk', 'half typed']);
  assert.equal(await notice(page), '');
  await page.context().close();
  await net.close();
});

test('what is clicked and typed while the line is down arrives once, in order', async () => {
  const net = await network(gallery.port);
  const page = await visit(net.url + '/counter');
  net.down = true;
  net.cut();
  await page.waitForFunction(() => !document.querySelector('backhaul-view').live);
  for (let i = 0; i < 7; i++) await page.getByRole('button', { name: 'more' }).click();
  assert.equal(await text(page, 'output'), '0');
  // The notice: after a moment, polite, and it goes by itself.
  await until(async () => /Connection lost/.test(await notice(page)));
  assert.equal(await page.getAttribute('.bh-notice', 'role'), 'status');
  net.down = false;
  await shows(page, 'output', '7');
  assert.equal(await notice(page), '');
  await page.context().close();
  await net.close();
});

test('a short drop says nothing', async () => {
  const net = await network(gallery.port);
  const page = await visit(net.url + '/counter');
  await page.evaluate(() => {
    globalThis.seen = [];
    new MutationObserver(() => globalThis.seen.push(document.querySelector('.bh-notice').textContent)).observe(document.querySelector('.bh-notice'), { childList: true, characterData: true, subtree: true });
  });
  net.cut();
  await sleep(100);
  await alive(page);
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  assert.deepEqual((await page.evaluate(() => globalThis.seen)).filter(Boolean), []);
  await page.context().close();
  await net.close();
});

test('a stream that is cut again and again loses and doubles nothing', async () => {
  const net = await network(pages.port, 5);
  const page = await visit(net.url + '/going');
  for (let i = 0; i < 60; i++) {
    await page.$eval('#click', (el) => el.click());
    if (i % 7 === 3) net.cut();
    await sleep(10);
  }
  await shows(page, '#clicks', '60');
  await page.context().close();
  await net.close();
});

test('B39: after a restart of the server: a new session, said so, and the first click works', async () => {
  let server = await serve(GALLERY);
  const { port, url } = server;
  const page = await visit(url + '/counter');
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await server.stop();
  await until(async () => /Connection lost/.test(await notice(page)));
  server = await serve(GALLERY, { port });
  await until(async () => /session had ended/.test(await notice(page)), undefined, 15000);
  await shows(page, 'output', '0');
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await page.context().close();
  await server.stop();
});

test('a hidden page does not try; shown again it is live at once', async () => {
  const net = await network(gallery.port);
  const page = await visit(net.url + '/counter');
  await page.evaluate(() => {
    globalThis.sockets = 0;
    const Own = WebSocket;
    globalThis.WebSocket = class extends Own {
      constructor(...a) {
        super(...a);
        globalThis.sockets++;
      }
    };
    Object.defineProperty(document, 'hidden', { get: () => globalThis.away, configurable: true });
    globalThis.away = true;
  });
  net.cut();
  await sleep(600);
  assert.equal(await page.evaluate(() => globalThis.sockets), 0);
  await page.evaluate(() => {
    globalThis.away = false;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await alive(page);
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await page.context().close();
  await net.close();
});

test('a token has one life: the second socket takes over, the first stops and says so', async () => {
  const a = await visit(gallery.url + '/counter');
  await a.getByRole('button', { name: 'more' }).click();
  await shows(a, 'output', '1');
  const token = await a.evaluate(() => document.querySelector('backhaul-view').token);
  // What a thief, or a duplicated tab, would do.
  const b = await visit(gallery.url + '/counter');
  await b.evaluate((t) => {
    const v = document.querySelector('backhaul-view');
    v.token = t;
    v.last = 0;
    v.anew = 1;
    v.seq = 1;
    v.open();
  }, token);
  await until(async () => /another place/.test(await notice(a)));
  await shows(b, 'output', '1');
  await sleep(300);
  assert.equal(await a.evaluate(() => document.querySelector('backhaul-view').ws), null);
  await b.getByRole('button', { name: 'more' }).click();
  await shows(b, 'output', '2');
  await a.context().close();
  await b.context().close();
});

test('B71: back and forward: live again within a second, no notice, nothing twice', async () => {
  const browser = await launch(['--enable-features=BackForwardCache']);
  const c = await context({}, browser);
  const page = await visit(gallery.url + '/counter', { context: c });
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await page.evaluate(() => {
    globalThis.kept = true;
    addEventListener('pageshow', (e) => (globalThis.restored = e.persisted));
  });
  await page.goto(gallery.url + '/clock');
  await alive(page);
  const t0 = Date.now();
  await page.goBack();
  await alive(page);
  assert.ok(Date.now() - t0 < 3000);
  const kept = await page.evaluate(() => globalThis.kept === true);
  // From the cache the state is as it was; without it the page is a new one.
  await shows(page, 'output', kept ? '1' : '0');
  assert.equal(await notice(page), '');
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', kept ? '2' : '1');
  assert.equal(await page.locator('output').count(), 1);
  await page.goForward();
  await alive(page);
  assert.equal(await page.locator('time').count(), 1);
  await browser.close();
});

test('a page that is parked in the cache and woken: the same session', async () => {
  // The events that the browser sends, without depending on its cache being on.
  const page = await visit(gallery.url + '/counter');
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
  assert.equal(await page.evaluate(() => document.querySelector('backhaul-view').ws), null);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '2');
  assert.equal(await notice(page), '');
  await page.context().close();
});

noComplaints();
