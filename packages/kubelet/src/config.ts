import type { Taint } from '@binnacle/api/core/v1';

/** What of a node is not for pods. */
export interface ReservedAmounts {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
}

/** KubeletConfiguration's `imagePullCredentialsVerificationPolicy`. */
export type VerificationPolicy = (typeof VERIFICATION_POLICIES)[number];

/** Its values; the second one is upstream's default. */
export const VERIFICATION_POLICIES = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

const NOTHING_RESERVED: ReservedAmounts = { milliCpu: 0, memoryBytes: 0, ephemeralStorageBytes: 0 };

/** How a kubelet behaves; durations in milliseconds, sizes in bytes. */
export interface KubeletConfig {
  readonly nodeName: string;
  readonly maxPods: number;
  /** Of each processor of the node; 0: as many as `maxPods` says. */
  readonly podsPerCore: number;
  /** Processes of a pod at the most; -1: as many as it likes. */
  readonly podPidsLimit: number;
  /** Of containers that name no profile: the runtime's own, not none. */
  readonly seccompDefault: boolean;
  /** What the node is for its provider; empty: nothing is said. */
  readonly providerID: string;
  /** Images that the Node's status tells of; -1: all. */
  readonly nodeStatusMaxImages: number;
  /** Where the node's name servers stand; empty: pods get none of them. */
  readonly resolvConf: string;
  /** Images that are pulled at once; 0: any number. */
  readonly parallelPullsMax: number;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly nodeLabels: { readonly [key: string]: string };
  readonly nodeAnnotations: { readonly [key: string]: string };
  readonly nodeTaints: readonly Taint[];
  readonly registerNode: boolean;
  /** Whether its port streams, tells logs and how it is configured. */
  readonly hasDebugging: boolean;
  /** Whether the log's level may be changed there; not without the one before. */
  readonly hasDebugFlags: boolean;
  /** Whether all pods together are held to what is not reserved; else to what the machine has. */
  readonly holdsPods: boolean;
  /** Pods' volumes, hosts files and termination messages live under `<root>/pods/<uid>`. */
  readonly rootDirectory: string;
  /** Containers' logs live under `<this>/<namespace>_<name>_<uid>/<container>`. */
  readonly podLogsDirectory: string;
  /** Where files tell of devices (CDI); of two that tell of one device the later folder's counts. */
  readonly cdiDirectories: readonly string[];
  readonly cgroupRoot: string;
  /** The kubelet's HTTPS port as the Node object tells it; 0: none. */
  readonly port: number;
  /** A full node status is written this often, or on change. */
  readonly nodeStatusPeriodMs: number;
  /** The node is looked at, and the API's word about it, this often. */
  readonly nodeStatusUpdateMs: number;
  readonly leasePeriodMs: number;
  readonly leaseDurationSeconds: number;
  /** Relisting the runtime is only a safety net. */
  readonly relistPeriodMs: number;
  readonly backoffInitialMs: number;
  readonly backoffMaxMs: number;
  /** What a container that ends again and again waits at the most. */
  readonly restartBackoffMaxMs: number;
  /** How often what is left of the node is looked at, and pods with limits on its disk; 0: never. */
  readonly sizeCheckPeriodMs: number;
  /** What must be left of the node's own, by signal: `memory.available: 100Mi`, `nodefs.available: 10%`. */
  readonly evictionHard: { readonly [signal: string]: string };
  /** Likewise, for what may last as long as its grace. */
  readonly evictionSoft: { readonly [signal: string]: string };
  readonly evictionSoftGraceMs: { readonly [signal: string]: number };
  /** What there has to be on top of a threshold before it counts as past. */
  readonly evictionMinimumReclaim: { readonly [signal: string]: string };
  /** How long the node says that something presses after it has stopped to. */
  readonly evictionPressureTransitionMs: number;
  /** How long a pod has to end at a soft threshold. */
  readonly evictionMaxPodGraceSeconds: number;
  /** In hundredths of the disk: above the first, images that nobody uses go until it is below the second. */
  readonly imageGCHighPercent: number;
  readonly imageGCLowPercent: number;
  readonly imageMinimumAgeMs: number;
  /** 0: none goes for its age alone. */
  readonly imageMaximumAgeMs: number;
  readonly imageGCPeriodMs: number;
  /** Of which images on the node a pod has to show that it may have them. */
  readonly imageVerification: VerificationPolicy;
  /** With `NeverVerifyAllowlistedImages`: those that everybody may have, as the configuration names them. */
  readonly imageAllowlist: readonly string[];
  /** Kept for Kubernetes' own programs, and for the system: pods cannot have it. */
  readonly kubeReserved: ReservedAmounts;
  readonly systemReserved: ReservedAmounts;
  /** How long pods have to end when the machine goes down, those critical for the system included; 0: it is not held up. */
  readonly shutdownGraceMs: number;
  /** What of that is for pods critical for the system. */
  readonly shutdownGraceCriticalMs: number;
  /** In place of both: by the least priority of the pods. */
  readonly shutdownGraceByPriority: readonly { readonly priority: number; readonly seconds: number }[];
  /** `static`: whole CPUs are given to containers alone. */
  readonly cpuManagerPolicy: 'none' | 'static';
  /** `Static`: guaranteed pods are promised their memory from certain memory nodes. */
  readonly memoryManagerPolicy: 'None' | 'Static';
  /** What of each memory node is never promised, in bytes: by number of the node, then `memory` or `hugepages-2Mi`. */
  readonly reservedMemory: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** Whether what pods have alone comes from memory nodes that lie together: as far as it can, or they are sent away. */
  readonly topologyManagerPolicy: 'none' | 'best-effort' | 'restricted' | 'single-numa-node';
  /** Together for each container, or for the pod. */
  readonly topologyManagerScope: 'container' | 'pod';
  /** Of equally many nodes those are taken that are closest to one another, not the first ones. */
  readonly topologyPrefersClosest: boolean;
  /** A machine with more memory nodes is refused. */
  readonly topologyNodesMax: number;
  /** CPUs that are never given to one container alone; absent: as many as are reserved, the first ones. */
  readonly reservedCpus?: readonly number[];
  /** User ids of a pod that has users of its own: a multiple of 65536. */
  readonly idsPerPod: number;
  readonly logMaxBytes: number;
  readonly logMaxFiles: number;
  readonly logCheckPeriodMs: number;
  /** How long a Pending status may wait for a better one before it is written. */
  readonly pendingStatusDelayMs: number;
  /** What was switched on or off of v1.36's feature gates, by name. */
  readonly featureGates: { readonly [gate: string]: boolean };
  /** The `kubeletVersion` of the node. */
  readonly version: string;
}

/** Upstream's defaults on Linux. */
export const DEFAULT_HARD: KubeletConfig['evictionHard'] = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

const DEFAULTS: Omit<KubeletConfig, 'nodeName'> = {
  featureGates: {},
  maxPods: 110,
  podsPerCore: 0,
  podPidsLimit: -1,
  seccompDefault: false,
  providerID: '',
  nodeStatusMaxImages: 50,
  resolvConf: '/etc/resolv.conf',
  parallelPullsMax: 1,
  allowedUnsafeSysctls: [],
  clusterDNS: [],
  clusterDomain: 'cluster.local',
  nodeLabels: {},
  nodeAnnotations: {},
  nodeTaints: [],
  registerNode: true,
  hasDebugging: true,
  hasDebugFlags: true,
  holdsPods: true,
  rootDirectory: '/var/lib/kubelet',
  podLogsDirectory: '/var/log/pods',
  cdiDirectories: ['/etc/cdi', '/var/run/cdi'],
  cgroupRoot: '/kubepods',
  port: 0,
  nodeStatusPeriodMs: 300_000,
  nodeStatusUpdateMs: 10_000,
  leasePeriodMs: 10_000,
  leaseDurationSeconds: 40,
  relistPeriodMs: 300_000,
  backoffInitialMs: 10_000,
  backoffMaxMs: 300_000,
  restartBackoffMaxMs: 300_000,
  sizeCheckPeriodMs: 10_000,
  evictionHard: DEFAULT_HARD,
  evictionSoft: {},
  evictionSoftGraceMs: {},
  evictionMinimumReclaim: {},
  evictionPressureTransitionMs: 300_000,
  evictionMaxPodGraceSeconds: 0,
  imageGCHighPercent: 85,
  imageGCLowPercent: 80,
  imageMinimumAgeMs: 120_000,
  imageMaximumAgeMs: 0,
  imageGCPeriodMs: 300_000,
  imageVerification: 'NeverVerifyPreloadedImages',
  imageAllowlist: [],
  kubeReserved: NOTHING_RESERVED,
  systemReserved: NOTHING_RESERVED,
  shutdownGraceMs: 0,
  shutdownGraceCriticalMs: 0,
  shutdownGraceByPriority: [],
  cpuManagerPolicy: 'none',
  memoryManagerPolicy: 'None',
  reservedMemory: new Map(),
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  topologyPrefersClosest: false,
  topologyNodesMax: 8,
  idsPerPod: 65_536,
  logMaxBytes: 10 * 1024 * 1024,
  logMaxFiles: 5,
  logCheckPeriodMs: 10_000,
  pendingStatusDelayMs: 10,
  version: 'v1.36.0',
};

/** Pods that the node holds at the most. */
export function podsMax({ maxPods, podsPerCore }: KubeletConfig, cpus: number): number {
  return podsPerCore === 0 ? maxPods : Math.min(maxPods, podsPerCore * cpus);
}

/** Fills what is not given with upstream's defaults. */
export function kubeletConfig(given: Partial<KubeletConfig> & { readonly nodeName: string }): KubeletConfig {
  return { ...DEFAULTS, ...given };
}
