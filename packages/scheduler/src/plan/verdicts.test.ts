import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSED, Verdicts } from './verdicts.ts';

test('refusals have numbers that fit in a column, however many different ones a decision meets', () => {
  const verdicts = new Verdicts();
  const kept = new Uint16Array(1);
  for (let i = 0; i < 70_000; i++) {
    const refusal = { plugin: `P${i % 3}`, reasons: [`taint ${i}`], unresolvable: i % 2 === 0 };
    kept[0] = verdicts.idOf(refusal);
    assert.notEqual(kept[0], PASSED);
    const known = verdicts.table[kept[0]];
    assert.deepEqual([known?.plugin, known?.unresolvable], [refusal.plugin, refusal.unresolvable]);
  }
});
