import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBelow, emptyTree, entryBelow, walkBelow, withEntry, withoutKey } from './b-tree.ts';
import type { Node } from './b-tree.ts';

interface Item {
  readonly key: string;
  readonly n: number;
}

const KEYS = Array.from({ length: 500 }, (_, n) => `k${String(n).padStart(3, '0')}`);
const ALL = { from: '', end: undefined };

function keysOf(root: Node<Item>, from = '', end?: string): string[] {
  const keys: string[] = [];
  walkBelow(root, { from, end }, ({ key }) => keys.push(key) > 0);
  return keys;
}

function treeOf(keys: readonly string[]): Node<Item> {
  const edit = {};
  return keys.reduce((root, key, n) => withEntry(root, { key, n }, edit), emptyTree<Item>());
}

test('a span has the keys from its beginning on and before its end', () => {
  const root = treeOf(KEYS);
  for (const [from, end, first, count] of [
    ['', undefined, 'k000', 500],
    ['k100', 'k103', 'k100', 3],
    ['k0995', 'k101', 'k100', 1],
    ['k498', undefined, 'k498', 2],
    ['k100', 'k100', undefined, 0],
    ['k200', 'k100', undefined, 0],
    ['z', undefined, undefined, 0],
    ['', 'a', undefined, 0],
  ] as const) {
    const keys = keysOf(root, from, end);
    assert.deepEqual([keys[0], keys.length], [first, count], `${from}..${end}`);
    assert.equal(countBelow(root, { from, end }), count, `${from}..${end}`);
  }
});

test('an edit changes its own nodes in place and leaves those of others as they were', () => {
  const before = treeOf(KEYS);
  const edit = {};
  const once = withEntry(before, { key: 'k250x', n: 0 }, edit);
  assert.notEqual(once, before);
  const twice = withEntry(once, { key: 'k250y', n: 0 }, edit);
  assert.equal(twice, once, 'nobody else has the root yet');
  const gone = withoutKey(twice, 'k250', {});
  assert.notEqual(gone, twice);
  assert.deepEqual(keysOf(before), KEYS);
  assert.deepEqual(keysOf(twice, 'k250', 'k251'), ['k250', 'k250x', 'k250y']);
  assert.deepEqual(keysOf(gone, 'k250', 'k251'), ['k250x', 'k250y']);
});

test('an entry takes the place of the one with its key; a key that is not there leaves the tree as it is', () => {
  const root = treeOf(KEYS);
  const changed = withEntry(root, { key: 'k123', n: -1 }, {});
  assert.equal(entryBelow(changed, 'k123')?.n, -1);
  assert.equal(entryBelow(root, 'k123')?.n, 123);
  assert.equal(countBelow(changed, ALL), 500);
  assert.equal(withoutKey(root, 'k1234', {}), root);
  assert.equal(entryBelow(root, 'k1234'), undefined);
});

for (const [name, order] of [
  ['from the first', KEYS],
  ['from the last', KEYS.toReversed()],
  ['every seventh', KEYS.map((_, n) => KEYS[(n * 7) % KEYS.length]!)],
] as const) {
  test(`a tree that shrinks stays a tree: ${name}`, () => {
    let root = treeOf(KEYS);
    const left = new Set(KEYS);
    const edit = {};
    for (const key of order) {
      root = withoutKey(root, key, edit);
      left.delete(key);
      if (left.size % 50 === 0) assert.deepEqual([keysOf(root), countBelow(root, ALL)], [[...left], left.size]);
    }
    assert.ok(root.leaf, 'as low as it began');
    assert.deepEqual(keysOf(withEntry(root, { key: 'again', n: 1 }, edit)), ['again']);
  });
}
