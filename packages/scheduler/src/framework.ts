import type { ResourceRef } from '@binnacle/api';
import type { CallContext, Clock, Logger, Random, Scope } from '@binnacle/base';
import type { Client, EventRecorder } from '@binnacle/client';
import type { KubeObject } from '@binnacle/machinery';
import type { PodDemand } from './plan/demand.ts';
import type { Extender } from './plan/extender.ts';
import type { Simulation, Snapshot } from './plan/snapshot.ts';

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

/** A kind of event that may help a pod that the plugin refused. */
export interface QueueingHint {
  readonly resource: string;
  readonly actions: readonly EventAction[];
  /** Looks closer: whether this event may help this pod. Absent: it may. */
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
}

/** Why nothing fitted: what PostFilter starts from. */
export interface Failure {
  /** Refused before any node was looked at. */
  readonly preFilter?: Refusal;
  /** Why the node at this slot was refused. */
  refusalAt(slot: number): Refusal | undefined;
  /** Asks all filters about the node as the snapshot is now, for use in a simulation; undefined: the pod fits. */
  test(slot: number): Refusal | undefined;
  /** As the snapshot's, with the plugins that keep state of their own following. */
  simulate<T>(trial: (simulation: Simulation) => T): T;
}

/** What PostFilter found. */
export interface PostFilterResult {
  /** The node that the pod waits for; the empty text takes an earlier nomination back. */
  readonly nominatedNode?: string;
  readonly message?: string;
}

/** A value, or a promise of it: only what is a promise is awaited. */
export type MaybePromise<T> = T | Promise<T>;

/** What a plugin may do. A plugin implements the points that it needs; a point that returns undefined has nothing to say. */
export interface Plugin {
  readonly name: string;
  /**
   * Filter and Score look at nothing but the node itself and the `shape` of the pod (requests, host ports,
   * tolerations, node selector and affinity). Results are then kept, and looked at again only for nodes that changed.
   */
  readonly isLocal?: boolean;
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
  postBind?(demand: PodDemand, node: string): void;
}

/** The points by which a profile can switch plugins on and off, as a configuration file names them. */
export type ExtensionPoint =
  | 'preEnqueue'
  | 'queueSort'
  | 'preFilter'
  | 'filter'
  | 'postFilter'
  | 'score'
  | 'reserve'
  | 'permit'
  | 'preBind'
  | 'bind'
  | 'postBind';

/** What is known of the objects of one kind: a cache that follows the API. Objects are shared: read only. */
export interface Lister<T extends KubeObject> {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Objects under an index that was declared when the lister was asked for. */
  byIndex(index: string, value: string): readonly T[];
  /** Calls `changed` for every change, in the turn in which it is seen; `before` or `after` may be missing. */
  follow(changed: (before: T | undefined, after: T | undefined) => void): void;
}

/** What a plugin is handed when it is made. Nothing in it may be used before the scheduler is ready. */
export interface Handle {
  readonly profile: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends with the scheduler. */
  readonly scope: Scope;
  readonly client: Client;
  readonly events: EventRecorder;
  /** Nodes, pods and where they are, as seen and as just decided. */
  readonly snapshot: Snapshot;
  /**
   * A cache of the objects of a kind; its changes become cluster events under the resource's name. Asked for while the
   * plugin is made; plugins that ask for the same kind and the same indexes share it.
   */
  lister<T extends KubeObject>(
    ref: ResourceRef<T>,
    indexes?: { readonly [name: string]: (object: T) => readonly string[] },
  ): Lister<T>;
  /** Says that something of the plugin's own changed which may help waiting pods. */
  notify(event: ClusterEvent): void;
  readonly random: Random;
  /** Who is asked besides the plugins. */
  readonly extenders: readonly Extender[];
  /** The node that a pod waits for. */
  nominationOf(uid: string): string | undefined;
  /** Lets a pod wait for a node; the empty text: for none. */
  nominate(demand: PodDemand, node: string): void;
  /** Less important pods no longer wait for the node; returns their keys. */
  withdrawNominations(node: string, below: number): readonly string[];
  /** A waiting pod (`namespace/name`) is worth another try, after its back-off. */
  retry(pod: string): void;
  /** Rejects a pod that `permit` holds back; false: none is. */
  rejectWaiting(uid: string, refusal: Refusal): boolean;
}

/** Makes a plugin for one profile. */
export interface PluginFactory {
  readonly name: string;
  /** Throws a SchedulerConfigError for arguments that it does not understand. */
  create(handle: Handle, args?: unknown): Plugin;
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

/** One plugin of a profile. */
export interface EnabledPlugin {
  readonly factory: PluginFactory;
  /** As its kind of `…Args` says. */
  readonly args?: unknown;
  /** Of its score; 1 where absent. */
  readonly weight?: number;
}

/** A profile: the plugins that schedule the pods of one `schedulerName`, in the order in which they are asked. */
export interface Profile {
  readonly schedulerName: string;
  readonly plugins: readonly EnabledPlugin[];
  /** Where a point has other plugins, or another order, than those that implement it: their names. */
  readonly points?: { readonly [point in ExtensionPoint]?: readonly string[] };
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
