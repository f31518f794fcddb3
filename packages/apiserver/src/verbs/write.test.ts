import assert from 'node:assert/strict';
import test from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { StoreUnavailableError } from '@binnacle/store';
import type { Store, TxnResult } from '@binnacle/store';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { keyOf } from '../storage/keys.ts';
import { Fences } from './fences.ts';
import { LeasePool } from '../storage/lease-pool.ts';
import { ObjectWriter } from './write.ts';

test('keys', () => {
  assert.equal(keyOf(true, 'ns', 'a'), 'ns/a');
  assert.equal(keyOf(false, 'ignored', 'a'), 'a');
});

test('compare-and-swap: one of two wins, the other learns what is there; the cause is remembered', async () => {
  const { ask, server, parts } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const { writer, causes } = parts.foundation;
  const served = server.catalogue.find('', 'v1', 'pods');
  assert.ok(served !== undefined);
  const entry = served.stored.cache.get('default/a');
  assert.ok(entry !== undefined);
  const write = (who: string) =>
    writer.put({
      stored: served.stored,
      key: entry.key,
      object: { ...entry.object, metadata: { ...entry.object.metadata, labels: { who } } },
      replaces: entry.revision,
      call: { cause: { id: who, component: who, request: 'PUT' } },
    });
  const [one, two] = await Promise.all([write('one'), write('two')]);
  assert.ok(one.written && !two.written);
  assert.equal(two.found?.modRevision, one.entry.revision);
  assert.deepEqual(one.entry.object.metadata.labels, { who: 'one' });
  assert.deepEqual(causes.find(one.entry.revision), {
    id: 'one',
    component: 'one',
    request: 'PUT',
    revision: String(one.entry.revision),
  });
  const cause = { id: 'x', component: 'x', request: 'DELETE' };
  assert.equal((await writer.delete(served.stored, { entry, call: { cause } })).written, false, 'the old revision');
  assert.equal((await writer.delete(served.stored, { entry: one.entry, call: { cause } })).written, true);
  assert.equal(await writer.readLive(served.stored, entry.key), undefined);
});

const ENDS: readonly (readonly [name: string, succeeds: boolean | undefined, want: readonly unknown[]])[] = [
  ['what is written', true, ['create', false, 2]],
  ['what somebody else was first with', false, ['create', false, 2]],
  ['what fails', undefined, ['create', true, 2]],
];

for (const [name, succeeds, want] of ENDS) {
  test(`each call of the store is timed: ${name}`, async () => {
    const { server, parts, clock, store } = await startTestServer();
    const { causes, recorder, catalogue } = parts.foundation;
    const stored = server.catalogue.find('', 'v1', 'pods')?.stored;
    assert.ok(stored !== undefined);
    const txn = async (): Promise<TxnResult> => {
      await clock.advance(2000);
      if (succeeds === undefined) throw new StoreUnavailableError('gone');
      return { succeeded: succeeds, revision: 7, results: [] };
    };
    const took: unknown[][] = [];
    const writer = new ObjectWriter({
      store: { txn } as unknown as Store,
      feed: { revision: 7, waitFor: () => Promise.resolve() },
      leases: new LeasePool(store, clock),
      causes,
      recorder,
      fences: new Fences(store, catalogue),
      isStale: () => false,
      metrics: { now: () => 0, storeMeter: () => ({ took: (...call) => void took.push(call) }) },
    });
    const call = { cause: { id: 'c', component: 'c', request: 'POST' } };
    const writing = writer.put({ stored, key: 'default/a', object: podNamed('a') as KubeObject, replaces: 0, call });
    if (succeeds === undefined) await assert.rejects(writing, StoreUnavailableError);
    else assert.equal((await writing).written, succeeds);
    assert.deepEqual(took, [want]);
  });
}
