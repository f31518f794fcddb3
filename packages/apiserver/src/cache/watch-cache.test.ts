import { silentLogger, VirtualClock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import type { EmbeddedStore } from '@binnacle/store';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { EntryCodec } from '../storage/codec.ts';
import { Feed } from './feed.ts';
import { WatchCache } from './watch-cache.ts';

const codec: EntryCodec & { decoded: number } = {
  decoded: 0,
  decode(value, revision) {
    codec.decoded++;
    return {
      ...(JSON.parse(new TextDecoder().decode(value)) as KubeObject),
      metadata: { resourceVersion: String(revision) },
    };
  },
  adopt: (object, revision) => ({ ...object, metadata: { resourceVersion: String(revision) } }),
};

const bytes = (node: string): Uint8Array => new TextEncoder().encode(JSON.stringify({ node, metadata: {} }));
const nodeOf = (object: KubeObject): string => (object as { node?: string }).node ?? '';

async function put(store: EmbeddedStore, key: string, value: Uint8Array): Promise<number> {
  const key_ = `/registry/pods/${key}`;
  return (await store.txn({ compare: [], success: [{ type: 'put', key: key_, value }], failure: [] })).revision;
}

async function start(): Promise<{ store: EmbeddedStore; cache: WatchCache; feed: Feed }> {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock, startRevision: 10 });
  await put(store, 'a/old', bytes('n1'));
  const feed = new Feed({ store, clock, log: silentLogger });
  const cache = new WatchCache({ store, prefix: '/registry/pods/', codec, indexed: nodeOf });
  feed.register(cache);
  await feed.start();
  await cache.start();
  return { store, cache, feed };
}

test('holds what was there and what comes, before the write is acknowledged', async () => {
  const { store, cache, feed } = await start();
  assert.equal(cache.get('a/old')?.revision, 11);
  const revision = await put(store, 'a/new', bytes('n2'));
  assert.equal(cache.get('a/new')?.revision, revision);
  assert.equal(feed.revision, revision);
  assert.equal(cache.lastChange, revision);
  assert.equal(cache.size, 2);
});

test('indexes one field through changes and deletes', async () => {
  const { store, cache } = await start();
  const keys = (node: string): string[] => cache.byIndex(node).map(({ key }) => key);
  await put(store, 'b/x', bytes('n1'));
  assert.deepEqual(keys('n1'), ['a/old', 'b/x']);
  await put(store, 'a/old', bytes('n2'));
  assert.deepEqual(keys('n1'), ['b/x']);
  assert.deepEqual(keys('n2'), ['a/old']);
  await store.txn({ compare: [], success: [{ type: 'delete', key: '/registry/pods/b/x' }], failure: [] });
  assert.deepEqual(keys('n1'), []);
});

test('takes the object of a write that was announced instead of decoding it', async () => {
  const { store, cache } = await start();
  const value = bytes('n3');
  const object = { metadata: {}, node: 'n3' } as KubeObject;
  cache.expect('/registry/pods/a/mine', { key: 'a/mine', value, object });
  codec.decoded = 0;
  const revision = await put(store, 'a/mine', value);
  assert.equal(cache.get('a/mine')?.object.metadata.resourceVersion, String(revision));
  assert.equal(codec.decoded, 0);
  await put(store, 'a/mine', bytes('n4'));
  assert.equal(nodeOf(cache.get('a/mine')?.object ?? { metadata: {} }), 'n4', "somebody else's write is decoded");
});

test('followers get what is there, then every change', async () => {
  const { store, cache } = await start();
  const seen: string[] = [];
  const stop = cache.follow((before, after) => {
    seen.push(`${before === undefined ? '-' : nodeOf(before)}>${after === undefined ? '-' : nodeOf(after)}`);
  });
  await put(store, 'a/old', bytes('n2'));
  await store.txn({ compare: [], success: [{ type: 'delete', key: '/registry/pods/a/old' }], failure: [] });
  stop();
  await put(store, 'a/old', bytes('n9'));
  assert.deepEqual(seen, ['->n1', 'n1>n2', 'n2>-']);
});

test('reads everything anew and tells the difference', async () => {
  const { store, cache } = await start();
  const seen: string[] = [];
  cache.follow((before, after) => {
    seen.push(`${before === undefined ? '-' : 'x'}>${after === undefined ? '-' : 'x'}`);
  });
  let ended = false;
  cache.subscribers.add({ scope: {}, notify: () => undefined, end: () => (ended = true) });
  await put(store, 'a/more', bytes('n1'));
  await cache.reload();
  assert.deepEqual(seen, ['->x', '->x'], 'a reload that finds nothing new says nothing');
  assert.ok(ended, 'watchers have to resume');
  assert.equal(cache.size, 2);
});
