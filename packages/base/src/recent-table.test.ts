import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { RecentTable } from './recent-table.ts';

test('remembers what was used lately, and never more than its bound', () => {
  const table = new RecentTable<number>(100);
  for (let i = 0; i < 10_000; i++) {
    table.set(`k${i}`, i);
    assert.equal(table.get('k0'), 0, 'used all the time');
    assert.ok(table.size <= 100);
    for (let back = 0; back < 40 && back <= i; back++) assert.ok(table.has(`k${i - back}`), `${i} − ${back}`);
  }
  assert.equal(table.get('k17'), undefined);
});

test('shows what it remembers, each once', () => {
  const table = new RecentTable<number>(4);
  for (const n of [1, 2, 3, 2, 1]) table.set(String(n), n);
  assert.deepEqual([...table.values()].toSorted(), [1, 2, 3]);
});

test('forgets when told to, and a value can change', () => {
  const table = new RecentTable<number>(4);
  table.set('a', 1);
  table.set('a', 2);
  assert.equal(table.get('a'), 2);
  table.delete('a');
  assert.equal(table.has('a'), false);
  table.set('constructor', 3);
  assert.equal(table.get('constructor'), 3);
  assert.equal(table.get('toString'), undefined);
});
