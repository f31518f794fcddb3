import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTokenKeys } from '../../node/token-keys.ts';
import { createPolicy } from '../../policy.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestServer } from '../../testing/test-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/a/deployments';
const RULES = [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }];

async function start(): Promise<TestServer> {
  const server = await startTestServer({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
  });
  await server.ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  return server;
}

const applied = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

async function put({ ask }: TestServer, name: string, mutations: readonly object[], more: object = {}): Promise<void> {
  const spec = { matchConstraints: { resourceRules: RULES }, reinvocationPolicy: 'Never', mutations, ...more };
  const policy = await ask(`POST ${GROUP}/mutatingadmissionpolicies`, { metadata: { name }, spec });
  assert.deepEqual([policy.code, policy.warnings], [201, []], JSON.stringify(policy.body));
  const bound = { metadata: { name: `${name}-b` }, spec: { policyName: name } };
  assert.equal((await ask(`POST ${GROUP}/mutatingadmissionpolicybindings`, bound)).code, 201);
}

const DEPLOYMENT = {
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }], initContainers: [{ name: 'first', image: 'i' }] },
    },
  },
};

interface Made {
  readonly metadata: { readonly labels?: object; readonly annotations?: object };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly initContainers: readonly { name: string; env?: object[] }[] } };
  };
}

async function made({ ask }: TestServer): Promise<Made> {
  const { code, body } = await ask(`POST ${DEPLOYMENTS}`, DEPLOYMENT);
  assert.equal(code, 201, JSON.stringify(body));
  return body as unknown as Made;
}

describe('mutating policies', () => {
  test('configurations are laid over the object, lists by their keys', async () => {
    const server = await start();
    const expression = `Object{
      spec: Object.spec{
        replicas: object.spec.replicas + 2,
        template: Object.spec.template{
          spec: Object.spec.template.spec{
            initContainers: [
              Object.spec.template.spec.initContainers{name: 'first', env: [Object.spec.template.spec.initContainers.env{name: 'A', value: 'x'}]},
              Object.spec.template.spec.initContainers{name: 'more', image: 'j'}
            ]
          }
        }
      }
    }`;
    await put(server, 'p', [applied(expression)]);
    const { spec } = await made(server);
    assert.equal(spec.replicas, 3);
    assert.deepEqual(
      spec.template.spec.initContainers.map(({ name, env }) => [name, env]),
      [
        ['first', [{ name: 'A', value: 'x' }]],
        ['more', undefined],
      ],
    );
  });

  test('JSON patches, keys escaped; a test that fails changes nothing', async () => {
    const server = await start();
    await put(server, 'p', [
      patch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'x': 'y'}}]"),
      patch("[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('e.io/k'), value: 'v'}]"),
      patch(
        "[JSONPatch{op: 'test', path: '/spec/replicas', value: 7}, JSONPatch{op: 'replace', path: '/spec/replicas', value: 9}]",
      ),
    ]);
    const { metadata, spec } = await made(server);
    assert.deepEqual([metadata.annotations, spec.replicas], [{ x: 'y', 'e.io/k': 'v' }, 1]);
  });

  test('one after the other; who wants to sees what came after, once', async () => {
    const server = await start();
    const label = (name: string): object => applied(`Object{metadata: Object.metadata{labels: {'${name}': 'x'}}}`);
    const again = {
      reinvocationPolicy: 'IfNeeded',
      matchConditions: [{ name: 'c', expression: "!has(object.metadata.labels) || 'b' in object.metadata.labels" }],
    };
    const both = patch(
      "has(object.metadata.labels) ? [JSONPatch{op: 'add', path: '/metadata/labels/again', value: 'x'}] : []",
    );
    await put(server, 'a', [both, label('a')], again);
    await put(server, 'b', [label('b')]);
    assert.deepEqual((await made(server)).metadata.labels, { a: 'x', b: 'x', again: 'x' });
  });

  const WRONG: readonly (readonly [name: string, mutation: object, why: string])[] = [
    [
      'a field that nobody declared',
      applied('Object{spec: Object.spec{nope: 1}}'),
      'error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in schema',
    ],
    [
      'a type that does not fit its place',
      applied('Object{spec: Object.metadata{}}'),
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
    ],
    [
      'a list that is a whole',
      applied(
        "Object{metadata: Object.metadata{ownerReferences: []}, spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c', args: ['x']}]}}}}",
      ),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
    ],
    [
      'an expression that fails',
      applied('Object{spec: Object.spec{replicas: object.spec.nope}}'),
      "expression 'Object{spec: Object.spec{replicas: object.spec.nope}}' resulted in error: no such key: nope",
    ],
    [
      'a patch that does not apply',
      patch("[JSONPatch{op: 'remove', path: '/nope'}]"),
      "JSON Patch: error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      'a test where nothing is',
      patch("[JSONPatch{op: 'test', path: '/no/where', value: 1}]"),
      'JSON Patch: test operation does not apply: is missing path: /no/where: missing value',
    ],
  ];

  for (const [name, mutation, why] of WRONG) {
    test(`refuses ${name}, or lets it be`, async () => {
      const server = await start();
      await put(server, 'p', [mutation]);
      const { code, body } = await server.ask(`POST ${DEPLOYMENTS}`, DEPLOYMENT);
      assert.equal(code, 403, JSON.stringify(body));
      const message = String(body['message']);
      assert.ok(message.startsWith(`policy 'p' with binding 'p-b' denied request: ${why}`), message);
      await server.ask(`DELETE ${GROUP}/mutatingadmissionpolicybindings/p-b`);
      await server.ask(`DELETE ${GROUP}/mutatingadmissionpolicies/p`);
      await put(server, 'p', [mutation], { failurePolicy: 'Ignore' });
      assert.equal((await made(server)).spec.replicas, 1);
    });
  }

  test('mutations are checked with the policy', async () => {
    const { ask } = await start();
    const spec = {
      matchConstraints: { resourceRules: RULES },
      reinvocationPolicy: 'Never',
      mutations: [applied('1'), patch('[JSONPatch{nope: 1}]'), { patchType: 'JSONPatch' }],
    };
    const first = await ask(`POST ${GROUP}/mutatingadmissionpolicies`, { metadata: { name: 'p' }, spec });
    assert.match(
      String(first.body['message']),
      /spec\.mutations\[2\]\.jsonPatch: Required value: must be specified when patchType is JSONPatch/,
    );
    const second = await ask(`POST ${GROUP}/mutatingadmissionpolicies`, {
      metadata: { name: 'p' },
      spec: { ...spec, mutations: spec.mutations.slice(0, 2) },
    });
    assert.match(
      String(second.body['message']),
      /spec\.mutations\[0\]\.applyConfiguration\.expression: Invalid value: "1": must evaluate to Object but got int/,
    );
    assert.match(
      String(second.body['message']),
      /spec\.mutations\[1\]\.jsonPatch\.expression: .*undefined field 'nope'/,
    );
  });
});
