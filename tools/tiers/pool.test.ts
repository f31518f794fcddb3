import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inOrder, nextIndex, runPool } from './pool.ts';
import type { Lane, Suite } from './suites.ts';

const suite = (name: string): Suite => {
  const lane: Lane = name.startsWith('c') ? 'containers' : 'simulated';
  return { name, tier: 'rings', lane, files: [] };
};

describe('which suite runs next', () => {
  for (const [waiting, running, prefers, wanted] of [
    ['c1 s1', '', 'containers', 'c1'],
    ['c1 s1', '', 'simulated', 's1'],
    ['s1 s2', '', 'containers', 's1'],
    ['c1', 's1', 'simulated', 'c1'],
    ['c1 c2 s1', 'c3', 'containers', 'c1'],
    ['c1 s1', 'c2 c3', 'containers', 's1'],
    ['c1', 'c2 c3', 'simulated', undefined],
    ['', 'c1', 'containers', undefined],
  ] as const) {
    test(`of ${waiting || 'none'} beside ${running || 'none'} for who prefers ${prefers}`, () => {
      const [left, at] = [waiting, running].map((names) => names.split(' ').filter(Boolean).map(suite));
      assert.equal(left?.[nextIndex(left, at ?? [], prefers)]?.name, wanted);
    });
  }

  test('the longest ones come first, those of unknown length behind them as they were', () => {
    const times = { c1: { seconds: 5 }, s2: { seconds: 9 } };
    const names = inOrder(['s1', 'c1', 's2', 's3'].map(suite), times).map(({ name }) => name);
    assert.deepEqual(names, ['s2', 'c1', 's1', 's3']);
  });
});

test('all are run, three at a time, of which two with containers at the most', async () => {
  const all = ['c1', 'c2', 'c3', 'c4', 's1', 's2'].map(suite);
  const running: Suite[] = [];
  const sights: string[] = [];
  const ends: (() => void)[] = [];
  const done = runPool(all, async (one) => {
    running.push(one);
    sights.push(running.map(({ name }) => name).join(' '));
    await new Promise<void>((resolve) => ends.push(resolve));
    running.splice(running.indexOf(one), 1);
    return one.name;
  });
  for (let left = all.length; left > 0; left--) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await done, ['c1', 'c2', 's1', 'c3', 'c4', 's2']);
  assert.deepEqual(sights, ['c1', 'c1 c2', 'c1 c2 s1', 'c2 s1 c3', 's1 c3 c4', 'c3 c4 s2']);
});

test('a run that breaks ends it all', async () => {
  const broken = new Error('no such program');
  await assert.rejects(
    runPool([suite('c1'), suite('s1')], () => Promise.reject(broken)),
    broken,
  );
});
