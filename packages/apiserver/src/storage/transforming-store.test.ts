import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { createMemoryStore, DamagedValueError } from '@binnacle/store';
import type { StoreEvent } from '@binnacle/store';
import type { Restored, Transformer } from '../ports/transformer.ts';
import { Feed } from '../cache/feed.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import type { EntryCodec } from './codec.ts';
import { KeyServiceAwayError } from './encryption/errors.ts';
import { TransformingStore } from './transforming-store.ts';
import { refuseUnrestored } from './unrestored.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);

/** Writes values backwards; what does not begin with `<` is not of its making. Waits when told to. */
class Backwards implements Transformer {
  readonly waiting: (() => void)[] = [];
  slow = false;
  away = false;

  covers(resource: string): boolean {
    return resource === 'secrets';
  }

  toStorage(value: Uint8Array): Uint8Array {
    return bytes(`<${text(value).split('').toReversed().join('')}`);
  }

  /** What writes now. */
  form: object = this;

  formOf(): object {
    return this.form;
  }

  fromStorage(value: Uint8Array): Restored | Promise<Restored> {
    if (this.away) throw new KeyServiceAwayError('keeper', '14 UNAVAILABLE');
    const resting = text(value);
    if (!resting.startsWith('<')) throw new RangeError('not ours');
    const restored = { value: bytes(resting.slice(1).split('').toReversed().join('')), stale: resting.endsWith('dlo') };
    return this.slow ? new Promise((resolve) => void this.waiting.push(() => resolve(restored))) : restored;
  }
}

/** Objects whose kind is the stored text. */
function createTextCodec(): EntryCodec {
  return {
    decode(value) {
      refuseUnrestored(value);
      return { kind: text(value), metadata: {} };
    },
    adopt: (object) => object,
  };
}

/** `place`: below which keys secrets lie. */
function start(place = '/s/') {
  const inner = createMemoryStore({ clock: new VirtualClock() });
  const transformer = new Backwards();
  const store = new TransformingStore({
    store: inner,
    transformer,
    resourceOf: (key) => (key.startsWith(place) ? 'secrets' : 'others'),
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

test('a value that is not ours: named in a range with why, an error for one key, and no end of the watch of others', async () => {
  const { inner, store, ended, seen, put } = start();
  await put(store, '/s/a', 'one');
  await put(inner, '/s/b', 'nonsense');
  await assert.rejects(store.range({ key: '/s/b' }), DamagedValueError);
  const range = await store.range({ key: '/s/', end: '/s0' });
  assert.deepEqual([range.kvs.length, range.damaged], [1, ['/s/b']]);
  assert.equal(range.reasons?.get('/s/b'), 'not ours');
  await put(store, '/s/a', 'two');
  assert.deepEqual(seen, ['put /s/a one', 'put /s/b \0not ours', 'put /s/a two < one']);
  assert.equal(ended.length, 0);
});

test('while the keeper of the key is away nothing is damaged: ranges fail, and the watch ends, to be asked for again', async () => {
  const { inner, store, transformer, ended, put } = start();
  await put(inner, '/s/a', '<eno');
  transformer.away = true;
  const isAway = { message: 'failed to decrypt DEK, error: key service keeper is away: 14 UNAVAILABLE' };
  await put(inner, '/s/b', '<owt');
  await assert.rejects(store.range({ key: '/s/b' }), isAway);
  await assert.rejects(store.range({ key: '/s/', end: '/s0' }), isAway);
  assert.match(String(ended[0]), /is away/);
  transformer.away = false;
  const { kvs, damaged } = await store.range({ key: '/s/', end: '/s0' });
  assert.deepEqual([kvs.map(({ value }) => text(value)), damaged], [['one', 'two'], undefined]);
});

/** A cache of secrets over the store above. */
async function startCache({ store }: Pick<ReturnType<typeof start>, 'store'>) {
  const clock = new VirtualClock();
  const feed = new Feed({ store, clock, log: silentLogger });
  const codec = createTextCodec();
  const cache = new WatchCache({ store, prefix: '/registry/s/', codec });
  feed.register(cache);
  await feed.start();
  return { clock, feed, cache };
}

test('a cache whose values nobody can open for a while stands when they can be, and misses nothing', async () => {
  const parts = start('/registry/s/');
  const { inner, transformer, put } = parts;
  const { clock, cache } = await startCache(parts);
  transformer.away = true;
  await put(inner, '/registry/s/a', '<eno');
  await assert.rejects(cache.start(), /is away/);
  assert.equal(cache.ready, false);
  transformer.away = false;
  await cache.start();
  assert.equal(cache.get('a')?.object.kind, 'one');
  transformer.away = true;
  await clock.advance(1000);
  await put(inner, '/registry/s/b', '<owt');
  assert.equal(cache.get('b'), undefined);
  await clock.advance(1000);
  assert.equal(cache.get('b'), undefined);
  transformer.away = false;
  await clock.advance(1000);
  assert.equal(cache.get('b')?.object.kind, 'two');
});

test('what nobody can ever open is set aside with its reason, whether it was there or comes', async () => {
  const parts = start('/registry/s/');
  const { inner, put } = parts;
  await put(inner, '/registry/s/a', 'nonsense');
  const { cache } = await startCache(parts);
  await cache.start();
  await put(inner, '/registry/s/b', 'nonsense too');
  await put(inner, '/registry/s/c', '<eno');
  assert.deepEqual(
    [...cache.unreadable],
    [
      ['a', 'not ours'],
      ['b', 'not ours'],
    ],
  );
  assert.equal(cache.get('c')?.object.kind, 'one');
});

test('a value in an old form is told apart', async () => {
  const { inner, store, put } = start();
  await put(inner, '/s/a', '<dlo');
  const [kv] = (await store.range({ key: '/s/a' })).kvs;
  assert.ok(kv !== undefined && store.isStale(kv.value, kv.key));
});

test('what was written, or read, before the form changed is old from then on; written again it is not', async () => {
  const { inner, store, transformer, put } = start();
  const value = bytes('one');
  await store.txn({ compare: [], success: [{ type: 'put', key: '/s/a', value }], failure: [] });
  await put(inner, '/s/b', '<owt');
  const [read] = (await store.range({ key: '/s/b' })).kvs;
  assert.ok(read !== undefined);
  assert.deepEqual([store.isStale(value, '/s/a'), store.isStale(read.value, '/s/b')], [false, false]);
  transformer.form = {};
  assert.deepEqual([store.isStale(value, '/s/a'), store.isStale(read.value, '/s/b')], [true, true]);
  await store.txn({ compare: [], success: [{ type: 'put', key: '/s/a', value }], failure: [] });
  assert.equal(store.isStale(value, '/s/a'), false);
  assert.equal(store.isStale(value, '/o/a'), false, 'others rest as they are');
});
