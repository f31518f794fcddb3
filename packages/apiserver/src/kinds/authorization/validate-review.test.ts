import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceAttributes } from '@binnacle/api/authorization/v1';
import {
  validateLocalReview,
  validateReviewAttributes,
  validateReviewMetadata,
  validateReviewSelectors,
  validateReviewSubject,
} from './validate-review.ts';

const FIELDS = 'spec.resourceAttributes.fieldSelector';
const LABELS = 'spec.resourceAttributes.labelSelector';
const one = (key: string, operator: string, ...values: string[]): object => ({ key, operator, values });

const ROWS: readonly (readonly [name: string, selectors: object | undefined, ...problems: string[]])[] = [
  ['no attributes', undefined],
  ['no selectors', {}],
  ['text', { fieldSelector: { rawSelector: 'a=b' }, labelSelector: { rawSelector: '!!' } }],
  ['requirements', { fieldSelector: { requirements: [one('a.b', 'In', 'c')] } }],
  [
    'an operator that nobody knows',
    {
      fieldSelector: { requirements: [one('a', 'Newer'), one('a', 'Newer', 'b')] },
      labelSelector: { requirements: [one('a', 'Newer'), one('a', 'Newer', 'b')] },
    },
  ],
  [
    'both',
    { fieldSelector: { rawSelector: 'a=b', requirements: [one('a', 'In', 'b')] } },
    `${FIELDS}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
  ],
  [
    'neither',
    { labelSelector: {} },
    `${LABELS}.requirements: Required value: when ${LABELS} is specified, requirements or rawSelector is required`,
  ],
  [
    'no key, no value, and one too many',
    { fieldSelector: { requirements: [one('', 'In', 'a'), one('a', 'NotIn'), one('a', 'Exists', 'b')] } },
    `${FIELDS}.requirements[0].key: Required value: must be specified`,
    `${FIELDS}.requirements[1].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    `${FIELDS}.requirements[2].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
  ],
  [
    'a label that is none',
    { labelSelector: { requirements: [one('/a', 'Newer', 'b')] } },
    `${LABELS}.requirements[0].key: Invalid value: "/a": prefix part must be non-empty`,
  ],
];

describe('selectors of a review', () => {
  for (const [name, selectors, ...problems] of ROWS) {
    test(name, () => {
      assert.deepEqual(validateReviewSelectors(selectors as ResourceAttributes | undefined).map(String), problems);
    });
  }
});

describe('what a review says of itself', () => {
  const EMPTY = 'must be empty';
  const rows: readonly (readonly [name: string, metadata: object, namespace: string, problem?: string])[] = [
    ['nothing', {}, ''],
    ['what a server fills in', { managedFields: [{ manager: 'm' }], namespace: '' }, ''],
    ['empty lists and maps', { labels: {}, finalizers: [], name: '', generation: 0 }, ''],
    ['a name', { name: 'x' }, '', `metadata: Invalid value: {"name":"x"}: ${EMPTY}`],
    ['labels', { labels: { a: 'b' } }, '', `metadata: Invalid value: {"labels":{"a":"b"}}: ${EMPTY}`],
    ['its namespace', { namespace: 'a' }, 'a'],
    [
      'a name in a namespace',
      { name: 'x', namespace: 'a' },
      'a',
      `metadata: Invalid value: {"name":"x","namespace":"a"}: ${EMPTY} except for namespace`,
    ],
  ];
  for (const [name, metadata, namespace, ...problems] of rows) {
    test(name, () => {
      assert.deepEqual(validateReviewMetadata({ metadata }, namespace).map(String), problems);
    });
  }
});

test('all that is wrong with a review is told at once', () => {
  const both = { resourceAttributes: {}, nonResourceAttributes: { path: '/' } };
  assert.deepEqual([...validateReviewSubject(both), ...validateLocalReview(both, 'a')].map(String), [
    'spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes',
    'spec.user: Invalid value: "": at least one of user or group must be specified',
    'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
    'spec.nonResourceAttributes: Invalid value: {"path":"/"}: disallowed on this kind of request',
  ]);
});

describe('what a review asks about', () => {
  const rows: readonly (readonly [name: string, asked: object, ...problems: string[]])[] = [
    ['objects', { resourceAttributes: {} }],
    ['a path', { nonResourceAttributes: {} }],
    [
      'nothing',
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'both',
      { resourceAttributes: {}, nonResourceAttributes: {} },
      'spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with resourceAttributes',
    ],
  ];
  for (const [name, asked, ...problems] of rows)
    test(name, () => assert.deepEqual(validateReviewAttributes(asked).map(String), problems));
});
