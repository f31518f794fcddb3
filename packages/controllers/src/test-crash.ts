import assert from 'node:assert/strict';
import { createSeededRandom, messageOf, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { isPodActive, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { WatchEvent } from '@binnacle/machinery';
import { isTransportError } from '@binnacle/client';
import { startFakeNode } from './test-node.ts';
import type { FakeNode } from './test-node.ts';
import { createTestWorld } from './test-world.ts';
import type { TestWorld } from './test-world.ts';

const FATES = ['lose-request', 'lose-reply', 'delay', 'late'] as const;

/** A request arrives so much later than it was sent, whatever became of its sender: longer than the next leader takes. */
const LATE_MS = 4000;

/** The server ends a watch that names no time after half an hour to an hour: lives are longer, and who watches over them sees all. */
export const LIFE_SECONDS_MAX = 86_400;

/** Whoever works by an older wish has heard of a newer one by then, or its requests arrive for nothing. */
const STALE_MS = 3 * LATE_MS;

/** How many there may be at a time, as wishes change: what was wished for a moment ago, or what has not gone yet since then. */
export class Allowance {
  readonly #wishes: { readonly count: number; readonly since: number }[];
  #allowed: number;
  #there = 0;

  constructor(count: number, since: number) {
    this.#wishes = [{ count, since }];
    this.#allowed = count;
  }

  /** Told before it is sent. */
  wish(count: number, since: number): void {
    this.#wishes.push({ count, since });
  }

  check(there: number, now: number): void {
    const wishes = this.#wishes;
    while (wishes[1] !== undefined && wishes[1].since < now - STALE_MS) wishes.shift();
    const wanted = Math.max(...wishes.map(({ count }) => count));
    this.#allowed = Math.max(wanted, Math.min(this.#allowed, this.#there));
    this.#there = there;
    assert.ok(there <= this.#allowed, `${there} active, ${this.#allowed} are allowed`);
  }
}

/** A life of one controller under kills and a bad network, from one seed. */
export interface CrashLife {
  readonly seed: number;
  readonly which: readonly string[];
  prepare(world: TestWorld, random: Random): Promise<void>;
  /** One change by a user or by the world; calls may be retried. */
  disturb(world: TestWorld, random: Random): Promise<void>;
  /** Asked at every change of a pod: throws when what must never be is. */
  never(pods: readonly Pod[], world: TestWorld): void;
  readonly steps?: number;
  /** Tells the fake node how to behave. */
  node?(node: FakeNode): void;
}

/** Lives through it, then through peace, and answers the world as it is in the end. */
export async function survive(life: CrashLife): Promise<TestWorld> {
  const world = createTestWorld(life.seed);
  const random = createSeededRandom(life.seed * 7919);
  const node = startFakeNode(world);
  life.node?.(node);
  await life.prepare(world, random);
  const faults = watchInvariant(world, life);
  world.network.faults.call = (call) => {
    if (call.cause === undefined || randomBelow(random, 100) >= 35) return undefined;
    const kind = FATES[randomBelow(random, FATES.length)] ?? 'delay';
    return kind === 'delay' || kind === 'late' ? { kind, ms: randomBelow(random, LATE_MS) } : { kind };
  };
  world.network.faults.watchDelayMs = () => (randomBelow(random, 3) === 0 ? randomBelow(random, 1500) : 0);
  let process = world.elect(life.which);
  for (let step = 0; step < (life.steps ?? 40); step++) {
    if (randomBelow(random, 3) === 0) {
      await process.kill();
      process = world.elect(life.which);
    }
    if (randomBelow(random, 3) >= 1) await life.disturb(world, random);
    if (randomBelow(random, 12) === 0) world.network.cutWatches();
    await world.run(randomBelow(random, 2500));
  }
  Object.assign(world.network.faults, { call: undefined, watchDelayMs: undefined });
  for (let i = 0; i < 30; i++) await world.run(20_000);
  await process.kill();
  if (faults.length > 0) throw new RangeError(`seed ${life.seed}: ${faults[0]}`);
  return world;
}

/** Loses a random pod: with grace, without, or by failing. */
export async function losePod(world: TestWorld, random: Random): Promise<void> {
  const active = world.api.objects(PODS).filter(isPodActive);
  const pod = active[randomBelow(random, Math.max(1, active.length))];
  if (pod === undefined) return;
  const way = randomBelow(random, 3);
  if (way === 0) world.api.setStatus(PODS, pod, { ...pod.status, phase: 'Failed' });
  else {
    const options = way === 1 ? {} : { gracePeriodSeconds: 0 };
    await world.client.resource(PODS, pod.metadata.namespace).delete(pod.metadata.name ?? '', options);
  }
}

/** A user tries again when the network failed. */
export async function retried(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isTransportError(error)) throw error;
    await retried(call);
  }
}

/** Judges every revision of the pods, one by one, by a watch that nothing disturbs. */
function watchInvariant(world: TestWorld, life: CrashLife): string[] {
  const faults: string[] = [];
  const pods = new Map<string, Pod>();
  const judge = ({ type, object }: WatchEvent<Pod>): void => {
    if (type === 'BOOKMARK') return;
    const { uid = '', resourceVersion } = object.metadata;
    if (type === 'DELETED') pods.delete(uid);
    else pods.set(uid, object);
    try {
      life.never([...pods.values()], world);
    } catch (error) {
      faults.push(`revision ${resourceVersion}: ${messageOf(error)}`);
    }
  };
  const end = (): void => void faults.push('the watch ended');
  const asked = { sendInitialEvents: true, timeoutSeconds: LIFE_SECONDS_MAX };
  world.observer.resource(PODS).watch(asked, { events: (batch) => batch.forEach(judge), end });
  return faults;
}
