// SPDX-License-Identifier: MIT
// Liveness, by the clock: 45 seconds of silence.
import test from 'node:test';
import assert from 'node:assert/strict';
import { start, Peer, sleep, stats } from './lib.js';

test('silence: a ping after 25 s, the end 20 s later; who answers stays', async () => {
    const s = await start();
    const t0 = Date.now();
    const dead = await Peer.connect(s.port);
    const well = await Peer.connect(s.port);
    await dead.page();
    await well.page();
    for (const p of [dead, well]) p.send(2, [3, 1]); // acknowledged: else it is closed for that
    let pinged = 0;
    well.until(() => {
        for (const f of well.frames.filter((x) => x.opcode === 9 && !x.seen)) {
            f.seen = true;
            pinged = pinged || Date.now() - t0;
            well.send(10, f.payload);
        }
        return well.closed;
    }, 70000);
    assert.ok(await dead.until(() => dead.closed, 55000));
    const ended = Date.now() - t0;
    assert.ok(pinged > 23000 && pinged < 28500, `pinged after ${pinged} ms`);
    assert.ok(ended > 42000 && ended < 49000, `ended after ${ended} ms`);
    assert.equal(dead.frames.filter((f) => f.opcode === 9).length, 1);
    await sleep(2000);
    assert.equal(well.closed, false);
    const st = await stats(s);
    assert.equal(st.websockets, 1);
    assert.equal(st.sessions_parked, 1, 'the silent one waits for its client');
    well.end();
    assert.deepEqual(await s.stop(), { code: 0, signal: null });
});

test('the process stopped for longer than the silence limit: nobody is dropped for it', async () => {
    const s = await start();
    const p = await Peer.connect(s.port);
    await p.page();
    p.send(2, [3, 1]);
    await sleep(100);
    s.process.kill('SIGSTOP');
    await sleep(47000);
    s.process.kill('SIGCONT');
    await sleep(1500);
    assert.equal(p.closed, false);
    const n = p.data().length;
    p.click();
    assert.ok(await p.until(() => p.data().length > n));
    p.end();
    await s.stop();
});
