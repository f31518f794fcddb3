import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { Compactor } from '../compactor.ts';
import { CompactedError, StoreFullError, StoreTimeoutError } from '../errors.ts';
import { put, putHeld, Recorder, readText, write } from '../node/contract/harness.ts';
import type { EtcdProcess } from '../node/etcd-process.ts';
import { startEtcd } from '../node/etcd-process.ts';
import { connectEtcdStore } from './connect.ts';

/** So little that a test can fill it. */
const QUOTA_BYTES = 16 * 1024 * 1024;

let etcd: EtcdProcess | undefined;

before(async () => {
  etcd = await startEtcd('etcd', ['--quota-backend-bytes', String(QUOTA_BYTES)]);
});
after(() => etcd?.stop());

function running(): EtcdProcess {
  assert.ok(etcd !== undefined);
  return etcd;
}

const connect = (prefix: string, more: { callMsMax?: number } = {}) =>
  connectEtcdStore({ endpoints: [running().endpoint], prefix, clock: realClock, ...more });

/** How long it took, in milliseconds. */
async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Resolves when the call times out: a look may be a second old, and then says what was. */
async function refused(ask: () => Promise<void>): Promise<void> {
  for (let said: unknown; ;) {
    said = await ask().catch((error: unknown) => error);
    if (said === undefined) await new Promise((resolve) => setImmediate(resolve));
    else return assert.ok(said instanceof StoreTimeoutError);
  }
}

test('a server that stands still: health fails in two seconds, every call ends in its time, then all goes on', async (t) => {
  const store = await connect('/paused/', { callMsMax: 3000 });
  t.after(() => store.close());
  const revision = await put(store, 'a', '1');
  const lease = await store.grantLease(60);
  const sink = new Recorder();
  store.watch({ key: '', end: '\0', startRevision: revision }, sink);
  await sink.heard(1, revision - 1);
  await store.health('writing');
  process.kill(running().pid, 'SIGSTOP');
  try {
    for (const aspect of ['reading', 'writing'] as const) {
      const ms = await elapsed(() => refused(() => store.health(aspect)));
      assert.ok(ms < 3000, `${aspect}: ${ms} ms`);
    }
    const signal = AbortSignal.timeout(500);
    const success = [{ type: 'put', key: 'b', value: new Uint8Array(1) }] as const;
    const ms = await elapsed(() =>
      Promise.all([
        assert.rejects(store.range({ key: 'a' }, { signal }), StoreTimeoutError),
        assert.rejects(
          store.txn({ compare: [], success, failure: [] }, { signal }),
          (error: unknown) => error instanceof StoreTimeoutError && error.outcomeUnknown,
        ),
      ]),
    );
    assert.ok(ms < 1500, `with a signal: ${ms} ms`);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.range({ key: 'a' }),
      () => put(store, 'c', '1'),
      () => store.grantLease(10),
      () => store.keepAlive(lease.id),
      () => store.revokeLease(lease.id),
      () => store.leaseStatus(lease.id),
      () => store.leases(),
      () => store.compact(revision),
      () => store.status(),
    ];
    const all = await elapsed(() => Promise.all(calls.map((call) => assert.rejects(call, StoreTimeoutError))));
    assert.ok(all < 6000, `all calls: ${all} ms`);
  } finally {
    process.kill(running().pid, 'SIGCONT');
  }
  await store.health('writing');
  await put(store, 'after', '1');
  await sink.until(() => sink.events_.some((event) => event.kv.key === 'after'));
  assert.deepEqual(sink.ends, []);
});

test('of two servers on one etcd one compacts at a time', async (t) => {
  const stores = [await connect(''), await connect('')];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const [store] = stores;
  assert.ok(store !== undefined);
  const compacted: number[] = [];
  const compactors = stores.map((each) => {
    const told = {
      txn: each.txn.bind(each),
      compact: async (revision: number) => {
        await each.compact(revision);
        compacted.push(revision);
      },
    };
    return new Compactor({ store: told, clock: realClock, log: silentLogger, intervalMs: 100 });
  });
  const first = await put(store, '/a', '1');
  while (compacted.length < 4) await put(store, '/a', '2');
  await Promise.all(compactors.map((compactor) => compactor.close()));
  assert.equal(new Set(compacted).size, compacted.length, `compacted at ${compacted.join(' ')}`);
  await assert.rejects(store.range({ key: '/a', revision: first }), CompactedError);
});

test('a quota that is used up: etcd refuses puts, health says so, deletes are the way out', async (t) => {
  const store = await connect('/quota/');
  t.after(() => store.close());
  await put(store, 'before', '1');
  const value = new Uint8Array(1024 * 1024);
  const fill = async (): Promise<never> => {
    for (let i = 0; ; i++) await putHeld(store, { type: 'put', key: `filler/${i}`, value });
  };
  await assert.rejects(fill(), (error: unknown) => {
    assert.ok(error instanceof StoreFullError);
    assert.match(error.message, /etcdserver: mvcc: database space exceeded/);
    assert.equal(error.outcomeUnknown, false);
    return true;
  });
  await assert.rejects(store.health('writing'), /database space exceeded/);
  await store.health('reading');
  assert.equal(await readText(store, 'before'), '1');
  await write(store, { type: 'delete', key: 'filler/', end: 'filler0' });
});
