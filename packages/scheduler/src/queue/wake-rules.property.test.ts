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
import { eventMayHelp } from '../testing/waiting.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 40);

/** The default plugins that refuse nodes, but for NodeName (no pod that waits names its node) and DynamicResources (its own test). */
const REFUSERS = [
  'NodeUnschedulable',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
  'NodeDeclaredFeatures',
];

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
  switch (dice.below(9)) {
    case 0:
    case 1: {
      const before = nodes.get(name);
      const other = randomNode(dice, name);
      const after = before !== undefined && dice.chance(70) ? withOneOf(dice, before, other) : other;
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
      return changePlaced(scene, placed, dice);
    case 6:
    case 7:
      return changeStorage(scene, storage, dice);
    default: {
      const after = { metadata: { name: 'other', labels: { team: dice.one(['red', 'blue']) } }, spec: {} };
      scene.object(NAMESPACES, after);
      return { resource: 'namespaces', action: 'update', after };
    }
  }
}

/** One thing of a node changes, the rest is the very same. */
function withOneOf(dice: Dice, before: Node, other: Node): Node {
  switch (dice.below(5)) {
    case 0:
      return { ...before, metadata: { ...before.metadata, labels: other.metadata.labels ?? {} } };
    case 1:
      return { ...before, spec: { ...before.spec, taints: other.spec.taints ?? [] } };
    case 2:
      return { ...before, spec: { ...before.spec, unschedulable: other.spec.unschedulable ?? false } };
    case 3:
      return { ...before, status: { ...before.status, allocatable: other.status?.allocatable ?? {} } };
    default:
      return { ...before, status: { ...before.status, declaredFeatures: other.status?.declaredFeatures ?? [] } };
  }
}

/** A placed pod gets other labels, begins to end, is asked to take less, or has come to take what it is asked to. */
function changePlaced(scene: Scene, placed: World['placed'], dice: Dice): ClusterEvent | undefined {
  const at = dice.below(Math.max(1, placed.length));
  const there = placed[at];
  if (there === undefined) return undefined;
  const { pod: before, node } = there;
  const after = changedPod(before, dice);
  placed[at] = { pod: after, node };
  return scene.state.confirm(after) ? { resource: 'pods', action: 'update', before, after } : undefined;
}

function changedPod(pod: Pod, dice: Dice): Pod {
  const { metadata, spec } = pod;
  switch (dice.below(4)) {
    case 0:
      return {
        ...pod,
        metadata: { ...metadata, labels: { ...metadata.labels, app: dice.one(['web', 'db', 'cache']) } },
      };
    case 1:
      return { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    case 2: {
      const asked = { requests: { ...spec.containers[0]?.resources?.requests, cpu: '1m', memory: '1Mi' } };
      const containers = spec.containers.map((one) => ({ ...one, resources: asked }));
      return { ...holding(pod), spec: { ...spec, containers } };
    }
    default:
      return holding(pod);
  }
}

/** The pod has what it asks for now. */
function holding(pod: Pod): Pod {
  const containerStatuses = pod.spec.containers.map(({ name, image = '', resources = {} }) => ({
    ...{ name, image, imageID: image, ready: true, restartCount: 0 },
    ...{ allocatedResources: resources.requests ?? {}, resources },
  }));
  return { ...pod, status: { ...pod.status, containerStatuses } };
}

/** Who refused a pod that an event let fit after all, each by its name with how often. */
const helped = new Map<string, number>();

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
    if (outcome.node !== undefined) for (const name of refusedBy) helped.set(name, (helped.get(name) ?? 0) + 1);
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
  // Each of them has refused a pod that an event then let fit: its hints were put to the test.
  for (const name of REFUSERS) assert.ok((helped.get(name) ?? 0) > 0, `${name} ${JSON.stringify([...helped])}`);
});
