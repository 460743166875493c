// SPDX-License-Identifier: MIT
// npm's @reactpy/client 0.3.2 with React 17, not changed, against our server: the page comes from
// another origin (a Node server), the socket from ours, in both update modes.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { GALLERY, complaints, context, serve, shows, until } from '../e2e/lib.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = here + '../../';
const version = (name) => JSON.parse(readFileSync(`${root}node_modules/${name}/package.json`)).version;
const { outputFiles } = await build({
  entryPoints: [here + 'page.js'], bundle: true, format: 'esm', write: false, minify: true, logLevel: 'error',
  define: { 'process.env.NODE_ENV': '"production"' },
});

const site = http.createServer((req, res) => {
  if (req.url === '/client.js') return res.setHeader('content-type', 'text/javascript').end(outputFiles[0].contents);
  res.setHeader('content-type', 'text/html').end('<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><div id=app></div><script type=module src=/client.js></script>');
});
await new Promise((done) => site.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${site.address().port}`;
test.after(() => site.close());

test('it is the published client', () => {
  assert.deepEqual(['@reactpy/client', 'react', 'react-dom', 'event-to-object'].map(version), ['0.3.2', '17.0.2', '17.0.2', '0.1.2']);
});

for (const mode of ['diff', 'subtree']) {
  test(`--reactpy-mode=${mode}`, async (t) => {
    const server = await serve(GALLERY, { args: [`--reactpy-mode=${mode}`, `--allow-origin=${origin}`] });
    const c = await context();
    t.after(async () => {
      await c.close();
      await server.stop();
    });
    const open = async (route) => {
      const page = await c.newPage();
      page.updates = [];
      page.on('pageerror', (e) => complaints.push(`${mode} ${route}: ${e.stack}`));
      page.on('websocket', (ws) => ws.on('framereceived', ({ payload }) => page.updates.push(JSON.parse(payload))));
      await page.goto(`${origin}/?server=${encodeURIComponent(server.url)}&route=${route}`);
      await page.waitForFunction(() => document.querySelector('#app').children.length > 0);
      return page;
    };

    await t.test('counter', async () => {
      const page = await open('/counter');
      await shows(page, 'output', '0');
      for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'more' }).click();
      await page.getByRole('button', { name: 'less' }).click();
      await shows(page, 'output', '2');
      assert.equal(page.updates[0].path, '');
      assert.ok(page.updates.every((u) => u.type === 'layout-update'));
      const last = page.updates.at(-1);
      if (mode === 'diff') assert.equal(typeof last.model, 'string', 'the finest path: one text');
      else assert.equal(typeof last.model, 'object', 'the whole component');
      await page.close();
    });

    await t.test('todo', async () => {
      const page = await open('/todo');
      const labels = () => page.$$eval('li label', (all) => all.map((l) => l.textContent).join());
      for (const item of ['milk', 'bread', 'tea']) {
        // This client puts back an older echo over newer typing (its own known fault): one at a time.
        await page.getByLabel('New item').fill(item);
        await until(() => page.updates.some((u) => JSON.stringify(u.model).includes(item)), `the echo of ${item}`);
        // Received is not yet shown: React draws it in a turn of its own.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        await page.getByLabel('New item').press('Enter');
        await page.waitForFunction((n) => [...document.querySelectorAll('li label')].some((l) => l.textContent === n), item);
      }
      assert.equal(await labels(), 'milk,bread,tea');
      await page.getByRole('button', { name: 'move up tea' }).click();
      await until(async () => (await labels()) === 'milk,tea,bread');
      await page.getByLabel('milk', { exact: true }).click();
      await shows(page, '[role=status]', '2 of 3 open');
      await page.waitForFunction(() => document.querySelector('li input').checked);
      await page.getByRole('button', { name: 'done', exact: true }).click();
      await until(async () => (await labels()) === 'milk');
      await page.getByRole('button', { name: 'all', exact: true }).click();
      await until(async () => (await labels()) === 'milk,tea,bread');
      await page.getByRole('button', { name: 'delete tea' }).click();
      await until(async () => (await labels()) === 'milk,bread');
      await page.close();
    });

    await t.test('form', async () => {
      const page = await open('/form');
      await page.getByRole('button', { name: 'Save' }).click();
      await shows(page, '[role=status]', 'Not saved.');
      const known = () => page.$$eval('td', (all) => all.map((td) => td.textContent));
      const set = async (label, value, row) => {
        await page.getByLabel(label).fill(value);
        await until(async () => (await known())[row] === value, `${label} is ${value}`);
      };
      await set('Name', 'Ada', 0);
      await set('E-mail', 'ada@example.test', 1);
      await page.getByLabel('Password').fill('longenough');
      await until(async () => (await known())[2] === '10 bytes');
      await set('Age', '36', 3);
      await set('Note', 'two\nlines', 8);
      await page.getByLabel('large').click();
      await page.getByLabel('Country').selectOption('Kenya');
      await page.getByLabel('Send me news').click();
      await page.waitForFunction(() => /^large, Kenya,.* news: yes$/.test(document.querySelector('main > p:last-child').textContent));
      await page.getByRole('button', { name: 'Save' }).click();
      await shows(page, '[role=status]', 'Saved.');
      assert.equal(await page.locator('.error').count(), 0);
      await page.close();
    });
  });
}

test('no page threw', () => assert.deepEqual(complaints, []));
