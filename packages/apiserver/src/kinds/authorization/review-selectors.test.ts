import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '@binnacle/api/authorization/v1';
import { reviewedFields, reviewedLabels, selectorsProblem } from './review-selectors.ts';

const NONE = { text: '', isWhole: true };
const whole = (text: string) => ({ text, isWhole: true });
const partly = (text: string) => ({ text, isWhole: false });

const FIELDS: readonly (readonly [name: string, given: FieldSelectorAttributes | undefined, read: object])[] = [
  ['none', undefined, NONE],
  ['an empty one', {}, NONE],
  ['text', { rawSelector: 'spec.nodeName=n' }, whole('spec.nodeName=n')],
  ['text that is none', { rawSelector: 'spec.nodeName' }, partly('')],
  ['one value', { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] }, whole('a=b')],
  ['not one value', { requirements: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, whole('a!=b')],
  [
    'a value with signs',
    { requirements: [{ key: 'a', operator: 'In', values: ['b,c=d'] }] },
    whole(String.raw`a=b\,c\=d`),
  ],
  ['several values', { requirements: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }, partly('')],
  ['no value', { requirements: [{ key: 'a', operator: 'In' }] }, partly('')],
  ['another operator', { requirements: [{ key: 'a', operator: 'Exists' }] }, partly('')],
  ['no key', { requirements: [{ key: '', operator: 'In', values: ['b'] }] }, partly('')],
  ['a key of two', { requirements: [{ key: 'a=b,c', operator: 'In', values: ['d'] }] }, partly('')],
  [
    'what can be read of several',
    {
      requirements: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'Exists' },
      ],
    },
    partly('a=b'),
  ],
];
for (const [name, given, read] of FIELDS)
  test(`fields of a review: ${name}`, () => assert.deepEqual(reviewedFields(given), read));

const LABELS: readonly (readonly [name: string, given: LabelSelectorAttributes | undefined, read: object])[] = [
  ['none', undefined, NONE],
  ['text', { rawSelector: 'a in (b,c),!d' }, whole('a in (b,c),!d')],
  ['text that is none', { rawSelector: 'a in b' }, partly('')],
  ['requirements', { requirements: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }, whole('a in (b,c)')],
  ['one that is there', { requirements: [{ key: 'a', operator: 'Exists' }] }, whole('a')],
  ['an operator that is none', { requirements: [{ key: 'a', operator: 'Sometimes' as 'In' }] }, partly('')],
  ['a key that is none', { requirements: [{ key: 'a b', operator: 'Exists' }] }, partly('')],
];
for (const [name, given, read] of LABELS)
  test(`labels of a review: ${name}`, () => assert.deepEqual(reviewedLabels(given), read));

const PROBLEMS: readonly (readonly [fields: object, labels: object, told: string | undefined])[] = [
  [NONE, whole('a=b'), undefined],
  [partly(''), NONE, 'spec.resourceAttributes.fieldSelector ignored due to parse error'],
  [NONE, partly('a=b'), 'spec.resourceAttributes.labelSelector partially ignored due to parse error'],
];
for (const [fields, labels, told] of PROBLEMS)
  test(`told: ${told ?? 'nothing'}`, () =>
    assert.equal(selectorsProblem(fields as typeof NONE, labels as typeof NONE), told));
