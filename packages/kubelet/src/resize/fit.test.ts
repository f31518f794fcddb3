import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { resizeOrder, resizeRefusal } from './fit.ts';

const room = { milliCpu: 2000, memoryBytes: 1000, ephemeralStorageBytes: 0 };
const pod = (name: string, cpu: string, memory = '0') =>
  testPod({ name, container: { resources: { requests: { cpu, memory } } } });
const other = pod('other', '1', '600');

const rows: readonly [string, ReturnType<typeof resizeRefusal>, string | undefined][] = [
  ['it fits', resizeRefusal(pod('a', '1', '400'), [other], room), undefined],
  [
    'never so much CPU',
    resizeRefusal(pod('a', '3'), [other], room),
    "Infeasible Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
  ],
  [
    'never so much memory',
    resizeRefusal(pod('a', '3', '1001'), [other], room),
    "Infeasible Node didn't have enough capacity: memory, requested: 1001, capacity: 1000",
  ],
  [
    'no CPU now',
    resizeRefusal(pod('a', '1500m'), [other], room),
    "Deferred Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  ],
  [
    'no memory now',
    resizeRefusal(pod('a', '1', '401'), [other], room),
    "Deferred Node didn't have enough resource: memory, requested: 401, used: 600, capacity: 1000",
  ],
];
for (const [name, refusal, wanted] of rows)
  test(`fit: ${name}`, () => assert.equal(refusal && `${refusal.reason} ${refusal.message}`, wanted));

test('who is served first', () => {
  const claim = { grows: true, priority: 0, isGuaranteed: false, since: 5 };
  const all = [
    { ...claim, name: 'newer' },
    { ...claim, since: 1, name: 'older' },
    { ...claim, isGuaranteed: true, name: 'guaranteed' },
    { ...claim, priority: 10, name: 'important' },
    { ...claim, grows: false, name: 'shrinks' },
  ];
  assert.deepEqual(
    all.toSorted(resizeOrder).map((c) => c.name),
    ['shrinks', 'important', 'guaranteed', 'older', 'newer'],
  );
});
