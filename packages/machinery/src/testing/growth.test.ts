import assert from 'node:assert/strict';
import { it } from 'node:test';
import { superlinear } from './growth.ts';

/** Counted steps in the place of time. */
function counted(steps: (size: number) => number): string | undefined {
  let spent = 0;
  return superlinear(
    (size) => size,
    (size) => {
      spent += steps(size);
    },
    { cpuMicros: () => spent, size: 1000 },
  );
}

it('lets linear work pass, and n log n', () => {
  assert.equal(
    counted((n) => n),
    undefined,
  );
  assert.equal(
    counted((n) => n * Math.log2(n)),
    undefined,
  );
});

it('tells work that grows with the square', () => {
  assert.match(counted((n) => (n * n) / 100) ?? '', /^16 times the input takes/);
});

/** Work on a machine where somebody else takes the CPU for most of the time: so many runs of the large size are slow. */
function disturbed(slowRuns: number): string | undefined {
  let spent = 0;
  let slow = slowRuns;
  return superlinear(
    (size) => size,
    (size) => {
      spent += size * (size > 1000 && slow-- > 0 ? 100 : 1);
    },
    { cpuMicros: () => spent, size: 1000 },
  );
}

it('is not deceived by a machine that is busy for the first looks', () => {
  assert.equal(disturbed(40), undefined);
});
