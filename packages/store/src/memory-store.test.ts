import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { StoreFullError } from './errors.ts';
import { createMemoryStore } from './memory-store.ts';
import { putHeld, write } from './node/contract/harness.ts';
import { storeContract } from './testing.ts';

storeContract('memory', async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock, startRevision: 1, bytesMax: 8 * 1024 * 1024 });
  const fill = async (): Promise<void> => {
    const filler = { type: 'put', value: new Uint8Array(1024 * 1024) } as const;
    const putAll = async (): Promise<never> => {
      for (let i = 0; ; i++) await putHeld(store, { ...filler, key: `filler/${i}` });
    };
    await assert.rejects(putAll(), StoreFullError);
  };
  const free = async (): Promise<void> => {
    await write(store, { type: 'delete', key: 'filler/', end: 'filler0' });
  };
  return { store, passSeconds: (s) => clock.advance(s * 1000), room: { fill, free }, close: () => store.close() };
});

const value = new Uint8Array(1000);

test('a later store starts above any revision of an earlier one', async () => {
  const clock = new VirtualClock();
  const first = createMemoryStore({ clock });
  for (let i = 0; i < 500; i++)
    await first.txn({ compare: [], success: [{ type: 'put', key: 'a', value }], failure: [] });
  const { revision } = first;
  await first.close();
  await clock.advance(10);
  const second = createMemoryStore({ clock });
  assert.ok(second.revision > revision);
  await second.close();
});

test('history is compacted by bytes and by age', async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock, startRevision: 1, historyBytesMax: 64_000, historyAgeMsMax: 60_000 });
  const put = () => store.txn({ compare: [], success: [{ type: 'put', key: 'a', value }], failure: [] });
  for (let i = 0; i < 200; i++) await put();
  const byBytes = (await store.status()).compactRevision;
  assert.ok(byBytes > 100 && byBytes < 200, `compacted at ${byBytes} of 201`);
  await clock.advance(30_000);
  await put();
  await clock.advance(31_000);
  assert.ok((await store.status()).compactRevision >= 195, 'the first writes are older than a minute');
  await clock.advance(120_000);
  assert.equal((await store.status()).compactRevision, store.revision);
  assert.equal(clock.pending, 0, 'no timer is left when there is nothing to forget');
  await store.close();
});

test('sinks hear before the writer is answered, and may write themselves', async () => {
  const store = createMemoryStore({ clock: new VirtualClock(), startRevision: 1 });
  const order: string[] = [];
  const heard: number[] = [];
  const put = (key: string) => store.txn({ compare: [], success: [{ type: 'put', key, value }], failure: [] });
  for (const name of ['first', 'second']) {
    store.watch(
      { key: '', end: '\0' },
      {
        events: (events) => {
          for (const event of events) {
            order.push(`${name} hears ${event.kv.key}`);
            if (name === 'first' && event.kv.key === 'a') void put('b');
          }
          heard.push(store.revision);
        },
        end: () => order.push(`${name} ends`),
      },
    );
  }
  await Promise.resolve();
  await put('a').then(() => order.push('answered'));
  assert.deepEqual(order, ['first hears a', 'second hears a', 'first hears b', 'second hears b', 'answered']);
  assert.deepEqual(heard, [2, 2, 3, 3]);
  assert.equal(store.rangeNow({ key: 'b' }).kvs.length, 1);
  await store.close();
  assert.deepEqual(order.slice(5), ['first ends', 'second ends']);
});
