import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomFloat } from '@binnacle/base';
import { VirtualClock } from '@binnacle/base/testing';
import { Retention } from './retention.ts';

function retention(limits: { ageMsMax: number; bytesMax: number }) {
  const clock = new VirtualClock();
  const compacted: number[] = [];
  return { clock, compacted, retention: new Retention(clock, limits, (revision) => compacted.push(revision)) };
}

test('by bytes: what is behind the newest bytes goes', () => {
  const { clock, compacted, retention: r } = retention({ ageMsMax: Infinity, bytesMax: 1000 });
  for (let revision = 1; revision <= 300; revision++) r.note(revision, 10);
  const last = compacted.at(-1) ?? 0;
  assert.ok(last >= 195 && last <= 200, `compacted at ${last}`);
  assert.deepEqual(
    compacted,
    compacted.toSorted((a, b) => a - b),
  );
  assert.equal(clock.pending, 0, 'without an age nothing is waited for');
});

test('by age, and then no timer is left', async () => {
  const { clock, compacted, retention: r } = retention({ ageMsMax: 60_000, bytesMax: Infinity });
  r.note(1, 10);
  await clock.advance(30_000);
  r.note(2, 10);
  await clock.advance(29_999);
  assert.deepEqual(compacted, []);
  await clock.advance(1);
  assert.deepEqual(compacted, [1]);
  await clock.advance(30_000);
  assert.deepEqual(compacted, [1, 2]);
  assert.equal(clock.pending, 0);
});

test('closed, it leaves no timer', async () => {
  const { clock, compacted, retention: r } = retention({ ageMsMax: 60_000, bytesMax: Infinity });
  r.note(1, 10);
  r.close();
  await clock.advance(120_000);
  assert.deepEqual([compacted, clock.pending], [[], 0]);
});

test('at fractions of a millisecond it is compacted once, and not asked for again and again', async () => {
  const random = createSeededRandom(3);
  for (let round = 0; round < 50; round++) {
    const { clock, compacted, retention: r } = retention({ ageMsMax: 300_000, bytesMax: Infinity });
    let timers = 0;
    const after = clock.after.bind(clock);
    clock.after = (...given) => {
      assert.ok(++timers < 100, 'timers without an end');
      return after(...given);
    };
    // Where moments have fewer bits behind the point than what lies between them.
    await clock.advance(1e6);
    for (let revision = 1; revision <= 30; revision++) {
      await clock.advance(5000 + (randomFloat(random) * 10_000) / 3);
      r.note(revision, 10);
    }
    await clock.advance(700_000);
    assert.equal(compacted.at(-1), 30);
  }
});
