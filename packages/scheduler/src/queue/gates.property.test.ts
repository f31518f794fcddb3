/**
 * What the queue gives out is what the plain definition of gates and order says: every pod without a gate, the most
 * important first, among equals who came first; never one with a gate, whatever else happens.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { ClusterEvent } from '../plan/framework.ts';
import { demandOf } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import { naiveGates } from '../testing/naive.ts';
import { makePod } from '../testing/objects.ts';
import { Dice } from '../testing/random-objects.ts';
import { Scene } from '../testing/scene.ts';
import { SchedulingQueue } from './scheduling-queue.ts';
import { awaitedNames, ProfileQuestion } from './wake-rules.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 100);
const GATES = ['example.com/quota', 'example.com/data', 'example.com/license'];

class World {
  readonly scene: Scene;
  readonly clock = new VirtualClock();
  readonly queue: SchedulingQueue;
  /** Pods that wait, in the order in which they came. */
  readonly pods = new Map<string, Pod>();
  readonly dice: Dice;
  #made = 0;

  constructor(seed: number) {
    this.dice = new Dice(seed);
    this.scene = new Scene({ seed });
    const { byName, preEnqueue, queueSort } = this.scene.plugins;
    this.queue = new SchedulingQueue({
      clock: this.clock,
      sort: (a, b) => queueSort[0]?.queueSort?.(a, b) ?? 0,
      ask: (event) => new ProfileQuestion(byName, event),
      waitsFor: (demand, refusedBy) => awaitedNames(byName, demand, refusedBy),
      admit: (demand) => preEnqueue.map((plugin) => plugin.preEnqueue?.(demand)).find((refusal) => refusal),
      current: (demand) => this.#demands.get(demand.key),
      onReady: () => undefined,
    });
  }

  readonly #demands = new Map<string, PodDemand>();

  #put(pod: Pod, change?: ClusterEvent): void {
    const demand = demandOf(pod);
    this.pods.set(demand.key, pod);
    this.#demands.set(demand.key, demand);
    this.queue.add(demand, change);
  }

  #drop(key: string): void {
    this.pods.delete(key);
    this.#demands.delete(key);
    this.queue.remove(key);
  }

  create(): void {
    const { dice } = this;
    const schedulingGates = GATES.filter(() => dice.chance(35)).map((name) => ({ name }));
    this.#put(makePod(`p${this.#made++}`, { priority: dice.below(3) * 10, schedulingGates }));
  }

  /** A waiting pod loses one of its gates, gets a label, or goes. */
  changeOne(): void {
    const { dice } = this;
    const key = dice.one([...this.pods.keys()]);
    const before = this.pods.get(key);
    if (before === undefined) return;
    const { schedulingGates: gates = [] } = before.spec;
    const lost = dice.below(Math.max(1, gates.length));
    switch (dice.below(4)) {
      case 0:
        return this.#drop(key);
      case 1: {
        const labels = { app: dice.one(['web', 'db']) };
        const after = { ...before, metadata: { ...before.metadata, labels } };
        return this.#put(after, { resource: 'pendingpods', action: 'update', before, after });
      }
      default: {
        const after = { ...before, spec: { ...before.spec, schedulingGates: gates.filter((_, at) => at !== lost) } };
        return this.#put(after, { resource: 'pendingpods', action: 'update', before, after });
      }
    }
  }

  /** Something that has nothing to do with gates. */
  async happen(): Promise<void> {
    const { dice } = this;
    if (dice.chance(30)) return this.clock.advance(dice.one([1_000, 6 * 60_000]));
    const resource = dice.one(['nodes', 'pods', 'namespaces']);
    this.queue.event({ resource, action: dice.one(['add', 'update', 'delete']) } as ClusterEvent);
  }

  /** Takes all there is, and compares it with the definition. */
  async takeAll(about: string): Promise<void> {
    const free = [...this.pods.values()].filter((pod) => naiveGates(pod).length === 0);
    const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name ?? '');
    const order = (pod: Pod): number => Number((pod.metadata.name ?? '').slice(1));
    const expected = free.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0) || order(a) - order(b));
    const taken: Pod[] = [];
    for (let next = this.queue.take(); next !== undefined; next = this.queue.take()) {
      taken.push(next.demand.pod);
      this.#drop(next.demand.key);
      this.queue.done(next);
    }
    assert.deepEqual(names(taken), names(expected), about);
    // Each pod came at its own time.
    await this.clock.advance(1);
  }
}

test(`property: in ${SEEDS} histories gated pods stay out, and all others come in their order`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = new World(seed);
    for (let step = 0; step < 60; step++) {
      const { dice } = world;
      if (dice.chance(45)) world.create();
      else if (dice.chance(60)) world.changeOne();
      else await world.happen();
      await world.clock.advance(1);
      if (dice.chance(20)) await world.takeAll(`seed ${seed}, step ${step}`);
    }
    await world.takeAll(`seed ${seed}, the end`);
  }
});
