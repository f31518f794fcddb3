import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../api/discovery.ts';
import { findKinds, findObjects } from './find.ts';

const kind = (name: string, resource: string, shortNames: readonly string[] = []): Resource => ({
  ...{ group: '', version: 'v1', resource, kind: name, namespaced: true, shortNames },
  ...{ categories: [], verbs: ['list'], subresources: [] },
});
const POD = kind('Pod', 'pods', ['po']);
const KINDS = [kind('PodTemplate', 'podtemplates'), POD, kind('PodDisruptionBudget', 'poddisruptionbudgets', ['pdb'])];

test('kinds: exact names and short names first', () => {
  const found = (query: string): string =>
    findKinds(KINDS, query, 'n')
      .map(({ label }) => label)
      .join();
  equal(found('po'), 'Pod,PodDisruptionBudget,PodTemplate');
  equal(found('pdb'), 'PodDisruptionBudget');
  equal(found('budget'), 'PodDisruptionBudget');
  equal(found(''), 'Pod,PodDisruptionBudget,PodTemplate');
  equal(found('x'), '');
});

test('objects by every word, wherever it stands', () => {
  const objects = ['web-1', 'web-2'].map((name) => ({
    kind: POD,
    object: { apiVersion: '', kind: '', metadata: { name, namespace: 'shop', resourceVersion: '1' } },
  }));
  deepEqual(
    findObjects(objects, 'POD shop/web 2').map(({ label, note }) => `${label} ${note}`),
    ['web-2 Pod · shop'],
  );
  deepEqual(findObjects(objects, ' '), []);
});
