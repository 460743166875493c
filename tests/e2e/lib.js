// SPDX-License-Identifier: MIT
// What all browser tests share: a server, a browser, a network that can be slow or cut.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';

let playwright;
try {
  playwright = await import('playwright-core');
} catch (e) {
  throw new Error('Node packages are missing: run scripts/setup check (or npm ci)', { cause: e });
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const build = process.env.BH_BINARY_DIR ?? root + 'build/release';
export const GALLERY = process.env.BH_SERVER ?? build + '/examples/gallery/gallery';
export const PAGES = process.env.BH_PAGES ?? build + '/tests/e2e/e2e_pages';
export const MODE = process.env.BH_TEST_MODE === 'inline' ? 'off' : 'on';
const CHROMIUM = process.env.BH_CHROMIUM ?? '/usr/bin/chromium';

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Waits until fn returns something true, and returns it.
export const until = async (fn, what = String(fn), ms = 20000) => {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      last = undefined;
      const x = await fn();
      if (x) return x;
    } catch (e) {
      last = e;
    }
    if (Date.now() > end) throw new Error(`did not happen in ${ms} ms: ${what}`, { cause: last });
    await sleep(20);
  }
};

const running = new Set();
// Starts a server on a free port (or the one given) and waits for its LISTENING line.
export const serve = async (program, { port = 0, args = [] } = {}) => {
  assert.ok(existsSync(program), `${program} is not built`);
  const child = spawn(program, [`--port=${port}`, `--backhaul=${MODE}`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const exited = new Promise((done) => child.once('exit', (code, signal) => (running.delete(child), done({ code, signal }))));
  let out = '';
  let err = '';
  child.stderr.on('data', (d) => (err += d));
  const url = await new Promise((done, fail) => {
    child.stdout.on('data', (d) => {
      out += d;
      const m = out.match(/^LISTENING (http:\/\/\S+)/m);
      if (m) done(m[1].replace(/\/$/, ''));
    });
    exited.then((x) => fail(new Error(`${program} ended ${JSON.stringify(x)}: ${err}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    errors: () => err,
    // Ends it as a service manager would; it must end well.
    async stop(signal = 'SIGTERM') {
      if (!running.has(child)) return;
      child.kill(signal);
      const { code, signal: how } = await exited;
      if (signal === 'SIGTERM') assert.equal(code, 0, `${program} must end with 0, not ${code ?? how}: ${err}`);
    },
  };
};

// A TCP proxy in front of a port: `delay` ms in each direction; cut() breaks what is open, refuse what comes.
export const network = async (target, delay = 0) => {
  const pairs = new Set();
  const self = { delay, down: false };
  const server = net.createServer((a) => {
    if (self.down) return a.destroy();
    const b = net.connect(target, '127.0.0.1');
    const pair = [a, b];
    pairs.add(pair);
    const pipe = (from, to) => {
      let last = Promise.resolve();
      from.on('data', (d) => {
        const due = sleep(self.delay);
        last = last.then(() => due).then(() => to.writable && to.write(d));
      });
      from.on('end', () => last.then(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => (pairs.delete(pair), last.then(() => to.destroy())));
    };
    pipe(a, b);
    pipe(b, a);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  self.port = server.address().port;
  self.url = `http://127.0.0.1:${self.port}`;
  self.cut = () => {
    for (const [a, b] of pairs) a.destroy(), b.destroy();
  };
  self.close = () => {
    self.cut();
    return new Promise((done) => server.close(done));
  };
  return self;
};

let browser;
// Everything that any page complained about in this file: policy violations above all.
export const complaints = [];

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--lang=en-US'];
export const launch = (args = []) => {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: run scripts/setup check`);
  return playwright.chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...FLAGS, ...args] });
};

export const context = async (options = {}, b = browser) => {
  const c = await b.newContext({ locale: 'en-US', ...options });
  c.setDefaultTimeout(20000);
  await c.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile));
  });
  return c;
};

// A page that is live. `expected`: patterns of console messages that are part of the test.
export const visit = async (url, { expected = [], ...options } = {}) => {
  const c = options.context ?? (await context(options));
  const page = await c.newPage();
  page.on('pageerror', (e) => complaints.push(`${url}: ${e.stack}`));
  page.on('console', (m) => {
    if (!['error', 'warning'].includes(m.type())) return;
    // The browser itself reports sockets that the tests cut.
    if (/WebSocket connection to .* failed|net::ERR_|Close received after close/.test(m.text())) return;
    if (!expected.some((p) => p.test(m.text()))) complaints.push(`${url}: ${m.type()}: ${m.text()}`);
  });
  await page.goto(url);
  await alive(page);
  return page;
};
export const alive = (page) => page.waitForFunction(() => [...document.querySelectorAll('backhaul-view')].every((v) => v.live && v.last > 0));
// The events that were sent have been answered.
export const settled = (page) => page.waitForFunction(() => [...document.querySelectorAll('backhaul-view')].every((v) => v.live && !v.out.length));
export const notice = (page) => page.evaluate(() => document.querySelector('.bh-notice')?.textContent ?? '');
export const text = (page, selector) => page.textContent(selector);
export const shows = (page, selector, want) =>
  page.waitForFunction(([s, w]) => document.querySelector(s)?.textContent === w, [selector, want]).catch(async (e) => {
    throw new Error(`${selector} shows ${JSON.stringify(await page.evaluate((s) => document.querySelector(s)?.textContent, selector))}, not ${JSON.stringify(want)}`, { cause: e });
  });

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
});
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

// The last test of each file.
export const noComplaints = () =>
  test('no page broke the content security policy or threw', () => assert.deepEqual(complaints, []));
