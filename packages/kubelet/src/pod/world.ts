import type { Clock, Logger, Random } from '@binnacle/base';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { Runtime } from '@binnacle/runtime';
import type { KubeletConfig } from '../config.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { ImagePuller } from '../image/puller.ts';
import type { NetworkProbe } from '../network-probe.ts';
import type { HostFiles, Machine, ObjectReader, PodPolicies } from '../ports.ts';
import type { Prober } from '../probe/prober.ts';
import type { StatusWriter } from '../status/writer.ts';
import type { Volumes } from '../volume/volumes.ts';
import type { Givers } from '../givers.ts';
import type { NodeClaims } from '../claim/node-claims.ts';
import type { NodeDevices } from '../device/node-devices.ts';
import type { NodeGroups } from '../cgroup/node-groups.ts';
import type { ResizeRefusal } from '../resize/fit.ts';
import type { StateTale } from './state-tale.ts';
import type { Backoff } from '../backoff.ts';
import type { PodEvents } from '../pod-events.ts';
import type { PodNetworkState } from '../registration/pod-network-state.ts';

/** Why a pod may not run on this node at all. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
  /** What there is too little of; absent: it is not for room. */
  readonly short?: readonly Shortage[];
  /** By what was last known of the node, which may be older than the pod. */
  readonly mayBeOld?: true;
}

/** A resource that a pod asks for more of than is left; in thousandths of a CPU, bytes, or whole units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** A Node of the API. */
export interface ApiNode {
  /** As it was when it was last asked for. */
  readonly lastRead: Node | undefined;
  /** Throws what the API throws. */
  read(): Promise<Node>;
}

/** What all pod workers of one kubelet share. */
export interface PodWorld {
  readonly config: KubeletConfig;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told of every step of a worker from one state to another. */
  readonly stateChanged: StateTale;
  /** Undefined: go on; a promise: the kubelet is held. */
  readonly pass: (pod: Pod) => Promise<void> | undefined;
  readonly machine: Machine;
  readonly files: HostFiles | undefined;
  readonly network: NetworkProbe | undefined;
  /** Whether pods can be joined to the network. */
  readonly joins: Pick<PodNetworkState, 'trouble'>;
  readonly policies: PodPolicies | undefined;
  readonly objects: ObjectReader | undefined;
  readonly events: PodEvents;
  readonly restarts: Backoff;
  readonly images: ImagePuller;
  readonly volumes: Volumes;
  readonly prober: Prober;
  readonly statuses: StatusWriter;
  readonly groups: NodeGroups;
  /** Absent: this node has no plugins. */
  readonly devices: NodeDevices | undefined;
  /** What comes with devices that programs of others make ready. Absent: this node has no plugins. */
  readonly claims: NodeClaims | undefined;
  /** What is given to containers alone. */
  readonly given: Givers;
  readonly allocatable: NodeAllocatable;
  readonly hostIPs: readonly string[];
  /** `containerd`, as container ids in statuses start. */
  readonly runtimeName: () => string;
  readonly nodeResolvConf: () => Promise<string>;
  /** The API's object of a pod: itself, a static pod's mirror, or none. */
  readonly apiTwin: (pod: Pod) => Pod | undefined;
  /** Takes a pod in, or says why not, before anything of it runs; `node`: as the API has it now, in place of what was last known. */
  readonly admit: (pod: Pod, node?: Node) => Rejection | undefined;
  /** Some pod took room, or may take more of it, that did not ask at the door. */
  readonly recount: () => void;
  /** Why no room could make the node take it in; undefined: it could. */
  readonly refusedAnyway: (pod: Pod) => Rejection | undefined;
  /**
   * Makes room for a pod that the node cannot do without: others end. Resolves when they are off the node; undefined: all that
   * may end would not make enough of it.
   */
  readonly makeRoom: (pod: Pod, short: readonly Shortage[]) => Promise<void> | undefined;
  /** The Node that the API has of this one; undefined: there is no API. */
  readonly apiNode: () => ApiNode | undefined;
  /** Why a pod that runs may not have what it asks for by now; undefined: it may. */
  readonly refuseResize: (pod: Pod) => ResizeRefusal | undefined;
  /** A pod takes less room than before: those who wait for some may have it. */
  readonly roomChanged: () => void;
  /** Clears away a pod's control group and its logs. */
  readonly removeRemains: (pod: Pod) => Promise<void>;
  /** Ends the object of a pod that is gone from the node: DELETE with grace 0, by its uid. */
  readonly deleteApiPod: (pod: Pod) => Promise<void>;
}
