import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { liveThrough } from '../test-life.ts';
import type { Trouble } from '../test-life.ts';

// Law 4: whatever is lost, late, repeated or killed, it settles on exactly the wanted number.
// The long round of settles.test.ts. A failing seed is printed with the assertion; run it alone with the same number.

const ALL: Trouble = { calls: 25, late: true, kills: 20, losses: 25, scales: true };

async function check(seed: number, trouble: Trouble): Promise<number> {
  const { active, wanted, reported, removed } = await liveThrough(seed, trouble);
  assert.deepEqual({ seed, active, reported }, { seed, active: wanted, reported: wanted });
  return removed;
}

const SEEDS = 30;

test('settles on exactly the wanted number through kills, losses, faults and scaling', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await check(seed, ALL);
});

test('surplus pods: none while the process lives; counted when it is killed with requests in flight', async (t) => {
  const count = async (trouble: Trouble): Promise<number> => {
    let surplus = 0;
    for (let seed = 1; seed <= SEEDS; seed++) surplus += await check(seed, trouble);
    return surplus;
  };
  const alive = await count({ calls: 25, late: false, kills: 0, losses: 25, scales: false });
  const killed = await count({ calls: 25, late: true, kills: 30, losses: 0, scales: false });
  const rough = await count({ calls: 25, late: true, kills: 30, losses: 25, scales: false });
  t.diagnostic(
    `surplus pods in ${SEEDS} lives: ${alive} alive, ${killed} with kills, ${rough} with kills and lost pods`,
  );
  assert.equal(alive, 0);
  assert.ok(killed <= SEEDS / 20 && rough <= SEEDS / 10, `${killed} and ${rough} surplus pods`);
});
