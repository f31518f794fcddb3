import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { parseQuery } from '../request/query.ts';
import { startTestServer } from '../testing/test-server.ts';
import { managerOf, withLastApplied } from './field-ownership.ts';
import type { Caller } from './field-ownership.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ROWS: readonly [what: string, query: string, agent: string, manager: string | undefined][] = [
  ['a program with its version', '', 'kubectl/v1.36.0 (linux/amd64)', 'kubectl'],
  ['all signs of ASCII that are printed', '', `a b~!"#$%&'()*+,-.:;<=>?@[]^_{|}/1`, `a b~!"#$%&'()*+,-.:;<=>?@[]^_{|}`],
  ['letters of others, and what nobody prints', '', 'müller\u0007\u200d\tx/1', 'müllerx'],
  ['a long one', '', `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
  ['a name that the caller gives', '?fieldManager=me', 'kubectl/v1.36.0', 'me'],
];
for (const [i, [what, query, agent, manager]] of ROWS.entries()) {
  test(`who owns what is made: ${what}`, async () => {
    const { ask } = await startTestServer();
    const object = { metadata: { name: `m${i}` }, data: { a: 'b' } };
    const { code, body } = await ask(`POST ${MAPS}${query}`, object, { 'user-agent': agent });
    assert.equal(code, 201);
    assert.equal(body.metadata.managedFields?.[0]?.manager, manager);
  });
}

function callerOf(agent: string, query = '', user = 'alice'): Caller {
  const header = (name: string): string => (name === 'user-agent' ? agent : '');
  return { query: parseQuery(query), request: { header }, user: { name: user, groups: [] } } as unknown as Caller;
}

describe('who writes', () => {
  const rows: readonly (readonly [name: string, caller: Caller, manager: string])[] = [
    ['as it says', callerOf('kubectl/v1', 'fieldManager=me'), 'me'],
    ['an empty name says nothing', callerOf('kubectl/v1', 'fieldManager='), 'kubectl'],
    ['a program without a version', callerOf('curl'), 'curl'],
    ['a program that is called nothing', callerOf('/v1'), ''],
    ['as many whole letters as there is room for', callerOf('é'.repeat(100)), 'é'.repeat(64)],
    ['letters of four bytes', callerOf(`a${'😀'.repeat(50)}`), `a${'😀'.repeat(31)}`],
    ['a node in the process', callerOf('', '', 'system:node:n1'), 'kubelet'],
    [
      'a controller in the process',
      callerOf('', '', 'system:serviceaccount:kube-system:job-controller'),
      'kube-controller-manager',
    ],
    [
      'an account of somebody else',
      callerOf('', '', 'system:serviceaccount:default:app'),
      'serviceaccount:default:app',
    ],
    ['the server itself', callerOf('', '', 'system:apiserver'), 'kube-apiserver'],
    ['another component', callerOf('', '', 'system:kube-scheduler'), 'kube-scheduler'],
    ['somebody', callerOf('', '', 'alice'), 'alice'],
  ];
  for (const [name, caller, manager] of rows) test(name, () => assert.equal(managerOf(caller), manager));
});

describe("kubectl's record of what it applied", () => {
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const live = (annotations?: object): object => ({ kind: 'X', metadata: { name: 'x', annotations }, spec: { a: 2 } });
  const applied = (annotations?: object): object => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', ...(annotations === undefined ? {} : { annotations }) },
    spec: { a: 2 },
  });
  const recordOf = (caller: Caller, object: object, configuration: object): unknown =>
    (withLastApplied(caller, object, configuration) as { metadata: { annotations?: Record<string, string> } }).metadata
      .annotations?.[LAST];
  const kubectl = callerOf('kubectl/v1');

  test('follows, without itself', () => {
    const record = recordOf(kubectl, live({ [LAST]: 'old', b: 'c' }), applied({ [LAST]: 'mine', __proto__x: 'y' }));
    assert.deepEqual(JSON.parse(String(record)), applied({ __proto__x: 'y' }));
    assert.match(String(record), /\n$/);
  });

  test('has its members in order, as Go writes an object that it knows no type of', () => {
    const configuration = {
      spec: { b: [{ y: 1, x: '<&>' }], a: 2 },
      metadata: { name: 'x' },
      kind: 'X',
      apiVersion: 'v1',
    };
    assert.equal(
      recordOf(kubectl, live({ [LAST]: 'old' }), configuration),
      '{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"spec":{"a":2,"b":[{"x":"\\u003c\\u0026\\u003e","y":1}]}}\n',
    );
  });

  test('has no annotations where the configuration has none', () => {
    assert.deepEqual(JSON.parse(String(recordOf(kubectl, live({ [LAST]: 'old' }), applied()))), applied());
  });

  test('leaves the rest of the object as it is', () => {
    const object = live({ [LAST]: 'old', b: 'c' });
    const { metadata, spec } = withLastApplied(kubectl, object, applied()) as {
      metadata: { annotations: Record<string, string> };
      spec: object;
    };
    assert.deepEqual([metadata.annotations['b'], spec], ['c', { a: 2 }]);
    assert.deepEqual(object, live({ [LAST]: 'old', b: 'c' }));
  });

  for (const [name, caller, object] of [
    ['others', callerOf('argocd/v1'), live({ [LAST]: 'old' })],
    ['an object without it', kubectl, live({})],
    ['an object without annotations', kubectl, live()],
    ['an object whose record is empty', kubectl, live({ [LAST]: '' })],
  ] as const) {
    test(`is not written for ${name}`, () => assert.equal(withLastApplied(caller, object, applied()), object));
  }

  test('is forgotten where it would be too large for an object', () => {
    const large = { ...applied(), spec: { a: 'x'.repeat(256 * 1024) } };
    const made = withLastApplied(kubectl, live({ [LAST]: 'old', b: 'c' }), large) as {
      metadata: { annotations: object };
    };
    assert.deepEqual(made.metadata.annotations, { b: 'c' });
  });
});
