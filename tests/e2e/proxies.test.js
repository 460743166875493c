// SPDX-License-Identifier: MIT
// Behind nginx under a sub-path, and behind HAProxy: pages, sockets, resume.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GALLERY, alive, noComplaints, serve, shows, text, until, visit } from './lib.js';

const server = await serve(GALLERY);
const dir = mkdtempSync(join(tmpdir(), 'bh-proxy-'));
const children = [];
test.after(async () => {
  for (const child of children) {
    child.kill('SIGTERM');
    await new Promise((done) => (child.exitCode === null && !child.signalCode ? child.once('exit', done) : done()));
  }
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

const freePort = () => new Promise((done) => {
  const s = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = s.address();
    s.close(() => done(port));
  });
});
const start = async (names, port, args) => {
  const program = names.find(existsSync);
  assert.ok(program, `${names} is missing: run scripts/setup check`);
  let err = '';
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.on('data', (d) => (err += d));
  children.push(child);
  await until(() => {
    assert.equal(child.exitCode, null, err);
    return new Promise((done) => {
      const s = net.connect(port, '127.0.0.1', () => (s.destroy(), done(true))).on('error', () => done(false));
    });
  }, program + ' listens');
};

const drive = async (base) => {
  const page = await visit(base + 'counter');
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '1');
  const token = await page.evaluate(() => document.querySelector('backhaul-view').token);
  await page.evaluate(() => document.querySelector('backhaul-view').ws.close());
  await page.waitForFunction((t) => document.querySelector('backhaul-view').token !== t, token);
  await page.getByRole('button', { name: 'more' }).click();
  await shows(page, 'output', '2');
  await page.goto(base);
  await alive(page);
  assert.match(await text(page, 'h1'), /backhaul/);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.card')).borderTopStyle), 'solid', 'the stylesheet is found');
  await page.context().close();
};

test('nginx, sub-path /app/', async () => {
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${dir}/${n};`).join(' ');
  writeFileSync(join(dir, 'nginx.conf'), `daemon off; worker_processes 1; pid ${dir}/nginx.pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off; ${temp}
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port};
    location /app/ {
      proxy_pass http://127.0.0.1:${server.port}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}`);
  await start(['/usr/sbin/nginx'], port, ['-p', dir, '-c', join(dir, 'nginx.conf')]);
  await drive(`http://127.0.0.1:${port}/app/`);
});

test('HAProxy', async () => {
  const port = await freePort();
  writeFileSync(join(dir, 'haproxy.cfg'), `global
  maxconn 64
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout tunnel 1h
listen app
  bind 127.0.0.1:${port}
  server s 127.0.0.1:${server.port}
`);
  await start(['/usr/sbin/haproxy'], port, ['-db', '-f', join(dir, 'haproxy.cfg')]);
  await drive(`http://127.0.0.1:${port}/`);
});

noComplaints();
