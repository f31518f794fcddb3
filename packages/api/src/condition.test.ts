import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCondition, isConditionTrue, removeCondition, setCondition } from './condition.ts';
import type { Condition } from './condition.ts';

const T1 = '2026-01-01T00:00:00Z';
const T2 = '2026-01-01T00:00:05Z';
const READY: Condition = { type: 'Ready', status: 'True', lastTransitionTime: T1 };

describe('conditions', () => {
  const rows: [name: string, before: Condition[] | undefined, set: Condition, after: Condition[]][] = [
    ['a first one', undefined, { type: 'Ready', status: 'True' }, [READY]],
    [
      'same status keeps its time',
      [READY],
      { type: 'Ready', status: 'True', reason: 'R' },
      [{ ...READY, reason: 'R' }],
    ],
    [
      'other status, now',
      [READY],
      { type: 'Ready', status: 'False' },
      [{ ...READY, status: 'False', lastTransitionTime: T2 }],
    ],
    [
      'another type, in order',
      [READY],
      { type: 'A', status: 'True' },
      [READY, { type: 'A', status: 'True', lastTransitionTime: T2 }],
    ],
  ];
  for (const [name, before, set, after] of rows) {
    it(name, () => assert.deepEqual(setCondition(before, set, before ? T2 : T1), after));
  }

  it('gives the same list back when nothing changes', () => {
    const list = [READY];
    assert.equal(setCondition(list, { type: 'Ready', status: 'True' }, T2), list);
    assert.equal(removeCondition(list, 'Other'), list);
  });

  it('finds, asks and removes', () => {
    assert.equal(getCondition([READY], 'Ready'), READY);
    assert.equal(isConditionTrue([READY], 'Ready'), true);
    assert.equal(isConditionTrue(undefined, 'Ready'), false);
    assert.deepEqual(removeCondition([READY], 'Ready'), []);
  });
});
