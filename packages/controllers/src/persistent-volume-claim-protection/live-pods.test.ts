import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { LivePods } from './live-pods.ts';

const CLAIM = { key: 'ns/c', namespace: 'ns' };
const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [] } });

function setUp() {
  const clock = new VirtualClock();
  const live = new LivePods(clock);
  let there: readonly Pod[] = [];
  let looks = 0;
  const ask = (key = 'ns/c'): Promise<boolean> =>
    live.anyOf(
      { ...CLAIM, key },
      (one) => one.metadata.name === 'user',
      () => {
        looks++;
        return Promise.resolve(there);
      },
    );
  return { clock, live, ask, looks: () => looks, set: (pods: readonly Pod[]) => (there = pods) };
}

test('one look is enough for all claims that were to go when it began, and for no other', async () => {
  const { live, ask, looks } = setUp();
  live.goes('ns/c');
  live.goes('ns/d');
  assert.deepEqual([await ask('ns/c'), await ask('ns/d'), looks()], [false, false, 1]);
  live.goes('ns/late');
  assert.deepEqual([await ask('ns/late'), looks()], [false, 2]);
  assert.deepEqual([await ask('ns/unheard-of'), await ask('ns/unheard-of'), looks()], [false, false, 4]);
});

test('who was used a moment ago is looked at again; so is what was seen too long ago', async () => {
  const { clock, live, ask, looks, set } = setUp();
  live.goes('ns/c');
  set([pod('user')]);
  assert.deepEqual([await ask(), looks()], [true, 1]);
  set([]);
  assert.deepEqual([await ask(), looks()], [false, 2]);
  set([pod('user')]);
  await clock.advance(5001);
  assert.deepEqual([await ask(), looks()], [true, 3]);
});

test('a look that failed is told, and not kept', async () => {
  const { live, ask, looks } = setUp();
  live.goes('ns/c');
  const broken = (): Promise<readonly Pod[]> => Promise.reject(new RangeError('broken'));
  await assert.rejects(
    live.anyOf(CLAIM, () => true, broken),
    RangeError,
  );
  assert.deepEqual([await ask(), looks()], [false, 1]);
});
