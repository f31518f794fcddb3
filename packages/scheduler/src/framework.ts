import type { CallContext } from '@binnacle/base';
import type { PodDemand } from './plan/demand.ts';
import type { NodeColumns } from './plan/node-columns.ts';

/**
 * The scheduler's extension points, as upstream names and orders them:
 * PreEnqueue → QueueSort → PreFilter → Filter → PostFilter (only when nothing fits) → PreScore → Score →
 * NormalizeScore → Reserve → Permit → PreBind → Bind → PostBind; Unreserve undoes Reserve.
 * Points up to PostFilter and Score are pure: they look at a pod and the columns, and do no I/O.
 */

/** Why a pod or node was refused. `unresolvable`: taking pods off the node would not help. */
export interface Refusal {
  readonly plugin: string;
  readonly reasons: readonly string[];
  readonly unresolvable: boolean;
}

/** Looks at one node by slot: undefined when the pod fits. The refusal is a shared constant, not made per node. */
export type NodeTest = (slot: number) => Refusal | undefined;

/** Scores one node by slot; any number, normalised afterwards to 0–100. */
export type NodeScore = (slot: number) => number;

/** What can make a waiting pod schedulable. */
export type ClusterEvent =
  | 'NodeAdd'
  | 'NodeUpdate'
  | 'NodeDelete'
  | 'AssignedPodAdd'
  | 'AssignedPodUpdate'
  | 'AssignedPodDelete'
  | 'UnscheduledPodUpdate';

/** What PreFilter finds before any node is looked at. */
export interface PreFilterResult {
  /** The only nodes worth looking at, by name; absent: all. */
  readonly nodes?: ReadonlySet<string>;
  /** The pod fits nowhere. */
  readonly refusal?: Refusal;
}

/** What a plugin may do. A plugin implements the points that it needs; a point that returns undefined has nothing to say. */
export interface Plugin {
  readonly name: string;
  /** The events after which a pod that this plugin refused is worth another try. Absent: all of them. */
  readonly wakesOn?: readonly ClusterEvent[];
  /** Refuses to let the pod into the queue. */
  preEnqueue?(demand: PodDemand): Refusal | undefined;
  /** Negative: `a` goes first. Exactly one plugin of a profile has it. */
  queueSort?(a: QueuedPod, b: QueuedPod): number;
  preFilter?(demand: PodDemand, nodes: NodeColumns): PreFilterResult | undefined;
  /** Prepares the test of all nodes for one pod; undefined: every node passes. */
  filter?(demand: PodDemand, nodes: NodeColumns): NodeTest | undefined;
  /** Nothing fitted: may name a node to wait for (preemption). */
  postFilter?(
    demand: PodDemand,
    nodes: NodeColumns,
  ): { readonly nominatedNode?: string; readonly message?: string } | undefined;
  /** Prepares the scores of one pod (PreScore and Score in one step); undefined: nothing to prefer. */
  score?(demand: PodDemand, nodes: NodeColumns): NodeScore | undefined;
  /** Brings raw scores of the feasible nodes to 0–100, in place. Absent: they are already. */
  normalizeScore?(scores: Float64Array, length: number): void;
  /** Takes note that the pod will go to the node. */
  reserve?(demand: PodDemand, node: string): Refusal | undefined;
  unreserve?(demand: PodDemand, node: string): void;
  /** May hold the pod back: resolves when it may be bound, or with a refusal. */
  permit?(demand: PodDemand, node: string, context: CallContext): Promise<Refusal | undefined>;
  preBind?(demand: PodDemand, node: string, context: CallContext): Promise<void>;
  /** Binds the pod and says so; false: another plugin shall. */
  bind?(demand: PodDemand, node: string, context: CallContext): Promise<boolean>;
  postBind?(demand: PodDemand, node: string): void;
}

/** A pod in the queue. */
export interface QueuedPod {
  readonly demand: PodDemand;
  /** When it came in, milliseconds of the monotonic clock. */
  readonly since: number;
  /** How many times it was tried. */
  attempts: number;
  /** When it was tried last, on the same clock. */
  triedAt: number;
  /** The plugins that refused it last. */
  refusedBy: ReadonlySet<string>;
}

/** A profile: the plugins that schedule the pods of one `schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they are asked. */
  readonly plugins: readonly Plugin[];
  /** Weight of each plugin's score; 1 where absent. */
  readonly weights: { readonly [plugin: string]: number };
}

/** Scores reach from 0 to this. */
export const MAX_NODE_SCORE = 100;

/** Scales raw scores so that the highest becomes 100; `reverse`: the lowest raw score is the best. */
export function scaleScores(scores: Float64Array, length: number, reverse = false): void {
  let highest = 0;
  for (let i = 0; i < length; i++) highest = Math.max(highest, scores[i] ?? 0);
  for (let i = 0; i < length; i++) {
    const scaled = highest === 0 ? 0 : Math.floor(((scores[i] ?? 0) * MAX_NODE_SCORE) / highest);
    scores[i] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  }
}
