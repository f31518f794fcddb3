import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf, factsOf, isGood } from './facts.ts';

test('plain values by their paths, lists of plain values, no conditions, nothing too deep', () => {
  deepEqual(
    factsOf({ a: 1, b: { c: true, d: { e: 'deep' } }, f: ['x', 'y'], g: [{ h: 1 }], conditions: 'x', i: null }),
    [
      { name: 'a', value: '1' },
      { name: 'b.c', value: 'true' },
      { name: 'f', value: 'x, y' },
    ],
  );
});

test('of very many, and very long ones, a part', () => {
  const facts = factsOf(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 'x'.repeat(1000)])));
  equal(facts.length, 40);
  equal(facts[0]?.value.length, 201);
});

test('conditions', () => {
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'a', resourceVersion: '1' } };
  deepEqual(conditionsOf(object), []);
  deepEqual(conditionsOf({ ...object, status: { conditions: {} } }), []);
  equal(conditionsOf({ ...object, status: { conditions: [{ type: 'Ready', status: 'True' }] } }).length, 1);
  const strange = [
    null,
    'x',
    5,
    [],
    {},
    { type: {}, status: 'True' },
    { type: 'A', status: 'True', message: { a: 1 }, reason: 'B' },
  ];
  deepEqual(conditionsOf({ ...object, status: { conditions: strange } }), [{ type: 'A', status: 'True', reason: 'B' }]);
  for (const [type, status, good] of [
    ['Ready', 'True', true],
    ['Ready', 'False', false],
    ['MemoryPressure', 'False', true],
    ['ReplicaFailure', 'True', false],
    ['Ready', 'Unknown', undefined],
  ] as const)
    equal(isGood({ type, status }), good, `${type} ${status}`);
});
