import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import { ACCOUNT_TOKEN } from '../token-secrets.ts';

const DAY_MS = 86_400_000;

test('what was made for an account goes when nobody uses it; what a person made, or a pod needs, stays', async () => {
  const world = createTestWorld(1, { start: { legacyTokenUnusedMs: 3 * DAY_MS } });
  const since = new Date(world.clock.now()).toISOString().slice(0, 10);
  world.api.seed(CONFIG_MAPS, {
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since },
  });
  world.api.seed(SERVICE_ACCOUNTS, {
    metadata: { name: 'a', namespace: 'ns' },
    secrets: [{ name: 'unused' }, { name: 'needed' }],
  });
  for (const name of ['unused', 'needed', 'by-hand']) {
    world.api.seed(SECRETS, {
      metadata: { name, namespace: 'ns', annotations: { 'kubernetes.io/service-account.name': 'a' } },
      type: ACCOUNT_TOKEN,
    });
  }
  const volumes = [{ name: 'v', secret: { secretName: 'needed' } }];
  world.api.seed(PODS, { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [], volumes } });
  const process = world.start(['legacy-serviceaccount-token-cleaner-controller']);
  const left = (): unknown =>
    world.api.objects(SECRETS).map(({ metadata }) => `${metadata.name} ${Object.values(metadata.labels ?? {}).join()}`);
  await world.run(3 * DAY_MS);
  assert.deepEqual(left(), ['by-hand ', 'needed ', 'unused '], 'nobody has kept account for long enough');
  await world.run(2 * DAY_MS);
  assert.match(String(left()), /^by-hand ,needed ,unused \d{4}-\d\d-\d\d$/);
  await world.run(6 * DAY_MS);
  assert.deepEqual(left(), ['by-hand ', 'needed ']);
  await process.kill();
});
