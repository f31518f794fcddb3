import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { VirtualClock, makeTestFolder } from '@binnacle/base/testing';
import { storeContract } from '../testing.ts';
import type { EmbeddedStore } from '../mvcc/embedded-store.ts';
import { CompactedError, StoreCutBackError, StoreFullError, StoreUnavailableError } from '../errors.ts';
import { Recorder, put, putHeld, putOp, readText, remove, show } from '../node/contract/harness.ts';
import { openSqliteStore } from './open.ts';

async function scratch(): Promise<{ path: string; remove: () => Promise<void> }> {
  const directory = makeTestFolder().path;
  return { path: join(directory, 'data', 'store.db'), remove: () => rm(directory, { recursive: true }) };
}

const FULL_DISK = new URL('../node/full-disk/worker.ts', import.meta.url);

storeContract('sqlite', async () => {
  const clock = new VirtualClock();
  const { path, remove } = await scratch();
  // So little memory that most reads of the past and most catching up come from the file.
  const store = await openSqliteStore({ path, clock, memoryHistoryBytesMax: 2000, workerUrl: FULL_DISK });
  return {
    store,
    passSeconds: (s) => clock.advance(s * 1000),
    room: { fill: () => writeFile(`${path}.full`, ''), free: () => rm(`${path}.full`) },
    close: async () => {
      await store.close();
      await remove();
    },
  };
});

const ALL = { key: '', end: '\0' };

/** A file to open again and again, under a clock of its own. */
async function reopenable(t: { after: (run: () => Promise<void>) => void }) {
  const { path, remove: drop } = await scratch();
  const clock = new VirtualClock();
  const opened: EmbeddedStore[] = [];
  t.after(async () => {
    for (const store of opened) await store.close();
    await drop();
  });
  const open = async (more: { historyBytesMax?: number; bytesMax?: number } = {}): Promise<EmbeddedStore> => {
    const store = await openSqliteStore({ path, clock, memoryHistoryBytesMax: 2000, ...more });
    opened.push(store);
    return store;
  };
  return { path, clock, open };
}

test('what was written is there after a restart, history included', async (t) => {
  const { open } = await reopenable(t);
  const first = await open();
  const r1 = await put(first, 'a', '1');
  await put(first, 'b\xff\0', '1');
  await put(first, 'a', '2');
  const r4 = await remove(first, 'b\xff\0');
  await first.close();
  const second = await open();
  assert.equal(second.revision, r4);
  assert.equal(show(second.rangeNow(ALL)), 'a=2');
  assert.deepEqual(
    second.rangeNow(ALL).kvs.map((kv) => [kv.version, kv.createRevision, kv.modRevision]),
    [[2, r1, r1 + 2]],
  );
  assert.equal(show(await second.range({ ...ALL, revision: r1 + 1 })), 'a=1 b\xff\0=1');
  const sink = new Recorder();
  second.watch({ ...ALL, startRevision: r1, prevKv: true }, sink);
  assert.equal(await put(second, 'a', '3'), r4 + 1);
  assert.deepEqual(await sink.heard(5, r1 - 1), ['+a=1@1', '+b\xff\0=1@2', '+a=2@3(1)', '-b\xff\0@4(1)', '+a=3@5(2)']);
});

test('revisions go on after a restart although everything is deleted and compacted', async (t) => {
  const { open } = await reopenable(t);
  const first = await open();
  for (let i = 0; i < 5; i++) await put(first, `k${i}`, '1');
  let last = 0;
  for (let i = 0; i < 5; i++) last = await remove(first, `k${i}`);
  await first.compact(last);
  await first.close();
  const second = await open();
  assert.deepEqual([second.revision, second.rangeNow(ALL).count], [last, 0]);
  await assert.rejects(second.range({ ...ALL, revision: last - 1 }), CompactedError);
  assert.equal(await put(second, 'new', '1'), last + 1);
  await second.close();
  const third = await open();
  assert.equal(show(third.rangeNow(ALL)), 'new=1');
  assert.equal(third.revision, last + 1);
});

test('leases live on with the time that they had left', async (t) => {
  const { open, clock } = await reopenable(t);
  const first = await open();
  const lease = await first.grantLease(100);
  const gone = await first.grantLease(100);
  await putHeld(first, putOp('held', '1', { lease: lease.id }));
  await first.revokeLease(gone.id);
  await clock.advance(60_000);
  await first.close();
  const second = await open();
  assert.deepEqual(await second.leaseStatus(lease.id), { id: lease.id, ttl: 40, grantedTtl: 100, keys: ['held'] });
  assert.deepEqual(await second.leases(), [lease.id]);
  const revision = second.revision;
  const sink = new Recorder();
  second.watch(ALL, sink);
  await clock.advance(41_000);
  assert.deepEqual(await sink.heard(1, revision), ['-held@1']);
  await second.close();
  const third = await open();
  assert.deepEqual(await third.leases(), []);
  assert.equal(third.revision, revision + 1);
});

test('one file, one store', async (t) => {
  const { open } = await reopenable(t);
  const first = await open();
  await assert.rejects(open(), (error: unknown) => {
    assert.ok(error instanceof StoreUnavailableError);
    assert.match(error.message, /another process holds the file/);
    return true;
  });
  await put(first, 'a', '1');
  await first.close();
  assert.equal(await readText(await open(), 'a'), '1');
});

test('another process is kept out, also after a snapshot was taken', async (t) => {
  const { open, path } = await reopenable(t);
  const store = await open();
  await put(store, 'a', '1');
  for await (const chunk of store.snapshot()) assert.ok(chunk.byteLength > 0);
  const program = `
    import { realClock } from '${import.meta.resolve('@binnacle/base/node')}';
    import { openSqliteStore } from '${new URL('./open.ts', import.meta.url).href}';
    await openSqliteStore({ path: ${JSON.stringify(path)}, clock: realClock }).then(
      (store) => { console.log('opened'); return store.close(); },
      (error) => console.log(error.message),
    );`;
  const run = promisify(execFile);
  const tryIt = async (): Promise<string> =>
    (await run(process.execPath, ['--input-type=module', '-e', program])).stdout.trim();
  assert.match(await tryIt(), /another process holds the file/);
  await put(store, 'a', '2');
  await store.close();
  assert.equal(await tryIt(), 'opened');
});

test('only the owner may read', async (t) => {
  const { open, path } = await reopenable(t);
  const first = await open();
  await put(first, 'a', '1');
  for (const [file, mode] of [
    [dirname(path), 0o700],
    [path, 0o600],
    [`${path}-wal`, 0o600],
  ] as const) {
    assert.equal((await stat(file)).mode & 0o777, mode, file);
  }
  await first.close();
  await chmod(path, 0o644);
  await open();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('a file of somebody else is left alone', async (t) => {
  const { open, path } = await reopenable(t);
  await mkdir(dirname(path), { recursive: true });
  const foreign = new DatabaseSync(path);
  foreign.exec('CREATE TABLE t (x)');
  foreign.close();
  await assert.rejects(open(), /no store of this version/);
  await writeFile(path, 'this is no database, and long enough to be read as one '.repeat(20));
  await assert.rejects(open(), /the file is no store/);
});

test('a full disk: every waiting writer is told, nothing acknowledged is lost, reading goes on', async (t) => {
  const { open } = await reopenable(t);
  const store = await open({ bytesMax: 400_000 });
  const acknowledged: string[] = [];
  let failures = 0;
  for (let round = 0; round < 40 && failures === 0; round++) {
    const keys = Array.from({ length: 10 }, (_, i) => `k${round}-${i}`);
    const answers = await Promise.allSettled(keys.map((key) => put(store, key, 'v'.repeat(2000))));
    for (const [i, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') acknowledged.push(keys[i] ?? '');
      else {
        assert.ok(answer.reason instanceof StoreUnavailableError);
        assert.match(answer.reason.message, /the disk is full/);
        assert.equal(answer.reason.outcomeUnknown, false);
        failures++;
      }
    }
  }
  assert.ok(failures > 0 && acknowledged.length > 50, `${acknowledged.length} written, ${failures} refused`);
  await assert.rejects(put(store, 'more', '1'), StoreFullError);
  assert.equal(store.rangeNow(ALL).count, acknowledged.length, 'what failed is not visible');
  await store.close();
  const again = await open();
  assert.deepEqual(
    again.rangeNow(ALL).kvs.map((kv) => kv.key),
    acknowledged.toSorted(),
  );
  await put(again, 'more', '1');
});

test('the file does not grow with rewriting', async (t) => {
  const { open } = await reopenable(t);
  const store = await open({ historyBytesMax: 1_000_000 });
  const sizes: number[] = [];
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 200 }, (_, i) => put(store, `k${i % 50}`, `${round}`.padEnd(2000, 'v'))));
    sizes.push((await store.status()).dbSize);
  }
  const middle = Math.max(...sizes.slice(10, 20));
  const late = Math.max(...sizes.slice(20));
  assert.ok(late < middle * 1.5, `sizes ${sizes.join(' ')}`);
  assert.ok(late < 16_000_000, `sizes ${sizes.join(' ')}`);
  assert.equal(store.rangeNow(ALL).count, 50);
});

test('a snapshot opens as a store', async (t) => {
  const { open, path } = await reopenable(t);
  const store = await open();
  for (let i = 0; i < 300; i++) await put(store, `k${i}`, 'v'.repeat(1000));
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.snapshot()) {
    chunks.push(chunk);
    void put(store, 'meanwhile', String(chunks.length));
  }
  const copy = join(dirname(path), 'copy.db');
  await writeFile(copy, Buffer.concat(chunks));
  await assert.rejects(openSqliteStore({ path: copy, clock: new VirtualClock() }), StoreCutBackError);
  const restored = await openSqliteStore({ path: copy, clock: new VirtualClock(), acceptDataLoss: true });
  t.after(() => restored.close());
  assert.equal(restored.rangeNow({ ...ALL, key: 'k', end: 'l' }).count, 300);
  assert.ok(restored.revision >= 301);
});
