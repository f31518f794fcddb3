import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { SnapshotMap, walk } from './snapshot-map.ts';

interface Item {
  readonly key: string;
  readonly n: number;
}

const keysOf = (map: SnapshotMap<Item>, prefix = '', from = ''): string[] =>
  [...walk(map.snapshot(), prefix, from)].map(({ key }) => key);

/** Deletes the item's key in one case of three, else sets it: in the map under test and in a plain one. */
function writeByChance(
  { map, plain }: { readonly map: SnapshotMap<Item>; readonly plain: Map<string, Item> },
  random: Random,
  item: Item,
): void {
  const { key } = item;
  if (randomBelow(random, 3) === 0) {
    assert.equal(map.delete(key), plain.get(key));
    plain.delete(key);
  } else {
    map.set(item);
    plain.set(key, item);
  }
}

test('agrees with a sorted array under random writes and deletes', () => {
  const random = createSeededRandom(3);
  const map = new SnapshotMap<Item>();
  const plain = new Map<string, Item>();
  for (let n = 0; n < 5000; n++) {
    const key = `ns${randomBelow(random, 5)}/x${randomBelow(random, 900)}`;
    writeByChance({ map, plain }, random, { key, n });
  }
  assert.equal(map.size, plain.size);
  assert.deepEqual(keysOf(map), [...plain.keys()].sort());
  assert.deepEqual(keysOf(map, 'ns2/'), [...plain.keys()].filter((key) => key.startsWith('ns2/')).sort());
  for (const [key, value] of plain) assert.equal(map.get(key), value);
});

test('a snapshot does not see later writes', () => {
  const map = new SnapshotMap<Item>();
  for (let n = 0; n < 1000; n++) map.set({ key: `k${String(n).padStart(4, '0')}`, n });
  const held = map.snapshot();
  map.set({ key: 'k0500', n: -1 });
  map.delete('k0000');
  map.set({ key: 'a', n: 0 });
  const seen = [...walk(held, '', '')];
  assert.equal(seen.length, 1000);
  assert.equal(seen[0]?.key, 'k0000');
  assert.equal(seen[500]?.n, 500);
  assert.deepEqual(keysOf(map).slice(0, 2), ['a', 'k0001']);
});

test('walks from a key on, and starts over after a reset', () => {
  const map = new SnapshotMap<Item>();
  for (const key of ['a/1', 'a/2', 'b/1', 'b/2']) map.set({ key, n: 0 });
  assert.deepEqual(keysOf(map, 'b/', 'b/1\0'), ['b/2']);
  assert.deepEqual(keysOf(map, 'a/', ''), ['a/1', 'a/2']);
  map.reset([{ key: 'z', n: 1 }]);
  assert.deepEqual(keysOf(map), ['z']);
  assert.equal(map.get('a/1'), undefined);
});

test('what comes and goes between two snapshots is in neither; each snapshot has what was there', () => {
  const random = createSeededRandom(9);
  const map = new SnapshotMap<Item>();
  const plain = new Map<string, Item>();
  const taken: { chunks: ReturnType<typeof map.snapshot>; items: Item[] }[] = [];
  for (let n = 0; n < 8000; n++) {
    const key = `k${randomBelow(random, 4000)}`;
    // Long stretches without a snapshot, so that more is new than may wait for its place.
    if (n % 1600 > 1580) taken.push({ chunks: map.snapshot(), items: inOrder(plain) });
    writeByChance({ map, plain }, random, { key, n });
    assert.equal(map.size, plain.size);
  }
  taken.push({ chunks: map.snapshot(), items: inOrder(plain) });
  for (const { chunks, items } of taken) assert.deepEqual([...walk(chunks, '', '')], items);
});

function inOrder(plain: ReadonlyMap<string, Item>): Item[] {
  return [...plain.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
