/** Eviction by taints that the pods tolerate for a while. */
import assert from 'node:assert/strict';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { podOf, record, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const pods = (world: World) => world.client.resource(PODS, world.namespace);

const tolerating = (key: string, tolerationSeconds: number) => ({
  key,
  operator: 'Exists' as const,
  effect: 'NoExecute' as const,
  tolerationSeconds,
});

async function taint(world: World, node: string, keys: readonly string[]): Promise<void> {
  const taints = keys.map((key) => ({ key, value: 'evictTaintVal', effect: 'NoExecute' }));
  await world.client.resource(NODES).patch(node, 'merge', { spec: { taints: taints.length > 0 ? taints : null } });
}

async function run(world: World, name: string, spec: Partial<Pod['spec']>): Promise<string> {
  await pods(world).create(podOf(name, spec, { labels: { app: name, group: 'taint-eviction' } }));
  const pod = await untilOne(world, PODS, { name, what: 'ready', until: isPodReady });
  return pod?.spec.nodeName ?? '';
}

// Each in a group of its own, one after the other: a taint is felt by every pod of its node.
behaviours('simulated', 'a taint that goes in time', (check) => {
  check(
    '[sig-node] NoExecuteTaintManager Single Pod [Serial] removing taint cancels eviction [Disruptive] [Conformance]',
    async (world) => {
      const [first, second] = [`${world.namespace}/first`, `${world.namespace}/second`];
      const all = await record(world, PODS, 'group=taint-eviction');
      const node = await run(world, 'spared', {
        tolerations: [tolerating(first, 5), { key: second, operator: 'Exists' }],
      });
      // It stands the same time, from the moment on at which the first taint went: when it goes, the other's time is over.
      await run(world, 'witness', {
        nodeName: node,
        tolerations: [tolerating(second, 6), { key: first, operator: 'Exists' }],
      });
      await taint(world, node, [first]);
      await taint(world, node, [second]);
      await untilOne(world, PODS, { name: 'witness', what: 'evicted' });
      const spared = await pods(world).get('spared');
      assert.equal(spared.metadata.deletionTimestamp, undefined);
      await taint(world, node, []);
      all.stop();
      assert.ok(!all.events.some((e) => e.type === 'DELETED' && e.object.metadata.name === 'spared'));
    },
  );
});

behaviours('simulated', 'a taint that stays', (check) => {
  check(
    '[sig-node] NoExecuteTaintManager Multiple Pods [Serial] evicts pods with minTolerationSeconds [Disruptive] [Conformance]',
    async (world) => {
      const key = `${world.namespace}/evict`;
      const node = await run(world, 'first', { tolerations: [tolerating(key, 1)] });
      await run(world, 'second', { nodeName: node, tolerations: [tolerating(key, 3)] });
      const log = await record(world, PODS, 'group=taint-eviction');
      // Before the write: its answer may be late, and the time counts from the taint on.
      const tainted = Date.now();
      await taint(world, node, [key]);
      const deleted = (): (string | undefined)[] =>
        log.events.filter((e) => e.type === 'DELETED').map((e) => e.object.metadata.name);
      await log.until('the first evicted', () => deleted().length >= 1);
      assert.equal(deleted()[0], 'first');
      assert.ok(Date.now() - tainted >= 900, 'not before its time');
      await log.until('the second evicted', () => deleted().length >= 2);
      assert.ok(Date.now() - tainted >= 2900, 'not before its time');
      await taint(world, node, []);
      log.stop();
      const told = log.events.find((e) => e.object.status?.conditions?.some((c) => c.type === 'DisruptionTarget'));
      assert.equal(
        told?.object.status?.conditions?.find((c) => c.type === 'DisruptionTarget')?.reason,
        'DeletionByTaintManager',
      );
    },
  );
});
