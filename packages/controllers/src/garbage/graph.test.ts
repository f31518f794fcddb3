import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { OwnerReference } from '@binnacle/machinery';
import { isBlocked, OwnerGraph } from './graph.ts';
import type { Place } from './graph.ts';

const because = () => ({ what: 'a test' });
const placeOf = (name: string, namespace = 'ns'): Place => ({
  resource: undefined,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace,
  name,
});

/** A graph, what it wants looked at, and how an object comes into it: its UID is its name. */
function setUp() {
  const checked: string[] = [];
  const graph = new OwnerGraph({ check: ({ uid }) => checked.push(uid), orphan: () => undefined });
  const observe = (name: string, owners: readonly Partial<OwnerReference>[] = [], finalizers?: string[]): void => {
    const references = owners.map((one): OwnerReference => {
      return { apiVersion: 'v1', kind: 'ConfigMap', name: one.uid ?? '', uid: '', ...one };
    });
    const going = finalizers === undefined ? {} : { finalizers, deletionTimestamp: '2026-01-01T00:00:00Z' };
    graph.observe(
      { metadata: { name, uid: name, ownerReferences: references, ...going } },
      () => placeOf(name),
      because,
    );
  };
  return { graph, checked, observe };
}

for (const [name, dependents, expected] of [
  ['nobody', [], false],
  ['one that blocks', [{ of: 'd', block: true }], true],
  ['one that does not', [{ of: 'd', block: false }], false],
  [
    'one of several',
    [
      { of: 'c', block: false },
      { of: 'd', block: true },
    ],
    true,
  ],
  ['itself', [{ of: 'o', block: true }], false],
] as const) {
  test(`an owner waits for ${name}: ${expected}`, () => {
    const { graph, observe } = setUp();
    observe('o');
    for (const { of, block } of dependents) observe(of, [{ uid: 'o', blockOwnerDeletion: block }]);
    assert.equal(isBlocked(graph.get('o')!), expected);
  });
}

test('an owner that waits is looked at when one that blocks it goes or lets go, and not when another does', () => {
  const { graph, checked, observe } = setUp();
  const blocking = [{ uid: 'o', blockOwnerDeletion: true }];
  observe('o');
  for (const one of ['a', 'b']) observe(one, blocking);
  observe('free', [{ uid: 'o' }]);
  observe('o', [], ['foregroundDeletion']);
  assert.deepEqual(checked, ['a', 'b', 'free', 'o']);
  checked.length = 0;
  graph.forget('free', because);
  assert.deepEqual(checked, []);
  graph.forget('a', because);
  observe('b', [{ uid: 'o' }]);
  assert.deepEqual(checked, ['o', 'o']);
  observe('late', blocking);
  assert.deepEqual(checked, ['o', 'o', 'late']);
});
