import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';

const KEY = 'node.alpha.kubernetes.io/ttl';

test('nodes are told how long to keep things, and told anew when they become many or few', async () => {
  const world = createTestWorld();
  const process = world.start(['ttl-controller']);
  const told = (): unknown => [...new Set(world.api.objects(NODES).map(({ metadata }) => metadata.annotations?.[KEY]))];
  for (let i = 0; i < 3; i++) world.api.seed(NODES, { metadata: { name: `n${i}` }, spec: {} });
  await world.run(5000);
  assert.deepEqual(told(), ['0']);
  for (let i = 3; i < 120; i++) world.api.seed(NODES, { metadata: { name: `n${i}` }, spec: {} });
  await world.run(5000);
  assert.deepEqual(told(), ['15']);
  for (let i = 50; i < 120; i++) await world.client.resource(NODES).delete(`n${i}`);
  await world.run(5000);
  assert.deepEqual(told(), ['0']);
  await world.client.resource(NODES).patch('n1', 'merge', { metadata: { annotations: { [KEY]: null } } });
  await world.run(5000);
  assert.deepEqual(told(), ['0']);
  await process.kill();
});
