import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { rankForDeletion } from './rank.ts';

interface Facts {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Running' | 'Unknown';
  /** Ready since, seconds ago. */
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  /** Created, seconds ago. */
  readonly age?: number;
}

const NOW = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

function pod(name: string, facts: Facts): Pod {
  const { node, phase = 'Running', ready, cost, restarts = 0, age = 1000 } = facts;
  const annotations = cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost };
  const condition = { type: 'Ready', status: 'True' as const, lastTransitionTime: ago(ready ?? 0) };
  const container = { name: 'c', image: '', imageID: '', ready: true, restartCount: restarts };
  return {
    metadata: { name, uid: name, annotations, creationTimestamp: ago(age) },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase, conditions: ready === undefined ? [] : [condition], containerStatuses: [container] },
  };
}

const rows: { name: string; first: Facts; later: Facts }[] = [
  { name: 'not on a node', first: {}, later: { node: 'n' } },
  { name: 'pending', first: { node: 'n', phase: 'Pending' }, later: { node: 'n', phase: 'Unknown' } },
  { name: 'unknown', first: { node: 'n', phase: 'Unknown' }, later: { node: 'n' } },
  { name: 'not ready', first: { node: 'n' }, later: { node: 'n', ready: 5 } },
  { name: 'cheap', first: { node: 'n', ready: 9, cost: '-5' }, later: { node: 'n', ready: 9, cost: '1' } },
  {
    name: 'invalid cost is zero',
    first: { node: 'n', ready: 9, cost: '+7' },
    later: { node: 'n', ready: 9, cost: '1' },
  },
  {
    name: 'ready for an hour before ready for a day',
    first: { node: 'n', ready: 3600 },
    later: { node: 'n', ready: 86_000 },
  },
  { name: 'often restarted', first: { node: 'n', ready: 9, restarts: 3 }, later: { node: 'n', ready: 9, restarts: 1 } },
  { name: 'young', first: { node: 'n', age: 10 }, later: { node: 'n', age: 5000 } },
];
for (const row of rows) {
  test(`goes first: ${row.name}`, () => {
    const [a, b] = [pod('z', row.first), pod('a', row.later)];
    for (const pods of [
      [a, b],
      [b, a],
    ]) {
      assert.deepEqual(
        rankForDeletion(pods, [], NOW).map((one) => one.metadata.name),
        ['z', 'a'],
      );
    }
  });
}

test('goes first: on the node where sisters run too', () => {
  const [a, b] = [pod('a', { node: 'quiet', ready: 9 }), pod('z', { node: 'busy', ready: 9 })];
  const related = [a, b, pod('sister', { node: 'busy', ready: 9 })];
  assert.equal(rankForDeletion([a, b], related, NOW)[0]?.metadata.name, 'z');
});

test('about the same age: the UID decides, not the second', () => {
  const [a, b] = [pod('a', { node: 'n', ready: 3600 }), pod('b', { node: 'n', ready: 3500 })];
  assert.equal(rankForDeletion([b, a], [], NOW)[0]?.metadata.name, 'a');
});
