import { createLogger, silentLogger, VirtualClock } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import type { Store, WatchRequest, WatchSink } from '@binnacle/store';
import assert from 'node:assert/strict';
import test from 'node:test';
import { Feed } from './feed.ts';
import { WatchCache } from './watch-cache.ts';

const codec = { decode: () => ({ metadata: {} }), adopt: () => ({ metadata: {} }) };

async function start() {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock, startRevision: 10 });
  const feed = new Feed({ store, clock, log: silentLogger });
  const cacheAt = (prefix: string): WatchCache => {
    const cache = new WatchCache({ store, prefix, codec });
    feed.register(cache);
    return cache;
  };
  const put = async (key: string): Promise<number> => {
    const operation = { type: 'put', key, value: new Uint8Array(2) } as const;
    return (await store.txn({ compare: [], success: [operation], failure: [] })).revision;
  };
  return { clock, store, feed, cacheAt, put };
}

test('brings each event to its cache, whether its prefix has one part or two', async () => {
  const { feed, cacheAt, put } = await start();
  const caches = ['/registry/pods/', '/registry/services/specs/', '/registry/services/endpoints/'].map(cacheAt);
  await feed.start();
  await Promise.all(caches.map((cache) => cache.start()));
  await put('/registry/pods/a/x');
  await put('/registry/services/specs/a/y');
  await put('/registry/services/endpoints/a/z');
  await put('/registry/unknown/a/w');
  assert.deepEqual(
    caches.map((cache) => [...cache.snapshot()].flat().map(({ key }) => key)),
    [['a/x'], ['a/y'], ['a/z']],
  );
});

test("waits for a revision, and gives up with upstream's time-out", async () => {
  const { clock, feed, put } = await start();
  await feed.start();
  const first = await put('/registry/pods/a/x');
  await feed.waitFor(first);
  const coming = feed.waitFor(first + 1);
  await put('/registry/pods/a/y');
  await coming;
  const never = feed.waitFor(first + 100);
  const refused = assert.rejects(never, (error: unknown) => {
    assert.ok(error instanceof StatusError);
    assert.equal(error.httpCode, 504);
    assert.match(error.message, /^Timeout: Too large resource version: 111, current: 12$/);
    return true;
  });
  await clock.advance(3000);
  await refused;
});

test('a cache that starts late misses nothing', async () => {
  const { feed, cacheAt, put } = await start();
  const cache = cacheAt('/registry/pods/');
  await feed.start();
  await put('/registry/pods/a/before');
  const starting = cache.start();
  await put('/registry/pods/a/during');
  await starting;
  await put('/registry/pods/a/after');
  assert.equal(cache.size, 3);
});

test('with an etcd that tells no progress, a revision made outside our keys is proved by a write', async () => {
  const { clock, store, put } = await start();
  const silent = {
    ...methodsOf(store),
    cachesAreCurrent: false,
    promptProgress: false,
    watch: (request: WatchRequest, sink: WatchSink) => {
      const handle = store.watch(request, sink);
      return { cancel: () => handle.cancel(), requestProgress: () => undefined };
    },
  };
  const feed = new Feed({ store: silent, clock, log: silentLogger });
  await feed.start();
  await put('/elsewhere/key');
  assert.equal(feed.revision, 10);
  const fresh = feed.waitUntilFresh();
  await clock.advance(60);
  await fresh;
  assert.equal(feed.revision, 12);
});

function methodsOf(store: Store): Store {
  return {
    cachesAreCurrent: store.cachesAreCurrent,
    range: (request) => store.range(request),
    txn: (request) => store.txn(request),
    watch: (request, sink) => store.watch(request, sink),
    grantLease: (ttl, id) => store.grantLease(ttl, id),
    revokeLease: (id) => store.revokeLease(id),
    keepAlive: (id) => store.keepAlive(id),
    leaseStatus: (id) => store.leaseStatus(id),
    leases: () => store.leases(),
    compact: (revision) => store.compact(revision),
    status: () => store.status(),
    health: (aspect) => store.health(aspect),
    snapshot: () => store.snapshot(),
    close: () => store.close(),
  };
}

test('a store that was closed is not asked again, and that is no news', async () => {
  const { clock, store } = await start();
  const lines: string[] = [];
  const log = createLogger({ component: 'feed', verbosity: 0, clock, pid: 1, write: (line) => void lines.push(line) });
  let watches = 0;
  const counted = new Proxy(store, {
    get: (target, name) => {
      if (name === 'watch') watches++;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  await new Feed({ store: counted, clock, log }).start();
  await store.close();
  await clock.advance(60_000);
  assert.deepEqual([watches, lines], [1, []]);
});
