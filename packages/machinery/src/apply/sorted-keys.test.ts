import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortedKeys } from './sorted-keys.ts';

test('as the sort of the engine, whatever the names and however many', () => {
  const names = fc.uniqueArray(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('constructor', 'b', 'a', '10', '9')),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(names, (keys) => {
      const object = Object.fromEntries(keys.map((key) => [key, 1]));
      assert.deepEqual(sortedKeys(object), Object.keys(object).toSorted());
    }),
    { seed: 1 },
  );
});
