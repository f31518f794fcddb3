import { strict as assert } from 'node:assert';
import { randomBelow } from '@binnacle/base';
import { DEPLOYMENTS, isPodActive, PODS, REPLICA_SETS } from '@binnacle/api';
import { losePod, retried, survive } from '../test-crash.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['deployment-controller', 'replicaset-controller'];
const MOST = 4;
const templateOf = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

/** Killed and restarted at random while it rolls, grows and shrinks: the exact end, and never more asked for than a surge allows. */
export async function live(seed: number): Promise<void> {
  let wanted = 2;
  let image = 'one';
  const world = await survive({
    seed,
    which: WHICH,
    prepare: async (at) => {
      await deployments(at).create({
        metadata: { name: 'web' },
        spec: {
          replicas: wanted,
          selector: { matchLabels: { app: 'web' } },
          template: templateOf(image),
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          progressDeadlineSeconds: 600,
          revisionHistoryLimit: 2,
        },
      });
    },
    disturb: async (at, random) => {
      const way = randomBelow(random, 3);
      if (way === 0) await losePod(at, random);
      else if (way === 1) wanted = 1 + randomBelow(random, MOST);
      else image = `i${randomBelow(random, 3)}`;
      const change = { spec: { replicas: wanted, template: templateOf(image) } };
      await retried(() => deployments(at).patch('web', 'merge', change));
    },
    // What the sets ask for: a set makes its pods before another has let go of its own, as upstream's does.
    never: (_all, at) => {
      const asked = at.api.objects(REPLICA_SETS).reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
      assert.ok(asked <= MOST + 1, `${asked} pods asked for, ${MOST} and a surge of one are the most`);
    },
  });
  const active = world.api.objects(PODS).filter(isPodActive);
  assert.deepEqual(
    active.map((pod) => pod.spec.containers[0]?.image),
    Array.from({ length: wanted }, () => image),
    `seed ${seed}`,
  );
  const status = world.api.objects(DEPLOYMENTS)[0]?.status;
  assert.deepEqual([status?.replicas, status?.updatedReplicas], [wanted, wanted], `seed ${seed}`);
  const full = world.api.objects(REPLICA_SETS).filter(({ spec }) => (spec.replicas ?? 0) > 0);
  assert.equal(full.length, 1, `seed ${seed}`);
}

/** Two asked for: never three, whatever dies when. */
export async function liveOfTwo(seed: number): Promise<void> {
  const world = await survive({
    seed,
    which: WHICH,
    prepare: async (at) => {
      await deployments(at).create({
        metadata: { name: 'web' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          template: templateOf('one'),
          progressDeadlineSeconds: 600,
          revisionHistoryLimit: 2,
        },
      });
    },
    disturb: losePod,
    never: (all) => {
      const active = all.filter(isPodActive).length;
      assert.ok(active <= 2, `${active} pods, two were asked for`);
    },
  });
  assert.equal(world.api.objects(PODS).filter(isPodActive).length, 2, `seed ${seed}`);
}

const deployments = (world: TestWorld) => world.client.resource(DEPLOYMENTS, 'default');
