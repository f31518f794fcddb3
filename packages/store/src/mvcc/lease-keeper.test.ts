import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { LeaseKeeper } from './lease-keeper.ts';
import { LeaseTable } from './lease-table.ts';

function keeper() {
  const clock = new VirtualClock();
  const leases = new LeaseTable();
  const expired: [number, number][] = [];
  const made = new LeaseKeeper({
    clock,
    leases,
    expire: (lease) => {
      expired.push([lease.id, clock.monotonic()]);
      leases.remove(lease.id);
    },
  });
  return { clock, leases, expired, keeper: made };
}

test('many leases, one timer', async () => {
  const { clock, expired, keeper: k } = keeper();
  for (let id = 1; id <= 100; id++) k.grant(100 + id, id);
  k.grant(5, 500);
  assert.equal(clock.pending, 1);
  await clock.advance(103_000);
  assert.deepEqual(expired, [
    [500, 5000],
    [1, 101_000],
    [2, 102_000],
    [3, 103_000],
  ]);
  assert.equal(clock.pending, 1);
});

test('a kept-alive lease lives on', async () => {
  const { clock, leases, expired, keeper: k } = keeper();
  k.grant(10, 1);
  await clock.advance(9000);
  const lease = leases.get(1);
  assert.ok(lease !== undefined);
  k.keepAlive(lease);
  await clock.advance(9000);
  assert.deepEqual([expired, k.secondsLeft(lease)], [[], 1]);
  await clock.advance(1000);
  assert.deepEqual(expired, [[1, 19_000]]);
  assert.equal(clock.pending, 0);
});

test('picked ids are exact numbers, and differ over a restart', async () => {
  const { clock, keeper: k } = keeper();
  const first = [k.grant(10, 0).id, k.grant(10, 0).id];
  await clock.advance(1);
  const later = new LeaseKeeper({ clock, leases: new LeaseTable(), expire: () => undefined }).grant(10, 0).id;
  assert.equal(new Set([...first, later]).size, 3);
  assert.ok(Number.isSafeInteger(later));
});

test('restored leases have the time that was left; closed, nothing expires', async () => {
  const { clock, leases, expired, keeper: k } = keeper();
  k.restore([{ id: 1, grantedTtl: 100, ttl: 4 }]);
  assert.equal(leases.get(1)?.grantedTtl, 100);
  k.close();
  await clock.advance(10_000);
  assert.deepEqual([expired, clock.pending], [[], 0]);
});
