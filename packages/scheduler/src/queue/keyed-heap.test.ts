import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyedHeap } from './keyed-heap.ts';

test('property: pops in order whatever is pushed, replaced and removed', () => {
  const step = fc.oneof(
    fc.record({ op: fc.constant('push' as const), key: fc.nat(20), value: fc.nat(1000) }),
    fc.record({ op: fc.constant('remove' as const), key: fc.nat(20), value: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const heap = new KeyedHeap<{ key: string; value: number }>(
        (a, b) => a.value < b.value,
        (i) => i.key,
      );
      const model = new Map<string, number>();
      for (const { op, key, value } of steps) {
        if (op === 'push') {
          heap.push({ key: `${key}`, value });
          model.set(`${key}`, value);
        } else {
          assert.equal(heap.remove(`${key}`)?.value, model.get(`${key}`));
          model.delete(`${key}`);
        }
      }
      const popped: number[] = [];
      for (let top = heap.pop(); top !== undefined; top = heap.pop()) popped.push(top.value);
      assert.deepEqual(
        popped,
        [...model.values()].sort((a, b) => a - b),
      );
    }),
    { seed: 36 },
  );
});
