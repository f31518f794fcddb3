import assert from 'node:assert/strict';
import test from 'node:test';
import type { Toleration } from '@binnacle/api/core/v1';
import { deepEqual } from '@binnacle/machinery';
import fc from 'fast-check';
import { areCovered, mergeTolerations } from './merge-tolerations.ts';

interface Words {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  readonly tolerationSeconds?: number | undefined;
}

const toleration: fc.Arbitrary<Words> = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('', 'Exists', 'Equal'),
    value: fc.constantFrom('', '1', '2'),
    effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
    tolerationSeconds: fc.constantFrom(-1, 0, 5, 9),
  },
  { requiredKeys: ['key', 'operator', 'value', 'effect'] },
);

/** Upstream's rule, one against one. */
function covers(one: Words, other: Words): boolean {
  if (deepEqual(one, other)) return true;
  if (one.key !== other.key && !(one.key === '' && one.operator === 'Exists')) return false;
  if (one.effect !== '' && one.effect !== other.effect) return false;
  if (one.effect === 'NoExecute' && one.tolerationSeconds !== undefined) {
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > one.tolerationSeconds) return false;
  }
  return one.operator === 'Exists' || (other.operator !== 'Exists' && one.value === other.value);
}

/** Upstream's rule, each against each. */
function naive(all: readonly Words[]): readonly Words[] {
  const kept: Words[] = [];
  for (const [at, one] of all.entries()) {
    if (kept.some((other) => covers(other, one))) continue;
    if (all.slice(at + 1).some((other) => !deepEqual(other, one) && covers(other, one))) continue;
    kept.push(one);
  }
  return kept;
}

test('the same stay as where each is held against each', () => {
  const property = fc.property(fc.array(toleration, { maxLength: 8 }), (all) => {
    assert.deepEqual(mergeTolerations(all as Toleration[]), naive(all));
  });
  fc.assert(property, { seed: 8, numRuns: 5000 });
});

test('a list covers what one of it covers', () => {
  const few = fc.array(toleration, { maxLength: 4 });
  const property = fc.property(few, few, (asked, allowed) => {
    const each = asked.every((one) => allowed.some((other) => covers(other, one)));
    assert.equal(areCovered(asked as Toleration[], allowed as Toleration[]), each);
  });
  fc.assert(property, { seed: 8, numRuns: 5000 });
});
