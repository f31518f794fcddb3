import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { allContainers, leftFor } from './pod-containers.ts';

test('containers in the order in which they begin', () => {
  const pod = testPod({ spec: { initContainers: [{ name: 'i' }], ephemeralContainers: [{ name: 'e' }] } });
  assert.deepEqual(
    allContainers(pod).map((c) => c.name),
    ['i', 'main', 'e'],
  );
});

const always = { restartPolicy: 'Always' as const };
const ROWS: readonly (readonly [
  what: string,
  init: readonly Container[],
  given: { readonly [name: string]: string },
  left: string,
])[] = [
  ['nothing before it', [], {}, ''],
  ['init containers that are over leave theirs', [{ name: 'a' }, { name: 'b' }], { a: 'xy', b: 'z' }, 'xyz'],
  ['once, though two had it', [{ name: 'a' }, { name: 'b' }], { a: 'xy', b: 'yz' }, 'xyz'],
  ['a sidecar keeps its own', [{ name: 'a', ...always }, { name: 'b' }], { a: 'x', b: 'y' }, 'y'],
  [
    'a sidecar keeps what it took of one before it',
    [{ name: 'a' }, { name: 'b', ...always }],
    { a: 'xy', b: 'y' },
    'x',
  ],
  ['one that runs keeps what it took', [{ name: 'a' }], { a: 'xyz', main: 'yw' }, 'xz'],
  ['what it has itself, or those behind it have, counts for nothing', [], { asks: 'x', behind: 'y' }, ''],
];
for (const [what, initContainers, given, left] of ROWS)
  test(`what is left for a container: ${what}`, () => {
    const asks = { name: 'asks' };
    const pod = testPod({ spec: { initContainers, containers: [{ name: 'main' }, asks, { name: 'behind' }] } });
    const asking = pod.spec.containers[1] ?? assert.fail('it asks');
    assert.equal(leftFor(pod, asking, (name) => given[name] ?? '').join(''), left);
  });
