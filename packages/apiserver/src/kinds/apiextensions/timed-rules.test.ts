import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '@binnacle/base';
import { piecesOfRules } from './rules/evaluate-rules.ts';
import { timedRules } from './timed-rules.ts';

const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'more' }] } },
} as const;

test('compiling and each run are timed; a schema without rules is not', () => {
  let now = 0;
  const seen: string[] = [];
  const measures = {
    now: () => now++,
    count: () => undefined,
    took: (figure: string, _: readonly string[], seconds: number) => void seen.push(`${figure} ${seconds}`),
  };
  const compile = timedRules(piecesOfRules, measures);
  assert.equal(atOnce(compile({ type: 'object' })), undefined);
  const rules = atOnce(compile(SCHEMA));
  assert.equal(rules && atOnce(rules({ a: 1 })).errors.length, 1);
  assert.equal(rules && atOnce(rules({ a: 2 })).errors.length, 0);
  assert.deepEqual(seen, ['compilationSeconds 2', 'evaluationSeconds 1', 'evaluationSeconds 1']);
});
