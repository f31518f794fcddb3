/**
 * The scheduler decides as the plain definition of its plugins does, through any history of nodes and pods.
 * More seeds: `SCHEDULER_SEEDS=5000 node --test packages/scheduler/src/plan/decide.property.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES, SERVICES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ScoringStrategy } from '../plugins/allocation-scores.ts';
import { defaultProfile } from '../profile.ts';
import { naiveGates, naiveRefusals, naiveTotals } from '../testing/naive.ts';
import type { NaiveCluster, NaiveService } from '../testing/naive.ts';
import {
  Dice,
  randomLabels,
  randomNode,
  randomNodeLabels,
  randomPod,
  randomStrategy,
  randomTaints,
  withRandomGates,
} from '../testing/random-objects.ts';
import { changeStorage, randomStorage, showStorage, withRandomVolumes } from '../testing/random-volumes.ts';
import type { ChangingStorage } from '../testing/random-volumes.ts';
import { Scene } from '../testing/scene.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 100);
const FIRST = Number(process.env['SCHEDULER_SEED'] ?? 1);
interface World {
  readonly scene: Scene;
  readonly nodes: Map<string, Node>;
  readonly placed: { pod: Pod; node: string }[];
  readonly waiting: { pod: Pod; node: string }[];
  readonly namespaces: Map<string, { readonly [key: string]: string }>;
  readonly storage: ChangingStorage;
  readonly services: NaiveService[];
  /** What NodeResourcesFit is told. Undefined: as nobody said anything. */
  readonly strategy: ScoringStrategy | undefined;
}

/** A scheduler that is told how to score by resources. */
function sceneWith(seed: number, scoringStrategy: ScoringStrategy | undefined): Scene {
  const profile = defaultProfile();
  const plugins = profile.plugins.map((one) =>
    one.factory.name === 'NodeResourcesFit' && scoringStrategy !== undefined
      ? { ...one, args: { scoringStrategy } }
      : one,
  );
  return new Scene({ seed, profile: { ...profile, plugins } });
}

/** A pod is held back as long as it has a gate, and by nothing else; what comes through is the pod without gates. */
function throughGates({ scene }: World, pod: Pod, about: string): Pod {
  const demand = scene.demand(pod);
  const refusals = scene.plugins.preEnqueue.flatMap((plugin) => plugin.preEnqueue?.(demand) ?? []);
  const gates = naiveGates(pod);
  const expected = gates.length === 0 ? [] : [`waiting for scheduling gates: [${gates.join(' ')}]`];
  assert.deepEqual(
    refusals.flatMap(({ reasons }) => reasons),
    expected,
    `${about}: gates`,
  );
  if (gates.length === 0) return pod;
  const { schedulingGates: _, ...spec } = pod.spec;
  return { ...pod, spec };
}

/** The pods of a Service are spread where they say nothing about it. */
function addService({ scene, services }: World, dice: Dice): void {
  const service = { namespace: dice.one(['default', 'other']), selector: { app: dice.one(['web', 'db', 'cache']) } };
  scene.object(SERVICES, {
    metadata: { name: `s${services.length}`, namespace: service.namespace },
    spec: { selector: service.selector, ports: [{ port: 80 }] },
  });
  services.push(service);
}

function labelNamespace({ scene, namespaces }: World, name: string, team: string): void {
  namespaces.set(name, { team });
  scene.object(NAMESPACES, { metadata: { name, labels: { team } }, spec: {} });
}

function withPriority(pod: Pod, priority: number): Pod {
  return { ...pod, spec: { ...pod.spec, priority } };
}

/** A pod waits for room on a node, or another one does no longer. */
function nominate({ scene, waiting }: World, dice: Dice, name: string): void {
  if (dice.chance(40)) {
    const gone = waiting.splice(dice.below(Math.max(1, waiting.length)), 1)[0];
    if (gone !== undefined) scene.state.nominate(scene.demand(gone.pod), '');
    return;
  }
  const uid = `w${waiting.length}-${dice.below(1_000_000)}`;
  const pod = withPriority(randomPod(dice, uid), dice.below(3));
  const one = { ...pod, metadata: { ...pod.metadata, uid } };
  waiting.push({ pod: one, node: name });
  scene.state.nominate(scene.demand(one), name);
}

/** A node says something else of itself than it did, and is the same otherwise. */
function retell({ scene, nodes }: World, dice: Dice, name: string): void {
  const node = nodes.get(name);
  if (node === undefined) return;
  const changed = dice.one<() => Node>([
    () => ({ ...node, metadata: { ...node.metadata, labels: randomNodeLabels(dice, name) } }),
    () => ({ ...node, spec: { ...node.spec, taints: randomTaints(dice) } }),
    () => ({ ...node, spec: { ...node.spec, unschedulable: node.spec.unschedulable !== true } }),
  ])();
  nodes.set(name, changed);
  scene.nodes(changed);
}

/** A pod that has a node gets other labels, or has been told to go. */
function changePlaced({ scene, placed }: World, dice: Dice): void {
  const at = dice.below(Math.max(1, placed.length));
  const there = placed[at];
  if (there === undefined) return;
  const { metadata } = there.pod;
  const isGoing = dice.chance(50);
  const changed = isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : { labels: randomLabels(dice) };
  const pod = { ...there.pod, metadata: { ...metadata, ...changed } };
  placed[at] = { pod, node: there.node };
  scene.placed(pod, there.node);
}

/** A namespace gets other labels, none, or is gone. */
function changeNamespace(world: World, dice: Dice): void {
  const name = dice.one(['default', 'other']);
  if (dice.chance(70)) return labelNamespace(world, name, dice.one(['red', 'blue', 'constructor']));
  const labels = world.namespaces.get(name);
  if (labels === undefined) return;
  world.namespaces.delete(name);
  world.scene.remove(NAMESPACES, { metadata: { name, labels }, spec: {} });
}

/** Something happens to the cluster. */
function change(world: World, dice: Dice): void {
  const { scene, nodes, placed } = world;
  const name = `n${dice.below(9)}`;
  switch (dice.below(10)) {
    case 0:
    case 1: {
      const node = randomNode(dice, name);
      nodes.set(name, node);
      scene.nodes(node);
      return;
    }
    case 2:
      nodes.delete(name);
      scene.state.removeNode(name);
      return;
    case 3: {
      const gone = placed.splice(dice.below(placed.length), 1)[0];
      if (gone !== undefined) scene.state.release(gone.pod.metadata.uid ?? '');
      return;
    }
    case 4:
      return changeNamespace(world, dice);
    case 5:
    case 6:
      return nominate(world, dice, name);
    case 7:
    case 8:
      return retell(world, dice, name);
    default:
      return changePlaced(world, dice);
  }
}

/** The pod is decided, compared with the plain definition, and placed. */
function decideBoth(world: World, pod: Pod, about: string): void {
  const { scene, nodes, placed, waiting } = world;
  const { namespaces, storage, services, strategy } = world;
  const cluster: NaiveCluster = {
    nodes: [...nodes.values()],
    placed,
    waiting,
    namespaces,
    storage,
    services,
    ...(strategy && { strategy }),
  };
  const outcome = scene.decide(pod);
  if (nodes.size === 0) return;
  const refused = new Map(outcome.explanation.refused.flatMap((r) => r.names.map((n) => [n, r.plugin] as const)));
  for (const node of nodes.values()) {
    const { name = '' } = node.metadata;
    const [by, expected] = [refused.get(name), naiveRefusals(cluster, pod, node)];
    // With those who wait and without, another plugin may be the first to refuse: any of the two is told.
    assert.ok(
      by === undefined ? expected.length === 0 : expected.includes(by),
      `${about}: ${name} is refused by ${by}`,
    );
  }
  const totals = naiveTotals(cluster, pod);
  const scored = new Map(outcome.explanation.scored.map((s) => [s.node, s.total] as const));
  assert.deepEqual(new Map([...scored].sort()), new Map([...totals].sort()), `${about}: totals`);
  if (outcome.node === undefined) return;
  assert.equal(totals.get(outcome.node), Math.max(...totals.values()), `${about}: the best node`);
  const bound = { ...pod, spec: { ...pod.spec, nodeName: outcome.node } };
  scene.placed(bound, outcome.node);
  placed.push({ pod, node: outcome.node });
}

test(`property: ${SEEDS} histories decide as the plain definition of every plugin`, () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const dice = new Dice(seed);
    // Two of three are told how to score.
    const strategy = seed % 3 === 0 ? undefined : randomStrategy(dice);
    const world: World = {
      scene: sceneWith(seed, strategy),
      strategy,
      nodes: new Map(),
      placed: [],
      waiting: [],
      namespaces: new Map(),
      storage: randomStorage(dice),
      services: [],
    };
    for (let i = dice.below(3); i > 0; i--) addService(world, dice);
    showStorage(world.scene, world.storage);
    labelNamespace(world, 'default', 'red');
    for (let i = 0; i < 6; i++) {
      const node = randomNode(dice, `n${i}`);
      world.nodes.set(`n${i}`, node);
      world.scene.nodes(node);
    }
    for (let step = 0; step < 25; step++) {
      if (dice.chance(25)) change(world, dice);
      if (dice.chance(25)) changeStorage(world.scene, world.storage, dice);
      // Often of one kind, as a controller makes them: kept results are used.
      const made = withRandomVolumes(dice, randomPod(dice, `p${step}`));
      const gated = withRandomGates(dice, withPriority(made, dice.below(3)));
      const pod = throughGates(world, gated, `seed ${seed}, step ${step}`);
      const copies = dice.chance(50) ? 1 : 3;
      for (let copy = 0; copy < copies; copy++) {
        if (dice.chance(15)) nominate(world, dice, `n${dice.below(9)}`);
        // Groups of nodes are kept from twin to twin: what they rest on changes between two of them.
        if (dice.chance(15)) change(world, dice);
        const twin = { ...pod, metadata: { ...pod.metadata, name: `p${step}-${copy}`, uid: `u${step}-${copy}` } };
        decideBoth(world, twin, `seed ${seed}, step ${step}, copy ${copy}`);
      }
    }
  }
});
