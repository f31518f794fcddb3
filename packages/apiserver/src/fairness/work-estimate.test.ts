import assert from 'node:assert/strict';
import test from 'node:test';
import { listWork, mutatingWork } from './work-estimate.ts';
import type { ListShape } from './work-estimate.ts';

const MANY = { objects: 10_000, bytes: 20_000_000 };
const CACHED: ListShape = { single: false, limit: 0, selective: false, cached: true };
const STORED: ListShape = { ...CACHED, cached: false };

const LISTS: readonly (readonly [name: string, shape: ListShape, seatsMax: number | undefined, seats: number])[] = [
  ['out of the cache: no more than a megabyte at once', CACHED, undefined, 10],
  ['out of the store: all of it', STORED, undefined, 100],
  ['no more than the level allows', CACHED, 4, 4],
  ['one object', { ...CACHED, single: true }, undefined, 1],
  ['a page', { ...STORED, limit: 500 }, undefined, 10],
  ['selected of the store: half of it is read', { ...STORED, limit: 500, selective: true }, undefined, 100],
];

for (const [name, shape, seatsMax, seats] of LISTS) {
  test(`seats of a list: ${name}`, () => assert.equal(listWork(MANY, shape, seatsMax).initialSeats, seats));
}

test('an empty list takes a seat', () => {
  assert.equal(listWork({ objects: 0, bytes: 0 }, STORED, undefined).initialSeats, 1);
});

const WRITES: readonly (readonly [watchers: number, max: number | undefined, seats: number, lingerMs: number])[] = [
  [0, undefined, 0, 0],
  [9, undefined, 0, 0],
  [10, undefined, 1, 5],
  [45, undefined, 5, 5],
  [200, undefined, 10, 10],
  [200, 4, 4, 25],
];

for (const [watchers, max, seats, lingerMs] of WRITES) {
  test(`a write that ${watchers} watch, at most ${max} seats`, () => {
    const { initialSeats, finalSeats, lingerSeconds } = mutatingWork(watchers, max);
    assert.deepEqual([initialSeats, finalSeats, Math.round(lingerSeconds * 1e6) / 1e3], [1, seats, lingerMs]);
  });
}
