import { getPodCondition, PODS } from '@binnacle/api';
import { formatTime, messageOf, randomBelow } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { status } from '@binnacle/machinery';
import type { Handle, Lister, PluginFactory } from '../handle.ts';
import type { Failure, Plugin, PostFilterResult, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { availability } from '../plan/evidence.ts';
import { NAMED, podNameOf, PreemptionTale, UnsuitableTally } from '../plan/preemption-tale.ts';
import type { ExplainedExtender } from '../plan/preemption-tale.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { POD_DISRUPTION_BUDGETS } from '../refs.ts';
import { argumentsOf } from './arguments.ts';
import { acceptVictims } from './extender-victims.ts';
import { explainCandidate, NO_VICTIMS, pickCandidate, readBudgets, selectVictims } from './preemption-victims.ts';
import type { Candidate, Choice } from './preemption-victims.ts';

/** Arguments of DefaultPreemption (kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs). */
export interface DefaultPreemptionArgs {
  /** How many candidates are looked for, of the nodes where it may help: at least this share (percent) … */
  readonly minCandidateNodesPercentage?: number;
  /** … and at least so many. */
  readonly minCandidateNodesAbsolute?: number;
}

const PREEMPTED = 'PreemptionByScheduler';
const NOT_HELPFUL = ['Preemption is not helpful for scheduling'];

/** What was looked at, and what came of it. */
interface Found {
  readonly candidates: readonly Candidate[];
  /** Why not, for the other nodes. */
  readonly unsuitable: UnsuitableTally;
  readonly tried: number;
  readonly untried: number;
}

/** What was chosen of it, after extenders had their say. */
interface Chosen extends Choice {
  /** What is left of the candidates. */
  readonly candidates: readonly Candidate[];
  readonly extenders: readonly ExplainedExtender[];
}

/** Room that is made. */
interface Eviction extends Candidate {
  readonly demand: PodDemand;
  readonly tale: PreemptionTale;
}

/** Makes room for a pod by ending less important ones, and lets the pod wait for it. */
class DefaultPreemption implements Plugin {
  readonly name = 'DefaultPreemption';
  readonly #handle: Handle;
  readonly #budgets: Lister<PodDisruptionBudget>;
  readonly #share: number;
  readonly #least: number;
  /** The uids of pods for which room is being made: their victims are not all told yet. */
  readonly #making = new Set<string>();

  constructor(handle: Handle, args: DefaultPreemptionArgs) {
    this.#handle = handle;
    this.#budgets = handle.lister(POD_DISRUPTION_BUDGETS);
    this.#share = args.minCandidateNodesPercentage ?? 10;
    this.#least = args.minCandidateNodesAbsolute ?? 100;
  }

  postFilter(demand: PodDemand, snapshot: Snapshot, failure: Failure): PostFilterResult | Promise<PostFilterResult> {
    const attempts = this.#handle.measures?.tally('preemption_attempts_total', []);
    if (attempts !== undefined) attempts.count++;
    const obstacle = this.#obstacle(demand, snapshot, failure);
    if (obstacle !== undefined) {
      const preemption = new PreemptionTale({ atMs: this.#handle.clock.now(), obstacle });
      return { message: `preemption: ${obstacle}`, preemption };
    }
    const found = this.#find(demand, snapshot, failure);
    const { candidates, unsuitable } = found;
    if (candidates.length === 0) {
      const message = `preemption: ${availability(snapshot.nodes.size, unsuitable.counts())}`;
      return { nominatedNode: '', message, preemption: this.#explain(found) };
    }
    const hasExtenders = this.#handle.extenders.some((e) => e.preempt !== undefined && e.isInterested(demand));
    if (hasExtenders) return this.#ask(demand, snapshot, found).then((chosen) => this.#take(demand, found, chosen));
    const choice = pickCandidate(candidates, this.#handle.clock.now());
    return this.#take(demand, found, { ...choice, candidates, extenders: [] });
  }

  /** Why the pod may not take room from others, if so. */
  #obstacle({ pod, priority, uid }: PodDemand, snapshot: Snapshot, failure: Failure): string | undefined {
    if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
    // Victims that nobody has told yet look like any other pod: others might be chosen beside them, on another node.
    if (this.#making.has(uid)) return 'waiting for the preemption for this pod to be finished';
    const nominated = this.#handle.nominationOf(uid);
    const slot = nominated === undefined ? undefined : snapshot.nodes.slotOf(nominated);
    if (slot === undefined || failure.refusalAt(slot)?.unresolvable === true) return undefined;
    const isComing = snapshot
      .podsOn(slot)
      .some(
        (p) =>
          p.priority < priority &&
          p.pod.metadata.deletionTimestamp !== undefined &&
          getPodCondition(p.pod, 'DisruptionTarget')?.reason === PREEMPTED,
      );
    return isComing ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
  }

  #find(demand: PodDemand, snapshot: Snapshot, failure: Failure): Found {
    const { nodes } = snapshot;
    const slots: number[] = [];
    const unsuitable = new UnsuitableTally((slot) => nodes.nameOf(slot));
    for (let slot = 0; slot < nodes.end; slot++) {
      if (nodes.nodes[slot] === undefined) continue;
      const refusal: Refusal | undefined = failure.preFilter ?? failure.refusalAt(slot);
      if (refusal === undefined || refusal.unresolvable) unsuitable.add(NOT_HELPFUL, slot);
      else slots.push(slot);
    }
    // Often nobody at all is less important: nothing has to be tried then.
    if (snapshot.lowestPriority >= demand.priority) {
      for (const slot of slots) unsuitable.add(NO_VICTIMS.reasons, slot);
      return { candidates: [], unsuitable, tried: 0, untried: 0 };
    }
    const wanted = Math.min(slots.length, Math.max(Math.floor((slots.length * this.#share) / 100), this.#least));
    const candidates: Candidate[] = [];
    let harmless = 0;
    const budgets = readBudgets(this.#budgets.list());
    const nowMs = this.#handle.clock.now();
    const offset = slots.length === 0 ? 0 : randomBelow(this.#handle.random, slots.length);
    let tried = 0;
    for (; tried < slots.length && !(candidates.length >= wanted && harmless > 0); tried++) {
      const slot = slots[(offset + tried) % slots.length]!;
      const node = nodes.nameOf(slot);
      const pods = snapshot.podsOn(slot);
      const result = selectVictims({ demand, node, slot, pods, budgets, failure, nowMs });
      if ('victims' in result) {
        candidates.push(result);
        if (result.budgetViolations === 0) harmless++;
      } else unsuitable.add(result.reasons, slot);
    }
    return { candidates, unsuitable, tried, untried: slots.length - tried };
  }

  #explain({ unsuitable, candidates, tried, untried }: Found, came?: Chosen): PreemptionTale {
    const atMs = this.#handle.clock.now();
    const found = { atMs, unsuitable: unsuitable.told(), tried, untried, candidates: candidates.length };
    if (came === undefined) return new PreemptionTale(found);
    const { chosen, choice, extenders } = came;
    const others = came.candidates.filter((candidate) => candidate !== chosen);
    const shown = (chosen === undefined ? others : [chosen, ...others]).slice(0, NAMED.candidates);
    const listed = shown.map((candidate) => explainCandidate(candidate, atMs));
    const { node, victims } = chosen ?? {};
    const choosing = node === undefined || victims === undefined ? {} : { chosen: node, victims };
    return new PreemptionTale({ ...found, ...choosing, listed, choice, extenders });
  }

  /** Extenders may strike out candidates, and choose other victims on those that stay. */
  async #ask(demand: PodDemand, snapshot: Snapshot, found: Found): Promise<Chosen> {
    let { candidates } = found;
    const extenders: ExplainedExtender[] = [];
    const context: CallContext = { signal: this.#handle.scope.signal };
    // As it is now: an answer is about what was asked.
    const there = new Map(candidates.map(({ node }) => [node, snapshot.podsOn(snapshot.nodes.slotOf(node) ?? -1)]));
    for (const extender of this.#handle.extenders) {
      if (extender.preempt === undefined || !extender.isInterested(demand) || candidates.length === 0) continue;
      const asked = new Map(candidates.map((c) => [c.node, { pods: c.victims, budgetViolations: c.budgetViolations }]));
      let failed = false;
      try {
        const left = await extender.preempt(demand, asked, context);
        candidates = acceptVictims({ demand, extender, there, nowMs: this.#handle.clock.now() }, left);
      } catch (error) {
        if (!extender.ignorable) throw error;
        failed = true;
      }
      extenders.push({ name: extender.name, left: candidates.length, failed });
    }
    return { ...pickCandidate(candidates, this.#handle.clock.now()), candidates, extenders };
  }

  /** The pod waits for the node from now on; the victims go in the background. */
  #take(demand: PodDemand, found: Found, came: Chosen): PostFilterResult {
    const { chosen } = came;
    const preemption = this.#explain(found, came);
    if (chosen === undefined) {
      return { nominatedNode: '', message: 'preemption: no candidate node for preemption', preemption };
    }
    this.#handle.measures?.spread('preemption_victims', []).observe(chosen.victims.length);
    this.#making.add(demand.uid);
    this.#handle.scope.run(`preempt for ${demand.key}`, async (signal) => {
      const isMade = await this.#evict({ demand, ...chosen, tale: preemption }, { signal });
      this.#making.delete(demand.uid);
      if (!isMade) this.#handle.retry(demand.key);
    });
    return { nominatedNode: chosen.node, preemption };
  }

  /** False: one of the victims could not be ended, so that the pod waits for nothing and may try again, elsewhere too. */
  async #evict({ demand, node, victims, tale }: Eviction, context: CallContext): Promise<boolean> {
    const { log, events, scope, clock } = this.#handle;
    for (const lower of this.#handle.withdrawNominations(node, demand)) {
      log.info(4, 'Withdrew the nomination of a less important pod', { pod: lower, node });
    }
    const ended = { asked: 0, ending: 0, held: 0, gone: 0 };
    let isMade = true;
    await Promise.all(
      victims.map(async (victim) => {
        try {
          ended[await this.#end(demand, victim, context)]++;
          const message = `Preempted by pod ${demand.uid} on node ${node}`;
          events.event(victim.pod, 'Normal', 'Preempted', message);
          log.info(2, 'Preempted a pod', { preemptor: demand.key, victim: victim.key, node });
        } catch (error) {
          if (status.isNotFound(error)) ended.gone++;
          if (status.isNotFound(error) || scope.closing) return;
          log.error(error, 'Preemption failed', { victim: victim.key, reason: messageOf(error) });
          tale.note({ what: 'failed', pod: podNameOf(victim) }, clock.now());
          isMade = false;
          this.#handle.nominate(demand, '');
        }
      }),
    );
    for (const what of ['asked', 'ending', 'held', 'gone'] as const) {
      if (ended[what] > 0) tale.note({ what, pods: ended[what] }, clock.now());
    }
    return isMade;
  }

  /** The reason is written before the end, so that whoever sees the end sees why (KEP-3329). */
  async #end(demand: PodDemand, victim: PodDemand, context: CallContext): Promise<'asked' | 'ending' | 'held'> {
    const { namespace = '', name = '', uid, generation } = victim.pod.metadata;
    const held: Refusal = { plugin: this.name, reasons: ['preempted'], unresolvable: false };
    if (this.#handle.rejectWaiting(victim.uid, held)) return 'held';
    if (victim.pod.metadata.deletionTimestamp !== undefined) return 'ending';
    const pods = this.#handle.client.resource(PODS, namespace);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: PREEMPTED,
      message: `${demand.pod.spec.schedulerName ?? ''}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: formatTime(this.#handle.clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const patch = { metadata: { uid }, status: { conditions: [condition] } };
    await pods.patch(name, 'strategic', patch, { subresource: 'status' }, context);
    await pods.delete(name, { preconditions: { uid: victim.uid } }, context);
    return 'asked';
  }
}

/** See DefaultPreemption. */
export const defaultPreemption: PluginFactory = {
  name: 'DefaultPreemption',
  create: (handle, args) => new DefaultPreemption(handle, argumentsOf<DefaultPreemptionArgs>(args, {})),
};
