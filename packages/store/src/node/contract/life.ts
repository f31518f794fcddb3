import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreClosedError } from '../../errors.ts';
import type { StoreFactory } from './harness.ts';
import { put, Recorder } from './harness.ts';

const ALL = { key: '', end: '\0' };

/** What a store says about itself, its copy, and its end. */
export function lifeContract(factory: StoreFactory): void {
  describe('life', () => {
    test('status', async (t) => {
      const { store, close } = await factory();
      t.after(close);
      await put(store, 'a', '1');
      const revision = await put(store, 'b', '1');
      const before = await store.status();
      assert.ok(before.engine.length > 0 && before.version.length > 0);
      assert.deepEqual([before.revision, before.keys], [revision, 2]);
      assert.ok(before.dbSize > 0);
      await store.compact(revision);
      assert.ok((await store.status()).compactRevision <= revision);
    });

    test('a snapshot is whole although writing goes on', async (t) => {
      const { store, close } = await factory();
      t.after(close);
      const value = 'v'.repeat(2000);
      for (let i = 0; i < 100; i++) await put(store, `k/${i}`, value);
      let size = 0;
      let writes: Promise<unknown> = Promise.resolve();
      for await (const chunk of store.snapshot()) {
        size += chunk.byteLength;
        writes = put(store, 'while', 'copying');
      }
      await writes;
      assert.ok(size >= 100 * 2000, `snapshot of ${size} bytes`);
    });

    test('close ends watches, answers what was asked before, refuses what comes after', async (t) => {
      const { store, close } = await factory();
      t.after(close);
      await put(store, 'a', '0');
      const sink = new Recorder();
      store.watch(ALL, sink);
      await sink.isCreated();
      const under = put(store, 'a', '1');
      const closing = store.close();
      assert.ok((await under) > 0);
      await closing;
      await store.close();
      assert.ok((await sink.ended()) instanceof StoreClosedError);
      assert.equal(sink.ends.length, 1);
      const late = new Recorder();
      store.watch(ALL, late);
      assert.ok((await late.ended()) instanceof StoreClosedError);
      const calls: readonly (() => Promise<unknown>)[] = [
        () => store.range(ALL),
        () => put(store, 'a', '2'),
        () => store.grantLease(10),
        () => store.revokeLease(1),
        () => store.keepAlive(1),
        () => store.leaseStatus(1),
        () => store.leases(),
        () => store.compact(1),
        () => store.status(),
      ];
      for (const call of calls) await assert.rejects(call, StoreClosedError);
    });
  });
}
