import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Tree } from './ordered-map.ts';
import { countSpan, getEntry, OrderedMap, walkSpan } from './ordered-map.ts';

interface Item {
  readonly key: string;
  readonly n: number;
}

function keysOf(tree: Tree<Item>, from = '', end?: string): string[] {
  const keys: string[] = [];
  walkSpan(tree, { from, end }, (item) => keys.push(item.key) > 0);
  return keys;
}

const ORDERS: readonly { name: string; order: (keys: string[]) => string[] }[] = [
  { name: 'ascending', order: (keys) => keys },
  { name: 'descending', order: (keys) => keys.toReversed() },
  { name: 'shuffled', order: (keys) => keys.toSorted((a, b) => hash(a) - hash(b)) },
];

function hash(key: string): number {
  let h = 7;
  for (const c of key) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193) >>> 0;
  return h;
}

for (const { name, order } of ORDERS) {
  test(`5000 keys put and deleted, ${name}`, () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `key-${String(i).padStart(5, '0')}`);
    const map = new OrderedMap<Item>();
    for (const [n, key] of order(keys).entries()) assert.equal(map.set({ key, n }), undefined);
    assert.equal(map.size, 5000);
    assert.deepEqual(keysOf(map.peek()), keys);
    assert.equal(countSpan(map.peek(), { from: 'key-00100', end: 'key-00200' }), 100);
    const kept = map.freeze();
    for (const key of order(keys)) assert.equal(map.delete(key)?.key, key);
    assert.equal(map.size, 0);
    assert.deepEqual(keysOf(map.peek()), []);
    assert.deepEqual(keysOf(kept), keys, 'the snapshot stayed as it was');
  });
}

test('random work against a plain map, with snapshots', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = createSeededRandom(seed);
    const map = new OrderedMap<Item>();
    const plain = new Map<string, number>();
    const snapshots: { tree: Tree<Item>; keys: string[] }[] = [];
    const sorted = (): string[] => [...plain.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    for (let n = 0; n < 3000; n++) {
      const key = `k${randomBelow(random, 700)}`;
      // Phases of growing and shrinking, so that nodes split and merge.
      const growing = Math.floor(n / 500) % 2 === 0;
      if (randomBelow(random, 10) < (growing ? 8 : 2)) {
        assert.equal(map.set({ key, n })?.n, plain.get(key));
        plain.set(key, n);
      } else {
        assert.equal(map.delete(key)?.n, plain.get(key));
        plain.delete(key);
      }
      if (n % 250 === 0) snapshots.push({ tree: map.freeze(), keys: sorted() });
    }
    assert.deepEqual(keysOf(map.peek()), sorted(), `seed ${seed}`);
    for (const { tree, keys } of snapshots) assert.deepEqual(keysOf(tree), keys, `seed ${seed}`);
    for (let i = 0; i < 50; i++) {
      const from = `k${randomBelow(random, 700)}`;
      const end = randomBelow(random, 5) === 0 ? undefined : `k${randomBelow(random, 700)}`;
      const expected = sorted().filter((k) => k >= from && (end === undefined || k < end));
      assert.deepEqual(keysOf(map.peek(), from, end), expected, `seed ${seed} ${from}..${end}`);
      assert.equal(countSpan(map.peek(), { from, end }), expected.length, `seed ${seed} ${from}..${end}`);
      assert.equal(getEntry(map.peek(), from)?.n, plain.get(from));
    }
  }
});

test('a walk stops when the visitor says so', () => {
  const map = new OrderedMap<Item>();
  for (let n = 0; n < 200; n++) map.set({ key: `k${1000 + n}`, n });
  let seen = 0;
  walkSpan(map.peek(), { from: 'k1050', end: undefined }, () => ++seen < 7);
  assert.equal(seen, 7);
});
