// SPDX-License-Identifier: MIT
// web/names.js must hold the lists of include/backhaul/names.def (through vectors/names.json).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { TAGS, ATTRS, EVENTS } from '../../web/names.js';

const want = JSON.parse(readFileSync(new URL('vectors/names.json', import.meta.url), 'utf8'));
assert.deepEqual(TAGS.slice(1), want.tags);
assert.deepEqual(ATTRS.slice(1), want.attrs.map(([html, kind]) => (kind == 'prop' ? '.' : '') + html));
assert.deepEqual(EVENTS.slice(1), want.events);
for (const list of [TAGS, ATTRS, EVENTS]) assert.equal(list[0], '', 'code 0 is a literal name');
console.log(`${want.tags.length} tags, ${want.attrs.length} attributes, ${want.events.length} events agree`);
