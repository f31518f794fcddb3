import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { needText, podsToPreempt } from './preemption.ts';

type Kind = 'BestEffort' | 'Burstable' | 'Guaranteed';
const of = (name: string, kind: Kind, cpu: string, memory = '0', priority = 0): Pod => {
  const requests = { cpu, memory };
  const resources = { BestEffort: {}, Burstable: { requests }, Guaranteed: { requests, limits: requests } }[kind];
  return testPod({ name, spec: { priority }, container: { resources }, status: { qosClass: kind } });
};
const critical = testPod({ name: 'critical', spec: { priority: 2_000_000_000 } });
const cpu = (amount: number) => ({ resource: 'cpu', requested: amount, used: 1000, capacity: 1000 });

const rows: readonly [string, readonly Pod[], readonly ReturnType<typeof cpu>[], readonly string[] | undefined][] = [
  ['nobody there', [], [cpu(100)], undefined],
  ['not enough by far', [of('a', 'Burstable', '50m')], [cpu(100)], undefined],
  [
    'burstable ones before guaranteed ones',
    [of('g', 'Guaranteed', '100m', '1Mi'), of('b', 'Burstable', '100m')],
    [cpu(100)],
    ['b'],
  ],
  [
    'guaranteed ones where it takes them',
    [of('g', 'Guaranteed', '100m', '1Mi'), of('b', 'Burstable', '50m')],
    [cpu(100)],
    ['g'],
  ],
  [
    'the nearest first, then what is missing still',
    [of('a', 'Burstable', '30m'), of('b', 'Burstable', '90m'), of('c', 'Burstable', '10m')],
    [cpu(110)],
    ['b', 'a'],
  ],
  [
    'one that is enough rather than two',
    [of('a', 'Burstable', '60m'), of('b', 'Burstable', '200m'), of('c', 'Burstable', '60m')],
    [cpu(110)],
    ['b'],
  ],
  [
    'of two the smaller',
    [of('large', 'Burstable', '200m', '2Gi'), of('small', 'Burstable', '200m', '1Gi')],
    [cpu(110)],
    ['small'],
  ],
  [
    'a place is a place: who asked for nothing goes first',
    [of('g', 'Guaranteed', '100m', '1Mi'), of('n', 'BestEffort', '0')],
    [{ resource: 'pods', requested: 1, used: 2, capacity: 2 }],
    ['n'],
  ],
  [
    'never one that the node cannot do without either',
    [of('other', 'Burstable', '200m', '0', 2_000_000_000)],
    [cpu(100)],
    undefined,
  ],
];
for (const [name, others, short, wanted] of rows)
  test(`who ends for a critical pod: ${name}`, () =>
    assert.deepEqual(
      podsToPreempt(critical, others, short)?.map(({ metadata }) => metadata.name),
      wanted,
    ));

test('one of a higher priority ends one of a lower, both being critical', () => {
  const lower = of('lower', 'Burstable', '200m', '0', 2_000_000_000);
  const higher = testPod({ name: 'higher', spec: { priority: 2_000_001_000 } });
  assert.deepEqual(podsToPreempt(higher, [lower], [cpu(100)]), [lower]);
});

test('what nobody has is told', () => {
  const pages = { resource: 'hugepages-2Mi', requested: 4, used: 0, capacity: 2 };
  assert.equal(needText([cpu(100), pages]), '[(res: cpu, q: 100), (res: hugepages-2Mi, q: 2), ]');
});
