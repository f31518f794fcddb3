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

test('what has no object, is of a group, or of no namespace is told so', () => {
  const { object: _object, ...bare } = commit(1, 'x');
  const named = (group: string, resource: string, namespace?: string): TraceHop => ({
    ...commit(1, 'x'),
    object: { group, resource, name: 'x', ...(namespace === undefined ? {} : { namespace }) } as never,
  });
  const hops = [bare, named('apps', 'deployments', 'shop'), named('', 'nodes')];
  deepEqual(
    hops.map((hop) =>
      momentsOf([hop as TraceHop])
        .map(momentText)
        .join(),
    ),
    ['update', 'update deployments.apps shop/x', 'update nodes x'],
  );
});

test('of a revision that is told twice the later telling counts, and a hop without one is no moment', () => {
  const { revision: _revision, ...none } = commit(5, 'x');
  const twice = momentsOf([commit(5, 'old'), { ...commit(5, 'new'), atMs: 9 }, none as TraceHop]);
  deepEqual(
    twice.map(({ atMs, object }) => [atMs, object?.name]),
    [[9, 'new']],
  );
  equal(momentAt([], 5), undefined);
  equal(stepFrom([], { revision: 5, direction: 'back', matters: () => true }), 5);
});
