import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { chosen } from './chosen.ts';

const OBJECTS: readonly KubeObject[] = [
  { metadata: { name: 'a', namespace: 'n', labels: { app: 'web' } } },
  { metadata: { name: 'b', namespace: 'm', labels: { app: 'db' } } },
  { metadata: { name: 'constructor' } },
];

function outcome(verb: string, name: string, query: Readonly<Record<string, string>>, objects = OBJECTS): string {
  const call = { info: { verb, name }, query: parseQuery(new URLSearchParams(query).toString()) };
  try {
    return chosen(objects, call as unknown as AnyCall)
      .map(({ metadata }) => metadata.name)
      .join(' ');
  } catch (error) {
    if (error instanceof StatusError) return `${error.status.code} ${error.message}`;
    throw error;
  }
}

describe('objects that a call is about', () => {
  const rows: readonly (readonly [name: string, query: Readonly<Record<string, string>>, wanted: string])[] = [
    ['all', {}, 'a b constructor'],
    ['by labels', { labelSelector: 'app' }, 'a b'],
    ['by both', { labelSelector: 'app=web', fieldSelector: 'metadata.namespace=n' }, 'a'],
    ['by name', { fieldSelector: 'metadata.name=constructor' }, 'constructor'],
    ['by no name', { fieldSelector: 'metadata.name!=a' }, 'b constructor'],
    ['in no namespace', { fieldSelector: 'metadata.namespace=' }, 'constructor'],
    ['by another field', { fieldSelector: 'spec.x=1' }, '400 field label not supported: spec.x'],
    [
      'by a field that every object inherits',
      { fieldSelector: 'constructor=1' },
      '400 field label not supported: constructor',
    ],
    [
      'by a field behind one that fits nothing',
      { fieldSelector: 'metadata.name=none,spec.x=1' },
      '400 field label not supported: spec.x',
    ],
    ['by what nobody can read', { fieldSelector: 'a' }, "400 invalid selector: 'a'; can't understand 'a'"],
  ];
  for (const [name, query, wanted] of rows) test(name, () => assert.equal(outcome('list', '', query), wanted));

  test('one by its name, whatever is selected', () => {
    assert.equal(outcome('get', 'b', { labelSelector: 'app=web' }), 'b');
    assert.equal(outcome('get', 'none', {}), '');
  });
  test('an empty list is asked for like any other', () => {
    assert.equal(outcome('list', '', { fieldSelector: 'spec.x=1' }, []), '400 field label not supported: spec.x');
  });
});
