import assert from 'node:assert/strict';
import { test } from 'node:test';
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
