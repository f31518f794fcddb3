import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eitherEstimate } from './rules.ts';
import type { Estimate } from './rules.ts';

const range = (min: number, max: number) => ({ min, max });
const ROWS: readonly [name: string, estimates: readonly Estimate[], expected: Estimate][] = [
  ['none', [], { cost: range(0, 0) }],
  ['one', [{ cost: range(1, 2), size: range(3, 4) }], { cost: range(1, 2), size: range(3, 4) }],
  ['two apart', [{ cost: range(1, 2) }, { cost: range(5, 6) }], { cost: range(1, 6) }],
  ['one within the other', [{ cost: range(1, 9) }, { cost: range(5, 6) }], { cost: range(1, 9) }],
  [
    'the size of those that have one',
    [{ cost: range(1, 1) }, { cost: range(1, 1), size: range(2, 3) }],
    { cost: range(1, 1), size: range(2, 3) },
  ],
  [
    'sizes together',
    [
      { cost: range(1, 1), size: range(2, 3) },
      { cost: range(0, 1), size: range(0, 2) },
      { cost: range(1, 4), size: range(5, 7) },
    ],
    { cost: range(0, 4), size: range(0, 7) },
  ],
];
for (const [name, estimates, expected] of ROWS)
  test(`either of the estimates: ${name}`, () => assert.deepEqual(eitherEstimate(estimates), expected));
