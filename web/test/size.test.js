// SPDX-License-Identifier: MIT
// What is served: how large it is, and that stripping it changed nothing.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';

const root = new URL('../../', import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), 'bh-size-'));
process.on('exit', () => rmSync(dir, { recursive: true }));

const CORE = ['bh.js', 'patch.js', 'event.js', 'names.js'];
const served = (name) => {
  const out = join(dir, name);
  execFileSync('cmake', [`-DIN=${root}web/${name}`, `-DOUT=${out}`, '-P', `${root}cmake/strip_js.cmake`]);
  return readFileSync(out, 'utf8');
};
const size = (names) => gzipSync(names.map(served).join(''), { level: 9 }).length;

test('the core is at most 4 KB gzip, everything at most 7 KB', (t) => {
  const core = size(CORE);
  const all = size([...CORE, 'extra.js']);
  t.diagnostic(`core ${core} bytes, with extra.js ${all} bytes`);
  assert.ok(core <= 4096, `core: ${core}`);
  assert.ok(all <= 7168, `everything: ${all}`);
});

for (const name of [...CORE, 'extra.js']) {
  test(name + ' as served is the same program as its source', () => {
    const minify = (code) => transformSync(code, { minify: true, charset: 'utf8' }).code;
    const source = readFileSync(`${root}web/${name}`, 'utf8');
    assert.ok(minify(served(name)) === minify(source), 'stripping has changed it: a string with such spaces?');
    assert.doesNotMatch(served(name), /\beval\b|new Function|outerHTML|insertAdjacentHTML|document\.write/);
  });
}

test('HTML is parsed in one place only: the operation for it', () => {
  const uses = [...CORE, 'extra.js'].flatMap((name) => served(name).match(/innerHTML/g) ?? []);
  assert.equal(uses.length, 1);
});
