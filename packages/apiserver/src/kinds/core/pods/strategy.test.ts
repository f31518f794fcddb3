import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodCondition, PodStatus } from '@binnacle/api/core/v1';
import { keptInStatus } from './strategy.ts';

const condition = (type: string, observedGeneration?: number): PodCondition => ({
  type,
  status: 'True',
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

const ROWS: readonly { name: string; before: PodStatus; now: PodStatus; kept: PodStatus }[] = [
  { name: 'nothing was known', before: {}, now: { phase: 'Running' }, kept: { phase: 'Running' } },
  {
    name: 'the class of service stays',
    before: { qosClass: 'Burstable' },
    now: { phase: 'Running' },
    kept: { phase: 'Running', qosClass: 'Burstable' },
  },
  {
    name: 'generations that are left out stay',
    before: { observedGeneration: 3, conditions: [condition('Ready', 2)] },
    now: { conditions: [condition('Ready')] },
    kept: { observedGeneration: 3, conditions: [condition('Ready', 2)] },
  },
  {
    name: 'zero takes nothing away',
    before: { observedGeneration: 3, conditions: [condition('Ready', 2)] },
    now: { observedGeneration: 0, conditions: [condition('Ready', 0)] },
    kept: { observedGeneration: 3, conditions: [condition('Ready', 2)] },
  },
  {
    name: 'new ones count',
    before: { observedGeneration: 3, conditions: [condition('Ready', 2)] },
    now: { observedGeneration: 4, conditions: [condition('Ready', 4), condition('Mine')] },
    kept: { observedGeneration: 4, conditions: [condition('Ready', 4), condition('Mine')] },
  },
  {
    name: 'a type that comes twice is paired in order',
    before: { conditions: [condition('Odd', 1), condition('Odd', 2)] },
    now: { conditions: [condition('Odd'), condition('Odd', 5), condition('Odd')] },
    kept: { conditions: [condition('Odd', 1), condition('Odd', 5), condition('Odd')] },
  },
  {
    name: 'conditions that are gone stay gone',
    before: { conditions: [condition('Ready', 2), condition('constructor', 2)] },
    now: { conditions: [] },
    kept: { conditions: [] },
  },
  {
    name: 'a type named as an object has it',
    before: { conditions: [condition('Ready', 2)] },
    now: { conditions: [condition('__proto__'), condition('constructor')] },
    kept: { conditions: [condition('__proto__'), condition('constructor')] },
  },
];

for (const row of ROWS) {
  test(`what a status keeps: ${row.name}`, () => assert.deepEqual(keptInStatus(row.now, row.before), row.kept));
}
