import type { Clock, Gate, Logger, Random, Scope, Trace } from '@binnacle/base';
import type { Client, EventRecorder } from '@binnacle/client';
import type {
  ConfigMap,
  Node,
  NodeAddress,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from '@binnacle/api/core/v1';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import type { LabelSelector } from '@binnacle/machinery';
import type { RuntimeClass } from '@binnacle/api/node/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import type { CSIDriver, VolumeAttachment } from '@binnacle/api/storage/v1';
import type { RegistryAuth, Runtime } from '@binnacle/runtime';
import type { KubeletConfig } from './config.ts';
import type { HugePageLimit, HugePages } from './huge-pages.ts';
import type { DeviceUsage, DiskCount, GroupUsage, NodeUsage } from './figures.ts';
import type { NetworkProbe } from './network-probe.ts';

/** What beats for many nodes in one process: each in its turn. */
export interface Heartbeats {
  /** The first beat is its owner's business. Answers with how to stop it. */
  add(heart: { beat(): Promise<void> }): () => void;
}

/** Where pods come from. The kubelet is told of each pod that belongs to its node; objects are shared: read only. */
export interface PodSource {
  /** `file` pods live without an API server; `api` pods are its objects. */
  readonly kind: 'file' | 'api';
  /** Replays what there is, then follows. `ready` comes once, after the replay. Returns how to stop. */
  follow(nodeName: string, handler: PodSourceHandler): () => void;
}

/** What a source tells; called synchronously, must not throw. */
export interface PodSourceHandler {
  upsert(pod: Pod): void;
  remove(pod: Pod): void;
  ready(): void;
  /** A manifest that cannot be used, by its name; without a reason: it is no more refused. */
  refused?(file: string, reason: string | undefined): void;
}

/** What kind of thing a path names. */
export type PathKind = 'absent' | 'file' | 'directory' | 'socket' | 'charDevice' | 'blockDevice';

/** Who may do what with a file. */
export interface FileAccess {
  /** Permission bits, set exactly; 0644 when absent. */
  readonly mode?: number;
  /** A user other than us. */
  readonly owner?: number;
  /** A machine that loses its power has all of it afterwards, or nothing of it: never a file that is empty. */
  readonly outlastsPower?: boolean;
}

/** A group that a tree is given to. */
export interface TreeOwner {
  readonly gid: number;
  /** The group may read and not write. */
  readonly readOnly: boolean;
  /** Only where the top folder is not the group's already. */
  readonly onMismatch?: boolean;
}

/** The node's file system, as far as volumes, logs and manifests need it. Paths are absolute. */
export interface HostFiles {
  /** With parents; an existing one is left as it is. `mode` is set exactly, whatever the umask. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Whole or not at all: written beside, then renamed. */
  writeFile(path: string, content: Uint8Array, access?: FileAccess): Promise<void>;
  /** An empty one, with parents, where nothing is; whatever is there, also since a moment ago, is left as it is. */
  makeFile(path: string): Promise<void>;
  /** Undefined when absent. Throws PathError for what is no file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Up to `length` bytes from `offset`; shorter at the end; undefined when absent. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** Undefined when absent. The caller closes it. */
  hold(path: string): Promise<HeldFile | undefined>;
  /** Bytes, or -1 when absent. */
  size(path: string): Promise<number>;
  /** Files and folders with everything in them; absent is fine. Never follows links nor crosses mounts. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Names in a directory; empty when absent. */
  list(path: string): Promise<readonly string[]>;
  /** Makes or replaces a symbolic link in one step. */
  link(target: string, path: string): Promise<void>;
  readLink(path: string): Promise<string | undefined>;
  kind(path: string): Promise<PathKind>;
  /** Tells one thing at a path from another that takes its place; undefined when absent. */
  identity(path: string): Promise<string | undefined>;
  /** The device that a block device's path names, as the node has it: `/dev/loop3`. Throws PathError for what is none. */
  device(path: string): Promise<string>;
  /** Group of the whole tree, readable (and writable) by it, setgid on directories; links and mounts stay untouched. */
  changeGroup(path: string, owner: TreeOwner): Promise<void>;
  /**
   * Bytes that a tree takes on disk, or its inodes, links not followed, mounts not entered; counted no further than `enough`. A
   * tree too deep to be counted has more than that.
   */
  usage(path: string, enough: number, unit?: 'bytes' | 'inodes'): Promise<number>;
  /** All of both, counted as `usage` does; of a tree too deep to be counted what is not too deep. */
  count(path: string): Promise<DiskCount>;
  /** A tmpfs of at most `sizeBytes` (0: the kernel's default) at an existing directory. False: it was mounted already. */
  mountTmpfs(path: string, sizeBytes: number): Promise<boolean>;
  /** Memory in pages of `pageSizeBytes` at an existing directory. False: it was mounted already. */
  mountHugePages(path: string, pageSizeBytes: number): Promise<boolean>;
  /**
   * Mounts what is at `path` in `volume` at `target` too. No link leads out of the volume; what is missing is made as
   * folders. Throws PathError where it would leave the volume.
   */
  bindBelow(of: { readonly volume: string; readonly path: string; readonly target: string }): Promise<void>;
  /**
   * A file in `volume`; no link leads out of it. Undefined when absent. Throws PathError for what is no file, leads out, or
   * is larger than `bytesMax`.
   */
  readBelow(of: {
    readonly volume: string;
    readonly path: string;
    readonly bytesMax: number;
  }): Promise<Uint8Array | undefined>;
  /** The mounts at a path and below it; absent or not mounted is fine. */
  unmount(path: string): Promise<void>;
  /** Calls after changes in a directory or of a file, merged; never for nothing happened. */
  watch(path: string, changed: () => void): () => void;
}

/** What reading a log needs of a file system. */
export type LogFiles = Pick<HostFiles, 'readRange' | 'size' | 'watch'> & Partial<Pick<HostFiles, 'hold'>>;

/** A file that stays the same one whatever becomes of its name. */
export interface HeldFile {
  /** Up to `length` bytes from `offset`; shorter at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Whether its path still leads to it. */
  isCurrent(): Promise<boolean>;
  /** Bytes in it now. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Which method of which protocol. */
export interface PluginMethod {
  readonly protocol: 'csi' | 'registration' | 'devices' | 'dra' | 'draBeta';
  /** By its full name: `csi.v1.Node`. */
  readonly service: string;
  readonly method: string;
  readonly timeoutMs: number;
}

/** Programs of vendors on this node, spoken to over their unix sockets. */
export interface PluginWire {
  /** Plain objects in the protocol's own names, absent fields filled. Throws PluginError. */
  call(socket: string, method: PluginMethod, request: object): Promise<unknown>;
  /** Messages until it ends, or until it is cancelled. */
  stream(
    socket: string,
    method: Omit<PluginMethod, 'timeoutMs'>,
    sink: { message(message: unknown): void; end(error: Error): void },
  ): { cancel(): void };
  /** Closes what is open to a socket: nobody is there any more. */
  forget(socket: string): void;
  /** Answers on a socket of ours, by service and method. Resolves once it listens, with how to close it. */
  serve(
    socket: string,
    protocol: PluginMethod['protocol'] | 'podResources',
    services: {
      readonly [service: string]: { readonly [method: string]: (request: unknown) => Promise<object> };
    },
  ): Promise<() => Promise<void>>;
}

/** Whether something is nearly used up on a node; `unknown`: it cannot be measured. */
export interface NodePressure {
  readonly memory: boolean | 'unknown';
  readonly disk: boolean | 'unknown';
  readonly pid: boolean | 'unknown';
}

/** What a control group is set to; what is absent stays as it is, -1 is no limit. */
export interface GroupValues {
  /** In v1's unit, 1024 for a CPU. */
  readonly cpuShares?: number;
  /** Microseconds of CPU in each period. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  readonly memoryLimitBytes?: number;
  readonly processesMax?: number;
  readonly hugePageLimits?: readonly HugePageLimit[];
}

/** A processor as the system counts them, and where it lies. */
export interface Cpu {
  readonly id: number;
  /** Unique within its socket. */
  readonly core: number;
  readonly socket: number;
  /** NUMA node. */
  readonly node: number;
}

/** Memory that lies together, and near some of the processors. */
export interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  /** How far it is from each node, itself among them, in the order of their numbers. */
  readonly distances: readonly number[];
  /** Memory in large pieces, taken out of the rest. */
  readonly hugePages: readonly HugePages[];
}

/** User ids of the node, and group ids alike, that follow one another. */
export interface IdRange {
  readonly first: number;
  readonly length: number;
}

/** What the node is, and its control groups. */
export interface Machine {
  readonly hostname: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
  /** Taken out of the memory when the kubelet started, by size. Absent: none. */
  readonly hugePages?: readonly HugePages[];
  readonly operatingSystem: string;
  /** As Go names it: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly addresses: readonly NodeAddress[];
  /** Content of the node's resolv.conf. */
  resolvConf(): Promise<string>;
  /** Content of the node's /etc/hosts. */
  hostsFile(): Promise<string>;
  /** Looks at what is left. Absent: pods take nothing. */
  pressure?(): Promise<NodePressure>;
  /** Absent: the node is no machine of its own; it uses what its pods use. */
  usage?(): Promise<NodeUsage>;
  /** The file system that a folder lies on; undefined: there is no such folder. Absent: the node has one disk. */
  filesystem?(folder: string): Promise<DeviceUsage | undefined>;
  /** What a control group uses; undefined: there is no such group. Absent: pods have none. */
  groupUsage?(path: string): Promise<GroupUsage | undefined>;
  /** The control group that is the kubelet's; undefined: what it uses is not counted apart. Absent: it has none. */
  ownGroup?(): Promise<string | undefined>;
  /** Its processors. Absent: none can be told apart. */
  cpuTopology?(): Promise<readonly Cpu[]>;
  /** Its memory, by rising number of the node. Absent: it cannot be told apart. */
  numaNodes?(): Promise<readonly NumaNode[]>;
  /** Sets a control group, made where it is missing. Throws PathError. Absent: pods have none that are ours to set. */
  setCgroup?(path: string, values: GroupValues): Promise<void>;
  /**
   * The ids that the node keeps for a user's own use, of users and of groups alike; undefined: it has no such user, or
   * keeps no list. Throws KubeletConfigError for lists that it cannot be told from. Absent: none are kept.
   */
  subordinateIds?(user: string): Promise<IdRange | undefined>;
  /** Removes a pod's control group in every hierarchy; absent is fine. */
  removeCgroup(path: string): Promise<void>;
}

/** A token for a pod's ServiceAccount. */
export interface PodToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Which bundles of certificates: the one of a name, or those of a signer that a selector selects; absent: none. */
export type TrustBundleWish =
  | { readonly name: string }
  | { readonly signerName: string; readonly labelSelector?: LabelSelector };

/** Objects that pods refer to. A reader is shared by all kubelets of a process. */
export interface ObjectReader {
  /** Undefined: it does not exist. `changed` is called when that changes, until the holder is released. */
  configMap(namespace: string, name: string, holder: ReferenceHolder): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string, holder: ReferenceHolder): Promise<Secret | undefined>;
  /** The Services that a pod in the namespace sees in its environment: the namespace's own and `default/kubernetes`. */
  services(namespace: string): Promise<readonly Service[]>;
  token(pod: Pod, audience: string, expirationSeconds: number): Promise<PodToken>;
  /** The claim as it is now. */
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  persistentVolume(name: string): Promise<PersistentVolume | undefined>;
  /** Writes what changed of a claim's status. */
  tellClaim(claim: PersistentVolumeClaim, status: object): Promise<void>;
  /** A Node as it is; the holder is told of its changes. */
  node(name: string, holder: ReferenceHolder): Promise<Node | undefined>;
  csiDriver(name: string): Promise<CSIDriver | undefined>;
  volumeAttachment(name: string): Promise<VolumeAttachment | undefined>;
  runtimeClass(name: string): Promise<RuntimeClass | undefined>;
  /** The bundles of certificates that are asked for; the holder is told of changes. Throws VolumeError where there are none to be had. */
  trustBundles(wish: TrustBundleWish, holder: ReferenceHolder): Promise<readonly ClusterTrustBundle[]>;
  /** A claim for devices as it is now. */
  resourceClaim(namespace: string, name: string): Promise<ResourceClaim | undefined>;
  /** Ends what the holder follows. */
  release(holder: ReferenceHolder): void;
}

/** What sees to it that a pod is held back as policies want it, before anything of it runs. */
export interface PodPolicies {
  /** Resolves when the pod, with these addresses, may begin; rejects with why not yet, and is asked again. */
  whenHeld(pod: Pod, addresses: readonly string[]): Promise<void>;
  /** It has ended: its addresses may be another's. Who still waits for it is not answered any more. */
  released(pod: Pod): void;
}

/** Tells when the machine is about to go down, and holds that up. */
export interface ShutdownWatch {
  /**
   * Calls `tell(true)` when the machine goes down, at the most `delayMs` before it does: it waits until that has resolved.
   * `tell(false)`: after all it does not. Rejects when nobody tells any more; ends with `signal`.
   */
  follow(of: {
    readonly delayMs: number;
    readonly signal: AbortSignal;
    readonly tell: (isDown: boolean) => Promise<void>;
  }): Promise<void>;
}

/** One pod's interest in the objects it refers to; identity matters. */
export interface ReferenceHolder {
  changed(): void;
}

/** Everything a kubelet is made of. What is absent is not done: no client, no API server; no files, nothing on disk. */
export interface KubeletOptions {
  readonly config: KubeletConfig;
  readonly runtime: Runtime;
  readonly sources: readonly PodSource[];
  readonly client?: Client;
  readonly events?: EventRecorder;
  /** No Events about the node itself, as in fleets whose thousands of nodes would write nothing else. */
  readonly isQuiet?: boolean;
  readonly objects?: ObjectReader;
  readonly files?: HostFiles;
  /** Where containers' logs are read, when not in `files`: a simulated node keeps them without a disk. */
  readonly logs?: LogFiles;
  readonly network?: NetworkProbe;
  /** What the node knows about who may pull what; absent: nothing. */
  readonly imageCredentials?: (image: string) => Promise<readonly RegistryAuth[]>;
  /** Absent: pods begin as soon as they have a sandbox. */
  readonly policies?: PodPolicies;
  /** Absent: this node has no plugins. */
  readonly plugins?: PluginWire;
  /** Absent: nobody tells of shutdowns. */
  readonly shutdownWatch?: ShutdownWatch;
  /** What the process was started with, for `/flagz`, by the flags' names. Absent: it is not told. */
  readonly flags?: ReadonlyMap<string, string>;
  readonly machine: Machine;
  /** The timer of a fleet; absent: the kubelet has its own. */
  readonly heartbeat?: Heartbeats;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: nobody is told what is done and why. */
  readonly trace?: Trace;
  /** Absent: nobody is ever held. */
  readonly gate?: Gate;
  readonly scope: Scope;
}
