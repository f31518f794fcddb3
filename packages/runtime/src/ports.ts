import type { ByteSink, ByteSource, Duplex } from '@binnacle/base';
import type { ImageMounts, ImageStatus, ImageUser, RegistryAuth, RuntimeFilesystems } from './image-port.ts';

/**
 * The runtime's port: pods' sandboxes, containers and images in plain data of its own, after CRI v1.
 * Neither the kubelet's types nor a driver's messages cross it. `testing.ts` holds the suite every driver passes.
 */

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** A port of the node that leads to one of the pod. `hostPort` 0: none. */
export interface PortMapping {
  readonly protocol: Protocol;
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIP?: string;
}

/** What goes into a pod's resolv.conf. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** A run of user ids, and of group ids alike, in containers, and where it lies on the node. */
export interface IdMapping {
  readonly containerId: number;
  readonly hostId: number;
  readonly length: number;
}

/** Which namespaces of the node a pod shares. */
export interface SandboxNamespaces {
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly hostIpc: boolean;
  /** All containers see one process tree. */
  readonly sharePid: boolean;
  /** The pod's users are none of the node's: these are whom they are. Its volumes show their owners as before. Absent: the node's. */
  readonly users?: readonly IdMapping[];
}

/** A pod as its runtime needs to know it. Sandboxes are told apart by name, namespace, uid and attempt. */
export interface SandboxConfig {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
  /** Empty for host-network pods. */
  readonly hostname: string;
  readonly logDirectory: string;
  readonly dns: DnsConfig;
  readonly ports: readonly PortMapping[];
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  readonly cgroupParent: string;
  readonly namespaces: SandboxNamespaces;
  readonly sysctls: { readonly [key: string]: string };
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** Absent: Merge. */
  readonly groupsPolicy?: GroupsPolicy;
  readonly privileged: boolean;
  readonly seccomp: SeccompProfile;
  readonly selinux?: SELinuxLabels;
  /** Handler of a RuntimeClass; empty for the default. */
  readonly runtimeHandler: string;
}

/** `notReady`: stopped, or its first process is gone. */
export type SandboxState = 'ready' | 'notReady';

/** A sandbox as lists show it. */
export interface Sandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
  readonly state: SandboxState;
  /** Nanoseconds would not fit a number: milliseconds since the epoch. */
  readonly createdAt: number;
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
}

/** A sandbox with what only asking for it tells. */
export interface SandboxStatus extends Sandbox {
  /** Pod IPs, primary first; none for host-network pods. */
  readonly ips: readonly string[];
}

/** A folder or file of the node inside a container. */
export interface Mount {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
  /** What is mounted below it is read only too. For handlers that say that they can; others pass it over. */
  readonly isRecursivelyReadOnly?: boolean;
  readonly propagation: 'private' | 'hostToContainer' | 'bidirectional';
}

/** Which groups a process has beside those it is given: those of the image's /etc/group too (`Merge`), or none. */
export type GroupsPolicy = 'Merge' | 'Strict';

/** A device of the node inside a container; `permissions`: of `r`, `w` and `m` (to make its node). */
export interface Device {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly permissions: string;
}

/** Limits as the cgroup knows them; absent: not set. */
export interface LinuxResources {
  readonly cpuShares?: number;
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
  readonly oomScoreAdj?: number;
  /** The CPUs that it may run on, as the kernel lists them: `0-3,8`. */
  readonly cpusetCpus?: string;
  /** The memory nodes that its memory comes from, as the kernel lists them: `0-1`. */
  readonly cpusetMems?: string;
  /** Of memory in large pages, by their size (`2MB`). Absent: nothing is said; engines without such limits set none. */
  readonly hugePageLimits?: readonly { readonly pageSize: string; readonly limitBytes: number }[];
}

/** What a container may do. Absent users: the image's. */
export interface ContainerSecurity {
  readonly privileged: boolean;
  readonly readOnlyRootFilesystem: boolean;
  readonly noNewPrivileges: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** Absent: Merge. For runtimes that say that they can; others pass it over. */
  readonly groupsPolicy?: GroupsPolicy;
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly seccomp: SeccompProfile;
  /** The paths that a container must not see or write, unless privileged or procMount is Unmasked. */
  readonly maskedPaths: readonly string[];
  readonly readOnlyPaths: readonly string[];
  readonly selinux?: SELinuxLabels;
}

/** Which system calls are let through: as the runtime sees fit, all, or by a profile in a file of the node. */
export type SeccompProfile = 'RuntimeDefault' | 'Unconfined' | { readonly file: string };

/** Labels of SELinux; where the node has none, they mean nothing. Absent parts are the runtime's. */
export interface SELinuxLabels {
  readonly user: string;
  readonly role: string;
  readonly type: string;
  readonly level: string;
}

/** A container as its runtime needs to know it. Told apart by name and attempt within a sandbox. */
export interface ContainerConfig {
  readonly name: string;
  readonly attempt: number;
  /** The image reference as the runtime resolved it (`ImageStatus.id`) or a name. */
  readonly image: string;
  /** The name that the pod's author wrote, for status. */
  readonly imageName: string;
  /** Entrypoint; empty: the image's. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  /** Under the sandbox's log directory. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly resources: LinuxResources;
  readonly security: ContainerSecurity;
  readonly stopSignal?: string;
  /** The container whose processes it sees, by id; absent: as its sandbox says. */
  readonly joinsProcessesOf?: string;
  /**
   * Its work comes to an end: an init container, a Job's. Real ones know by themselves; a simulated one ends after
   * so many milliseconds, unless it is scripted otherwise.
   */
  readonly endsAfterMs?: number;
}

/** `unknown`: the runtime lost it. */
export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** A container as lists show it. */
export interface Container {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: ContainerState;
  readonly createdAt: number;
  /** As asked for. */
  readonly image: string;
  readonly imageRef: string;
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
}

/** A container with its life; times are milliseconds since the epoch. */
export interface ContainerStatus extends Container {
  /** 0 while not started. */
  readonly startedAt: number;
  /** 0 while not finished. */
  readonly finishedAt: number;
  readonly exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`, … */
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
  /** Whom its first process began as; absent: the runtime does not tell. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
}

/** How a command in a container ended, and what it wrote. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** What a command in a container, or the container's own, is joined to. What is absent is not wanted. */
export interface CommandIo {
  /** Its end is the end of the command's input. */
  readonly stdin?: ByteSource;
  /** Written to at its pace; not ended. */
  readonly stdout?: ByteSink;
  /** With a terminal all output goes to stdout. */
  readonly stderr?: ByteSink;
  readonly tty: boolean;
  /** Sizes of the terminal, as they change. */
  readonly sizes?: AsyncIterable<TerminalSize>;
  /** Lets go of the command's streams; what it does then is its own affair, as with a terminal that hangs up. */
  readonly signal?: AbortSignal;
}

/** Something happened to a sandbox or container; a hint to look again, possibly repeated or merged. */
export interface RuntimeEvent {
  readonly type: 'created' | 'started' | 'stopped' | 'deleted' | 'oom';
  readonly containerId: string;
  /** The pod's UID where the driver knows it. */
  readonly podUid?: string;
  readonly exitCode?: number;
}

/** Which runtime it is. */
export interface RuntimeVersion {
  readonly name: string;
  readonly version: string;
}

/** Whether one half of the runtime works; when not, why. */
export interface RuntimeCondition {
  readonly ready: boolean;
  readonly reason: string;
  readonly message: string;
}

/** One of a runtime's ways of running pods, and what it says that it can do. */
export interface RuntimeHandler {
  /** Empty: the usual one. */
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** What NodeReady is made of, and what the node tells of its runtime. */
export interface RuntimeStatus {
  readonly runtime: RuntimeCondition;
  readonly network: RuntimeCondition;
  /** Empty: it is too old to tell. */
  readonly handlers: readonly RuntimeHandler[];
  /** Whether it knows groups policies; absent: it is too old to tell. */
  readonly supportsGroupsPolicy?: boolean;
}

/** What a running container has used. */
export interface ContainerStats {
  readonly id: string;
  /** Nanoseconds of CPU since its start. */
  readonly cpuUsageNanos: number;
  readonly memoryWorkingSetBytes: number;
  /** When its CPU was measured, in milliseconds since the epoch; absent, here and below: the runtime does not tell. */
  readonly at?: number;
  /** CPU now, in billionths of one. */
  readonly cpuNanoCores?: number;
  /** All that its control group counts, caches too. */
  readonly memoryUsageBytes?: number;
  /** What is left below its limit. */
  readonly memoryAvailableBytes?: number;
  readonly memoryRssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  /** Its own layer on the disk. */
  readonly filesystem?: { readonly usedBytes: number; readonly inodesUsed: number };
}

/**
 * What a node's container runtime does. Errors: see errors.ts (RuntimeNotFoundError, ImagePullError,
 * RuntimeUnavailableError, ExecTimeoutError, RuntimeError). Stopping and removing what is gone succeeds.
 */
export interface Runtime {
  version(): Promise<RuntimeVersion>;
  status(): Promise<RuntimeStatus>;

  runSandbox(config: SandboxConfig): Promise<string>;
  stopSandbox(id: string): Promise<void>;
  removeSandbox(id: string): Promise<void>;
  sandboxStatus(id: string): Promise<SandboxStatus>;
  /** Only what carries the driver's ownership label, when it has one. */
  listSandboxes(filter?: { readonly podUid?: string }): Promise<readonly Sandbox[]>;

  createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /**
   * Sends the stop signal, waits up to `graceSeconds`, then kills. Resolves when it is dead. `signal`: that of its
   * configuration, for runtimes that keep none.
   */
  stopContainer(id: string, graceSeconds: number, signal?: string): Promise<void>;
  removeContainer(id: string): Promise<void>;
  containerStatus(id: string): Promise<ContainerStatus>;
  listContainers(filter?: { readonly podUid?: string; readonly sandboxId?: string }): Promise<readonly Container[]>;
  updateResources(id: string, resources: LinuxResources): Promise<void>;
  /** What a container's control group is set to, as the runtime knows it. */
  containerResources(id: string): Promise<LinuxResources>;
  /** Of running containers: all of ours, or those named that there are. */
  stats(ids?: readonly string[]): Promise<readonly ContainerStats[]>;
  /** Output is cut at 16 MiB. */
  exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult>;
  /** Runs a command with its streams joined to `io`; resolves with its exit code, behind all its output. */
  runCommand(id: string, command: readonly string[], io: CommandIo): Promise<number>;
  /** Joins the streams of a running container to `io` until it ends or closes its output. */
  attach(id: string, io: CommandIo): Promise<void>;
  /**
   * A connection to a port of the pod, from within. Where nobody listens this throws, or the stream breaks at once
   * with the reason.
   */
  portForward(sandboxId: string, port: number): Promise<Duplex>;
  reopenLog(id: string): Promise<void>;
  /**
   * Writes all that a running container is into a new file of the node; it goes on. `seconds`: it may take so long; fewer than
   * any call may take count as that many. Absent: this runtime cannot.
   */
  checkpoint?(id: string, to: { readonly location: string; readonly seconds: number }): Promise<void>;

  /** Undefined when the node does not have it. `pod`: who asks; drivers may heed its annotations. */
  imageStatus(image: string, pod?: ImageUser): Promise<ImageStatus | undefined>;
  /** Answers with the image's id. `pod`: who asks; `auth`: as whom. */
  pullImage(image: string, pod?: ImageUser, auth?: RegistryAuth): Promise<string>;
  listImages(): Promise<readonly ImageStatus[]>;
  removeImage(image: string): Promise<void>;
  /** Undefined: it does not tell. Absent: it keeps nothing on a disk. */
  filesystems?(): Promise<RuntimeFilesystems | undefined>;
  /** Absent: this runtime, or this driver of it, mounts none. */
  imageMounts?: ImageMounts;

  /** Events from now on until `stop`; `lost` says that some may be missing and all should be listed again. */
  events(sink: { event(event: RuntimeEvent): void; lost(error: Error): void }): { stop(): void };
  close(): Promise<void>;
}
