import { strict as assert } from 'node:assert';
import { randomBelow } from '@binnacle/base';
import { DAEMON_SETS, isPodActive, NODES, PODS } from '@binnacle/api';
import type { DaemonSetSpec } from '@binnacle/api/apps/v1';
import type { Taint } from '@binnacle/api/core/v1';
import { losePod, retried, survive } from '../test-crash.ts';
import type { TestWorld } from '../test-world.ts';

export const WHICH = ['daemonset-controller'];
export const templateOf = (image: string) => ({
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'c', image }] },
});
export const spec = (more: Partial<DaemonSetSpec> = {}): DaemonSetSpec => ({
  selector: { matchLabels: { app: 'agent' } },
  template: templateOf('one'),
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  ...more,
});
export const sets = (world: TestWorld) => world.client.resource(DAEMON_SETS, 'default');
export const addNode = (world: TestWorld, name: string, taints: readonly Taint[] = []) =>
  world.api.seed(NODES, { metadata: { name }, spec: { taints } });
export const placed = (world: TestWorld) =>
  world.api
    .objects(PODS)
    .map((pod) => `${pod.spec.nodeName} ${pod.spec.containers[0]?.image}`)
    .toSorted();
export const set = (world: TestWorld) => world.api.objects(DAEMON_SETS)[0];

/** Killed and restarted at random: one pod on each node in the end, and never two. */
export async function live(seed: number): Promise<void> {
  const tainted = new Set<string>();
  let image = 'one';
  const world = await survive({
    seed,
    which: WHICH,
    prepare: async (at) => {
      for (let i = 1; i <= 5; i++) addNode(at, `n${i}`);
      await sets(at).create({ metadata: { name: 'agent' }, spec: spec() });
    },
    disturb: async (at, random) => {
      const way = randomBelow(random, 3);
      const name = `n${1 + randomBelow(random, 5)}`;
      if (way === 0) await losePod(at, random);
      else if (way === 1) {
        if (!tainted.delete(name)) tainted.add(name);
        addNode(at, name, tainted.has(name) ? [{ key: 'x', effect: 'NoExecute' }] : []);
      } else {
        image = `i${randomBelow(random, 3)}`;
        await retried(() => sets(at).patch('agent', 'merge', { spec: { template: templateOf(image) } }));
      }
    },
    never: (pods) => {
      const active = pods.filter(isPodActive).flatMap((pod) => pod.spec.nodeName ?? []);
      assert.equal(new Set(active).size, active.length, `two on one node: ${active.join(' ')}`);
    },
  });
  const expected = ['n1', 'n2', 'n3', 'n4', 'n5']
    .filter((name) => !tainted.has(name))
    .map((name) => `${name} ${image}`);
  assert.deepEqual(placed(world), expected, `seed ${seed}`);
  // None is not told.
  assert.equal(set(world)?.status?.updatedNumberScheduled ?? 0, expected.length, `seed ${seed}`);
}
