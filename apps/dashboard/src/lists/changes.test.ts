import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../live/rows.ts';
import { changesOf, lackingOf } from './changes.ts';

const of = (name: string, resourceVersion: string, uid = name): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n', uid, resourceVersion },
});

test('what came, went, changed, and what has an old name but is another', () => {
  const before = [of('a', '1'), of('b', '1'), of('c', '1'), of('d', '1', 'd1')];
  const after = [of('a', '1'), of('b', '2'), of('d', '3', 'd2'), of('e', '4')];
  deepEqual(
    changesOf(before, after).map(({ sign, object }) => `${sign}${object.metadata.name}`),
    ['~b', '+d', '+e', '-c', '-d'],
  );
  deepEqual(changesOf([], []), []);
});

for (const state of ['loading', 'broken', 'compacted', 'forbidden'] as const) {
  test(`a list that is ${state} is compared with none`, () => {
    equal(lackingOf([{ state: 'read' }, { state }])?.state, state);
    equal(lackingOf([{ state }, { state: 'live' }])?.state, state);
  });
}

test('lists that are there are compared, watched or not', () => {
  equal(lackingOf([{ state: 'read' }, { state: 'live' }]), undefined);
});

test('between namespaces of which each has its own, and of lists that are the same, nothing is mixed up', () => {
  const other = { ...of('a', '7', 'other'), metadata: { ...of('a', '7', 'other').metadata, namespace: 'm' } };
  const before = [of('a', '1'), other];
  deepEqual(changesOf(before, before), []);
  const [change, ...rest] = changesOf(before, [of('a', '2'), other]);
  deepEqual(
    [change?.sign, change?.before?.metadata.resourceVersion, change?.after?.metadata.resourceVersion, rest],
    ['~', '1', '2', []],
  );
  deepEqual(
    changesOf(before, []).map(({ sign, object, after }) => [sign, object.metadata.namespace, after]),
    [
      ['-', 'n', undefined],
      ['-', 'm', undefined],
    ],
  );
});
