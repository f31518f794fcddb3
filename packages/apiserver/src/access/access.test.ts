import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import { createTokenKeys } from '../node/token-keys.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { MemoryLoopback } from '../testing/memory-loopback.ts';
import { createAccess } from './access.ts';

test('the parts agree on issuer, audience and keys', async () => {
  const clock = new VirtualClock();
  const cache = new MemoryCache();
  const loopback = new MemoryLoopback(cache);
  const store = createMemoryStore({ clock });
  const world = {
    cache,
    loopback,
    update: loopback.update,
    store,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
  };
  const tokenKeys = createTokenKeys();
  const access = createAccess(world, {
    tokenKeys,
    issuer: 'https://issuer.example',
    authentication: { anonymous: { enabled: false } },
  });
  assert.deepEqual(access.audiences, ['https://issuer.example']);
  assert.deepEqual(access.openid, {
    configuration: {
      issuer: 'https://issuer.example',
      jwks_uri: 'https://issuer.example/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
    keys: { keys: tokenKeys.publicKeys },
  });
  assert.throws(() => access.authenticate({}), { message: 'Unauthorized' });
  access.close();
  await store.close();
});
