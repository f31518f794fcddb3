import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestAttributes } from '../ports/authorization.ts';
import { reviewSpec } from './access-review.ts';

const LIST: RequestAttributes = {
  user: { name: 'jane', groups: ['devs'] },
  verb: 'list',
  isResource: true,
  path: '/api/v1/pods',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
};

describe('what a webhook is asked', () => {
  const resource = { verb: 'list', version: 'v1', resource: 'pods' };
  const jane = { user: 'jane', groups: ['devs'] };
  const rows: readonly (readonly [name: string, given: Partial<RequestAttributes>, spec: object])[] = [
    ['what is empty is left out', {}, { resourceAttributes: resource, ...jane }],
    [
      'a path',
      { isResource: false, verb: 'get', path: '/healthz' },
      { nonResourceAttributes: { path: '/healthz', verb: 'get' }, ...jane },
    ],
    [
      'a part of an object in a namespace',
      { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'n', name: 'd', verb: 'get' },
      {
        resourceAttributes: {
          namespace: 'n',
          verb: 'get',
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          subresource: 'scale',
          name: 'd',
        },
        ...jane,
      },
    ],
    [
      'a caller without groups, with an empty uid and no extra',
      { user: { name: 'x', groups: [], uid: '', extra: {} } },
      { resourceAttributes: resource, user: 'x' },
    ],
    [
      'all that is known of a caller',
      { user: { name: 'x', groups: ['g', 'h'], uid: '1', extra: { 'example.com/a': ['b', 'c'] } } },
      { resourceAttributes: resource, user: 'x', groups: ['g', 'h'], uid: '1', extra: { 'example.com/a': ['b', 'c'] } },
    ],
  ];
  for (const [name, given, spec] of rows) {
    test(name, () => assert.deepEqual(reviewSpec({ ...LIST, ...given }), spec));
  }
});

describe('the selectors that a webhook is told', () => {
  type Told = readonly object[] | undefined;
  const rows: readonly (readonly [name: string, given: Partial<RequestAttributes>, fields: Told, labels: Told])[] = [
    ['none', { fieldSelector: '', labelSelector: '' }, undefined, undefined],
    [
      'fields in their order',
      { fieldSelector: 'spec.nodeName=n1,metadata.name!=x,a==b' },
      [
        { key: 'spec.nodeName', operator: 'In', values: ['n1'] },
        { key: 'metadata.name', operator: 'NotIn', values: ['x'] },
        { key: 'a', operator: 'In', values: ['b'] },
      ],
      undefined,
    ],
    [
      'a field with escapes',
      { fieldSelector: 'a=b\\,c\\=d' },
      [{ key: 'a', operator: 'In', values: ['b,c=d'] }],
      undefined,
    ],
    ['fields that nobody can read', { fieldSelector: 'a=b=c' }, undefined, undefined],
    [
      'labels by their keys, each value once',
      { labelSelector: 'b in (z,y,z),!c,a' },
      undefined,
      [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'In', values: ['y', 'z'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    ],
    [
      'labels by equality',
      { labelSelector: 'a=1,b==2,c!=3,d notin (4)' },
      undefined,
      [
        { key: 'a', operator: 'In', values: ['1'] },
        { key: 'b', operator: 'In', values: ['2'] },
        { key: 'c', operator: 'NotIn', values: ['3'] },
        { key: 'd', operator: 'NotIn', values: ['4'] },
      ],
    ],
    ['an empty value is one', { labelSelector: 'a=' }, undefined, [{ key: 'a', operator: 'In', values: [''] }]],
    [
      'a comparison is left out, and the rest stays',
      { labelSelector: 'a>1,b' },
      undefined,
      [{ key: 'b', operator: 'Exists' }],
    ],
    ['nothing but a comparison', { labelSelector: 'a<1' }, undefined, undefined],
    ['labels that nobody can read', { labelSelector: 'a in b' }, undefined, undefined],
    [
      'a label called like a member of every object',
      { labelSelector: 'constructor' },
      undefined,
      [{ key: 'constructor', operator: 'Exists' }],
    ],
  ];
  for (const [name, given, fields, labels] of rows) {
    test(name, () => {
      const { resourceAttributes } = reviewSpec({ ...LIST, ...given }) as {
        resourceAttributes: Record<string, unknown>;
      };
      const of = (told: Told): object | undefined => (told === undefined ? undefined : { requirements: told });
      assert.deepEqual(
        [resourceAttributes['fieldSelector'], resourceAttributes['labelSelector']],
        [of(fields), of(labels)],
      );
    });
  }
});
