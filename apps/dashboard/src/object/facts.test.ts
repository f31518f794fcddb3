import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf, contentsOf, factsOf, isGood, metadataFacts } from './facts.ts';

test('plain values by their paths, lists of plain values, lists of objects by line, no conditions, nothing too deep', () => {
  deepEqual(
    factsOf({ a: 1, b: { c: true, d: { e: 'deep' } }, f: ['x', 'y'], g: [{ h: 1 }], conditions: 'x', i: null }),
    [
      { name: 'a', value: '1' },
      { name: 'b.c', value: 'true' },
      { name: 'f', value: 'x, y' },
      { name: 'g[0]', value: 'h: 1' },
    ],
  );
});

test('of very many, and very long ones, a part', () => {
  const facts = factsOf(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 'x'.repeat(1000)])));
  equal(facts.length, 40);
  equal(facts[0]?.value.length, 201);
});

test('conditions', () => {
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'a', resourceVersion: '1' } };
  deepEqual(conditionsOf(object), []);
  deepEqual(conditionsOf({ ...object, status: { conditions: {} } }), []);
  equal(conditionsOf({ ...object, status: { conditions: [{ type: 'Ready', status: 'True' }] } }).length, 1);
  const strange = [
    null,
    'x',
    5,
    [],
    {},
    { type: {}, status: 'True' },
    { type: 'A', status: 'True', message: { a: 1 }, reason: 'B' },
  ];
  deepEqual(conditionsOf({ ...object, status: { conditions: strange } }), [{ type: 'A', status: 'True', reason: 'B' }]);
  for (const [type, status, good] of [
    ['Ready', 'True', true],
    ['Ready', 'False', false],
    ['MemoryPressure', 'False', true],
    ['ReplicaFailure', 'True', false],
    ['Ready', 'Unknown', undefined],
  ] as const)
    equal(isGood({ type, status }), good, `${type} ${status}`);
});

test('what stands in lists of objects is told by name, a line each; containers have a table of their own', () => {
  const ports = [{ name: 'http', port: 80, targetPort: 'web' }, { port: 443 }];
  const deep = [{ a: { b: { c: { d: 1 } } }, e: ['x', 'y'] }];
  deepEqual(factsOf({ ports, deep, containers: [{ name: 'c' }], mixed: [1, null] }), [
    { name: 'ports[http]', value: 'name: http; port: 80; targetPort: web' },
    { name: 'ports[1]', value: 'port: 443' },
    { name: 'deep[0]', value: 'a: b: c: …; e: x, y' },
    { name: 'mixed[0]', value: '1' },
    { name: 'mixed[1]', value: 'null' },
  ]);
  equal(factsOf({ many: Array.from({ length: 1000 }, () => ({ a: 1 })) }).length, 40);
});

test('no two facts have one name, and nothing in a name is hidden or turned', () => {
  const subjects = ['a', 'b'].map((namespace) => ({ name: 'default', namespace }));
  deepEqual(factsOf({ subjects, 'x\u202ey': 1 }), [
    { name: 'subjects[default#0]', value: 'name: default; namespace: a' },
    { name: 'subjects[default#1]', value: 'name: default; namespace: b' },
    { name: String.raw`x\u202ey`, value: '1' },
  ]);
  const status = { conditions: [{ type: 'Re\u202eady', status: '\u202eTrue' }] };
  deepEqual(conditionsOf({ apiVersion: 'v1', kind: 'X', metadata, status }), [
    { type: String.raw`Re\u202eady`, status: String.raw`\u202eTrue` },
  ]);
});

const metadata = { name: 'a', resourceVersion: '1' };

test('what objects without a spec say is shown; values of Secrets are not', () => {
  const rules = [{ apiGroups: ['', 'apps'], resources: ['deployments'], verbs: ['get', 'list'] }];
  deepEqual(contentsOf({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules, spec: { a: 1 } }), [
    { name: 'rules[0]', value: 'apiGroups: "", apps; resources: deployments; verbs: get, list' },
  ]);
  deepEqual(contentsOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'a\u202eb' } }), [
    { name: 'data.key', value: String.raw`a\u202eb` },
  ]);
  const secret = { type: 'Opaque', data: { password: 'aHVudGVyMg==', none: '', odd: 5 }, immutable: true };
  deepEqual(contentsOf({ apiVersion: 'v1', kind: 'Secret', metadata, ...secret }), [
    { name: 'type', value: 'Opaque' },
    { name: 'data.password', value: '••• (7 B)' },
    { name: 'data.none', value: '••• (0 B)' },
    { name: 'data.odd', value: '•••' },
    { name: 'immutable', value: 'true' },
  ]);
  const binary = { data: { password: 'aHVudGVyMg==', key: '/w==', none: '!' } };
  deepEqual(contentsOf({ apiVersion: 'v1', kind: 'Secret', metadata, ...binary }, true), [
    { name: 'data.password', value: 'hunter2' },
    { name: 'data.key', value: '••• (1 B)' },
    { name: 'data.none', value: '•••' },
  ]);
});

test('annotations are shown, but the whole object that kubectl keeps in one', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', link: 'javascript:alert(1)' };
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const object = { apiVersion: 'v1', kind: 'X', metadata: { ...metadata, creationTimestamp, annotations } };
  deepEqual(metadataFacts({ ...object, metadata: { ...object.metadata, finalizers: ['a/b'] } } as typeof object), [
    { name: 'creationTimestamp', value: creationTimestamp },
    { name: 'finalizers', value: 'a/b' },
    { name: 'link', value: 'javascript:alert(1)' },
  ]);
});
