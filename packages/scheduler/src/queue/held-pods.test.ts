import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { demandOf } from '../plan/demand.ts';
import { makePod } from '../testing/objects.ts';
import { HeldPods } from './held-pods.ts';

test('only a pod that is held back for long is told, once, in turn, and as it was seen last', async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const held = new HeldPods({
    clock,
    patienceMs: 1_000,
    tell: ({ pod }) => told.push(`${pod.metadata.name} ${pod.metadata.labels?.['seen'] ?? ''} ${clock.monotonic()}`),
  });
  const demand = (name: string, seen: string) => demandOf(makePod(name, { labels: { seen } }));
  held.hold(demand('a', 'first'));
  await clock.advance(500);
  held.hold(demand('b', 'first'));
  held.hold(demand('c', 'first'));
  held.hold(demand('a', 'again'));
  held.release(demand('b', 'first').uid);
  await clock.advance(400);
  assert.deepEqual(told, []);
  await clock.advance(5_000);
  assert.deepEqual(told, ['a again 1000', 'c first 1500']);
  held.hold(demand('d', 'first'));
  held.close();
  await clock.advance(5_000);
  assert.equal(told.length, 2);
});
