import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { LeaseTable } from './lease-table.ts';

const add = (table: LeaseTable, id: number, expiresAt: number): void => table.add({ id, grantedTtl: 10, expiresAt });

test('leases expire in the order of their times', () => {
  const table = new LeaseTable();
  const random = createSeededRandom(1);
  const times = Array.from({ length: 200 }, (_, id) => ({ id: id + 1, at: randomBelow(random, 1000) }));
  for (const { id, at } of times) add(table, id, at);
  const order: number[] = [];
  for (let lease = table.takeExpired(1000); lease !== undefined; lease = table.takeExpired(1000)) {
    order.push(lease.expiresAt);
    table.remove(lease.id);
  }
  assert.deepEqual(
    order,
    times.map((t) => t.at).toSorted((a, b) => a - b),
  );
  assert.equal(table.nextDue(), undefined);
});

test('keeping alive moves a lease back, removing takes it out', () => {
  const table = new LeaseTable();
  add(table, 1, 10);
  add(table, 2, 20);
  add(table, 3, 30);
  const first = table.get(1);
  assert.ok(first !== undefined);
  first.expiresAt = 40;
  table.remove(2);
  assert.equal(table.nextDue(), 30);
  assert.equal(table.takeExpired(29), undefined);
  assert.equal(table.takeExpired(30)?.id, 3);
  table.remove(3);
  assert.equal(table.nextDue(), 40);
  assert.deepEqual(table.ids(), [1]);
});

test('an id granted anew is another lease', () => {
  const table = new LeaseTable();
  add(table, 1, 10);
  table.remove(1);
  add(table, 1, 50);
  assert.equal(table.nextDue(), 50);
});

test('a key has one lease', () => {
  const table = new LeaseTable();
  add(table, 1, 10);
  add(table, 2, 10);
  table.move('a', 0, 1);
  table.move('b', 0, 1);
  table.move('a', 1, 2);
  table.move('b', 1, 0);
  assert.deepEqual([[...(table.get(1)?.keys ?? [])], [...(table.get(2)?.keys ?? [])]], [[], ['a']]);
});
