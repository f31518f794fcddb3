import type { ResourceRef } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { assert, createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { cacheKey, createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { KubeObject } from '@binnacle/machinery';
import type { Handle, Lister, Profile } from '../handle.ts';
import type { ClusterEvent, PostFilterResult } from '../plan/framework.ts';
import { runPreFilters } from '../cycle/pre-filter.ts';
import { ClusterState } from '../plan/cluster-state.ts';
import { decide } from '../plan/decide.ts';
import type { Decision } from '../plan/decide.ts';
import { demandOf } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import { ExplanationLog } from '../plan/explanation.ts';
import type { Explanation } from '../plan/explanation.ts';
import { makePlugins } from '../cycle/make-plugins.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { Scratch } from '../plan/scratch.ts';
import { defaultProfile } from '../profile.ts';

type Changed = (before: KubeObject | undefined, after: KubeObject | undefined) => void;

/** Objects of any kind that a test puts before plugins. */
class Shelf {
  readonly objects = new Map<string, KubeObject>();
  readonly followers: Changed[] = [];

  lister(indexes: { readonly [name: string]: (object: KubeObject) => readonly string[] } = {}): Lister<KubeObject> {
    return {
      get: (key) => this.objects.get(key),
      list: () => [...this.objects.values()],
      byIndex: (index, value) => [...this.objects.values()].filter((o) => indexes[index]?.(o).includes(value)),
      follow: (changed) => void this.followers.push(changed),
    };
  }
}

/** What came of a decision, with all it rests on. */
export interface Outcome {
  readonly node: string | undefined;
  readonly message: string | undefined;
  readonly refusedBy: readonly string[];
  readonly explanation: Explanation;
  readonly decision: Decision;
}

/** A cluster for deciders alone: no server, no queue, nothing is awaited. */
export class Scene {
  readonly state = new ClusterState();
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly scope = new Scope('scene');
  readonly plugins: PluginSet;
  /** What plugins said had changed of their own. */
  readonly notified: ClusterEvent[] = [];
  readonly wire = overFaultyNetwork(createMemoryApi({ clock: this.clock, random: createSeededRandom(1) }), this.clock);
  #scratch = new Scratch();
  readonly #shelves = new Map<string, Shelf>();

  constructor({ profile = defaultProfile(), seed = 1 }: { profile?: Profile; seed?: number } = {}) {
    this.random = createSeededRandom(seed);
    this.plugins = makePlugins(profile, this.#handle(profile.schedulerName));
  }

  /** Forgets all that is kept from pod to pod. */
  forget(): void {
    this.#scratch = new Scratch();
  }

  nodes(...nodes: readonly Node[]): this {
    for (const node of nodes) this.state.setNode(node);
    return this;
  }

  /** The pod is on the node, as the API says. */
  placed(pod: Pod, node: string): this {
    this.state.confirm({ ...pod, spec: { ...pod.spec, nodeName: node } });
    return this;
  }

  /** An object that plugins see through their listers. */
  object<T extends KubeObject>(ref: ResourceRef<T>, object: T): this {
    const shelf = this.#shelf(ref.resource);
    const key = cacheKey(object);
    const before = shelf.objects.get(key);
    shelf.objects.set(key, object);
    for (const changed of shelf.followers) changed(before, object);
    return this;
  }

  /** The object is gone. */
  remove<T extends KubeObject>(ref: ResourceRef<T>, object: T): this {
    const shelf = this.#shelf(ref.resource);
    shelf.objects.delete(cacheKey(object));
    for (const changed of shelf.followers) changed(object, undefined);
    return this;
  }

  /** Decides, without acting on it. */
  decide(pod: Pod | PodDemand): Outcome {
    const demand = 'shape' in pod ? pod : demandOf(pod);
    const decision = this.#decide(demand);
    const log = new ExplanationLog(1);
    const facts = { pod: demand.key, uid: demand.uid, at: 0 };
    log.put(facts, decision.evidence);
    const explanation = log.get(demand.key);
    assert(explanation !== undefined, 'what was put is there');
    return {
      node: decision.kind === 'placed' ? decision.node : undefined,
      message: decision.kind === 'placed' ? undefined : decision.message,
      refusedBy: decision.kind === 'placed' ? [] : [...decision.refusedBy].sort(),
      explanation,
      decision,
    };
  }

  /** What a pod asks for. */
  demand(pod: Pod): PodDemand {
    return demandOf(pod);
  }

  /** Decides and books without a word about why; the node, or undefined. */
  place(demand: PodDemand): string | undefined {
    const decision = this.#decide(demand);
    if (decision.kind !== 'placed') return undefined;
    this.state.assume(demand, decision.node);
    return decision.node;
  }

  /** Decides, and books the pod where it goes. */
  schedule(pod: Pod | PodDemand): Outcome {
    const demand = 'shape' in pod ? pod : demandOf(pod);
    const outcome = this.decide(demand);
    if (outcome.node !== undefined) this.state.assume(demand, outcome.node);
    return outcome;
  }

  /** Decides, and asks one plugin what can be done where nothing fits. */
  postFilter(pod: Pod, plugin = 'DefaultPreemption'): PostFilterResult | undefined {
    const demand = demandOf(pod);
    const { decision } = this.decide(demand);
    assert(decision.kind === 'unplaced', 'the pod fits somewhere');
    const found = this.plugins.byName.get(plugin)?.postFilter?.(demand, this.state, decision.failure);
    assert(!(found instanceof Promise), 'a scene waits for nothing');
    return found;
  }

  #decide(demand: PodDemand): Decision {
    const { plugins, state, random } = this;
    const narrowed = runPreFilters({ plugins, demand, snapshot: state });
    assert(!(narrowed instanceof Promise), 'a scene waits for nothing');
    const decision = decide({ plugins, demand, state, random, scratch: this.#scratch }, narrowed);
    assert(decision.kind !== 'sifted', 'nobody else is asked');
    return decision;
  }

  #shelf(resource: string): Shelf {
    let shelf = this.#shelves.get(resource);
    if (shelf === undefined) this.#shelves.set(resource, (shelf = new Shelf()));
    return shelf;
  }

  #handle(profile: string): Handle {
    const { state } = this;
    return {
      profile,
      clock: this.clock,
      random: this.random,
      log: silentLogger,
      scope: this.scope,
      client: createClient(this.wire),
      events: { event: () => undefined },
      snapshot: state,
      extenders: [],
      lister: <T extends KubeObject>(
        ref: ResourceRef<T>,
        indexes?: { readonly [name: string]: (object: T) => readonly string[] },
      ) =>
        this.#shelf(ref.resource).lister(
          indexes as { readonly [name: string]: (object: KubeObject) => readonly string[] } | undefined,
        ) as Lister<T>,
      notify: (event) => void this.notified.push(event),
      nominationOf: (uid) => state.nominationOf(uid),
      nominate: (demand, node) => state.nominate(demand, node),
      withdrawNominations: (node, { priority }) => state.withdrawNominations(node, priority).map((d) => d.key),
      retry: () => undefined,
      rejectWaiting: () => false,
    };
  }
}
