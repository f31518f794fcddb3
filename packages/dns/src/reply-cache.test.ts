import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { ForeignReply } from './foreign-reply.ts';
import { ReplyCache } from './reply-cache.ts';

function start() {
  const clock = new VirtualClock();
  return { clock, cache: new ReplyCache(clock), from: clock.monotonic() };
}

function reply(life: number, bytes = 100): ForeignReply {
  return { bytes: new Uint8Array(bytes), ttlAt: [], life, rcode: 0 };
}

/** What is found of a reply of 60 seconds some milliseconds after it was kept. */
const AGES: readonly (readonly [afterMs: number, age: number, stale: boolean, untilMs: number])[] = [
  [0, 0, false, 1000],
  [999, 0, false, 1000],
  [1000, 1, false, 2000],
  [59_999, 59, false, 60_000],
  [60_000, 60, true, 60_000],
  [61_500, 61, true, 60_000],
  [60_000 + 3_599_999, 3659, true, 60_000],
];

for (const [afterMs, age, stale, untilMs] of AGES) {
  test(`after ${afterMs} ms it is ${age} s old${stale ? ', and stale' : ''}`, async () => {
    const { clock, cache, from } = start();
    const kept = reply(60);
    cache.keep('a', kept);
    await clock.advance(afterMs);
    assert.deepEqual(cache.find('a'), { reply: kept, age, stale, until: from + untilMs });
  });
}

test('an hour after its life was over nobody has it', async () => {
  const { clock, cache } = start();
  cache.keep('a', reply(60));
  await clock.advance(60_000 + 3_600_000);
  assert.equal(cache.find('a'), undefined);
});

test('a life longer than an hour counts as one', async () => {
  const { clock, cache, from } = start();
  cache.keep('long', reply(86_400));
  await clock.advance(3_599_999);
  assert.equal(cache.find('long')?.stale, false);
  await clock.advance(1);
  const { stale, until } = cache.find('long') ?? {};
  assert.deepEqual({ stale, until }, { stale: true, until: from + 3_600_000 });
});

test('what has no life is not kept, and takes nothing away', () => {
  const { cache } = start();
  const kept = reply(60);
  cache.keep('a', kept);
  cache.keep('a', reply(0));
  cache.keep('b', reply(0));
  assert.equal(cache.find('a')?.reply, kept);
  assert.equal(cache.find('b'), undefined);
});

test('a later answer takes the place of an earlier one, its age too', async () => {
  const { clock, cache } = start();
  cache.keep('a', reply(60));
  await clock.advance(30_000);
  const later = reply(5);
  cache.keep('a', later);
  assert.deepEqual([cache.find('a')?.reply, cache.find('a')?.age], [later, 0]);
  await clock.advance(5000);
  assert.equal(cache.find('a')?.stale, true);
});

test('names that are parts of every object are names', () => {
  const { cache } = start();
  assert.equal(cache.find('constructor'), undefined);
  cache.keep('__proto__', reply(60));
  assert.equal(cache.find('__proto__')?.age, 0);
});

test('of more than ten thousand the one that nobody asked for longest goes', () => {
  const { cache } = start();
  for (let at = 0; at < 10_000; at++) cache.keep(`n${at}`, reply(60, 10));
  assert.ok(cache.find('n0'));
  cache.keep('more', reply(60, 10));
  assert.ok(cache.find('n0'), 'asked for since');
  assert.equal(cache.find('n1'), undefined);
  assert.ok(cache.find('n2'));
});

test('large ones are bounded by their bytes, which are given back', () => {
  const { cache } = start();
  for (let at = 0; at < 300; at++) cache.keep(`n${at}`, reply(60, 65_000));
  let left = 0;
  for (let at = 0; at < 300; at++) if (cache.find(`n${at}`) !== undefined) left++;
  assert.ok(left > 100 && left < 130, `${left} of 65,000 bytes in 8 MiB`);
  // The same one again and again is one.
  for (let turn = 0; turn < 1000; turn++) cache.keep('n299', reply(60, 65_000));
  for (let at = 299; at > 299 - left; at--) assert.ok(cache.find(`n${at}`), `n${at}`);
  cache.clear();
  assert.equal(cache.find('n299'), undefined);
  for (let at = 0; at < left; at++) cache.keep(`m${at}`, reply(60, 65_000));
  for (let at = 0; at < left; at++) assert.ok(cache.find(`m${at}`), `m${at}`);
});

test('one that is larger than all there is room for leaves nothing behind', () => {
  const { cache } = start();
  cache.keep('a', reply(60));
  cache.keep('huge', reply(60, 9 << 20));
  assert.equal(cache.find('huge'), undefined);
  cache.keep('b', reply(60));
  assert.ok(cache.find('b'));
});
