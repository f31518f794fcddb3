import assert from 'node:assert/strict';
import test from 'node:test';
import { RESOURCES } from './resources.ts';
import { schemas } from './schemas.ts';

function decode(name: string, base64: string): unknown {
  return schemas.decodeProtobuf(Buffer.from(base64, 'base64'), name)?.value;
}

// Provenance: bodies that kubectl 1.33 sent: create deployment, create secret.
test('a deployment', () => {
  const body =
    'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EroBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEogBCAISDAoKCgNhcHASA3dlYhpuChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEk4SMAoFbmdpbngSB25naW54OjEqADIKCgAQABhQIgAqAEIAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaACCAQCKAQCaAQDCAQAiAgoAKAA4ABoMCAAQABgAIAAoADgAGgAiAA==';
  assert.deepEqual(decode('apps.v1.Deployment', body), {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 80 }], resources: {} }] },
      },
      strategy: {},
    },
    status: {},
  });
});

test('a secret', () => {
  const body = 'azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA=';
  assert.deepEqual(decode('core.v1.Secret', body), {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's' },
    data: { a: 'Yg==' },
  });
});

test('every struct whose message is known has a number for each of its fields', () => {
  const missing = Object.entries(schemas.table).flatMap(([name, { fields }]) => {
    const numbers = Object.entries(fields).filter(([field]) => field !== 'kind' && field !== 'apiVersion');
    const known = numbers.some(([, field]) => field.proto !== undefined);
    return known ? numbers.filter(([, field]) => field.proto === undefined).map(([field]) => `${name}.${field}`) : [];
  });
  assert.deepEqual(missing, []);
});

test('every kind has a message', () => {
  assert.deepEqual(
    RESOURCES.filter(({ schema }) => !schemas.hasMessage(schema)).map(({ schema }) => schema),
    [],
  );
});
