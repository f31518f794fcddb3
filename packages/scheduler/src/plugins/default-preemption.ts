import { getPodCondition, PODS } from '@binnacle/api';
import { formatTime, messageOf, randomBelow } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { status } from '@binnacle/machinery';
import type { Handle, Lister, PluginFactory } from '../handle.ts';
import type { Failure, Plugin, PostFilterResult, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { availability } from '../plan/evidence.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { POD_DISRUPTION_BUDGETS } from '../refs.ts';
import { argumentsOf } from './arguments.ts';
import { acceptVictims } from './extender-victims.ts';
import { NO_VICTIMS, pickCandidate, readBudgets, selectVictims } from './preemption-victims.ts';
import type { Candidate } from './preemption-victims.ts';

/** Arguments of DefaultPreemption (kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs). */
export interface DefaultPreemptionArgs {
  /** How many candidates are looked for, of the nodes where it may help: at least this share (percent) … */
  readonly minCandidateNodesPercentage?: number;
  /** … and at least so many. */
  readonly minCandidateNodesAbsolute?: number;
}

const PREEMPTED = 'PreemptionByScheduler';
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

interface Found {
  readonly candidates: readonly Candidate[];
  /** Why not, for the other nodes. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Makes room for a pod by ending less important ones, and lets the pod wait for it. */
class DefaultPreemption implements Plugin {
  readonly name = 'DefaultPreemption';
  readonly #handle: Handle;
  readonly #budgets: Lister<PodDisruptionBudget>;
  readonly #share: number;
  readonly #least: number;

  constructor(handle: Handle, args: DefaultPreemptionArgs) {
    this.#handle = handle;
    this.#budgets = handle.lister(POD_DISRUPTION_BUDGETS);
    this.#share = args.minCandidateNodesPercentage ?? 10;
    this.#least = args.minCandidateNodesAbsolute ?? 100;
  }

  postFilter(demand: PodDemand, snapshot: Snapshot, failure: Failure): PostFilterResult | Promise<PostFilterResult> {
    const obstacle = this.#obstacle(demand, snapshot, failure);
    if (obstacle !== undefined) return { message: `preemption: ${obstacle}` };
    const found = this.#find(demand, snapshot, failure);
    if (found.candidates.length === 0) {
      return { nominatedNode: '', message: `preemption: ${availability(snapshot.nodes.size, found.reasons)}` };
    }
    const hasExtenders = this.#handle.extenders.some((e) => e.preempt !== undefined && e.isInterested(demand));
    if (hasExtenders) return this.#choose(demand, snapshot, found).then((chosen) => this.#take(demand, chosen));
    return this.#take(demand, pickCandidate(found.candidates, this.#handle.clock.now()));
  }

  /** Why the pod may not take room from others, if so. */
  #obstacle({ pod, priority, uid }: PodDemand, snapshot: Snapshot, failure: Failure): string | undefined {
    if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
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
    const reasons = new Map<string, number>();
    const count = (reason: string): void => {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    };
    for (let slot = 0; slot < nodes.end; slot++) {
      if (nodes.nodes[slot] === undefined) continue;
      const refusal: Refusal | undefined = failure.preFilter ?? failure.refusalAt(slot);
      if (refusal === undefined || refusal.unresolvable) count(NOT_HELPFUL);
      else slots.push(slot);
    }
    // Often nobody at all is less important: nothing has to be tried then.
    if (snapshot.lowestPriority >= demand.priority) {
      for (let i = 0; i < slots.length; i++) for (const reason of NO_VICTIMS.reasons) count(reason);
      return { candidates: [], reasons };
    }
    const wanted = Math.min(slots.length, Math.max(Math.floor((slots.length * this.#share) / 100), this.#least));
    const candidates: Candidate[] = [];
    let harmless = 0;
    const budgets = readBudgets(this.#budgets.list());
    const nowMs = this.#handle.clock.now();
    const offset = slots.length === 0 ? 0 : randomBelow(this.#handle.random, slots.length);
    for (let i = 0; i < slots.length && !(candidates.length >= wanted && harmless > 0); i++) {
      const slot = slots[(offset + i) % slots.length]!;
      const pods = snapshot.podsOn(slot);
      const result = selectVictims({ demand, node: nodes.nameOf(slot), slot, pods, budgets, failure, nowMs });
      if ('victims' in result) {
        candidates.push(result);
        if (result.budgetViolations === 0) harmless++;
      } else for (const reason of result.reasons) count(reason);
    }
    return { candidates, reasons };
  }

  /** Extenders may strike out candidates, and choose other victims on those that stay. */
  async #choose(demand: PodDemand, snapshot: Snapshot, found: Found): Promise<Candidate | undefined> {
    let { candidates } = found;
    const context: CallContext = { signal: this.#handle.scope.signal };
    // As it is now: an answer is about what was asked.
    const there = new Map(candidates.map(({ node }) => [node, snapshot.podsOn(snapshot.nodes.slotOf(node) ?? -1)]));
    for (const extender of this.#handle.extenders) {
      if (extender.preempt === undefined || !extender.isInterested(demand) || candidates.length === 0) continue;
      const asked = new Map(candidates.map((c) => [c.node, { pods: c.victims, budgetViolations: c.budgetViolations }]));
      try {
        const left = await extender.preempt(demand, asked, context);
        candidates = acceptVictims({ demand, extender, there, nowMs: this.#handle.clock.now() }, left);
      } catch (error) {
        if (!extender.ignorable) throw error;
      }
    }
    return pickCandidate(candidates, this.#handle.clock.now());
  }

  /** The pod waits for the node from now on; the victims go in the background. */
  #take(demand: PodDemand, chosen: Candidate | undefined): PostFilterResult {
    if (chosen === undefined) return { nominatedNode: '', message: 'preemption: no candidate node for preemption' };
    this.#handle.scope.run(`preempt for ${demand.key}`, (signal) => this.#evict(demand, chosen, { signal }));
    return { nominatedNode: chosen.node };
  }

  async #evict(demand: PodDemand, { node, victims }: Candidate, context: CallContext): Promise<void> {
    const { log, events, scope } = this.#handle;
    for (const lower of this.#handle.withdrawNominations(node, demand.priority)) {
      log.info(4, 'Withdrew the nomination of a less important pod', { pod: lower, node });
    }
    await Promise.all(
      victims.map(async (victim) => {
        try {
          await this.#end(demand, victim, context);
          const message = `Preempted by pod ${demand.uid} on node ${node}`;
          events.event(victim.pod, 'Normal', 'Preempted', message);
          log.info(2, 'Preempted a pod', { preemptor: demand.key, victim: victim.key, node });
        } catch (error) {
          if (status.isNotFound(error) || scope.closing) return;
          log.error(error, 'Preemption failed', { victim: victim.key, reason: messageOf(error) });
          // The pod waits for nothing then: it may try again, elsewhere too.
          this.#handle.nominate(demand, '');
          this.#handle.retry(demand.key);
        }
      }),
    );
  }

  /** The reason is written before the end, so that whoever sees the end sees why (KEP-3329). */
  async #end(demand: PodDemand, victim: PodDemand, context: CallContext): Promise<void> {
    const { namespace = '', name = '', uid, generation } = victim.pod.metadata;
    const held: Refusal = { plugin: this.name, reasons: ['preempted'], unresolvable: false };
    if (this.#handle.rejectWaiting(victim.uid, held)) return;
    if (victim.pod.metadata.deletionTimestamp !== undefined) return;
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
  }
}

/** See DefaultPreemption. */
export const defaultPreemption: PluginFactory = {
  name: 'DefaultPreemption',
  create: (handle, args) => new DefaultPreemption(handle, argumentsOf<DefaultPreemptionArgs>(args, {})),
};
