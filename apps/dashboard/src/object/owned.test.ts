import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../api/discovery.ts';
import { findOwned } from './owned.ts';

const plain = { group: '', version: 'v1', shortNames: [], categories: [], verbs: ['list', 'delete'], subresources: [] };
const PODS: Resource = { ...plain, resource: 'pods', kind: 'Pod', namespaced: true };
const VOLUMES: Resource = { ...plain, resource: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };

const pod = (name: string, namespace: string, uid: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, namespace, resourceVersion: '1', ownerReferences: [{ uid }] },
});

async function found(namespace: string | undefined): Promise<object> {
  const asked: unknown[] = [];
  const owned = await findOwned([PODS, VOLUMES], {
    ...{ uid: 'u', namespace, signal: new AbortController().signal },
    read: (kinds, search) => {
      asked.push(kinds.map(({ kind }) => kind).join(), search.namespace);
      search.tell([pod('a', 'n', 'u'), pod('b', 'n', 'other')].map((object) => ({ kind: PODS, object })));
      if (search.namespace === '') search.tell([{ kind: PODS, object: pod('a', 'm', 'u') }]);
      return Promise.resolve();
    },
  });
  return { asked, owned: owned.map(({ label, name, namespace: place }) => [label, name, place].join(' ')) };
}

test('what belongs to an object of a namespace is looked for there', async () => {
  deepEqual(await found('n'), { asked: ['Pod', 'n'], owned: ['Pod a a n'] });
});

test('what belongs to an object of the cluster may be in any namespace, and is led to there', async () => {
  deepEqual(await found(undefined), {
    asked: ['Pod,PersistentVolume', ''],
    owned: ['Pod n/a a n', 'Pod m/a a m'],
  });
});
