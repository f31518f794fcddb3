import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliveryRing } from './delivery-ring.ts';
import type { WatchRecord } from './record.ts';

const WATCH: WatchRecord = {
  id: 'w',
  user: 'u',
  agent: '',
  path: '/api/v1/pods',
  query: { isEmpty: true, entries: () => [] },
  group: '',
  resource: 'pods',
};

test('deliveries come back in their order, the last ones only', () => {
  const ring = new DeliveryRing(4);
  for (let seq = 1; seq <= 10; seq++) {
    ring.push(WATCH, { seq, at: seq, revision: 100 + seq, type: seq % 2 ? 'ADDED' : 'DELETED', key: `a/p${seq}` });
  }
  const told = [...ring.after(8)].map(({ seq, type, key, revision }) => `${seq} ${type} ${key} ${revision}`);
  assert.deepEqual(told, ['9 ADDED a/p9 109', '10 DELETED a/p10 110']);
  assert.deepEqual([[...ring.after(0)].length, ring.forgotten, ring.completeSince], [4, 6, 6]);
});
