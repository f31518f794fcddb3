import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { PastRevision } from '@binnacle/trace';
import { ownersOf } from './field-owner.ts';
import { leavesOf } from './field-paths.ts';
import { fieldWriters } from './field-writers.ts';

const MANAGED = [
  {
    manager: 'kubectl-create',
    operation: 'Update',
    fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } } },
  },
  { manager: 'kubelet', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } },
  {
    manager: 'atom',
    operation: 'Apply',
    fieldsV1: { 'f:spec': { 'f:selector': {} }, 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } } },
  },
  { manager: 'odd', fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name"': {} } } } },
];
const object = (image: string, phase?: string): object => ({
  metadata: { name: 'p', resourceVersion: image, finalizers: ['a/b'], managedFields: MANAGED },
  spec: { containers: [{ name: 'c', image }], selector: { app: 'x', constructor: 'y' } },
  ...(phase === undefined ? {} : { status: { phase } }),
});

function revision(number: number, part: object, type: PastRevision['type'] = 'MODIFIED'): PastRevision {
  return {
    apiVersion: '',
    kind: 'Revision',
    metadata: { name: String(number) },
    revision: String(number),
    type,
    about: { group: '', resource: 'pods', name: 'p' },
    cause: { type: 'client' },
    object: part,
  };
}

test('values and the ways to them', () => {
  deepEqual(
    leavesOf(object('a')).map(({ path, value }) => `${path}=${value}`),
    [
      'metadata.name=p',
      'metadata.finalizers[0]=a/b',
      'spec.containers[c].name=c',
      'spec.containers[c].image=a',
      'spec.selector.app=x',
      'spec.selector.constructor=y',
    ],
  );
  const ports = ['TCP', 'UDP'].map((protocol) => ({ port: 53, protocol }));
  deepEqual(
    leavesOf({ ports }).map(({ path }) => path),
    ['ports[53#0].port', 'ports[53#0].protocol', 'ports[53#1].port', 'ports[53#1].protocol'],
  );
  equal(leavesOf({ a: Array.from({ length: 10_000 }, (_, at) => at) }).length, 3000);
});

test('managers by the managed fields: keyed items, values of sets, and wholes', () => {
  const managersOf = Object.fromEntries(
    leavesOf(object('a', 'Running')).map(({ path, steps }) => [
      path,
      ownersOf(MANAGED, steps)
        .map((one) => one.manager)
        .join(),
    ]),
  );
  deepEqual(managersOf, {
    'metadata.name': '',
    'metadata.finalizers[0]': 'atom',
    'spec.containers[c].name': '',
    'spec.containers[c].image': 'kubectl-create',
    'spec.selector.app': 'atom',
    'spec.selector.constructor': 'atom',
    'status.phase': 'kubelet',
  });
});

test('each field names the revision that last changed it', () => {
  const revisions = [
    revision(1, object('a'), 'ADDED'),
    revision(2, object('a', 'Pending')),
    revision(3, object('b', 'Pending')),
    revision(4, object('b', 'Running')),
    revision(5, object('b', 'Running')),
  ];
  const told = (isWhole: boolean): object =>
    Object.fromEntries(fieldWriters(revisions, isWhole).map((one) => [one.path, one.revision?.revision]));
  const shared = { 'spec.containers[c].image': '3', 'status.phase': '4' };
  const rest = [
    'metadata.name',
    'metadata.finalizers[0]',
    'spec.containers[c].name',
    'spec.selector.app',
    'spec.selector.constructor',
  ];
  deepEqual(told(true), { ...Object.fromEntries(rest.map((path) => [path, '1'])), ...shared });
  deepEqual(told(false), { ...Object.fromEntries(rest.map((path) => [path, undefined])), ...shared });
});

test('what was made anew was written anew', () => {
  const revisions = [
    revision(1, object('a'), 'ADDED'),
    revision(2, object('a'), 'DELETED'),
    revision(3, object('a'), 'ADDED'),
  ];
  equal(fieldWriters(revisions, true)[0]?.revision?.revision, '3');
  deepEqual(fieldWriters([], true), []);
});

test('what changed where a value is shown no more, or became another sort of value, was written then', () => {
  const long = 'x'.repeat(200);
  const told = fieldWriters(
    [
      revision(1, { data: { long: `${long}a`, sort: 1, end: '{}' } }, 'ADDED'),
      revision(2, { data: { long: `${long}b`, sort: '1', end: {} } }),
    ],
    true,
  );
  deepEqual(
    told.map(({ path, revision: by }) => [path, by?.revision]),
    ['long', 'sort', 'end'].map((name) => [`data.${name}`, '2']),
  );
});
