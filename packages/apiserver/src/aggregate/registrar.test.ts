import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { ApiCall, KubeObject } from '@binnacle/machinery';
import { MemoryCache } from '../testing/memory-cache.ts';
import { MemoryLoopback } from '../testing/memory-loopback.ts';
import { API_SERVICES } from './api-services.ts';
import { Registrar } from './registrar.ts';

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** A server of two groups of Kubernetes' own; `refused` says which calls fail. */
async function start(refused: (call: ApiCall) => boolean) {
  const clock = new VirtualClock();
  const cache = new MemoryCache();
  const loopback = new MemoryLoopback(cache);
  const land = loopback.call.bind(loopback);
  loopback.call = (call) => (refused(call) ? Promise.reject(new RangeError('the store is away')) : land(call));
  const info = { version: 'v1', resource: 'x', kind: 'X', namespaced: true };
  const infos = [
    { ...info, group: 'apps' },
    { ...info, group: 'batch' },
  ];
  const world = { cache, clock, loopback, update: loopback.update, log: silentLogger, findKind: () => undefined };
  const registrar = new Registrar({ ...world, catalogue: { infos } as never });
  await registrar.start();
  const names = (): readonly string[] => cache.list(API_SERVICES).map(({ metadata }) => metadata.name ?? '');
  return { clock, cache, registrar, names };
}

function definition(group: string): KubeObject {
  const versions = [{ name: 'v1', served: true, storage: true }];
  return { metadata: { name: `boats.${group}` }, spec: { group, versions } } as KubeObject;
}

test('of several that could not be registered at the start each is tried again', async () => {
  let isAway = true;
  const { clock, registrar, names } = await start(() => isAway);
  assert.deepEqual(names(), []);
  isAway = false;
  await clock.advance(10_000);
  assert.deepEqual(names().toSorted(), ['v1.apps', 'v1.batch']);
  await registrar.stop();
});

test('groups of custom kinds come and go with their definitions, however often they are refused', async () => {
  let left = 3;
  const { clock, cache, registrar, names } = await start(({ verb, body }) => {
    return verb === 'create' && (body as KubeObject).metadata.name?.endsWith('.io') === true && left-- > 0;
  });
  cache.put(DEFINITIONS, definition('ships.io'));
  cache.put(DEFINITIONS, definition('trains.io'));
  await clock.advance(10_000);
  assert.deepEqual(names().toSorted(), ['v1.apps', 'v1.batch', 'v1.ships.io', 'v1.trains.io']);
  cache.remove(DEFINITIONS, '', 'boats.ships.io');
  await clock.advance(10_000);
  assert.deepEqual(names().toSorted(), ['v1.apps', 'v1.batch', 'v1.trains.io']);
  await registrar.stop();
});

test('after the start its own groups are left to whoever changes them', async () => {
  const { clock, cache, registrar, names } = await start(() => false);
  cache.remove(API_SERVICES, '', 'v1.apps');
  await clock.advance(10_000);
  assert.deepEqual(names(), ['v1.batch']);
  await registrar.stop();
});
