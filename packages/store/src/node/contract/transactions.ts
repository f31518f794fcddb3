import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Compare, Operation } from '../../ports.ts';
import { prefixEnd } from '../../ports.ts';
import { DuplicateKeyError, LeaseNotFoundError } from '../../errors.ts';
import type { StoreFactory } from './harness.ts';
import { bytes, put, putHeld, putOp, readText, remove, resultAs, show, text, write } from './harness.ts';

/** What a transaction decides, writes and answers. */
export function transactionContract(factory: StoreFactory): void {
  describe('txn', () => {
    versionTests(factory);
    revisionTests(factory);
    compareTests(factory);
    branchTests(factory);
    deleteTests(factory);
    refusalTests(factory);
  });
}

function versionTests(factory: StoreFactory): void {
  test('a key counts its versions and remembers its creation', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const r1 = await put(store, 'a', '1');
    const r2 = await put(store, 'a', '2');
    assert.equal(r2, r1 + 1);
    const second = (await store.range({ key: 'a' })).kvs[0];
    assert.deepEqual(
      [second?.createRevision, second?.modRevision, second?.version, second?.lease, text(second?.value)],
      [r1, r2, 2, 0, '2'],
    );
    const r3 = await remove(store, 'a');
    const r4 = await put(store, 'a', '3');
    assert.deepEqual([r3, r4], [r2 + 1, r2 + 2]);
    const reborn = (await store.range({ key: 'a' })).kvs[0];
    assert.deepEqual([reborn?.createRevision, reborn?.modRevision, reborn?.version], [r4, r4, 1]);
  });

  test('an empty value is a value', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await put(store, 'a', '');
    assert.equal((await store.range({ key: 'a' })).kvs[0]?.value.byteLength, 0);
  });

  test('a large value comes back as it went in', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const value = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * 31) & 0xff);
    await write(store, { type: 'put', key: 'big', value });
    assert.deepEqual(Buffer.from((await store.range({ key: 'big' })).kvs[0]?.value ?? []), Buffer.from(value));
  });
}

function revisionTests(factory: StoreFactory): void {
  test('one revision per transaction', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'x', '0');
    const result = await write(store, putOp('a', '1'), putOp('b', '2'), { type: 'delete', key: 'x' });
    assert.equal(result.revision, base + 1);
    const { kvs } = await store.range({ key: '', end: '\0' });
    assert.deepEqual(
      kvs.map((kv) => [kv.key, kv.modRevision]),
      [
        ['a', base + 1],
        ['b', base + 1],
      ],
    );
  });

  test('a transaction that writes nothing has no revision of its own', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'x', '0');
    const rows: readonly Operation[][] = [[], [{ type: 'range', key: 'x' }], [{ type: 'delete', key: 'nothing' }]];
    for (const operations of rows) assert.equal((await write(store, ...operations)).revision, base);
    assert.equal((await store.range({ key: 'x' })).revision, base);
  });

  test('the previous value on request', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const first = await write(store, putOp('a', '1', { prevKv: true }));
    assert.equal(resultAs(first, 0, 'put').prevKv, undefined);
    const second = await write(store, putOp('a', '2', { prevKv: true }));
    assert.equal(text(resultAs(second, 0, 'put').prevKv?.value), '1');
    assert.equal(resultAs(second, 0, 'put').prevKv?.modRevision, first.revision);
    const third = await write(store, putOp('a', '3'));
    assert.equal(resultAs(third, 0, 'put').prevKv, undefined);
  });
}

function compareTests(factory: StoreFactory): void {
  test('comparisons', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const lease = await store.grantLease(600);
    const created = await put(store, 'k', 'm');
    const changed = await putHeld(store, putOp('k', 'm', { lease: lease.id }));
    const numbers = { version: 2, createRevision: created, modRevision: changed, lease: lease.id };
    const rows: Compare[] = [];
    for (const [target, value] of Object.entries(numbers) as [keyof typeof numbers, number][]) {
      rows.push({ target, key: 'k', result: 'equal', value });
      rows.push({ target, key: 'k', result: 'notEqual', value: value + 1 });
      rows.push({ target, key: 'k', result: 'greater', value: value - 1 });
      rows.push({ target, key: 'k', result: 'less', value: value + 1 });
      rows.push({ target, key: 'absent', result: 'equal', value: 0 });
      rows.push({ target, key: 'absent', result: 'less', value: 1 });
    }
    rows.push({ target: 'value', key: 'k', result: 'equal', value: bytes('m') });
    rows.push({ target: 'value', key: 'k', result: 'notEqual', value: bytes('mm') });
    rows.push({ target: 'value', key: 'k', result: 'greater', value: bytes('lzz') });
    rows.push({ target: 'value', key: 'k', result: 'less', value: bytes('m\0') });
    for (const row of rows) {
      const holding = await store.txn({ compare: [row], success: [], failure: [] });
      assert.equal(holding.succeeded, true, JSON.stringify(row));
      const opposite = { ...row, result: OPPOSITE[row.result] } as Compare;
      const failing = await store.txn({ compare: [opposite], success: [], failure: [] });
      assert.equal(failing.succeeded, false, JSON.stringify(opposite));
    }
  });

  test('no comparison with the value of a key that does not exist holds', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    for (const result of ['equal', 'notEqual', 'greater', 'less'] as const) {
      const compare: Compare = { target: 'value', key: 'absent', result, value: bytes('') };
      assert.equal((await store.txn({ compare: [compare], success: [], failure: [] })).succeeded, false, result);
    }
  });
}

const OPPOSITE = { equal: 'notEqual', notEqual: 'equal', greater: 'less', less: 'greater' } as const;

function branchTests(factory: StoreFactory): void {
  test('all compares hold: success; else failure', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const create = (value: string): Parameters<typeof store.txn>[0] => ({
      compare: [
        { target: 'modRevision', key: 'a', result: 'equal', value: 0 },
        { target: 'version', key: 'b', result: 'equal', value: 0 },
      ],
      success: [putOp('a', value)],
      failure: [{ type: 'range', key: 'a' }],
    });
    const first = await store.txn(create('1'));
    assert.equal(first.succeeded, true);
    const second = await store.txn(create('2'));
    assert.equal(second.succeeded, false);
    assert.equal(show(resultAs(second, 0, 'range')), 'a=1');
    assert.equal(second.revision, first.revision);
  });

  test('of writers that compare with one revision exactly one wins', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'a', '0');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.txn({
          compare: [{ target: 'modRevision', key: 'a', result: 'equal', value: base }],
          success: [putOp('a', `writer ${i}`)],
          failure: [{ type: 'range', key: 'a' }],
        }),
      ),
    );
    const winner = answers.findIndex((a) => a.succeeded);
    assert.equal(answers.filter((a) => a.succeeded).length, 1);
    assert.equal(await readText(store, 'a'), `writer ${winner}`);
    for (const answer of answers) {
      if (!answer.succeeded) assert.equal(show(resultAs(answer, 0, 'range')), `a=writer ${winner}`);
    }
  });

  test('a range in a transaction sees the writes before it', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await put(store, 'p/a', '1');
    const all: Operation = { type: 'range', key: 'p/', end: prefixEnd('p/') };
    const result = await write(store, all, putOp('p/b', '2'), all, { type: 'delete', key: 'p/a' }, all);
    assert.equal(show(resultAs(result, 0, 'range')), 'p/a=1');
    assert.equal(show(resultAs(result, 2, 'range')), 'p/a=1 p/b=2');
    assert.equal(show(resultAs(result, 4, 'range')), 'p/b=2');
  });
}

function deleteTests(factory: StoreFactory): void {
  test('deleting a range', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await write(store, putOp('p/a', '1'), putOp('p/b', '2'), putOp('q', '3'));
    const result = await write(store, { type: 'delete', key: 'p/', end: prefixEnd('p/'), prevKv: true });
    const deleted = resultAs(result, 0, 'delete');
    assert.equal(deleted.deleted, 2);
    assert.deepEqual(
      deleted.prevKvs.map((kv) => `${kv.key}=${text(kv.value)}`),
      ['p/a=1', 'p/b=2'],
    );
    assert.equal(show(await store.range({ key: '', end: '\0' })), 'q=3');
    const again = resultAs(await write(store, { type: 'delete', key: 'p/', end: prefixEnd('p/') }), 0, 'delete');
    assert.deepEqual([again.deleted, again.prevKvs], [0, []]);
  });

  test('a delete tells the previous values on request only', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await put(store, 'a', '1');
    const result = resultAs(await write(store, { type: 'delete', key: 'a' }), 0, 'delete');
    assert.deepEqual([result.deleted, result.prevKvs], [1, []]);
  });
}

function refusalTests(factory: StoreFactory): void {
  test('a key is written once', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'x', '0');
    const rows: readonly Operation[][] = [
      [putOp('a', '1'), putOp('a', '2')],
      [putOp('p/a', '1'), { type: 'delete', key: 'p/', end: prefixEnd('p/') }],
      [{ type: 'delete', key: 'a' }, putOp('a', '1')],
    ];
    for (const operations of rows) {
      await assert.rejects(write(store, ...operations), DuplicateKeyError);
      await assert.rejects(store.txn({ compare: [], success: [], failure: operations }), DuplicateKeyError);
    }
    assert.equal((await store.range({ key: 'a' })).revision, base, 'nothing was written');
    await write(store, { type: 'delete', key: 'x' }, { type: 'delete', key: '', end: '\0' });
    assert.equal((await store.range({ key: '', end: '\0' })).count, 0, 'deletes may overlap');
  });

  test('an unknown lease is refused, and nothing written', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'x', '0');
    await assert.rejects(write(store, putOp('a', '1'), putOp('b', '1', { lease: 4711 })), LeaseNotFoundError);
    assert.equal(show(await store.range({ key: '', end: '\0' })), 'x=0');
    assert.equal((await store.range({ key: 'x' })).revision, base);
  });
}
