import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaseExistsError, LeaseNotFoundError } from '../../errors.ts';
import type { StoreFactory } from './harness.ts';
import { Recorder, put, putHeld, putOp, remove, show, write } from './harness.ts';

const ALL = { key: '', end: '\0' };
const UNKNOWN = 4711;

/** Leases: whom they hold, how they live and end. */
export function leaseContract(factory: StoreFactory): void {
  describe('lease', () => {
    grantTests(factory);
    keyTests(factory);
    expiryTests(factory);
  });
}

function grantTests(factory: StoreFactory): void {
  test('grant, status, list, revoke', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const picked = await store.grantLease(600);
    assert.ok(Number.isSafeInteger(picked.id) && picked.id > 0);
    assert.equal(picked.ttl, 600);
    const chosen = await store.grantLease(700, 77_001);
    assert.deepEqual(chosen, { id: 77_001, ttl: 700 });
    await assert.rejects(store.grantLease(10, 77_001), LeaseExistsError);
    const listed = await store.leases();
    assert.ok(listed.includes(picked.id) && listed.includes(77_001));
    const status = await store.leaseStatus(77_001);
    assert.ok(status.ttl <= 700 && status.ttl > 690);
    assert.deepEqual({ ...status, ttl: 0 }, { id: 77_001, ttl: 0, grantedTtl: 700, keys: [] });
    await store.revokeLease(77_001);
    await store.revokeLease(picked.id);
    assert.ok(!(await store.leases()).includes(77_001));
    assert.deepEqual(await store.leaseStatus(77_001), { id: 77_001, ttl: -1, grantedTtl: 0, keys: [] });
  });

  test('a lease that does not exist', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await assert.rejects(store.revokeLease(UNKNOWN), LeaseNotFoundError);
    await assert.rejects(store.keepAlive(UNKNOWN), LeaseNotFoundError);
    assert.equal((await store.leaseStatus(UNKNOWN)).ttl, -1);
  });

  test('granting writes no key and makes no revision', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'a', '1');
    const lease = await store.grantLease(600);
    await store.revokeLease(lease.id);
    assert.equal((await store.range({ key: 'a' })).revision, base);
  });
}

function keyTests(factory: StoreFactory): void {
  test('a lease knows its keys, revoking deletes them in one revision', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const lease = await store.grantLease(600);
    const sink = new Recorder();
    store.watch({ ...ALL, prevKv: true }, sink);
    await sink.isCreated();
    await write(store, putOp('b', '1', { lease: lease.id }), putOp('a', '1', { lease: lease.id }), putOp('c', '1'));
    const base = await putHeld(store, putOp('d', '1', { lease: lease.id }));
    assert.deepEqual((await store.leaseStatus(lease.id)).keys.toSorted(), ['a', 'b', 'd']);
    await store.revokeLease(lease.id);
    assert.equal(show(await store.range(ALL)), 'c=1');
    const heard = (await sink.heard(7, base)).slice(4);
    assert.deepEqual(heard, ['-a@1(1)', '-b@1(1)', '-d@1(1)']);
  });

  test('a key leaves its lease by a put, a delete, or another lease', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const first = await store.grantLease(600);
    const second = await store.grantLease(600);
    for (const key of ['a', 'b', 'c', 'd']) await putHeld(store, putOp(key, '1', { lease: first.id }));
    await put(store, 'a', '2');
    await remove(store, 'b');
    await putHeld(store, putOp('c', '2', { lease: second.id }));
    assert.deepEqual((await store.leaseStatus(first.id)).keys, ['d']);
    assert.deepEqual((await store.leaseStatus(second.id)).keys, ['c']);
    await store.revokeLease(first.id);
    assert.equal(show(await store.range(ALL)), 'a=2 c=2');
    await store.revokeLease(second.id);
    assert.equal(show(await store.range(ALL)), 'a=2');
  });
}

function expiryTests(factory: StoreFactory): void {
  test('an expired lease takes its keys along; a kept-alive one lives', async (t) => {
    const { store, passSeconds, close } = await factory();
    t.after(close);
    const kept = await store.grantLease(3);
    const lost = await store.grantLease(3);
    const sink = new Recorder();
    store.watch(ALL, sink);
    await sink.isCreated();
    await putHeld(store, putOp('kept', '1', { lease: kept.id }));
    const base = await putHeld(store, putOp('lost', '1', { lease: lost.id }));
    for (let i = 0; i < 3; i++) {
      await passSeconds(kept.ttl - 1.5);
      assert.equal(await store.keepAlive(kept.id), kept.ttl);
    }
    const heard = await sink.heard(3, base);
    assert.deepEqual(heard.slice(2), ['-lost@1']);
    assert.equal(show(await store.range(ALL)), 'kept=1');
    await assert.rejects(store.keepAlive(lost.id), LeaseNotFoundError);
    assert.equal((await store.leaseStatus(lost.id)).ttl, -1);
    await store.revokeLease(kept.id);
  });

  test('the time left runs down', async (t) => {
    const { store, passSeconds, close } = await factory();
    t.after(close);
    const lease = await store.grantLease(60);
    await passSeconds(2);
    const { ttl, grantedTtl } = await store.leaseStatus(lease.id);
    assert.ok(ttl <= 58 && ttl >= 50, `ttl ${ttl}`);
    assert.equal(grantedTtl, 60);
    assert.equal(await store.keepAlive(lease.id), 60);
    assert.ok((await store.leaseStatus(lease.id)).ttl >= 59);
    await store.revokeLease(lease.id);
  });
}
