import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceInfo } from '@binnacle/api';
import { resourceListDocument } from './documents.ts';
import { builtInPriority, localPriority } from './priorities.ts';
import { readResourceList } from './remote-group.ts';

const PODS = {
  group: '',
  version: 'v1',
  resource: 'pods',
  singular: 'pod',
  kind: 'Pod',
  namespaced: true,
  verbs: ['get', 'list'],
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
  ],
} as unknown as ResourceInfo;
const NODES = {
  ...PODS,
  group: 'example.com',
  resource: 'nodes',
  singular: 'node',
  kind: 'Node',
  namespaced: false,
  shortNames: [],
  categories: [],
  subresources: [],
  storageVersionHash: 'hash',
} as unknown as ResourceInfo;

describe('the resources of a group and version', () => {
  const node = {
    name: 'nodes',
    singularName: 'node',
    namespaced: false,
    kind: 'Node',
    verbs: ['get', 'list'],
    storageVersionHash: 'hash',
  };
  type Row = readonly [name: string, group: string, version: string, wanted: object | undefined];
  const rows: readonly Row[] = [
    [
      'of the core group, which has no version of its own',
      '',
      'v1',
      {
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: [
          {
            name: 'pods',
            singularName: 'pod',
            namespaced: true,
            kind: 'Pod',
            verbs: ['get', 'list'],
            shortNames: ['po'],
            categories: ['all'],
          },
          {
            name: 'pods/eviction',
            singularName: '',
            namespaced: true,
            group: 'policy',
            version: 'v1',
            kind: 'Eviction',
            verbs: ['create'],
          },
          { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
        ],
      },
    ],
    [
      'of a named group',
      'example.com',
      'v1',
      { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'example.com/v1', resources: [node] },
    ],
    ['of another version', 'example.com', 'v2', undefined],
    ['of nobody', 'constructor', 'v1', undefined],
  ];
  for (const [name, group, version, wanted] of rows) {
    test(name, () => assert.deepEqual(resourceListDocument([PODS, NODES], group, version), wanted));
  }
});

describe('the order of groups and versions', () => {
  const CUSTOM = { group: 1000, version: 100 };
  const rows: readonly (readonly [group: string, version: string, priority: object | undefined])[] = [
    ['', 'v1', { group: 18_000, version: 1 }],
    ['apps', 'v1', { group: 17_800, version: 15 }],
    ['autoscaling', 'v2', { group: 17_500, version: 30 }],
    ['autoscaling', 'v1', { group: 17_500, version: 15 }],
    ['apps', 'v1beta1', undefined],
    ['example.com', 'v1', undefined],
    ['constructor', 'v1', undefined],
    ['__proto__', 'v1', undefined],
    ['apps', 'toString', undefined],
  ];
  for (const [group, version, priority] of rows) {
    test(`${group}/${version}`, () => {
      assert.deepEqual(builtInPriority(group, version), priority);
      assert.deepEqual(localPriority(group, version), priority ?? CUSTOM);
    });
  }
});

describe('what another server lists', () => {
  const of = { group: 'metrics.k8s.io', version: 'v1beta1' };
  const bare = (resource: string): object => ({
    resource,
    responseKind: { ...of, kind: '' },
    scope: 'Cluster',
    singularResource: '',
    verbs: [],
  });
  type Row = readonly [name: string, document: unknown, wanted: readonly object[] | undefined];
  const rows: readonly Row[] = [
    ['nothing', { resources: [] }, []],
    [
      'a resource with its parts',
      {
        resources: [
          { name: 'pods/log/more', kind: 'Log', verbs: ['get'] },
          {
            name: 'pods',
            singularName: 'pod',
            namespaced: true,
            kind: 'PodMetrics',
            verbs: ['get', 'list'],
            shortNames: ['pm'],
            categories: ['all'],
          },
          { name: 'pods/scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['update'] },
        ],
      },
      [
        {
          resource: 'pods',
          responseKind: { ...of, kind: 'PodMetrics' },
          scope: 'Namespaced',
          singularResource: 'pod',
          verbs: ['get', 'list'],
          shortNames: ['pm'],
          categories: ['all'],
          subresources: [
            { subresource: 'log/more', responseKind: { ...of, kind: 'Log' }, verbs: ['get'] },
            {
              subresource: 'scale',
              responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              verbs: ['update'],
            },
          ],
        },
      ],
    ],
    ['a part of nothing', { resources: [{ name: 'a/b', kind: 'X' }] }, []],
    ['names alone', { resources: [{ name: 'a' }, { name: 'constructor' }] }, [bare('a'), bare('constructor')]],
    ['what is no resource', { resources: [null, 7, 'pods', {}, { name: 7 }, { name: 'a' }] }, [bare('a')]],
    ['no list', { resources: { 0: { name: 'a' } } }, undefined],
    ['another document', { kind: 'Status' }, undefined],
    ['no document', null, undefined],
    ['a text', 'resources', undefined],
  ];
  for (const [name, document, wanted] of rows) {
    test(name, () => assert.deepEqual(readResourceList(document, of), wanted));
  }
});
