import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { CONFIG_MAPS, SERVICES } from '@binnacle/api';
import { createTestApi } from '../testing/api.ts';
import { pass } from '../testing/node.ts';
import { createObjectReader } from './object-reader.ts';

test('an object is watched by name while somebody holds it', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const reader = createObjectReader(api.client, api.world, api.scope);
  let changes = 0;
  const one = { changed: (): void => void changes++ };
  const two = { changed: (): void => undefined };
  const reading = reader.configMap('default', 'cm', one);
  await pass(clock, 50);
  assert.equal(await reading, undefined);
  const maps = api.client.resource(CONFIG_MAPS, 'default');
  await maps.create({ metadata: { name: 'cm' }, data: { a: '1' } });
  await maps.create({ metadata: { name: 'other' } });
  await pass(clock, 50);
  assert.equal(changes, 1);
  assert.deepEqual((await reader.configMap('default', 'cm', two))?.data, { a: '1' });
  assert.equal(api.fake.watchCount, 1);
  reader.release(one);
  assert.equal(api.fake.watchCount, 1);
  reader.release(two);
  await pass(clock, 50);
  assert.equal(api.fake.watchCount, 0);
  await api.scope.close();
});

test('a pod sees the Services of its namespace and the master', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  for (const [namespace, name] of [
    ['default', 'kubernetes'],
    ['ns', 'a'],
    ['other', 'b'],
  ] as const) {
    api.fake.seed(SERVICES, { metadata: { namespace, name }, spec: {} });
  }
  const reader = createObjectReader(api.client, api.world, api.scope);
  const asked = reader.services('ns');
  await pass(clock, 50);
  assert.deepEqual(
    (await asked).map((s) => s.metadata.name),
    ['a', 'kubernetes'],
  );
  assert.deepEqual(
    (await reader.services('default')).map((s) => s.metadata.name),
    ['kubernetes'],
  );
  await api.scope.close();
});
