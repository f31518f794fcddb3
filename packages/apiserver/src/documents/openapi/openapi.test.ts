import { RESOURCES, schemas } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenApi } from './openapi.ts';
import { pathsOf } from './operation.ts';

const openApi = createOpenApi({
  remotes: [],
  infos: RESOURCES,
  generation: 0,
  structsOf: () => undefined,
  schemas,
  version: 'v1.36.0',
  commit: '',
});
const GNOSTIC = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

type Json = { [key: string]: Json };
function document(path: string): Json {
  const reply = openApi.serve(path, undefined);
  assert.ok(reply && typeof reply.body === 'string', path);
  return JSON.parse(reply.body) as Json;
}

/** All `$ref`s of a document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  );
}

test('version 2 defines everything it refers to', () => {
  const swagger = document('/openapi/v2');
  const missing = references(swagger).filter(
    (ref) => !(ref.replace('#/definitions/', '') in (swagger['definitions'] ?? {})),
  );
  assert.deepEqual([...new Set(missing)], []);
  const ids = RESOURCES.flatMap(pathsOf).flatMap((path) => path.operations.map((operation) => operation.id));
  assert.equal(new Set(ids).size, ids.length);
});

test('version 3 defines everything it refers to, in every group', () => {
  const paths = document('/openapi/v3')['paths'] ?? {};
  assert.equal(Object.keys(paths).length, 22);
  for (const name of Object.keys(paths)) {
    const group = document(`/openapi/v3/${name}`);
    const known = group['components']?.['schemas'] ?? {};
    const missing = references(group).filter((ref) => !(ref.replace('#/components/schemas/', '') in known));
    assert.deepEqual([...new Set(missing)], [], name);
  }
});

// Provenance: the swagger of upstream v1.36.
test('a patch says its kind, its action and that it knows fieldValidation', () => {
  const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
  const patch = document('/openapi/v3/apis/apps/v1')['paths']?.[path]?.['patch'];
  assert.equal(patch?.['operationId'], 'patchAppsV1NamespacedDeployment');
  assert.equal(patch?.['x-kubernetes-action'], 'patch');
  assert.deepEqual(patch?.['x-kubernetes-group-version-kind'], { group: 'apps', kind: 'Deployment', version: 'v1' });
  const names = ((patch?.['parameters'] ?? []) as unknown as { name: string }[]).map((parameter) => parameter.name);
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'force']);
});

for (const id of [
  'listCoreV1PodForAllNamespaces',
  'deleteCoreV1CollectionNamespacedPod',
  'replaceCoreV1NamespacedPodStatus',
  'readCoreV1NamespacedPodLog',
  'connectCoreV1GetNamespacedPodExec',
  'createCoreV1NamespacedPodEviction',
  'createRbacAuthorizationV1ClusterRole',
  'readFlowcontrolApiserverV1FlowSchema',
  'patchAppsV1NamespacedDeploymentScale',
  'createAuthorizationV1SubjectAccessReview',
]) {
  test(`there is an operation ${id}`, () => {
    assert.ok(RESOURCES.flatMap(pathsOf).some((path) => path.operations.some((operation) => operation.id === id)));
  });
}

test('definitions carry what patches need', () => {
  const { definitions } = document('/openapi/v2');
  const spec = definitions?.['io.k8s.api.core.v1.PodSpec'];
  const { description, ...containers } = (spec?.['properties']?.['containers'] ?? {}) as {
    readonly description?: string;
  };
  assert.match(String(description), /containers that make up the pod/);
  assert.deepEqual(containers, {
    type: 'array',
    items: { $ref: '#/definitions/io.k8s.api.core.v1.Container' },
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge',
  });
  assert.deepEqual(spec?.['required'], ['containers']);
  assert.deepEqual(definitions?.['io.k8s.api.core.v1.Pod']?.['x-kubernetes-group-version-kind'], [
    { group: '', kind: 'Pod', version: 'v1' },
  ]);
});

test('the protobuf form starts with the version and holds every definition', () => {
  const reply = openApi.serve('/openapi/v2', `${GNOSTIC}, application/json`);
  assert.ok(reply && typeof reply.body !== 'string');
  assert.equal(reply.contentType, GNOSTIC.replace('@', '.'));
  const text = new TextDecoder('latin1').decode(reply.body);
  assert.ok(text.startsWith('\n\x032.0\x12'));
  for (const name of Object.keys(document('/openapi/v2')['definitions'] ?? {})) assert.ok(text.includes(name), name);
});

test('what is not there is not served', () => {
  for (const path of ['/openapi/v3/apis/none/v1', '/openapi/v4', '/openapi/v3/']) {
    assert.equal(openApi.serve(path, undefined), undefined);
  }
});
