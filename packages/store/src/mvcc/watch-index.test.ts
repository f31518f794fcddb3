import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchIndex } from './watch-index.ts';

const RANGES: readonly { name: string; from: string; end: string | undefined }[] = [
  { name: 'all', from: '', end: undefined },
  { name: 'pods', from: 'pods/', end: 'pods0' },
  { name: 'pods of a', from: 'pods/a/', end: 'pods/a0' },
  { name: 'from q', from: 'q', end: undefined },
  { name: 'empty', from: 'z', end: 'b' },
];

const ROWS: readonly { key: string; watchers: readonly string[] }[] = [
  { key: 'a', watchers: ['all'] },
  { key: 'pods/', watchers: ['all', 'pods'] },
  { key: 'pods/a/1', watchers: ['all', 'pods', 'pods of a'] },
  { key: 'pods/a0', watchers: ['all', 'pods'] },
  { key: 'pods0', watchers: ['all'] },
  { key: 'q', watchers: ['all', 'from q'] },
  { key: 'zz', watchers: ['all', 'from q'] },
];

test('who watches a key', () => {
  const index = new WatchIndex<string>();
  for (const { name, from, end } of RANGES) index.addRange({ from, end }, name);
  for (const { key, watchers } of ROWS) assert.deepEqual([...index.rangesAround(key)], watchers, key);
  index.removeRange('all');
  assert.deepEqual([...index.rangesAround('a')], []);
  assert.deepEqual([...index.rangesAround('pods/x')], ['pods']);
});

test('before the first range nobody watches', () => {
  const index = new WatchIndex<string>();
  assert.deepEqual([...index.rangesAround('a')], []);
  index.addRange({ from: 'm', end: 'n' }, 'w');
  assert.deepEqual([...index.rangesAround('a')], []);
});

test('single keys', () => {
  const index = new WatchIndex<string>();
  index.addKey('a', 'w1');
  index.addKey('a', 'w2');
  assert.deepEqual([...(index.onlyKey('a') ?? [])], ['w1', 'w2']);
  index.removeKey('a', 'w1');
  index.removeKey('a', 'w2');
  assert.equal(index.onlyKey('a'), undefined);
});
