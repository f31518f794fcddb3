import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { LEASES } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import { createSeededRandom, formatMicroTime, silentLogger, VirtualClock } from '@binnacle/base';
import { MemoryCache } from '../testing/memory-cache.ts';
import { MemoryLoopback } from '../testing/memory-loopback.ts';
import { holdIdentity } from './identity-lease.ts';
import type { IdentityLeaseWorld } from './identity-lease.ts';

const IDENTITY = { name: 'apiserver-abc', hostname: 'host' };
let clock: VirtualClock;
let cache: MemoryCache;
let world: IdentityLeaseWorld;

describe("the server's own Lease", () => {
  beforeEach(() => {
    clock = new VirtualClock();
    cache = new MemoryCache();
    const loopback = new MemoryLoopback(cache);
    world = { cache, loopback, update: loopback.update, clock, random: createSeededRandom(1), log: silentLogger };
  });

  const lease = (name = IDENTITY.name): Lease | undefined =>
    cache.get(LEASES, 'kube-system', name) as Lease | undefined;

  test('a Lease from the start to the end, renewed every ten seconds', async () => {
    const running = await holdIdentity(world, IDENTITY);
    const first = lease();
    assert.deepEqual(first?.metadata.labels, {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
      'kubernetes.io/hostname': 'host',
    });
    assert.match(first?.spec?.holderIdentity ?? '', /^apiserver-abc_[0-9a-f-]{36}$/);
    await clock.advance(10_000);
    const renewed = Date.parse(lease()?.spec?.renewTime ?? '') - Date.parse(first?.spec?.renewTime ?? '');
    assert.equal(renewed, 10_000);
    await running.stop();
    assert.equal(lease(), undefined);
    await clock.advance(60_000);
    assert.equal(lease(), undefined);
  });

  test('Leases of servers that are long gone go, those of others stay', async () => {
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const put = (name: string, ageMs: number, own: object = labels): void =>
      cache.put(LEASES, {
        metadata: { namespace: 'kube-system', name, labels: own },
        spec: { leaseDurationSeconds: 3600, renewTime: formatMicroTime(clock.now() - ageMs) },
      } as Lease);
    put('gone', 3_601_000);
    put('alive', 3_000_000);
    put('somebody-elses', 3_601_000, {});
    const running = await holdIdentity(world, IDENTITY);
    assert.deepEqual(
      [lease('gone'), lease('alive')?.metadata.name, lease('somebody-elses')?.metadata.name],
      [undefined, 'alive', 'somebody-elses'],
    );
    await clock.advance(3_600_000);
    assert.equal(lease('alive'), undefined);
    assert.equal(lease()?.metadata.name, IDENTITY.name);
    await running.stop();
  });
});
