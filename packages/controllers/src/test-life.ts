import { createSeededRandom, randomBelow, randomFloat } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { isPodActive, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { isTransportError } from '@binnacle/client';
import { startFakeNode } from './test-node.ts';
import { createTestWorld } from './test-world.ts';
import type { TestProcess, TestWorld } from './test-world.ts';

const STEPS = 30;
const FATES = ['lose-request', 'lose-reply', 'delay', 'late'] as const;

export interface Trouble {
  /** Calls that are lost, late or answered into the void, of a hundred. */
  readonly calls: number;
  /** The controller's process dies (and starts anew), of a hundred steps. */
  readonly kills: number;
  /** Pods are deleted with grace, without grace, or fail, of a hundred steps. */
  readonly losses: number;
  readonly scales: boolean;
}

export interface Outcome {
  readonly active: number;
  readonly wanted: number;
  readonly reported: number | undefined;
  /** Pods that the controller itself took away. Without scaling, each was one too many. */
  readonly removed: number;
}

/** A replication controller's life under trouble, from one seed, followed by peace. */
export async function liveThrough(seed: number, trouble: Trouble): Promise<Outcome> {
  const world = createTestWorld(seed);
  const random = createSeededRandom(seed * 7919);
  const rcs = world.client.resource(REPLICATION_CONTROLLERS, 'default');
  startFakeNode(world);
  let wanted = 1 + randomBelow(random, 6);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  await rcs.create({ metadata: { name: 'web' }, spec: { replicas: wanted, selector: { a: 'b' }, template } });
  setTrouble(world, random, trouble);
  let process = start(world);
  for (let step = 0; step < STEPS; step++) {
    if (chance(random, trouble.kills)) {
      await process.kill();
      process = start(world);
    }
    if (chance(random, trouble.losses)) await losePod(world, random);
    if (chance(random, 10)) world.network.cutWatches(chance(random, 50) ? null : undefined);
    if (chance(random, 5)) world.network.forget(world.api.revision());
    if (trouble.scales && chance(random, 15)) {
      wanted = randomBelow(random, 8);
      await retried(() => rcs.patch('web', 'merge', { spec: { replicas: wanted } }));
    }
    await world.run(randomBelow(random, 3000));
  }
  Object.assign(world.network.faults, { call: undefined, watchDelayMs: undefined, duplicate: undefined });
  // Longer than the expectations' five minutes, which a truly lost event may cost.
  for (let i = 0; i < 20; i++) await world.run(20_000);
  await process.kill();
  const active = world.api.objects(PODS).filter(isPodActive).length;
  const reported = world.api.objects(REPLICATION_CONTROLLERS)[0]?.status?.replicas;
  return { active, wanted, reported, removed: removals(world) };
}

function start(world: TestWorld): Pick<TestProcess, 'kill'> {
  return world.elect(['replicationcontroller-controller']);
}

function setTrouble(world: TestWorld, random: Random, trouble: Trouble): void {
  world.network.faults.call = (call) => {
    if (call.cause === undefined || !chance(random, trouble.calls)) return undefined;
    const kind = FATES[randomBelow(random, FATES.length)] ?? 'delay';
    return kind === 'delay' || kind === 'late' ? { kind, ms: randomBelow(random, 2000) } : { kind };
  };
  world.network.faults.watchDelayMs = () => (chance(random, 30) ? randomBelow(random, 1500) : 0);
  world.network.faults.duplicate = () => chance(random, 10);
}

async function losePod(world: TestWorld, random: Random): Promise<void> {
  const active: readonly Pod[] = world.api.objects(PODS).filter(isPodActive);
  const pod = active[randomBelow(random, Math.max(1, active.length))];
  if (pod === undefined) return;
  const pods = world.client.resource(PODS, 'default');
  const way = randomBelow(random, 3);
  if (way === 0) world.api.setStatus(PODS, pod, { phase: 'Failed' });
  else await pods.delete(pod.metadata.name ?? '', way === 1 ? {} : { gracePeriodSeconds: 0 });
}

/** Pods that the controller deleted and that were there, by its own Events' worth: calls that carry its cause. */
function removals(world: TestWorld): number {
  const names = new Set<string>();
  for (const call of world.network.calls) {
    if (call.verb === 'delete' && call.cause?.component === 'replication-controller') names.add(call.name ?? '');
  }
  return names.size;
}

function chance(random: Random, percent: number): boolean {
  return randomFloat(random) * 100 < percent;
}

async function retried(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isTransportError(error)) throw error;
    await retried(call);
  }
}
