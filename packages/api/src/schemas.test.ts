import assert from 'node:assert/strict';
import test from 'node:test';
import { schemas } from './schemas.ts';

function decode(name: string, value: unknown): unknown {
  return schemas.decode(name, value).value;
}

test('structs that are no pointers are always written', () => {
  assert.deepEqual(decode('core.v1.Pod', { kind: 'Pod', spec: { containers: [{ name: 'a' }] } }), {
    kind: 'Pod',
    metadata: {},
    spec: { containers: [{ name: 'a', resources: {} }] },
    status: {},
  });
  assert.deepEqual(decode('core.v1.ReplicationController', {}), { metadata: {}, spec: {}, status: { replicas: 0 } });
  assert.deepEqual(decode('apps.v1.Deployment', {}), {
    metadata: {},
    spec: {
      selector: null,
      template: { metadata: {}, spec: { containers: null } },
      strategy: {},
    },
    status: {},
  });
});

test('the order of an object is kind, apiVersion, metadata, spec, status', () => {
  const pod = decode('core.v1.Pod', { status: {}, spec: {}, metadata: {}, apiVersion: 'v1', kind: 'Pod' });
  assert.deepEqual(Object.keys(pod as object), ['kind', 'apiVersion', 'metadata', 'spec', 'status']);
});

test('a message names the Go type of an alias', () => {
  assert.throws(() => decode('core.v1.Pod', { spec: { restartPolicy: 1 } }), {
    message: 'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
  });
});

test('every struct of the table compiles and writes its zero value', () => {
  for (const name of Object.keys(schemas.table)) assert.equal(typeof decode(name, {}), 'object', name);
});
