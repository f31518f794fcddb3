import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ENDPOINT_SLICES, ENDPOINTS } from '@binnacle/api';
import type { Endpoints } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Running } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import { MemoryCache } from '../testing/memory-cache.ts';
import { MemoryLoopback } from '../testing/memory-loopback.ts';
import { publishEndpoints } from './published-endpoints.ts';

let clock: VirtualClock;
let cache: MemoryCache;
let store: Store;

describe("the server's own endpoints", () => {
  beforeEach(() => {
    clock = new VirtualClock();
    cache = new MemoryCache();
    store = createMemoryStore({ clock });
  });

  /** One of several servers on a store. */
  function serve(address: string, shared = true): Promise<Running> {
    const loopback = new MemoryLoopback(cache);
    const seen = shared ? Object.create(store, { cachesAreCurrent: { value: false } }) : store;
    const bound = new Proxy(seen as Store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(store) as unknown) : value;
      },
    });
    const { update } = loopback;
    return publishEndpoints({ cache, loopback, update, clock, store: bound, log: silentLogger, address, port: 6443 });
  }

  function published(): readonly (readonly string[])[] {
    const endpoints = cache.get(ENDPOINTS, 'default', 'kubernetes') as Endpoints | undefined;
    const slice = cache.get(ENDPOINT_SLICES, 'default', 'kubernetes') as EndpointSlice | undefined;
    return [
      endpoints?.subsets?.[0]?.addresses?.map(({ ip }) => ip) ?? [],
      slice?.endpoints?.flatMap(({ addresses }) => addresses) ?? [],
    ];
  }

  test('servers that come and go', async () => {
    const first = await serve('192.0.2.1');
    assert.deepEqual(published(), [['192.0.2.1'], ['192.0.2.1']]);
    const second = await serve('192.0.2.2');
    const both = ['192.0.2.1', '192.0.2.2'];
    assert.deepEqual(published(), [both, both]);
    await clock.advance(120_000);
    assert.deepEqual(published(), [both, both]);
    await first.stop();
    await clock.advance(10_000);
    assert.deepEqual(published(), [['192.0.2.2'], ['192.0.2.2']]);
    await second.stop();
    const { kvs } = await store.range({ key: '/registry/masterleases/', end: '/registry/masterleases0' });
    assert.deepEqual(kvs, []);
  });

  test('what somebody else writes there is put right', async () => {
    const running = await serve('192.0.2.1', false);
    cache.remove(ENDPOINTS, 'default', 'kubernetes');
    const slice = cache.get(ENDPOINT_SLICES, 'default', 'kubernetes') as EndpointSlice;
    cache.put(ENDPOINT_SLICES, { ...slice, endpoints: [{ addresses: ['203.0.113.9'] }] } as EndpointSlice);
    await clock.advance(10_000);
    assert.deepEqual(published(), [['192.0.2.1'], ['192.0.2.1']]);
    await running.stop();
    const { revision } = await store.status();
    await clock.advance(60_000);
    assert.equal((await store.status()).revision, revision);
  });
});
