import { RESOURCES, schemas } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { documentV2, documentV3 } from './document.ts';

type Json = { [key: string]: Json };
const source = {
  resources: RESOURCES.filter((info) => info.group === '' && ['pods', 'services'].includes(info.resource)),
  schemas,
  version: 'v1.36.0',
};
const POD = '/api/v1/namespaces/{namespace}/pods/{name}';

// Provenance: the shape of upstream's documents v1.36.
test('a create in version 2', () => {
  const document = documentV2(source) as unknown as Json;
  assert.deepEqual(document['info'], { title: 'Kubernetes', version: 'v1.36.0' });
  const post = document['paths']?.['/api/v1/namespaces/{namespace}/pods']?.['post'];
  const [body, ...query] = (post?.['parameters'] ?? []) as unknown as { name: string }[];
  assert.deepEqual(body, {
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' },
  });
  assert.deepEqual(
    query.map((parameter) => parameter.name),
    ['dryRun', 'fieldManager', 'fieldValidation'],
  );
  assert.deepEqual(Object.keys(post?.['responses'] ?? {}), ['200', '201', '202', '401']);
});

test('an eviction in version 3 carries its own kind', () => {
  const post = (documentV3(source) as unknown as Json)['paths']?.[`${POD}/eviction`]?.['post'];
  assert.deepEqual(post?.['x-kubernetes-group-version-kind'], { group: 'policy', kind: 'Eviction', version: 'v1' });
  assert.deepEqual(post?.['requestBody']?.['content'], {
    '*/*': { schema: { $ref: '#/components/schemas/io.k8s.api.policy.v1.Eviction' } },
  });
});

test('the log is text', () => {
  const get = (documentV3(source) as unknown as Json)['paths']?.[`${POD}/log`]?.['get'];
  assert.deepEqual(get?.['responses']?.['200']?.['content'], { '*/*': { schema: { type: 'string' } } });
});

test('parameters in the path belong to the path', () => {
  const path = (documentV3(source) as unknown as Json)['paths']?.[POD];
  const names = ((path?.['parameters'] ?? []) as unknown as { name: string }[]).map((parameter) => parameter.name);
  assert.deepEqual(names, ['name', 'namespace', 'pretty']);
});
