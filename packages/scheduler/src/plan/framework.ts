import type { CallContext } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { PodDemand } from './demand.ts';
import type { PreemptionTale } from './preemption-tale.ts';
import type { Simulation, Snapshot } from './snapshot.ts';
import type { TopologyColumn } from './topology.ts';

/**
 * The scheduler's extension points, as upstream names and orders them:
 * PreEnqueue → QueueSort → PreFilter → Filter → PostFilter (only when nothing fits) → PreScore → Score →
 * NormalizeScore → Reserve → Permit → PreBind → Bind → PostBind; Unreserve undoes Reserve.
 * Filter and Score are pure: they look at a pod and the snapshot, and do no I/O. Only plugins that need to wait pay
 * for it: what returns no promise is not awaited.
 */

/** Why a pod or node was refused. `unresolvable`: taking pods off the node would not help. */
export interface Refusal {
  readonly plugin: string;
  readonly reasons: readonly string[];
  readonly unresolvable: boolean;
}

/** Looks at one node by slot: undefined when the pod fits. The refusal is a shared constant, not made per node. */
export type NodeTest = (slot: number) => Refusal | undefined;

/** Scores one node by slot; any number, normalised afterwards to 0–100. NaN: the node is left out, and gets 0. */
export type NodeScore = (slot: number) => number;

/** What happened to an object. */
export type EventAction = 'add' | 'update' | 'delete';

/** A change in the cluster, of an object of any kind that some plugin has a lister for. */
export interface ClusterEvent {
  /** Plural name: `nodes`, `persistentvolumeclaims`. Pods with a node are `pods`, those without `pendingpods`. */
  readonly resource: string;
  readonly action: EventAction;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Which waiting pods an event may help: all, or those that wait for one of these names. */
export type EventReach = 'all' | readonly string[];

/** A kind of event that may help a pod that the plugin refused. */
export interface QueueingHint {
  readonly resource: string;
  readonly actions: readonly EventAction[];
  /** Looks at the event alone, once for all pods that wait. Absent: it reaches all. */
  reaches?(event: ClusterEvent): EventReach;
  /** The names under which the pod waits for such events. They are asked for again when the pod changes, and only then. */
  waitsFor?(demand: PodDemand): readonly string[];
  /** Looks closer: whether an event that reaches the pod may help it. Absent: it may. */
  mayHelp?(demand: PodDemand, event: ClusterEvent): boolean;
}

/** What PreFilter finds before any node is looked at. */
export interface PreFilterResult {
  /** The only nodes worth looking at, by name; absent: all. */
  readonly nodes?: ReadonlySet<string>;
  /** The pod fits nowhere. */
  readonly refusal?: Refusal;
}

/** The nodes that passed all filters, by place. */
export interface Candidates {
  readonly slots: Int32Array;
  readonly count: number;
  /** The same, but one of each kind: for a plugin that says what it looks at. Absent: nobody knows what kinds there are. */
  readonly kinds?: CandidateKinds | undefined;
}

/** Nodes that every plugin beyond the local ones answers alike about, one of each kind by place. */
export interface CandidateKinds {
  readonly slots: Int32Array;
  /** How many candidates are of the kind. */
  readonly counts: Int32Array;
  readonly count: number;
}

/** What a plugin looks at of a node through a topology: which domain it is in, or what is counted there. */
export interface DomainView {
  readonly topology: TopologyColumn;
  /** What is counted, by domain; changed in place by pods that come and go, and another array when it is counted anew. */
  readonly sums?: Float64Array;
  /** Only whether the node has the label at all. */
  readonly presenceOnly?: boolean;
}

/** Why nothing fitted: what PostFilter starts from. */
export interface Failure {
  /** Refused before any node was looked at. */
  readonly preFilter?: Refusal;
  /** Why the node at this slot was refused. */
  refusalAt(slot: number): Refusal | undefined;
  /** Asks all filters about the node as the snapshot is now, for use in a simulation; undefined: the pod fits. */
  test(slot: number): Refusal | undefined;
  /** Whether who refused looks at nothing but the node and what the pods on it take: one pod there is as another that is alike. */
  isOfNodeAlone(refusal: Refusal): boolean;
  /** As the snapshot's, with the plugins that keep state of their own following. */
  simulate<T>(trial: (simulation: Simulation) => T): T;
}

/** What PostFilter found. */
export interface PostFilterResult {
  /** The node that the pod waits for; the empty text takes an earlier nomination back. */
  readonly nominatedNode?: string;
  readonly message?: string;
  /** What preemption looked at, for whoever asks why. */
  readonly preemption?: PreemptionTale;
}

/** A value, or a promise of it: only what is a promise is awaited. */
export type MaybePromise<T> = T | Promise<T>;

/** A pod that is to be bound to its node, and why. */
export interface PlannedBinding {
  readonly demand: PodDemand;
  readonly node: string;
  readonly context: CallContext;
}

/** Told of each of several bindings once, by its place among them; without a failure, the pod is bound. */
export type BindingSink = (at: number, failure?: { readonly error: unknown }) => void;

/** What a plugin may do. A plugin implements the points that it needs; a point that returns undefined has nothing to say. */
export interface Plugin {
  readonly name: string;
  /**
   * Filter and Score look at nothing but the node itself and the `shape` of the pod (requests, host ports,
   * tolerations, node selector and affinity). Results are then kept, and looked at again only for nodes that changed.
   */
  readonly isLocal?: boolean;
  /**
   * For a plugin that is not local: all that Filter and Score look at of a node, for this pod and until something changes.
   * Nodes that are alike in it are answered alike, and one of them is asked for all; `normalizeScore` gets one score of each
   * kind. Absent: every node is asked.
   */
  looksAt?(demand: PodDemand, snapshot: Snapshot): readonly DomainView[];
  /** What a local plugin looks at besides, as text: what it said under another one is not true any more. Absent: nothing. */
  readonly localKey?: (demand: PodDemand) => string;
  /** The events after which a pod that this plugin refused is worth another try. Absent: all of them. */
  readonly wakesOn?: readonly QueueingHint[];
  /** Refuses to let the pod into the queue. */
  preEnqueue?(demand: PodDemand): Refusal | undefined;
  /** Negative: `a` goes first. Exactly one plugin of a scheduler has it. */
  queueSort?(a: QueuedPod, b: QueuedPod): number;
  preFilter?(demand: PodDemand, snapshot: Snapshot): MaybePromise<PreFilterResult | undefined>;
  /** A simulation puts a pod on a node: for plugins that keep state of their own between preFilter and filter. */
  addPod?(demand: PodDemand, added: PodDemand, slot: number): void;
  /** A simulation takes a pod off a node. */
  removePod?(demand: PodDemand, removed: PodDemand, slot: number): void;
  /** Prepares the test of all nodes for one pod; undefined: every node passes. */
  filter?(demand: PodDemand, snapshot: Snapshot): NodeTest | undefined;
  /** Nothing fitted: may make room (preemption). The queue goes on meanwhile. */
  postFilter?(demand: PodDemand, snapshot: Snapshot, failure: Failure): MaybePromise<PostFilterResult | undefined>;
  /** Prepares the scores of one pod (PreScore and Score in one step); undefined: nothing to prefer. A local plugin sees no candidates. */
  score?(demand: PodDemand, snapshot: Snapshot, candidates: Candidates): NodeScore | undefined;
  /** Brings raw scores of the feasible nodes to 0–100, in place. Absent: they are already. */
  normalizeScore?(scores: Float64Array, length: number): void;
  /** Takes note that the pod will go to the node. */
  reserve?(demand: PodDemand, node: string): Refusal | undefined;
  unreserve?(demand: PodDemand, node: string): void;
  /** May hold the pod back: resolves when it may be bound, or with a refusal. */
  permit?(demand: PodDemand, node: string, context: CallContext): MaybePromise<Refusal | undefined>;
  preBind?(demand: PodDemand, node: string, context: CallContext): MaybePromise<void>;
  /** Binds the pod and says so; false: another plugin shall. */
  bind?(demand: PodDemand, node: string, context: CallContext): MaybePromise<boolean>;
  /**
   * For a plugin that binds whatever it is asked, beside its `bind`: pods of one turn that nobody held up are bound together.
   * Resolves when all are told.
   */
  bindAll?(bindings: readonly PlannedBinding[], told: BindingSink): Promise<void>;
  postBind?(demand: PodDemand, node: string): void;
}

/** A pod in the queue. */
export interface QueuedPod {
  readonly demand: PodDemand;
  /** When it came in, milliseconds of the monotonic clock. */
  readonly since: number;
  /** How many times it was tried. */
  attempts: number;
  /** How many of these times no node fitted. */
  refusals: number;
  /** How many of the last times something went wrong on the way. */
  errorsInRow: number;
  /** When it was tried last, on the same clock. */
  triedAt: number;
  /** How long it waited before that: since it came in, or since the try before. Milliseconds. */
  waitedMs: number;
  /** The plugins that refused it last. */
  refusedBy: ReadonlySet<string>;
  /** When it was let in that plugins had kept out at first; NaN: they still do. Absent: it was let in as it came. */
  entered?: number;
  /** Time alone, and no event, woke it at some time. */
  wasFlushed?: boolean;
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
