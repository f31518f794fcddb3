import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { ACCOUNT_TOKEN } from '../token-secrets.ts';

const WHICH = ['serviceaccount-token-controller'];
let signed = 0;
const start = {
  rootCA: 'CA-ü',
  signToken: ({
    account,
    secret,
  }: {
    account: { metadata: { name?: string } };
    secret: { metadata: { name?: string } };
  }) => `${account.metadata.name}/${secret.metadata.name}#${signed++}`,
};

function seedSecret(world: TestWorld, name: string, account: string, type = ACCOUNT_TOKEN): void {
  world.api.seed(SECRETS, {
    metadata: { name, namespace: 'ns', annotations: { 'kubernetes.io/service-account.name': account } },
    type,
    data: { mine: 'eA==' },
  });
}

const texts = (world: TestWorld): unknown =>
  Object.fromEntries(
    world.api
      .objects(SECRETS)
      .map(({ metadata, data = {} }) => [
        metadata.name,
        Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])),
      ]),
  );

test('a secret of an account gets its token once, and what clients need beside it', async () => {
  signed = 0;
  const world = createTestWorld(1, { start });
  const account = world.api.seed(SERVICE_ACCOUNTS, { metadata: { name: 'a', namespace: 'ns' } });
  seedSecret(world, 's', 'a');
  seedSecret(world, 'other', 'a', 'Opaque');
  let process = world.start(WHICH);
  await world.run(1000);
  const full = { mine: 'x', 'ca.crt': 'CA-ü', namespace: 'ns', token: 'a/s#0' };
  assert.deepEqual(texts(world), { s: full, other: { mine: 'x' } });
  const [secret] = world.api.objects(SECRETS).filter(({ metadata }) => metadata.name === 's');
  assert.equal(secret?.metadata.annotations?.['kubernetes.io/service-account.uid'], account.metadata.uid);
  await process.kill();
  process = world.start(WHICH);
  await world.client.resource(SECRETS, 'ns').patch('s', 'merge', { data: { 'ca.crt': null } });
  await world.run(1000);
  assert.deepEqual(texts(world), { s: full, other: { mine: 'x' } }, 'the same token still');
  await process.kill();
});

test('a token goes with its account, also when another one has its name', async () => {
  const world = createTestWorld(1, { start });
  world.api.seed(SERVICE_ACCOUNTS, { metadata: { name: 'a', namespace: 'ns' } });
  seedSecret(world, 's', 'a');
  seedSecret(world, 'nobody', 'missing');
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual(Object.keys(texts(world) as object), ['s']);
  await world.client.resource(SERVICE_ACCOUNTS, 'ns').delete('a');
  world.api.seed(SERVICE_ACCOUNTS, { metadata: { name: 'a', namespace: 'ns' } });
  await world.run(1000);
  assert.deepEqual(texts(world), {});
  await process.kill();
});

test('an account no longer names a token that is gone', async () => {
  const world = createTestWorld(1, { start });
  world.api.seed(SERVICE_ACCOUNTS, {
    metadata: { name: 'a', namespace: 'ns' },
    secrets: [{ name: 's' }, { name: 'k' }],
  });
  seedSecret(world, 's', 'a');
  const process = world.start(WHICH);
  await world.run(1000);
  await world.client.resource(SECRETS, 'ns').delete('s');
  await world.run(1000);
  assert.deepEqual(world.api.objects(SERVICE_ACCOUNTS)[0]?.secrets, [{ name: 'k' }]);
  await process.kill();
});
