import assert from 'node:assert/strict';
import test from 'node:test';
import { Entry } from './entry.ts';
import { cacheEvent } from './event.ts';
import type { CacheEvent } from './event.ts';
import { EventRing } from './event-ring.ts';

const codec = { decode: () => ({ metadata: {} }), adopt: () => ({ metadata: {} }) };

function event(revision: number, bytes = 10): CacheEvent {
  const value = new Uint8Array(bytes);
  return cacheEvent(revision, new Entry({ key: 'a', revision: revision - 1, value }, codec), undefined);
}

const revisions = (events: readonly CacheEvent[] | undefined): number[] | undefined =>
  events?.map(({ revision }) => revision);

test('gives what came after a revision, and nothing when some of it is gone', () => {
  const ring = new EventRing(10, { events: 3, bytes: 1 << 20 });
  for (const revision of [11, 14, 17, 20]) ring.push(event(revision));
  assert.deepEqual(revisions(ring.after(20)), []);
  assert.deepEqual(revisions(ring.after(14)), [17, 20]);
  assert.deepEqual(revisions(ring.after(11)), [14, 17, 20]);
  assert.equal(ring.after(10), undefined, 'event 11 was dropped');
  assert.equal(ring.since, 11);
});

test('is bounded by bytes too', () => {
  const ring = new EventRing(0, { events: 100, bytes: 1000 });
  for (let revision = 1; revision <= 10; revision++) ring.push(event(revision, 400));
  assert.deepEqual(revisions(ring.after(8)), [9, 10]);
  assert.equal(ring.after(5), undefined);
});

test('stays right while it turns over many times', () => {
  const ring = new EventRing(0, { events: 50, bytes: 1 << 20 });
  for (let revision = 1; revision <= 10_000; revision++) ring.push(event(revision));
  assert.equal(revisions(ring.after(9950))?.length, 50);
  ring.reset(20_000);
  assert.deepEqual(revisions(ring.after(20_000)), []);
  assert.equal(ring.after(19_999), undefined);
});
