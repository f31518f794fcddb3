import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { SECRETS } from '@binnacle/api';
import { formatTime } from '@binnacle/base';
import { createTestWorld } from '../test-world.ts';
import { BOOTSTRAP_TOKEN } from '../bootstrap-tokens.ts';

test('bootstrap tokens go when they end, and nothing else does', async () => {
  const world = createTestWorld();
  const soon = btoa(formatTime(world.clock.now() + 60_000));
  const seed = (
    name: string,
    of: { readonly type?: string; readonly namespace?: string; readonly end?: string },
  ): unknown =>
    world.api.seed(SECRETS, {
      metadata: { name, namespace: of.namespace ?? 'kube-system' },
      type: of.type ?? BOOTSTRAP_TOKEN,
      data: of.end === undefined ? {} : { expiration: of.end },
    });
  seed('ends', { end: soon });
  seed('stays', {});
  seed('other', { type: 'Opaque', end: soon });
  seed('elsewhere', { namespace: 'default', end: soon });
  const process = world.start(['token-cleaner-controller']);
  const left = (): unknown => world.api.objects(SECRETS).map(({ metadata }) => metadata.name);
  await world.run(30_000);
  assert.deepEqual(left(), ['elsewhere', 'ends', 'other', 'stays']);
  await world.run(60_000);
  assert.deepEqual(left(), ['elsewhere', 'other', 'stays']);
  await process.kill();
});
