import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { secondsOn, stepFor } from './boundaries.ts';

for (const [name, nodes, from, expected] of [
  ['few', 3, 0, 0],
  ['a hundred', 100, 0, 0],
  ['one more', 101, 0, 15],
  ['back a little', 95, 1, 15],
  ['back below', 89, 1, 0],
  ['five thousand at once', 5000, 0, 300],
  ['none left', 0, 4, 0],
] as const) {
  test(`how long kubelets keep what they asked for: ${name}`, () => {
    assert.equal(secondsOn(stepFor(nodes, from)), expected);
  });
}
