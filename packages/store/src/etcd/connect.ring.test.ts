import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { realClock } from '@binnacle/base/node';
import { CompactedError, RequestTooLargeError, StoreUnavailableError } from '../errors.ts';
import { put, putOp, Recorder, show, write } from '../node/contract/harness.ts';
import type { EtcdProcess } from '../node/etcd-process.ts';
import { startEtcd } from '../node/etcd-process.ts';
import { storeContract } from '../testing.ts';
import { connectEtcdStore } from './connect.ts';

let etcd: EtcdProcess | undefined;
let prefixes = 0;

before(async () => {
  etcd = await startEtcd();
});
after(() => etcd?.stop());

function running(): EtcdProcess {
  assert.ok(etcd !== undefined);
  return etcd;
}

const connect = (prefix = `/test/${++prefixes}/`) =>
  connectEtcdStore({ endpoints: [running().endpoint], prefix, clock: realClock });

storeContract('etcd', async () => {
  const store = await connect();
  return {
    store,
    passSeconds: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
    close: () => store.close(),
  };
});

const ALL = { key: '', end: '\0' };

test('two prefixes do not see each other', async (t) => {
  const [a, b] = [await connect('/a/'), await connect('/b/')];
  t.after(() => Promise.all([a.close(), b.close()]));
  const sink = new Recorder();
  a.watch(ALL, sink);
  await sink.isCreated();
  await put(b, 'k', 'b');
  const revision = await put(a, 'k', 'a');
  assert.equal(show(await a.range(ALL)), 'k=a');
  assert.deepEqual(await sink.heard(1, revision - 1), ['+k=a@1']);
  await write(a, { type: 'delete', ...ALL });
  assert.equal(show(await b.range(ALL)), 'k=b');
});

test('the compacted revision is told', async (t) => {
  const store = await connect();
  t.after(() => store.close());
  const first = await put(store, 'a', '1');
  const second = await put(store, 'a', '2');
  await store.compact(second);
  await assert.rejects(store.range({ key: 'a', revision: first }), (error: unknown) => {
    assert.ok(error instanceof CompactedError);
    assert.equal(error.compactRevision, second);
    return true;
  });
  assert.equal((await store.status()).compactRevision, second);
});

test('a watch goes on where it was after the server was killed', async (t) => {
  const store = await connect();
  const other = await connect(`/test/${prefixes}/`);
  t.after(() => Promise.all([store.close(), other.close()]));
  const sink = new Recorder();
  store.watch(ALL, sink);
  await sink.isCreated();
  const base = (await put(store, 'a', '1')) - 1;
  await sink.heard(1, base);
  await running().restart();
  await put(other, 'a', '2');
  await put(other, 'a', '3');
  assert.deepEqual(await sink.heard(3, base), ['+a=1@1', '+a=2@2', '+a=3@3']);
  assert.deepEqual(sink.ends, []);
});

test('an unreachable endpoint is passed over', async (t) => {
  const store = await connectEtcdStore({
    endpoints: ['http://127.0.0.1:1', running().endpoint],
    prefix: `/test/${++prefixes}/`,
    clock: realClock,
  });
  t.after(() => store.close());
  await put(store, 'a', '1');
  assert.equal(show(await store.range(ALL)), 'a=1');
});

test('nobody there', async () => {
  await assert.rejects(
    connectEtcdStore({ endpoints: ['http://127.0.0.1:1'], clock: realClock, retryMsMax: 200 }),
    StoreUnavailableError,
  );
});

test('a value of five megabytes is refused as too large, not by the channel; many small ones come in one answer', async (t) => {
  const store = await connect();
  t.after(() => store.close());
  await assert.rejects(write(store, putOp('big', 'v'.repeat(5_000_000))), RequestTooLargeError);
  for (let i = 0; i < 60; i++) await put(store, `k${i}`, 'v'.repeat(100_000));
  const { kvs } = await store.range(ALL);
  assert.equal(kvs.length, 60);
});
