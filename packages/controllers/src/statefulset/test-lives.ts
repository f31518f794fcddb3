import { strict as assert } from 'node:assert';
import { randomBelow } from '@binnacle/base';
import { isPodActive, PODS, STATEFUL_SETS } from '@binnacle/api';
import type { StatefulSetSpec } from '@binnacle/api/apps/v1';
import { Allowance, losePod, retried, survive } from '../test-crash.ts';
import type { TestWorld } from '../test-world.ts';

export const WHICH = ['statefulset-controller'];
export const templateOf = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});
export const spec = (more: Partial<StatefulSetSpec> = {}): StatefulSetSpec => ({
  replicas: 3,
  serviceName: 'web',
  selector: { matchLabels: { app: 'web' } },
  template: templateOf('one'),
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  ...more,
});
export const sets = (world: TestWorld) => world.client.resource(STATEFUL_SETS, 'default');
export const create = (world: TestWorld, more: Partial<StatefulSetSpec> = {}) =>
  sets(world).create({ metadata: { name: 'web' }, spec: spec(more) });
export const pods = (world: TestWorld) =>
  world.api
    .objects(PODS)
    .map((pod) => `${pod.metadata.name} ${pod.spec.containers[0]?.image}`)
    .toSorted();
export const set = (world: TestWorld) => world.api.objects(STATEFUL_SETS)[0];

/** Killed and restarted at random: the exact end state, and never two pods for one ordinal, nor more than were asked for. */
export async function live(seed: number): Promise<void> {
  let wanted = 3;
  let image = 'one';
  const allowance = new Allowance(wanted, 0);
  const world = await survive({
    seed,
    which: WHICH,
    prepare: async (at, random) => {
      const podManagementPolicy = randomBelow(random, 2) === 0 ? 'Parallel' : 'OrderedReady';
      await create(at, { replicas: wanted, podManagementPolicy });
    },
    disturb: async (at, random) => {
      const way = randomBelow(random, 3);
      if (way === 0) await losePod(at, random);
      else if (way === 1) wanted = randomBelow(random, 5);
      else image = `i${randomBelow(random, 3)}`;
      allowance.wish(wanted, at.clock.now());
      const change = { spec: { replicas: wanted, template: templateOf(image) } };
      await retried(() => sets(at).patch('web', 'merge', change));
    },
    never: (all, at) => {
      allowance.check(all.filter(isPodActive).length, at.clock.now());
      const ordinals = all.map((pod) => pod.metadata.labels?.['apps.kubernetes.io/pod-index']);
      assert.equal(new Set(ordinals).size, ordinals.length);
    },
  });
  const expected = Array.from({ length: wanted }, (_, i) => `web-${i} ${image}`);
  assert.deepEqual(pods(world), expected, `seed ${seed}`);
  assert.ok(world.api.objects(PODS).every(isPodActive));
  // None is not told.
  const { replicas, updatedReplicas = 0, currentRevision, updateRevision } = set(world)?.status ?? {};
  assert.deepEqual([replicas, updatedReplicas], [wanted, wanted], `seed ${seed}`);
  assert.equal(currentRevision, updateRevision, `seed ${seed}`);
}
