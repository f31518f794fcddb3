/**
 * No pod is forgotten: where a change lets a waiting pod fit, one of the plugins that refused it is woken by that change.
 * And few are tried in vain: a change that has nothing to do with a pod lets it sleep.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ClusterEvent } from '../plan/framework.ts';
import { Dice, randomNode, randomPod } from '../testing/random-objects.ts';
import { changeStorage, randomStorage, showStorage, withRandomVolumes } from '../testing/random-volumes.ts';
import type { ChangingStorage } from '../testing/random-volumes.ts';
import { Scene } from '../testing/scene.ts';
import { eventMayHelp } from './wake-rules.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 40);

interface World {
  readonly scene: Scene;
  readonly nodes: Map<string, Node>;
  readonly placed: { pod: Pod; node: string }[];
  readonly storage: ChangingStorage;
  /** Waiting pods, with who refused them last. */
  readonly waiting: Map<string, { readonly pod: Pod; refusedBy: ReadonlySet<string> }>;
}

/** Something happens; what the scheduler would be told of it. */
function change({ scene, nodes, placed, storage }: World, dice: Dice): ClusterEvent | undefined {
  const name = `n${dice.below(7)}`;
  switch (dice.below(7)) {
    case 0:
    case 1: {
      const after = randomNode(dice, name);
      const before = nodes.get(name);
      nodes.set(name, after);
      scene.nodes(after);
      return before === undefined
        ? { resource: 'nodes', action: 'add', after }
        : { resource: 'nodes', action: 'update', before, after };
    }
    case 2: {
      const before = nodes.get(name);
      nodes.delete(name);
      scene.state.removeNode(name);
      return before === undefined ? undefined : { resource: 'nodes', action: 'delete', before };
    }
    case 3: {
      const gone = placed.splice(dice.below(Math.max(1, placed.length)), 1)[0];
      if (gone === undefined) return undefined;
      scene.state.release(gone.pod.metadata.uid ?? '');
      return { resource: 'pods', action: 'delete', before: gone.pod };
    }
    case 4:
    case 5:
      return changeStorage(scene, storage, dice);
    default: {
      const after = { metadata: { name: 'other', labels: { team: dice.one(['red', 'blue']) } }, spec: {} };
      scene.object(NAMESPACES, after);
      return { resource: 'namespaces', action: 'update', after };
    }
  }
}

/** The event reaches every waiting pod; whom it wakes is tried, and may cause further events. */
function tell(world: World, event: ClusterEvent, about: string): { woken: number; asleep: number } {
  const { scene, waiting } = world;
  const seen = { woken: 0, asleep: 0 };
  for (const [key, { pod, refusedBy }] of waiting) {
    const isWoken = eventMayHelp({ plugins: scene.plugins.byName, demand: scene.demand(pod), refusedBy }, event);
    const outcome = scene.decide(pod);
    if (!isWoken) {
      seen.asleep++;
      const words = `${about}: ${JSON.stringify([event.resource, event.action])} lets ${key} fit, which ${[...refusedBy].join()} refused`;
      assert.equal(outcome.node, undefined, words);
      continue;
    }
    seen.woken++;
    waiting.set(key, { pod, refusedBy: new Set(outcome.refusedBy) });
  }
  return seen;
}

test(`property: in ${SEEDS} histories no waiting pod is forgotten`, () => {
  const all = { woken: 0, asleep: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dice = new Dice(seed);
    const storage = randomStorage(dice);
    const world: World = { scene: new Scene({ seed }), nodes: new Map(), placed: [], waiting: new Map(), storage };
    showStorage(world.scene, storage);
    world.scene.object(NAMESPACES, { metadata: { name: 'default', labels: { team: 'red' } }, spec: {} });
    for (let step = 0; step < 40; step++) {
      const about = `seed ${seed}, step ${step}`;
      const event = change(world, dice);
      if (event !== undefined) {
        const seen = tell(world, event, about);
        all.woken += seen.woken;
        all.asleep += seen.asleep;
      }
      const pod = withRandomVolumes(dice, randomPod(dice, `p${step}`));
      const outcome = world.scene.decide(pod);
      if (outcome.node === undefined) {
        world.waiting.set(`p${step}`, { pod, refusedBy: new Set(outcome.refusedBy) });
        continue;
      }
      const bound = { ...pod, spec: { ...pod.spec, nodeName: outcome.node } };
      world.scene.placed(bound, outcome.node);
      world.placed.push({ pod: bound, node: outcome.node });
      tell(world, { resource: 'pods', action: 'add', after: bound }, about);
    }
  }
  assert.ok(all.asleep > all.woken / 4, `woken ${all.woken}, asleep ${all.asleep}`);
});
