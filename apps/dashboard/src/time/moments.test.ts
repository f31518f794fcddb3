import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceHop } from '@binnacle/trace';
import { momentAt, momentsOf, momentText, neighbour, stepFrom } from './moments.ts';

function commit(revision: number, name: string): TraceHop {
  return {
    apiVersion: 'trace.binnacle.dev/v1',
    kind: 'Hop',
    metadata: { name: String(revision), resourceVersion: String(revision), creationTimestamp: '' },
    type: 'commit',
    component: 'store',
    title: '',
    atMs: revision * 1000,
    durationMs: 0,
    revision: String(revision),
    object: { group: '', resource: 'pods', namespace: 'default', name },
    cause: { type: 'client' },
    detail: { operation: 'update', by: 'kubectl' },
  };
}

const MOMENTS = momentsOf([commit(9, 'b'), commit(3, 'a'), { ...commit(4, 'x'), type: 'request' }, commit(3, 'a')]);

test('moments are the commits, in their order', () => {
  deepEqual(
    MOMENTS.map(({ revision, by }) => [revision, by]),
    [
      [3, 'kubectl'],
      [9, 'kubectl'],
    ],
  );
  equal(MOMENTS.map(momentText).join(), 'update pods default/a,update pods default/b');
});

test('what made a revision what it is, and what is next to it', () => {
  const all = (): boolean => true;
  deepEqual(
    [2, 3, 8, 12].map((revision) => momentAt(MOMENTS, revision)?.revision),
    [undefined, 3, 3, 9],
  );
  const next = (revision: number, direction: 'back' | 'on', matters = all): number | undefined =>
    neighbour(MOMENTS, { revision, direction, matters })?.revision;
  deepEqual([next(9, 'back'), next(3, 'back'), next(3, 'on'), next(9, 'on')], [3, undefined, 9, undefined]);
  equal(
    neighbour(MOMENTS, { revision: 1, direction: 'on', matters: ({ object }) => object?.name === 'b' })?.revision,
    9,
  );
});

test('a step past the last change leads to now, one before the first nowhere', () => {
  const step = (revision: number, direction: 'back' | 'on'): number | undefined =>
    stepFrom(MOMENTS, { revision, direction, matters: () => true });
  deepEqual([step(9, 'back'), step(3, 'on'), step(9, 'on'), step(3, 'back')], [3, 9, undefined, 3]);
});
