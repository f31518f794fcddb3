import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { TokenRequest } from '@binnacle/api/authentication/v1';
import { AccountTokens } from '../../../access/account-tokens.ts';
import { createTokenKeys } from '../../../node/token-keys.ts';
import { post, virtualWorld } from '../../../testing/handlers.ts';
import { createTokenRequestHandler } from './token-request.ts';

const world = virtualWorld();
const tokens = new AccountTokens({ keys: createTokenKeys(), issuer: 'us', clock: world.clock, random: world.random });
const handler = createTokenRequestHandler(world, tokens);
const at = { namespace: 'a', name: 'app' };
world.cache.put(SERVICE_ACCOUNTS, { metadata: { ...at, uid: 'sa' } });
world.cache.put(NODES, { metadata: { name: 'n1', uid: 'node' } });
world.cache.put(PODS, {
  metadata: { namespace: 'a', name: 'p', uid: 'pod' },
  spec: { serviceAccountName: 'app', nodeName: 'n1' },
} as never);
const POD = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'pod' };

async function request(spec: object, name = 'app'): Promise<TokenRequest> {
  const body = { metadata: {}, spec: { audiences: [], ...spec } };
  return (await post(handler, 'serviceaccounts/token', { ...at, name, body })) as TokenRequest;
}

test('an hour and our own audience, unless asked otherwise', async () => {
  const { spec, status, metadata } = await request({});
  assert.deepEqual([spec.audiences, spec.expirationSeconds], [['us'], 3600]);
  assert.equal(status?.expirationTimestamp, '2026-01-01T01:00:00Z');
  assert.deepEqual([metadata.namespace, metadata.name], ['a', 'app']);
  const claims = await tokens.read(status.token);
  assert.deepEqual(claims?.['kubernetes.io'], { namespace: 'a', serviceaccount: { name: 'app', uid: 'sa' } });
});

test('bound to a pod it names the pod and its node', async () => {
  const { status } = await request({ boundObjectRef: POD, expirationSeconds: 600 });
  assert.deepEqual((await tokens.read(status?.token ?? ''))?.['kubernetes.io'], {
    namespace: 'a',
    pod: { name: 'p', uid: 'pod' },
    node: { name: 'n1', uid: 'node' },
    serviceaccount: { name: 'app', uid: 'sa' },
  });
});

test('the tokens of volumes live on after their time, for programs that never read them again', async () => {
  const { status } = await request({ boundObjectRef: POD, expirationSeconds: 3607 });
  assert.equal(status?.expirationTimestamp, '2026-01-01T01:00:07Z');
  const claims = await tokens.read(status.token);
  assert.equal((claims?.exp ?? 0) - (claims?.iat ?? 0), 365 * 86_400);
  assert.equal((claims?.['kubernetes.io'].warnafter ?? 0) - (claims?.iat ?? 0), 3607);
});

describe('refused', () => {
  const rows: readonly (readonly [string, object, string, string])[] = [
    [
      'too short',
      { expirationSeconds: 10 },
      'app',
      'TokenRequest.authentication.k8s.io "app" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    [
      'too long',
      { expirationSeconds: 2 ** 33 },
      'app',
      'TokenRequest.authentication.k8s.io "app" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ],
    ['no such account', {}, 'nobody', 'serviceaccounts "nobody" not found'],
    ['no such pod', { boundObjectRef: { ...POD, name: 'q' } }, 'app', 'pods "q" not found'],
    [
      'another life of the pod',
      { boundObjectRef: { ...POD, uid: 'old' } },
      'app',
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      'something else',
      { boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
      'app',
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ];
  for (const [name, spec, account, message] of rows) {
    test(name, async () => assert.rejects(request(spec, account), { message }));
  }
  test('a pod of another account', async () => {
    world.cache.put(SERVICE_ACCOUNTS, { metadata: { namespace: 'a', name: 'other', uid: 'o' } });
    await assert.rejects(request({ boundObjectRef: POD }, 'other'), /running with different serviceaccount name/);
  });
});

test('a request that names another account is none of this one', async () => {
  const asked = (metadata: object) =>
    post(handler, 'serviceaccounts/token', { ...at, body: { metadata, spec: { audiences: [] } } });
  const why = 'metadata.name: Invalid value: "zz": must match the service account name if specified';
  await assert.rejects(asked({ name: 'zz' }), {
    message: `TokenRequest.authentication.k8s.io "app" is invalid: ${why}`,
  });
  await assert.doesNotReject(asked(at));
});
