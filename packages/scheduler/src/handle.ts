import type { ResourceRef } from '@binnacle/api';
import type { Clock, DeviceMeasures, Logger, Random, SchedulerMeasures, Scope } from '@binnacle/base';
import type { Client, EventRecorder } from '@binnacle/client';
import type { KubeObject } from '@binnacle/machinery';
import type { PodDemand } from './plan/demand.ts';
import type { Extender } from './plan/extender.ts';
import type { ClusterEvent, Plugin, Refusal } from './plan/framework.ts';
import type { Snapshot } from './plan/snapshot.ts';

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
  /** Who keeps score of waits for devices. Absent: nobody. */
  readonly devices?: DeviceMeasures | undefined;
  /** Who keeps score of everything else, preemption for one. Absent: nobody. */
  readonly measures?: SchedulerMeasures | undefined;
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
  /** Pods less important than the one that takes the room no longer wait for the node; returns their keys. */
  withdrawNominations(node: string, taker: PodDemand): readonly string[];
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
