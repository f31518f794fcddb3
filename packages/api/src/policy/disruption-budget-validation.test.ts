import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, kindOf, objectOf, texts } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';
import { validateStatusUpdate } from '../validate.ts';

const BUDGET: Kind = ['policy', 'PodDisruptionBudget', true];

// Provenance: upstream pkg/apis/policy/validation/validation.go.
checkCreate('disruption budgets', [
  ['a number', 'ValidatePodDisruptionBudgetSpec', BUDGET, { spec: { minAvailable: 1, selector: {} } }],
  [
    'a percentage',
    'ValidatePodDisruptionBudgetSpec',
    BUDGET,
    { spec: { maxUnavailable: '20%', unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
  ],
  [
    'both',
    'ValidatePodDisruptionBudgetSpec',
    BUDGET,
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
  ],
  [
    'too much',
    'IsNotMoreThan100Percent',
    BUDGET,
    { spec: { minAvailable: '101%', unhealthyPodEvictionPolicy: 'Foo' } },
    'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
    'spec.unhealthyPodEvictionPolicy: Unsupported value: "Foo": supported values: "AlwaysAllow", "IfHealthyBudget"',
  ],
]);

checkUpdate('disruption budgets', [
  [
    'a negative number',
    'ValidatePodDisruptionBudgetSpec',
    BUDGET,
    { spec: { minAvailable: 1 } },
    { spec: { minAvailable: -1 } },
    'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0',
  ],
]);

it('checks the counts of a budget (ValidatePodDisruptionBudgetStatusUpdate)', () => {
  const before = objectOf(BUDGET, { spec: {} });
  const after = objectOf(BUDGET, { spec: {}, status: { disruptionsAllowed: -1 } });
  assert.deepEqual(texts(validateStatusUpdate(kindOf(BUDGET), after, before)), [
    'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0',
  ]);
});
