import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { parseAbout } from './about.ts';
import { membersOf } from './json-body.ts';

describe('what a trace is asked about', () => {
  const rows: readonly (readonly [
    text: string,
    wanted: readonly [group: string, resource: string, name: string] | undefined,
  ])[] = [
    ['', undefined],
    ['pods/web', ['', 'pods', 'web']],
    ['deployments.apps/web', ['apps', 'deployments', 'web']],
    ['hops.trace.binnacle.dev/x.1', ['trace.binnacle.dev', 'hops', 'x.1']],
    [
      'clusterroles.rbac.authorization.k8s.io/system:node',
      ['rbac.authorization.k8s.io', 'clusterroles', 'system:node'],
    ],
    ['constructor/__proto__', ['', 'constructor', '__proto__']],
    [`pods/${'n'.repeat(253)}`, ['', 'pods', 'n'.repeat(253)]],
  ];
  for (const [text, wanted] of rows) {
    test(text === '' ? 'nothing' : text.slice(0, 60), () => {
      const [group = '', resource = '', name = ''] = wanted ?? [];
      assert.deepEqual(parseAbout(text, 'ns'), wanted && { group, resource, namespace: 'ns', name });
    });
  }

  for (const text of [
    'pods',
    'pods/',
    '/web',
    'pods/a/b',
    'Pods/web',
    'pods./web',
    'pods/a b',
    '.apps/web',
    `pods/${'n'.repeat(254)}`,
  ]) {
    test(`nothing is said by ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(
        () => parseAbout(text, 'ns'),
        (error) =>
          error instanceof StatusError &&
          error.status.code === 400 &&
          error.message === `about: expected RESOURCE[.GROUP]/NAME, not ${JSON.stringify(text)}`,
      );
    });
  }
});

test('a long text is refused at once', () => {
  assert.throws(
    () => parseAbout(`${'a.'.repeat(50_000)}b/x`, 'ns'),
    (error) => error instanceof StatusError && error.status.code === 400,
  );
});

describe('the members of a body', () => {
  for (const [value, wanted] of [
    [{ a: 1 }, { a: 1 }],
    [{}, {}],
    [JSON.parse('{"__proto__":{"x":1},"constructor":2}'), { ['__proto__']: { x: 1 }, constructor: 2 }],
  ] as const) {
    test(JSON.stringify(value), () => {
      const members = membersOf(value, 'body');
      assert.deepEqual(Object.entries(members), Object.entries(wanted));
      assert.deepEqual([Object.getPrototypeOf(members), members['toString']], [null, undefined]);
    });
  }
  for (const value of [null, undefined, [], 'text', 7, true]) {
    test(`no object: ${JSON.stringify(value)}`, () => {
      assert.throws(() => membersOf(value, 'the body'), { message: 'the body: expected an object' });
    });
  }
});
