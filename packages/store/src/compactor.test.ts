import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { VirtualClock } from '@binnacle/base/testing';
import { CompactedError, StoreUnavailableError } from './errors.ts';
import { Compactor } from './compactor.ts';
import { createMemoryStore } from './memory-store.ts';
import { put } from './node/contract/harness.ts';

const MINUTE = 60_000;

function world() {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock, startRevision: 1, historyAgeMsMax: Infinity });
  const compacted: number[] = [];
  const told = {
    txn: store.txn.bind(store),
    compact: (revision: number) => {
      compacted.push(revision);
      return store.compact(revision);
    },
  };
  return { clock, store, compacted, told };
}

test('what is older than two intervals is forgotten, what is younger than one is not', async () => {
  const { clock, store, compacted, told } = world();
  const compactor = new Compactor({ store: told, clock, log: silentLogger, intervalMs: 5 * MINUTE });
  const first = await put(store, 'a', '1');
  await put(store, 'a', '2');
  await clock.advance(5 * MINUTE);
  const young = await put(store, 'a', '3');
  await put(store, 'a', '4');
  assert.deepEqual(compacted, []);
  await clock.advance(5 * MINUTE);
  assert.equal(compacted.length, 1);
  await assert.rejects(store.range({ key: 'a', revision: first }), CompactedError);
  assert.equal((await store.range({ key: 'a', revision: young })).kvs.length, 1);
  await compactor.close();
  await store.close();
  assert.equal(clock.pending, 0);
});

test('of several servers one compacts, and when it is gone another goes on', async () => {
  const { clock, store, compacted, told } = world();
  const make = (): Compactor => new Compactor({ store: told, clock, log: silentLogger, intervalMs: 5 * MINUTE });
  const servers = [make(), make(), make()];
  for (let round = 0; round < 6; round++) {
    await put(store, 'a', String(round));
    await clock.advance(5 * MINUTE);
  }
  assert.ok(compacted.length >= 4 && compacted.length <= 6, `compacted ${compacted.join(' ')}`);
  assert.deepEqual(new Set(compacted).size, compacted.length, 'never twice the same');
  await servers[0]?.close();
  const before = compacted.length;
  for (let round = 0; round < 3; round++) {
    await put(store, 'a', String(round));
    await clock.advance(5 * MINUTE);
  }
  assert.ok(compacted.length > before);
  await Promise.all(servers.map((server) => server.close()));
});

test('a failure is followed by the next round', async () => {
  const { clock, store, compacted, told } = world();
  let failing = true;
  const flaky = {
    ...told,
    txn: (...call: Parameters<typeof store.txn>) =>
      failing ? Promise.reject(new StoreUnavailableError('down')) : store.txn(...call),
  };
  const compactor = new Compactor({ store: flaky, clock, log: silentLogger, intervalMs: MINUTE });
  await clock.advance(3 * MINUTE);
  failing = false;
  await put(store, 'a', '1');
  await clock.advance(2 * MINUTE);
  assert.equal(compacted.length, 1);
  await compactor.close();
});
