import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { liveThrough } from '../test-life.ts';
import type { Trouble } from '../test-life.ts';

// Law 4: whatever is lost, late, repeated or killed, it settles on exactly the wanted number.
// The long round of settles.test.ts. A failing seed is printed with the assertion; run it alone with the same number.

const ALL: Trouble = { calls: 25, kills: 20, losses: 25, scales: true };

async function check(seed: number, trouble: Trouble): Promise<number> {
  const { active, wanted, reported, removed } = await liveThrough(seed, trouble);
  assert.deepEqual({ seed, active, reported }, { seed, active: wanted, reported: wanted });
  return removed;
}

const SEEDS = 15;

test('settles on exactly the wanted number through kills, losses, faults and scaling', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await check(seed, ALL);
});

test('never a surplus pod: while the process lives, when it is killed, and when pods are lost as well', async () => {
  const lives = {
    'it lives': { kills: 0, losses: 25 },
    kills: { kills: 30, losses: 0 },
    both: { kills: 30, losses: 25 },
  };
  for (const [name, trouble] of Object.entries(lives)) {
    let surplus = 0;
    for (let seed = 1; seed <= SEEDS; seed++) surplus += await check(seed, { calls: 25, scales: false, ...trouble });
    assert.equal(surplus, 0, name);
  }
});
