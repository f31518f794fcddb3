import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf, kindMistake } from './identity.ts';

// What a kube-apiserver v1.36.2 said to such bodies.
const PARSE = "couldn't get version/kind; json parse error: json: cannot unmarshal";
const NAMED = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const READ: readonly [
  name: string,
  document: unknown,
  expected: readonly [kind: string, apiVersion: string] | string,
][] = [
  ['both', { kind: 'Pod', apiVersion: 'v1' }, ['Pod', 'v1']],
  ['neither', {}, ['', '']],
  ['null is nothing', { kind: null, apiVersion: null }, ['', '']],
  ['no document', null, ['', '']],
  ['a slash alone', { kind: 'Pod', apiVersion: '/' }, ['Pod', '']],
  ['names of a prototype', { kind: 'constructor', apiVersion: '__proto__' }, ['constructor', '__proto__']],
  ['a prototype’s own', JSON.parse('{"__proto__":{"kind":"Pod"}}'), ['', '']],
  ['a number for a kind', { kind: 5 }, `${PARSE} number into Go struct field .kind of type string`],
  ['a truth for a version', { apiVersion: false }, `${PARSE} bool into Go struct field .apiVersion of type string`],
  ['an object for a kind', { kind: {} }, `${PARSE} object into Go struct field .kind of type string`],
  ['the first of two', { kind: [], apiVersion: 5 }, `${PARSE} array into Go struct field .kind of type string`],
  ['two slashes', { apiVersion: 'x/y/z' }, 'unexpected GroupVersion string: x/y/z'],
  ['a list', [], `${PARSE} array into Go value of type ${NAMED}`],
  ['a text', 'x', `${PARSE} string into Go value of type ${NAMED}`],
  ['a truth', true, `${PARSE} bool into Go value of type ${NAMED}`],
  ['a number', 5, `${PARSE} number into Go value of type ${NAMED}`],
];
for (const [name, document, expected] of READ)
  test(`what a body says that it is: ${name}`, () => {
    const found = identityOf(document);
    assert.deepEqual('why' in found ? found.why : [found.kind, found.apiVersion], expected);
  });

const of = (group: string, version: string, kind: string) => ({ group, version, kind });
const MAP = of('', 'v1', 'ConfigMap');
const ROLE = of('rbac.authorization.k8s.io', 'v1', 'ClusterRole');
const DEFINITION = of('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
const none = (kind: string, version: string, register = 'pkg/api/legacyscheme/scheme.go:30'): string =>
  `no kind "${kind}" is registered for version "${version}" in scheme "${register}"`;
const EXTENSIONS = 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55';

const MISTAKES: readonly [kind: string, apiVersion: string, expected: typeof MAP, why: string | undefined][] = [
  ['ConfigMap', 'v1', MAP, undefined],
  ['', '', MAP, undefined],
  ['ConfigMap', '', MAP, undefined],
  ['', 'v1', MAP, undefined],
  ['Pod', 'v1', MAP, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
  ['ConfigMapList', 'v1', MAP, 'converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion'],
  ['Status', 'v1', MAP, 'converting (v1.Status) to (core.ConfigMap): unknown conversion'],
  ['Role', 'rbac.authorization.k8s.io/v1', MAP, 'converting (v1.Role) to (core.ConfigMap): unknown conversion'],
  ['Pod', 'v1', ROLE, 'converting (v1.Pod) to (rbac.ClusterRole): unknown conversion'],
  ['Pod', 'v1', of('events.k8s.io', 'v1', 'Event'), 'converting (v1.Pod) to (core.Event): unknown conversion'],
  [
    'Pod',
    'v1',
    of('flowcontrol.apiserver.k8s.io', 'v1', 'FlowSchema'),
    'converting (v1.Pod) to (flowcontrol.FlowSchema): unknown conversion',
  ],
  ['Event', 'v1', of('events.k8s.io', 'v1', 'Event'), undefined],
  ['HorizontalPodAutoscaler', 'autoscaling/v1', of('autoscaling', 'v2', 'HorizontalPodAutoscaler'), undefined],
  ['Nope', 'v1', MAP, none('Nope', 'v1')],
  ['configmap', 'v1', MAP, none('configmap', 'v1')],
  ['constructor', 'v1', MAP, none('constructor', 'v1')],
  ['List', 'apps/v1', MAP, none('List', 'apps/v1')],
  ['Container', 'v1', MAP, none('Container', 'v1')],
  ['ConfigMap', 'apps/v1', MAP, none('ConfigMap', 'apps/v1')],
  ['ConfigMap', 'v2', MAP, none('ConfigMap', 'v2')],
  ['', ' v1', MAP, none('ConfigMap', ' v1')],
  ['ConfigMap', '__proto__', MAP, none('ConfigMap', '__proto__')],
  ['ConfigMap', 'apps/', MAP, "Object 'apiVersion' is missing in '{}'"],
  [
    'CustomResourceDefinition',
    'apiextensions.k8s.io/v1',
    MAP,
    none('CustomResourceDefinition', 'apiextensions.k8s.io/v1'),
  ],
  ['Pod', 'v1', DEFINITION, none('Pod', 'v1', EXTENSIONS)],
  ['Nope', 'apiextensions.k8s.io/v1', DEFINITION, none('Nope', 'apiextensions.k8s.io/v1', EXTENSIONS)],
];
for (const [kind, apiVersion, expected, why] of MISTAKES)
  test(`${kind || 'nothing'} of ${apiVersion || 'no version'} as ${expected.kind}`, () =>
    assert.equal(
      kindMistake({ kind, apiVersion }, expected, () => '{}'),
      why,
    ));
