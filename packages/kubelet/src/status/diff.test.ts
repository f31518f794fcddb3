import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodStatus } from '@binnacle/api/core/v1';
import { sameMeaning, statusPatch } from './diff.ts';

const ready = { type: 'Ready', status: 'True', lastTransitionTime: 't' };

const rows: readonly [string, PodStatus | undefined, PodStatus, object | undefined][] = [
  ['nothing new', { phase: 'Running', conditions: [ready] }, { phase: 'Running', conditions: [ready] }, undefined],
  ['zero values are absent', { phase: 'Running', podIPs: [], message: '' }, { phase: 'Running' }, undefined],
  ['from nothing', undefined, { phase: 'Pending' }, { phase: 'Pending' }],
  [
    'only the condition that changed',
    { conditions: [ready, { type: 'A', status: 'True' }] },
    {
      conditions: [
        { ...ready, status: 'False' },
        { type: 'A', status: 'True' },
      ],
    },
    { conditions: [{ ...ready, status: 'False' }] },
  ],
  [
    'a reason that is gone',
    { conditions: [{ ...ready, reason: 'X' }] },
    { conditions: [ready] },
    { conditions: [{ ...ready, reason: null }] },
  ],
  [
    'another address',
    { podIP: 'a', podIPs: [{ ip: 'a' }] },
    { podIP: 'b', podIPs: [{ ip: 'b' }] },
    { podIP: 'b', podIPs: [{ ip: 'b' }, { $patch: 'delete', ip: 'a' }] },
  ],
  ['a field that is gone', { reason: 'X' }, {}, { reason: null }],
  ["what is not the kubelet's stays", { qosClass: 'Burstable', nominatedNodeName: 'n' }, {}, undefined],
  [
    'container statuses go whole',
    { containerStatuses: [] },
    { containerStatuses: [{ name: 'a', ready: true, restartCount: 0, image: '', imageID: '' }] },
    { containerStatuses: [{ name: 'a', ready: true, restartCount: 0, image: '', imageID: '' }] },
  ],
];

for (const [name, before, after, wanted] of rows)
  test(`patch: ${name}`, () => assert.deepEqual(statusPatch(before, after), wanted));

const meanings: readonly [unknown, unknown, boolean][] = [
  [{ a: {} }, {}, true],
  [{ a: { b: [''].slice(1), c: null } }, undefined, true],
  [{ a: 0 }, {}, false],
  [{ a: false }, {}, false],
  [[], {}, true],
  [[1, 2], [1], false],
  [{ constructor: '' }, {}, true],
  [{}, { constructor: 'x' }, false],
  [{ a: [{ b: 'x', c: '' }] }, { a: [{ b: 'x' }] }, true],
];

for (const [a, b, wanted] of meanings) {
  test(`${JSON.stringify(a)} means ${JSON.stringify(b)}: ${wanted}`, () => {
    assert.equal(sameMeaning(a, b), wanted);
    assert.equal(sameMeaning(b, a), wanted);
  });
}

test('each part is looked at once, however deep', () => {
  let reads = 0;
  const nested = (depth: number): object => {
    const inner = depth === 0 ? '' : nested(depth - 1);
    return Object.defineProperty({}, 'a', { enumerable: true, get: () => (reads++, inner) });
  };
  const count = (depth: number): number => {
    reads = 0;
    sameMeaning(nested(depth), {});
    return reads;
  };
  assert.ok(count(400) <= 4.2 * count(100));
});

test('conditions in another order are no difference: the writer would repeat itself for ever', () => {
  const ready = { type: 'Ready', status: 'True' } as const;
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' } as const;
  const before = { conditions: [target, ready] };
  assert.equal(statusPatch(before, { conditions: [ready, target] }), undefined);
  const unready = { ...ready, status: 'False' } as const;
  assert.deepEqual(statusPatch(before, { conditions: [unready, target] }), { conditions: [unready] });
});
