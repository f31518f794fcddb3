import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node, Pod, Taint, Toleration } from '@binnacle/api/core/v1';
import { evictionTimeMs } from './decide.ts';

const NOW = 100_000;
const SINCE = 40_000;
const taint = (key: string, effect: Taint['effect'] = 'NoExecute'): Taint => ({ key, effect });
const tolerating = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const ROWS: readonly [
  name: string,
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  leavesAt: number | undefined,
][] = [
  ['no taints', [], [], undefined],
  ['a taint that only keeps others away', [taint('a', 'NoSchedule')], [], undefined],
  ['not tolerated: at once', [taint('a')], [], NOW],
  ['tolerated for ever', [taint('a')], [tolerating('a')], undefined],
  ['another one is tolerated', [taint('a')], [tolerating('b')], NOW],
  ['for a time, since the taint is there', [taint('a')], [tolerating('a', 300)], SINCE + 300_000],
  ['for no time', [taint('a')], [tolerating('a', 0)], SINCE],
  ['for less than no time', [taint('a')], [tolerating('a', -5)], SINCE],
  ['the first of two times', [taint('a')], [tolerating('a', 300), tolerating('a', 60)], SINCE + 300_000],
  ['the first is for ever', [taint('a')], [tolerating('a'), tolerating('a', 60)], undefined],
  ['the first is for a time', [taint('a')], [tolerating('a', 60), tolerating('a')], SINCE + 60_000],
  [
    'the first of two taints to drive it out',
    [taint('a'), taint('b')],
    [tolerating('a', 300), tolerating('b', 60)],
    SINCE + 60_000,
  ],
  [
    'the other of two to drive it out',
    [taint('a'), taint('b')],
    [tolerating('a', 60), tolerating('b', 300)],
    SINCE + 60_000,
  ],
  ['one of two is not tolerated', [taint('a'), taint('b')], [tolerating('a')], NOW],
  ['nobody knows since when: from now on', [taint('new')], [tolerating('new', 5)], NOW + 5000],
];
for (const [name, taints, tolerations, leavesAt] of ROWS)
  test(`when a pod leaves its node: ${name}`, () => {
    const node: Node = { metadata: { name: 'n' }, spec: { taints } };
    const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [], tolerations }, status: {} };
    const clock = { nowMs: NOW, sinceMs: ({ key }: Taint) => (key === 'new' ? undefined : SINCE) };
    assert.equal(evictionTimeMs(pod, node, clock), leavesAt);
    const going = { ...pod, metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    assert.equal(evictionTimeMs(going, node, clock), undefined, 'who is going needs no push');
  });
