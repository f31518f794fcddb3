import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reviewedFields, reviewedLabels, selectorsProblem } from './review-selectors.ts';

const one = (key: string, operator: string, ...values: string[]): object => ({ key, operator, values });

describe('fields', () => {
  const rows: readonly (readonly [name: string, given: object | undefined, text: string, isWhole: boolean])[] = [
    ['nothing', undefined, '', true],
    ['no requirement', { requirements: [] }, '', true],
    ['text', { rawSelector: 'a=b' }, 'a=b', true],
    ['text that is none', { rawSelector: 'a' }, '', false],
    ['a value', { requirements: [one('a', 'In', 'b')] }, 'a=b', true],
    ['not a value', { requirements: [one('a', 'NotIn', 'b')] }, 'a!=b', true],
    ['a value with signs', { requirements: [one('a', 'In', 'x,y=\\z')] }, 'a=x\\,y\\=\\\\z', true],
    ['an empty value', { requirements: [one('a', 'In', '')] }, 'a=', true],
    ['no value', { requirements: [one('a', 'In')] }, '', false],
    ['several values', { requirements: [one('a', 'In', 'b', 'c')] }, '', false],
    ['another operator', { requirements: [one('a', 'Exists')] }, '', false],
    ['no key', { requirements: [one('', 'In', 'b')] }, '', false],
    ['a key of more than a name', { requirements: [one('x=y,a', 'In', 'b')] }, '', false],
    ['one of two', { requirements: [one('a', 'In', 'b'), one('c', 'Like', 'd')] }, 'a=b', false],
    ['both: requirements count', { rawSelector: 'x', requirements: [one('a', 'In', 'b')] }, 'a=b', true],
  ];
  for (const [name, given, text, isWhole] of rows)
    test(name, () => assert.deepEqual(reviewedFields(given as never), { text, isWhole }));
});

describe('labels', () => {
  const rows: readonly (readonly [name: string, given: object | undefined, text: string, isWhole: boolean])[] = [
    ['nothing', undefined, '', true],
    ['text', { rawSelector: 'a in (b,c)' }, 'a in (b,c)', true],
    ['text that is none', { rawSelector: '!!' }, '', false],
    [
      'every operator',
      {
        requirements: [
          one('a', 'In', 'c', 'b'),
          one('d', 'NotIn', 'e'),
          { key: 'f', operator: 'Exists' },
          { key: 'g', operator: 'DoesNotExist' },
        ],
      },
      'a in (b,c),d notin (e),f,!g',
      true,
    ],
    ['another operator', { requirements: [one('a', 'Gt', '1')] }, '', false],
    ['a key that is none', { requirements: [one('a,b', 'Exists')] }, '', false],
    ['one of two', { requirements: [one('a', 'In', 'b'), one('-', 'In', 'b')] }, 'a in (b)', false],
  ];
  for (const [name, given, text, isWhole] of rows)
    test(name, () => assert.deepEqual(reviewedLabels(given as never), { text, isWhole }));
});

test('what is told of what was not read', () => {
  const [whole, part, none] = [
    { text: 'a=b', isWhole: true },
    { text: 'a=b', isWhole: false },
    { text: '', isWhole: false },
  ];
  assert.equal(selectorsProblem(whole, whole), undefined);
  assert.equal(
    selectorsProblem(part, none),
    'spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error',
  );
});
