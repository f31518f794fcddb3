import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

const SEED = 36;

test('property: pops in order, and knows the place of each, whatever is pushed and taken out of the middle', () => {
  const step = fc.oneof(
    fc.record({ op: fc.constant('push' as const), value: fc.nat(50) }),
    fc.record({ op: fc.constant('pop' as const), value: fc.constant(0) }),
    fc.record({ op: fc.constant('remove' as const), value: fc.nat(40) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const places = new Map<{ value: number }, number>();
      const heap = new Heap<{ value: number }>(
        (a, b) => a.value < b.value,
        (item, place) => places.set(item, place),
      );
      const model: { value: number }[] = [];
      for (const { op, value } of steps) {
        if (op === 'push') {
          const item = { value };
          heap.push(item);
          model.push(item);
        } else {
          const chosen = model[value % Math.max(1, model.length)];
          const taken =
            op === 'pop' ? heap.pop() : heap.removeAt(chosen === undefined ? 0 : (places.get(chosen) ?? -1));
          if (op === 'remove') assert.equal(taken, chosen);
          if (op === 'pop') assert.equal(taken?.value, model.length === 0 ? undefined : least(model));
          if (taken !== undefined) model.splice(model.indexOf(taken), 1);
        }
        assert.equal(heap.size, model.length);
        assert.equal(heap.peek()?.value, model.length === 0 ? undefined : least(model));
        for (const [place, item] of heap.items.entries()) assert.equal(places.get(item), place);
      }
    }),
    { seed: SEED },
  );
});

function least(items: readonly { readonly value: number }[]): number {
  return Math.min(...items.map(({ value }) => value));
}

test('nothing is at a place that there is not; cleared, it is empty', () => {
  const heap = new Heap<number>((a, b) => a < b);
  for (const item of [3, 1, 2]) heap.push(item);
  assert.deepEqual([heap.removeAt(3), heap.removeAt(-1), heap.size], [undefined, undefined, 3]);
  heap.clear();
  assert.deepEqual([heap.size, heap.peek(), heap.pop()], [0, undefined, undefined]);
});
