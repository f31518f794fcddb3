import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { createMemoryStore, DamagedValueError } from '@binnacle/store';
import type { StoreEvent } from '@binnacle/store';
import type { Restored, Transformer } from '../ports/transformer.ts';
import { TransformingStore } from './transforming-store.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);

/** Writes values backwards; what does not begin with `<` is not of its making. Waits when told to. */
class Backwards implements Transformer {
  readonly waiting: (() => void)[] = [];
  slow = false;

  covers(resource: string): boolean {
    return resource === 'secrets';
  }

  toStorage(value: Uint8Array): Uint8Array {
    return bytes(`<${text(value).split('').toReversed().join('')}`);
  }

  fromStorage(value: Uint8Array): Restored | Promise<Restored> {
    const resting = text(value);
    if (!resting.startsWith('<')) throw new RangeError('not ours');
    const restored = { value: bytes(resting.slice(1).split('').toReversed().join('')), stale: resting.endsWith('dlo') };
    return this.slow ? new Promise((resolve) => void this.waiting.push(() => resolve(restored))) : restored;
  }
}

function start() {
  const inner = createMemoryStore({ clock: new VirtualClock() });
  const transformer = new Backwards();
  const store = new TransformingStore({
    store: inner,
    transformer,
    resourceOf: (key) => (key.startsWith('/s/') ? 'secrets' : 'others'),
    log: silentLogger,
  });
  const seen: string[] = [];
  const ended: (Error | undefined)[] = [];
  const show = ({ type, kv, prevKv }: StoreEvent): string =>
    `${type} ${kv.key} ${text(kv.value)}${prevKv === undefined ? '' : ` < ${text(prevKv.value)}`}`;
  store.watch(
    { key: '/', end: '0', prevKv: true },
    { events: (events) => seen.push(...events.map(show)), end: (error) => ended.push(error) },
  );
  const put = (target: typeof store | typeof inner, key: string, value: string): ReturnType<typeof inner.txn> =>
    target.txn({ compare: [], success: [{ type: 'put', key, value: bytes(value), prevKv: true }], failure: [] });
  return { inner, store, transformer, seen, ended, put };
}

test('values rest backwards and are used forwards; other keys are left alone', async () => {
  const { inner, store, seen, put } = start();
  await put(store, '/s/a', 'one');
  await put(store, '/o/a', 'two');
  const again = await put(store, '/s/a', 'three');
  assert.equal(text((await inner.range({ key: '/s/a' })).kvs[0]?.value ?? bytes('')), '<eerht');
  assert.equal(text((await inner.range({ key: '/o/a' })).kvs[0]?.value ?? bytes('')), 'two');
  assert.deepEqual(
    (await store.range({ key: '/', end: '0' })).kvs.map(({ value }) => text(value)),
    ['two', 'three'],
  );
  assert.ok(again.results[0]?.type === 'put' && text(again.results[0].prevKv?.value ?? bytes('')) === 'one');
  assert.deepEqual(seen, ['put /s/a one', 'put /o/a two', 'put /s/a three < one']);
});

test('what has to be waited for holds back what is behind it, and the write that made it', async () => {
  const { inner, store, transformer, seen, put } = start();
  transformer.slow = true;
  // Somebody else's write: its plain form is not known here.
  await put(inner, '/s/a', '<eno');
  const own = put(store, '/o/b', 'two');
  let acknowledged = false;
  void own.then(() => (acknowledged = true));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert.deepEqual([seen, acknowledged], [[], false]);
  for (const go of transformer.waiting.splice(0)) go();
  await own;
  assert.deepEqual(seen, ['put /s/a one', 'put /o/b two']);
});

test('a value that is not ours: named in a range, an error for one key, the end of a watch', async () => {
  const { inner, store, ended, seen, put } = start();
  await put(store, '/s/a', 'one');
  await put(inner, '/s/b', 'nonsense');
  await assert.rejects(store.range({ key: '/s/b' }), DamagedValueError);
  const range = await store.range({ key: '/s/', end: '/s0' });
  assert.deepEqual([range.kvs.length, range.damaged], [1, ['/s/b']]);
  assert.ok(ended[0] instanceof DamagedValueError && ended.length === 1);
  await put(store, '/s/a', 'two');
  assert.deepEqual(seen, ['put /s/a one'], 'nothing after the end');
});

test('a value in an old form is told apart', async () => {
  const { inner, store, put } = start();
  await put(inner, '/s/a', '<dlo');
  const [kv] = (await store.range({ key: '/s/a' })).kvs;
  assert.ok(kv !== undefined && store.isStale(kv.value));
});
