import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../api/discovery.ts';
import { findFamily } from './family.ts';

const plain = { group: '', version: 'v1', shortNames: [], categories: [], verbs: ['list', 'delete'], subresources: [] };
const PODS: Resource = { ...plain, resource: 'pods', kind: 'Pod', namespaced: true };
const VOLUMES: Resource = { ...plain, resource: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };

const pod = (name: string, namespace: string, uid: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, namespace, resourceVersion: '1', ownerReferences: [{ uid }] },
});

async function found(namespace: string | undefined): Promise<object> {
  const asked: unknown[] = [];
  const { owned } = await findFamily([PODS, VOLUMES], {
    ...{ uid: 'u', owners: [], namespace, signal: new AbortController().signal },
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

/** An object, and to whom it belongs. */
const member = (name: string, ...owners: readonly string[]) => ({
  kind: PODS,
  object: {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name, namespace: 'n', uid: name, resourceVersion: '1' },
      ownerReferences: owners.map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid })),
    },
  },
});

async function familyOf(uid: string, members: readonly ReturnType<typeof member>[]) {
  const own = members.find(({ object }) => object.metadata.uid === uid)?.object.metadata.ownerReferences ?? [];
  const { owners, owned } = await findFamily([PODS], {
    ...{ uid, owners: own, namespace: 'n', signal: new AbortController().signal },
    read: (_kinds, { tell }) => Promise.resolve(tell(members)),
  });
  const told = (all: readonly { readonly name: string; readonly depth: number }[]): string =>
    all.map(({ name, depth }) => `${'.'.repeat(depth)}${name}`).join(' ');
  return [told(owners), told(owned)];
}

test('a family is told up to the first and down to the last, each behind the one that it hangs on', async () => {
  // A child is told before its parent: kinds come as they are read.
  const web = [
    member('p1', 'r1'),
    member('p2', 'r2'),
    member('r1', 'd'),
    member('r2', 'd'),
    member('p3', 'r1'),
    member('d'),
  ];
  deepEqual(await familyOf('d', web), ['', 'r1 .p1 .p3 r2 .p2']);
  deepEqual(await familyOf('p3', web), ['r1 .d', '']);
  deepEqual(await familyOf('r2', web), ['d', 'p2']);
});

test('owners that go round in circles, that are several, or that are nobody', async () => {
  const round = [member('a', 'c'), member('b', 'a'), member('c', 'b')];
  deepEqual(await familyOf('a', round), ['c .b', 'b .c']);
  deepEqual(await familyOf('x', [member('x', 'one', 'two'), member('one', 'top'), member('two', 'top')]), [
    'one .top two',
    '',
  ]);
  deepEqual(await familyOf('', [member('a', ''), member('', 'b')]), ['b', '']);
});

test('a family without end has one here', async () => {
  const chain = Array.from({ length: 100 }, (_, at) => member(`m${at}`, ...(at === 0 ? [] : [`m${at - 1}`])));
  const [above, below] = await familyOf('m50', chain);
  deepEqual([above?.split(' ').length, below?.split(' ').length], [8, 8]);
  const many = Array.from({ length: 5000 }, (_, at) => member(`m${at}`, 'top'));
  deepEqual((await familyOf('top', many))[1]?.split(' ').length, 1000);
});
