import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CERTIFICATE_SIGNING_REQUESTS } from '@binnacle/api';
import { formatTime } from '@binnacle/base';
import { createTestWorld } from './test-world.ts';

test('requests that nobody judges go after a day', async () => {
  const world = createTestWorld();
  const process = world.start(['certificatesigningrequest-cleaner-controller']);
  world.api.seed(CERTIFICATE_SIGNING_REQUESTS, {
    metadata: { name: 'r', creationTimestamp: formatTime(world.clock.now()) },
    spec: { request: '', signerName: 'example.com/s' },
  });
  await world.run(23 * 3_600_000);
  assert.equal(world.api.objects(CERTIFICATE_SIGNING_REQUESTS).length, 1);
  await world.run(2 * 3_600_000);
  assert.equal(world.api.objects(CERTIFICATE_SIGNING_REQUESTS).length, 0);
  await process.kill();
});
