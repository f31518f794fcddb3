import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONFIG_MAPS, SECRETS, signDetached } from '@binnacle/api';
import { formatTime } from '@binnacle/base';
import { BOOTSTRAP_TOKEN } from '../bootstrap-tokens.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const KUBECONFIG = 'apiVersion: v1\nkind: Config\n';

function seedToken(world: TestWorld, id: string, more: { readonly [key: string]: string } = {}): void {
  const data = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...more };
  world.api.seed(SECRETS, {
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: BOOTSTRAP_TOKEN,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
  });
}

const info = (world: TestWorld): unknown => world.api.objects(CONFIG_MAPS)[0]?.data;
const signed = (id: string, text = KUBECONFIG): string => signDetached(text, { id, secret: '0123456789abcdef' });

test('cluster-info is signed by each token that may, for as long as it may, and anew when it changes', async () => {
  const world = createTestWorld();
  world.api.seed(CONFIG_MAPS, {
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-oldold': 'x', other: 'kept' },
  });
  seedToken(world, 'aaaaaa');
  seedToken(world, 'bbbbbb', { expiration: formatTime(world.clock.now() + 60_000) });
  seedToken(world, 'cccccc', { 'usage-bootstrap-signing': 'false' });
  const process = world.start(['bootstrap-signer-controller']);
  await world.run(1000);
  const kept = { kubeconfig: KUBECONFIG, other: 'kept' };
  assert.deepEqual(info(world), {
    ...kept,
    'jws-kubeconfig-aaaaaa': signed('aaaaaa'),
    'jws-kubeconfig-bbbbbb': signed('bbbbbb'),
  });
  await world.run(61_000);
  assert.deepEqual(info(world), { ...kept, 'jws-kubeconfig-aaaaaa': signed('aaaaaa') }, 'the other one has ended');
  const maps = world.client.resource(CONFIG_MAPS, 'kube-public');
  await maps.patch('cluster-info', 'merge', { data: { kubeconfig: 'new' } });
  await world.run(1000);
  assert.deepEqual(info(world), { kubeconfig: 'new', other: 'kept', 'jws-kubeconfig-aaaaaa': signed('aaaaaa', 'new') });
  await process.kill();
});
