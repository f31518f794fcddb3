import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RangeRequest, Store } from '../../ports.ts';
import { prefixEnd } from '../../ports.ts';
import { CompactedError, FutureRevisionError } from '../../errors.ts';
import type { StoreFactory } from './harness.ts';
import { put, remove, show, write } from './harness.ts';

const KEYS = ['a', 'a\0', 'a/1', 'a/10', 'a/2', 'a\x7f', 'a\x80', 'a\xff', 'a\xff\xff', 'b', '\xff', '\xff\xff'];

const SPANS: readonly { name: string; request: RangeRequest; found: readonly string[] }[] = [
  { name: 'one key', request: { key: 'a' }, found: ['a'] },
  { name: 'one key that is not there', request: { key: 'a/' }, found: [] },
  { name: 'end is not included', request: { key: 'a/1', end: 'a/2' }, found: ['a/1', 'a/10'] },
  { name: 'prefix', request: { key: 'a/', end: prefixEnd('a/') }, found: ['a/1', 'a/10', 'a/2'] },
  { name: 'prefix of bytes', request: { key: 'a\xff', end: prefixEnd('a\xff') }, found: ['a\xff', 'a\xff\xff'] },
  { name: 'prefix without an end', request: { key: '\xff', end: prefixEnd('\xff') }, found: ['\xff', '\xff\xff'] },
  { name: 'from a key on', request: { key: 'a\x80', end: '\0' }, found: KEYS.slice(6) },
  { name: 'everything, in the order of bytes', request: { key: '', end: '\0' }, found: KEYS },
  { name: 'everything, from the first byte', request: { key: '\0', end: '\0' }, found: KEYS },
  { name: 'end before the key', request: { key: 'b', end: 'a' }, found: [] },
  { name: 'end is the key', request: { key: 'b', end: 'b' }, found: [] },
];

/** Which keys a range gives, in which order, how many, and as of when. */
export function rangeContract(factory: StoreFactory): void {
  describe('range', () => {
    spanTests(factory);
    limitTests(factory);
    pastTests(factory);
  });
}

function spanTests(factory: StoreFactory): void {
  test('spans', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    for (const key of KEYS.toReversed()) await put(store, key, `value of ${key.length}`);
    for (const row of SPANS) {
      const result = await store.range(row.request);
      assert.deepEqual(
        result.kvs.map((kv) => kv.key),
        row.found,
        row.name,
      );
      assert.equal(result.count, row.found.length, row.name);
      assert.equal(result.more, false, row.name);
    }
  });

  test('an empty store', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const { kvs, count, more, revision } = await store.range({ key: '', end: '\0' });
    assert.deepEqual({ kvs, count, more }, { kvs: [], count: 0, more: false });
    assert.ok(revision > 0);
  });
}

async function fill(store: Store, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `k${String(i).padStart(4, '0')}`);
  for (let i = 0; i < keys.length; i += 100) {
    const some = keys.slice(i, i + 100);
    await write(
      store,
      ...some.map((key) => ({ type: 'put' as const, key, value: new TextEncoder().encode(`v${key}`) })),
    );
  }
}

function limitTests(factory: StoreFactory): void {
  test('limit, more and count', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await fill(store, 300);
    const all = { key: 'k', end: prefixEnd('k') };
    for (const limit of [0, 1, 32, 33, 299, 300, 301]) {
      const result = await store.range({ ...all, limit });
      const length = limit === 0 ? 300 : Math.min(limit, 300);
      assert.equal(result.kvs.length, length, `limit ${limit}`);
      assert.equal(result.more, length < 300, `limit ${limit}`);
      assert.equal(result.count, 300, `limit ${limit}`);
      assert.equal(result.kvs[0]?.key, 'k0000');
    }
    const page = await store.range({ key: 'k0100', end: prefixEnd('k'), limit: 2 });
    assert.equal(show(page), 'k0100=vk0100 k0101=vk0101');
    assert.equal(page.count, 200);
  });

  test('keys only and count only', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await fill(store, 40);
    const all = { key: 'k', end: prefixEnd('k') };
    const keys = await store.range({ ...all, keysOnly: true, limit: 2 });
    assert.equal(show(keys), 'k0000= k0001=');
    assert.ok((keys.kvs[0]?.modRevision ?? 0) > 0);
    const count = await store.range({ ...all, countOnly: true });
    assert.deepEqual([count.kvs.length, count.count], [0, 40]);
    const one = await store.range({ key: 'k0007', countOnly: true });
    assert.deepEqual([one.kvs.length, one.count], [0, 1]);
  });
}

function pastTests(factory: StoreFactory): void {
  test('as of a revision', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const r1 = await put(store, 'p/a', '1');
    const r2 = await put(store, 'p/b', '1');
    const r3 = await put(store, 'p/a', '2');
    const r4 = await remove(store, 'p/b');
    const r5 = await put(store, 'p/c', '1');
    const r6 = await put(store, 'p/b', '2');
    const all = { key: 'p/', end: prefixEnd('p/') };
    const rows: readonly [number, string][] = [
      [r1, 'p/a=1'],
      [r2, 'p/a=1 p/b=1'],
      [r3, 'p/a=2 p/b=1'],
      [r4, 'p/a=2'],
      [r5, 'p/a=2 p/c=1'],
      [r6, 'p/a=2 p/b=2 p/c=1'],
      [0, 'p/a=2 p/b=2 p/c=1'],
    ];
    for (const [revision, expected] of rows) {
      const result = await store.range({ ...all, revision });
      assert.equal(show(result), expected, `revision ${revision}`);
      assert.equal(result.count, result.kvs.length);
      assert.equal(result.revision, r6, 'the answer tells the revision of the store');
    }
    const page = await store.range({ ...all, revision: r3, limit: 1 });
    assert.deepEqual([show(page), page.more, page.count], ['p/a=2', true, 2]);
    const then = await store.range({ key: 'p/b', revision: r3 });
    assert.deepEqual([then.kvs[0]?.version, then.kvs[0]?.createRevision, then.kvs[0]?.modRevision], [1, r2, r2]);
    const keys = await store.range({ ...all, revision: r2, keysOnly: true });
    assert.equal(show(keys), 'p/a= p/b=');
    const count = await store.range({ ...all, revision: r4, countOnly: true });
    assert.deepEqual([count.kvs.length, count.count], [0, 1]);
  });

  test('the future is refused', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const revision = await put(store, 'a', '1');
    await assert.rejects(store.range({ key: 'a', revision: revision + 1 }), FutureRevisionError);
  });

  test('what is compacted away is refused, what is live at it stays', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const r1 = await put(store, 'p/a', '1');
    await put(store, 'p/b', '1');
    const r3 = await put(store, 'p/a', '2');
    const r4 = await put(store, 'p/a', '3');
    await store.compact(r3);
    const all = { key: 'p/', end: prefixEnd('p/') };
    assert.equal(show(await store.range({ ...all, revision: r3 })), 'p/a=2 p/b=1');
    assert.equal(show(await store.range({ ...all, revision: r4 })), 'p/a=3 p/b=1');
    await assert.rejects(store.range({ ...all, revision: r1 }), (error: unknown) => {
      assert.ok(error instanceof CompactedError);
      return true;
    });
    await assert.rejects(store.compact(r3), CompactedError);
    await assert.rejects(store.compact(r1), CompactedError);
    await assert.rejects(store.compact(r4 + 1), FutureRevisionError);
    await store.compact(r4);
    assert.equal(show(await store.range({ ...all, revision: r4 })), 'p/a=3 p/b=1');
    assert.equal(show(await store.range(all)), 'p/a=3 p/b=1');
  });
}
