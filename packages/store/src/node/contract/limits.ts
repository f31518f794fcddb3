import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestTooLargeError, StoreFullError, StoreTimeoutError } from '../../errors.ts';
import type { Store } from '../../ports.ts';
import type { StoreFactory } from './harness.ts';
import { put, putHeld, readText, remove } from './harness.ts';

const ALL = { key: '', end: '\0' };
const MIB = 1024 * 1024;

/** What is too large, too late, or too much, and what the store says of its health. */
export function limitContract(factory: StoreFactory): void {
  describe('limits', () => {
    sizeTests(factory);
    timeTests(factory);
    roomTests(factory);
  });
}

function sizeTests(factory: StoreFactory): void {
  test("a transaction of more than 1.5 MiB is refused in etcd's words, one of a little less is not", async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const putBytes = (bytes: number): Promise<number> =>
      putHeld(store, { type: 'put', key: 'big', value: new Uint8Array(bytes) });
    await assert.rejects(putBytes(1.5 * MIB), (error: unknown) => {
      assert.ok(error instanceof RequestTooLargeError);
      assert.equal(error.message, 'etcdserver: request is too large');
      return true;
    });
    await putBytes(1.5 * MIB - 200);
    const { kvs } = await store.range({ key: 'big' });
    assert.equal(kvs[0]?.value.byteLength, 1.5 * MIB - 200);
  });
}

function timeTests(factory: StoreFactory): void {
  test('a call whose time is over before it begins is not made', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const { signal } = aborted();
    const success = [{ type: 'put', key: 'a', value: new Uint8Array(1) }] as const;
    const calls = [store.range(ALL, { signal }), store.txn({ compare: [], success, failure: [] }, { signal })];
    for (const call of calls) await assert.rejects(call, StoreTimeoutError);
    assert.equal((await store.range(ALL)).count, 0);
  });

  test('a signal that never aborts changes nothing', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const { signal } = new AbortController();
    const success = [{ type: 'put', key: 'a', value: new Uint8Array(1) }] as const;
    assert.equal((await store.txn({ compare: [], success, failure: [] }, { signal })).succeeded, true);
    assert.equal((await store.range(ALL, { signal })).count, 1);
  });
}

function aborted(): AbortController {
  const abort = new AbortController();
  abort.abort();
  return abort;
}

function roomTests(factory: StoreFactory): void {
  test('a store that is well says so, and leaves no trace by it', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await Promise.all([store.health('reading'), store.health('writing')]);
    assert.equal((await store.range(ALL)).count, 0);
  });

  test('without room writes are refused and reads are not; with room again writing goes on', async (t) => {
    const { store, passSeconds, room, close } = await factory();
    t.after(close);
    if (room === undefined) {
      t.skip('this engine is not filled here');
      return;
    }
    await put(store, 'before', '1');
    await room.fill();
    const { revision } = await store.range(ALL);
    await assert.rejects(put(store, 'full', '1'), StoreFullError);
    await assert.rejects(store.health('writing'), StoreFullError);
    await store.health('reading');
    assert.equal(await readText(store, 'before'), '1');
    assert.equal(await readText(store, 'full'), undefined);
    assert.equal((await store.range(ALL)).revision, revision);
    await room.free();
    await passSeconds(2);
    const next = await put(store, 'after', '1');
    assert.ok(next > revision);
    await store.health('writing');
    await remove(store, 'before');
    await assertKeys(store, ['after']);
  });
}

async function assertKeys(store: Store, expected: readonly string[]): Promise<void> {
  const { kvs } = await store.range(ALL);
  assert.deepEqual(
    kvs.map((kv) => kv.key).filter((key) => !key.startsWith('filler')),
    expected,
  );
}
