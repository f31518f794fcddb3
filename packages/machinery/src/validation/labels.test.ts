import assert from 'node:assert/strict';
import test from 'node:test';
import type { LabelSelector } from '../generated/meta-v1.ts';
import { validateLabels, validateLabelSelector, validateOperator } from './labels.ts';

// Provenance: pkg/apis/meta/v1/validation of upstream's apimachinery.
const SELECTORS: [selector: LabelSelector | undefined, errors: string[]][] = [
  [undefined, []],
  [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }, []],
  [
    { matchExpressions: [{ key: 'c', operator: 'In' }] },
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    { matchExpressions: [{ key: 'c', operator: 'DoesNotExist', values: ['d'] }] },
    [
      "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    { matchExpressions: [{ key: 'c', operator: 'Gt', values: ['1'] }] },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
  ],
  [
    { matchLabels: { '': 'x' } },
    [
      'spec.selector.matchLabels: Invalid value: "": name part must be non-empty',
      `spec.selector.matchLabels: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
];
for (const [selector, errors] of SELECTORS) {
  test(JSON.stringify(selector) ?? 'none', () => {
    assert.deepEqual(validateLabelSelector(selector, 'spec.selector').map(String), errors);
  });
}

test('labels without fault', () => assert.deepEqual(validateLabels({ 'a.b/c': '' }, 'metadata.labels'), []));

test('operators and how many values they take', () => {
  const found = (['In', 'NotIn', 'Exists', 'DoesNotExist', 'Newer'] as const).map((operator) =>
    [0, 1].map((values) => validateOperator(operator, values, 'p').map(({ field }) => field)),
  );
  assert.deepEqual(found, [
    [['p.values'], []],
    [['p.values'], []],
    [[], ['p.values']],
    [[], ['p.values']],
    [['p.operator'], ['p.operator']],
  ]);
});
