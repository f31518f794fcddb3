import { VirtualClock } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHistory } from './history.ts';
import { WatchCache } from './watch-cache.ts';

const CODEC = { decode: () => ({ metadata: {} }), adopt: <T>(object: T): T => object };

function start() {
  const store = createMemoryStore({ clock: new VirtualClock() });
  const cache = new WatchCache({ store, prefix: '/registry/maps/', codec: CODEC });
  const put = async (key: string): Promise<number> => {
    const value = new TextEncoder().encode('{}');
    return (await store.txn({ compare: [], success: [{ type: 'put', key, value }], failure: [] })).revision;
  };
  return { store, cache, put };
}

/** Does not tell how far it is when asked, as etcd before 3.4.31. */
function silent(store: Store): Store {
  return Object.assign(Object.create(store) as Store, {
    watch: ((request, sink) => {
      const handle = store.watch(request, { ...sink, progress: () => undefined });
      return { cancel: () => handle.cancel(), requestProgress: () => undefined };
    }) as Store['watch'],
  });
}

test('changes of one resource between two revisions', async () => {
  const { store, cache, put } = start();
  const after = await put('/registry/maps/a/one');
  await put('/registry/others/a/x');
  await put('/registry/maps/a/two');
  const until = await put('/registry/others/a/y');
  const events = await readHistory(store, cache, { after, until, prove: undefined });
  assert.deepEqual(
    events?.map(({ key }) => key),
    ['a/two'],
  );
});

test('where the store tells no progress, a write of our own brings the end', async () => {
  const { store, cache, put } = start();
  const after = await put('/registry/maps/a/one');
  await put('/registry/maps/a/two');
  // The last revision is nobody's of ours.
  const until = await put('/elsewhere');
  const prove = (): void => void put('/registry/proof');
  const events = await readHistory(silent(store), cache, { after, until, prove });
  assert.deepEqual(
    events?.map(({ key }) => key),
    ['a/two'],
  );
});
