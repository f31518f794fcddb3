import type { HopDetail, Trace } from '@binnacle/base';
import { observedCause } from '@binnacle/client';
import type { PodDemand } from '../plan/demand.ts';
import type { Explanation } from '../plan/explanation.ts';

/** So many nodes of each sort are named. */
const NAMED_MAX = 100;
/** A text of the trace is no novel. */
const TITLE_MAX = 512;

/** Whoever explains a decision when somebody asks. */
export interface Explainer {
  explain(pod: string): Explanation | undefined;
}

/** Tells the trace of decisions: how long they took, for which version of a pod, and, when somebody asks, why. */
export class DecisionTale {
  readonly #trace: Trace;
  readonly #explainer: Explainer;
  /** Those under way: one, but for those that wait for others to be asked. */
  readonly #began = new Map<string, { readonly at: number; readonly waitedMs: number }>();

  constructor(trace: Trace, explainer: Explainer) {
    this.#trace = trace;
    this.#explainer = explainer;
  }

  /** A pod is about to be decided that waited so long in the queue, since it came there or was tried before. */
  begin({ uid }: PodDemand, waitedMs: number): void {
    if (this.#trace.on) this.#began.set(uid, { at: this.#trace.now(), waitedMs });
  }

  /** It was; the hop's name is what its binding and its status name as their cause. */
  end({ uid, key, pod }: PodDemand, outcome: string): void {
    const trace = this.#trace;
    const began = this.#began.get(uid);
    this.#began.delete(uid);
    if (!trace.on) return;
    const now = trace.now();
    const startedAt = began?.at ?? now;
    const { namespace = '', name = '', resourceVersion } = pod.metadata;
    const component = pod.spec.schedulerName ?? 'default-scheduler';
    trace.record({
      id: observedCause(component, pod, '').id,
      kind: 'decision',
      component,
      name: `schedule ${key}: ${outcome}`.slice(0, TITLE_MAX),
      startedAt,
      durationMs: now - startedAt,
      ...(began === undefined ? {} : { waitedMs: began.waitedMs }),
      object: { group: '', resource: 'pods', namespace, name, uid },
      ...(resourceVersion === undefined ? {} : { revision: resourceVersion }),
      detail: () => this.#why(key, startedAt, now),
    });
  }

  /** Undefined once a later decision about the pod took its place, or it is forgotten. */
  #why(key: string, from: number, to: number): HopDetail | undefined {
    const found = this.#explainer.explain(key);
    // Its time has whole milliseconds.
    if (found === undefined || found.at < Math.floor(from) - 1 || found.at > to + 1) return undefined;
    const { node, message, nominatedNode, isComplete, refused, scored, preemption } = found;
    return {
      ...(node === undefined ? {} : { node }),
      ...(message === undefined ? {} : { message }),
      ...(nominatedNode === undefined ? {} : { nominatedNode }),
      isComplete,
      refused: refused.map((one) => ({ ...one, names: one.names.slice(0, NAMED_MAX) })),
      scored: scored.slice(0, NAMED_MAX),
      ...(preemption === undefined ? {} : { preemption }),
    };
  }
}
