// SPDX-License-Identifier: MIT
// run.mjs PROGRAM NAME: starts an example, reads its page, drives it over a socket, ends it by SIGTERM.
// BH_TEST_MODE says which thread renders.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Page, Socket, text, within } from './ws.mjs';

const [program, name] = process.argv.slice(2);
const mode = { thread: 'on', inline: 'off' }[process.env.BH_TEST_MODE ?? 'thread'];

async function fetch_page(url) {
  const answer = await within(fetch(url), url);
  assert.equal(answer.status, 200, url);
  return answer.text();
}

const scenarios = {
  async counter(base, path) {
    assert.match(await fetch_page(base + path.slice(1)), /<button aria-label="less">−<\/button><output class="big">0<\/output>/);
    const page = await Page.open(base, path);
    assert.equal(text(page.tag('output')), '0');
    for (let i = 1; i <= 3; i++) {
      page.click(page.labelled('more'));
      await page.until(() => text(page.tag('output')) === String(i));
    }
    for (let i = 0; i < 5; i++) page.click(page.labelled('less'));
    await page.until(() => text(page.tag('output')) === '-2');
    const other = await Page.open(base, path);
    assert.equal(text(other.tag('output')), '0', 'a session of its own');
    page.close();
    other.close();
  },

  async todo(base, path) {
    assert.match(await fetch_page(base + path.slice(1)), /<h1>To do<\/h1>.*0 of 0 open/);
    const page = await Page.open(base, path);
    const items = () => page.all((n) => n.tagName === 'li').map((n) => text(n.children[0]));
    const add = async (what) => {
      page.type(page.labelled('New item'), what);
      await page.until(() => page.labelled('New item').attributes.value === what);
      page.fire(page.tag('form'), 'onSubmit');
      await page.until(() => items().includes(what));
      assert.equal(page.labelled('New item').attributes.value, '', 'the draft has become an item');
    };
    await add('bread');
    await add('butter & <cheese>');
    await add('milk');
    assert.deepEqual(items(), ['bread', 'butter & <cheese>', 'milk']);
    page.type(page.labelled('New item'), '   ');
    page.fire(page.tag('form'), 'onSubmit'); // nothing to add
    page.click(page.labelled('move up milk'));
    await page.until(() => items()[1] === 'milk');
    page.click(page.labelled('move down bread'));
    await page.until(() => items()[0] === 'milk');
    assert.deepEqual(items(), ['milk', 'bread', 'butter & <cheese>']);
    page.click(page.labelled('move up milk')); // it is the first already
    page.fire(page.all((n) => n.attributes?.type === 'checkbox')[1], 'onChange', { type: 'change', target: { tagName: 'INPUT' } });
    await page.until(() => page.text().includes('2 of 3 open'));
    page.click(page.button('done'));
    await page.until(() => items().length === 1);
    assert.deepEqual(items(), ['bread']);
    page.click(page.button('open'));
    await page.until(() => items().length === 2);
    page.click(page.labelled('delete milk'));
    page.click(page.button('all'));
    await page.until(() => items().length === 2 && page.text().includes('1 of 2 open'));
    assert.deepEqual(items(), ['bread', 'butter & <cheese>']);
    page.close();
  },

  async form(base, path) {
    const html = await fetch_page(base + path.slice(1));
    for (const type of ['text', 'email', 'password', 'number', 'range', 'date', 'color', 'url', 'radio', 'checkbox']) {
      assert.ok(html.includes(` type="${type}"`), `an input of type ${type}`);
    }
    assert.match(html, /<textarea .*<select>.*<select multiple/s);
    const page = await Page.open(base, path);
    const known = (what) => text(page.one((n) => n.tagName === 'tr' && text(n.children[0]) === what).children[1]);
    const errors = () => page.all((n) => n.attributes?.className === 'error').map(text);
    assert.deepEqual(errors(), []);
    page.fire(page.tag('form'), 'onSubmit');
    await page.until(() => errors().length === 4);
    assert.ok(page.text().includes('Not saved.'));
    const typed = { Name: 'Ada', 'E-mail': 'ada@example.org', Password: 'analytical', Age: '36', Volume: '70', Born: '1815-12-10', Colour: '#ff8800', Note: 'two\nlines' };
    for (const [label, value] of Object.entries(typed)) {
      page.type(page.field(label), value);
      await page.until(() => known(label) === (label === 'Password' ? '10 bytes' : value));
    }
    assert.deepEqual(errors(), []);
    page.fire(page.field('large'), 'onChange', { type: 'change', target: { tagName: 'INPUT', value: 'on' } });
    page.fire(page.field('Country'), 'onChange', { type: 'change', target: { tagName: 'SELECT', value: 'Kenya' } });
    page.fire(page.field('Tags'), 'onChange', { type: 'change', target: { tagName: 'SELECT', value: 'green' } });
    page.fire(page.field('Send me news'), 'onChange', { type: 'change', target: { tagName: 'INPUT', value: 'on' } });
    await page.until(() => page.text().includes('large, Kenya, green, news: yes'));
    page.fire(page.tag('form'), 'onSubmit');
    await page.until(() => page.text().includes('Saved.'));
    page.type(page.field('Name'), 'x'.repeat(300)); // longer than the program takes: nothing changes but the notice
    page.fire(page.tag('form'), 'onReset');
    await page.until(() => known('Name') === '' && known('Volume') === '50');
    page.close();
  },

  async clock(base, path) {
    assert.match(await fetch_page(base + path.slice(1)), /<svg role="img".*<time[^>]*>\d\d:\d\d:\d\d<\/time>/s);
    const page = await Page.open(base, path);
    const time = () => text(page.tag('time'));
    const first = time();
    await page.until(() => time() !== first);
    const dial = page.one((n) => n.tagName === 'svg');
    assert.equal(dial.attributes['aria-label'], `Dial at ${time()}`);
    const seconds = dial.children.at(-1).attributes.transform;
    assert.equal(seconds, `rotate(${Number(time().slice(6)) * 6})`);
    page.close();
  },

  async chat(base, path) {
    assert.match(await fetch_page(base + path.slice(1)), /<h1>Chat<\/h1>.*<ol class="log"/s);
    const ada = await Page.open(base, path), bob = await Page.open(base, path);
    await ada.until(() => ada.text().includes('2 here'));
    await bob.until(() => bob.text().includes('2 here'));
    const say = async (page, what) => {
      page.type(page.labelled('Message'), what);
      page.fire(page.tag('form'), 'onSubmit');
    };
    ada.type(ada.field('Your name'), 'Ada');
    await say(ada, 'hello <b>');
    const messages = (page) => page.all((n) => n.tagName === 'li').map((n) => n.children.map(text).join(': '));
    await bob.until(() => messages(bob).length === 1);
    assert.deepEqual(messages(bob), ['Ada: hello <b>']);
    assert.equal(bob.tag('li').attributes?.className, undefined);
    await ada.until(() => messages(ada).length === 1);
    assert.equal(ada.tag('li').attributes.className, 'mine');
    for (let i = 0; i < 60; i++) await say(bob, `number ${i}`);
    await ada.until(() => messages(ada)[0]?.endsWith('number 59'));
    assert.equal(messages(ada).length, 50, 'the history is bounded');
    bob.close();
    await ada.until(() => ada.text().includes('1 here'));
    ada.close();
  },

  async monitor(base, path) {
    const page = await Page.open(base, path);
    await page.until(() => page.all((n) => n.tagName === 'polyline').length === 4);
    assert.match(await fetch_page(base + path.slice(1)), /<h1>This machine<\/h1>.*<meter.*<polyline/s);
    const memory = () => page.all((n) => n.tagName === 'meter')[1].attributes;
    assert.ok(Number(memory().max) > 1e6 && Number(memory().value) > 1e6, 'memory in bytes');
    const points = () => page.tag('polyline', 1).attributes.points;
    assert.equal(points().trim().split(' ').length, 60);
    const before = points();
    await page.until(() => points() !== before, 'the next sample');
    page.close();
  },

  async gallery(base) {
    const html = await fetch_page(base);
    for (const path of ['/counter', '/todo', '/form', '/clock', '/chat', '/monitor']) assert.ok(html.includes(`<a href="${path}">`), path);
    const page = await Page.open(base, '');
    page.click(page.labelled('more'));
    await page.until(() => text(page.tag('output')) === '4');
    await page.until(() => (page.first ??= text(page.tag('time'))) !== text(page.tag('time')), 'the clock to go on');
    page.close();
    for (const path of ['counter', 'todo', 'form', 'clock', 'chat', 'monitor']) await scenarios[path](base, `/${path}`);
  },

  async embed(base) {
    assert.match(await fetch_page(base), /<h1>Progress<\/h1>/);
    assert.match(await fetch_page(base + 'control'), /<h1>Control<\/h1>/);
    const progress = await Page.open(base, ''), control = await Page.open(base, '/control');
    const steps = () => Number(text(progress.tag('output')));
    const before = steps();
    await progress.until(() => steps() > before);
    for (let i = 0; i < 4; i++) control.click(control.labelled('slower'));
    await control.until(() => text(control.tag('output')) === '-3');
    await progress.until(() => (progress.top ??= steps()) > steps(), 'the program to obey');
    progress.close();
    control.close();
  },
};

async function main() {
  const child = spawn(program, ['--port', '0', `--backhaul=${mode}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '';
  const exit = once(child, 'exit');
  child.stderr.on('data', (data) => { err += data; });
  const base = await within(new Promise((yes, no) => {
    child.stdout.on('data', (data) => {
      out += data;
      const match = /^LISTENING (http:\/\/\S+)$/m.exec(out);
      if (match) yes(match[1]);
    });
    exit.then(([code]) => no(new Error(`it ended with ${code}: ${err}`)));
  }), 'LISTENING');
  try {
    const root = name === 'gallery' || name === 'embed';
    await scenarios[name](base, root ? '' : '/');
    await assert.rejects(Socket.open(`${base.replace(/^http/, 'ws')}nowhere`, 'backhaul.v1'), /404/);
    const stats = await (await fetch(`${base}stats`)).json();
    assert.equal(stats.faults, 0, 'no component has failed');
    assert.equal(stats.refused_attrs, 0, 'no attribute was refused');
    assert.equal(stats.twin_keys, 0, 'no key was there twice');
    assert.equal(stats.config.backhaul, mode === 'on');
  } finally {
    child.kill('SIGTERM');
    const [code, signal] = await within(exit, 'the end').catch(() => { child.kill('SIGKILL'); return [null, 'too slow']; });
    assert.deepEqual([code, signal], [0, null], `how it ended: ${err}`);
  }
  assert.equal(err, '', 'it has nothing to complain about');
  console.log(`${name}, ${mode === 'on' ? 'on the backhaul thread' : 'inline'}: all as it should be`);
}

main().catch((error) => { console.error(error); process.exit(1); });
