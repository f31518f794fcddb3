import { readFile } from 'node:fs/promises';
import { formatGoDuration, messageOf } from '@binnacle/base';
import type { ControllerManagerFlags } from './controller-manager-flags.ts';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

const API_VERSION = 'kubecontrollermanager.config.k8s.io/v1alpha1';
const KIND = 'KubeControllerManagerConfiguration';

type Flags = Partial<Omit<ControllerManagerFlags, 'config' | 'v'>>;
type Flag = keyof Flags;
type Read = (value: unknown) => unknown;

/** What a field means: the flag of the same meaning; nothing beyond what it is already; nothing at all. */
type Rule =
  | { readonly flag: Flag; readonly read: Read }
  | { readonly only: readonly unknown[] }
  | { readonly inert: true };

const text: Read = (value) => {
  if (typeof value !== 'string') throw new UsageError('expected a string');
  return value === '' ? undefined : value;
};
const time: Read = (value) => {
  if (typeof value !== 'string') throw new UsageError('expected a duration');
  return parseDuration(value);
};
const whole: Read = (value) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new UsageError('expected a whole number');
  return value;
};
const share: Read = (value) => {
  if (typeof value !== 'number' || !(value >= 0)) throw new UsageError('expected a number');
  return value;
};
const truth: Read = (value) => {
  if (typeof value !== 'boolean') throw new UsageError('expected true or false');
  return value;
};
const names: Read = (value) => {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw new UsageError('expected a list of strings');
  return value;
};
const list: Read = (value) => (text(value) as string | undefined)?.split(',');
/** Upstream's zero: as the flag's default. */
const unlessZero: Read = (value) => (whole(value) === 0 ? undefined : value);

const INERT: Rule = { inert: true };
const only = (...values: readonly unknown[]): Rule => ({ only: values });

/**
 * Every field that a file may name, by its path. Numbers of concurrent syncs change nothing here: syncs share one thread and
 * wait for the API side by side.
 */
const RULES: { readonly [path: string]: Rule } = {
  apiVersion: only(API_VERSION),
  kind: only(KIND),
  'Generic.Controllers': { flag: 'controllers', read: names },
  'Generic.ClientConnection.kubeconfig': { flag: 'kubeconfig', read: text },
  'Generic.ClientConnection.acceptContentTypes': only(''),
  'Generic.ClientConnection.contentType': only('', 'application/json', 'application/vnd.kubernetes.protobuf'),
  'Generic.ClientConnection.qps': only(0, 20),
  'Generic.ClientConnection.burst': only(0, 30),
  'Generic.LeaderElection.leaderElect': { flag: 'leaderElect', read: truth },
  'Generic.LeaderElection.leaseDuration': { flag: 'leaderElectLeaseDuration', read: time },
  'Generic.LeaderElection.renewDeadline': { flag: 'leaderElectRenewDeadline', read: time },
  'Generic.LeaderElection.retryPeriod': { flag: 'leaderElectRetryPeriod', read: time },
  'Generic.LeaderElection.resourceLock': only('', 'leases'),
  'Generic.LeaderElection.resourceName': { flag: 'leaderElectResourceName', read: text },
  'Generic.LeaderElection.resourceNamespace': { flag: 'leaderElectResourceNamespace', read: text },
  'Generic.MinResyncPeriod': INERT,
  'Generic.Port': only(0),
  'Generic.Address': only('', '0.0.0.0'),
  'Generic.ControllerStartInterval': only('0s'),
  'Generic.LeaderMigrationEnabled': only(false),
  'KubeCloudShared.AllocateNodeCIDRs': { flag: 'allocateNodeCidrs', read: truth },
  'KubeCloudShared.ClusterCIDR': { flag: 'clusterCidr', read: list },
  'KubeCloudShared.ClusterName': INERT,
  'KubeCloudShared.UseServiceAccountCredentials': only(true),
  'AttachDetachController.disableForceDetachOnTimeout': { flag: 'disableForceDetachOnTimeout', read: truth },
  'AttachDetachController.DisableAttachDetachReconcilerSync': only(false),
  'AttachDetachController.ReconcilerSyncLoopPeriod': INERT,
  'CSRSigningController.ClusterSigningCertFile': { flag: 'clusterSigningCertFile', read: text },
  'CSRSigningController.ClusterSigningKeyFile': { flag: 'clusterSigningKeyFile', read: text },
  'CSRSigningController.ClusterSigningDuration': { flag: 'clusterSigningDuration', read: time },
  'DaemonSetController.ConcurrentDaemonSetSyncs': INERT,
  'DeploymentController.ConcurrentDeploymentSyncs': INERT,
  'StatefulSetController.ConcurrentStatefulSetSyncs': INERT,
  'EndpointController.ConcurrentEndpointSyncs': INERT,
  'EndpointController.EndpointUpdatesBatchPeriod': only('0s'),
  'EndpointSliceController.ConcurrentServiceEndpointSyncs': INERT,
  'EndpointSliceController.MaxEndpointsPerSlice': only(100),
  'EndpointSliceController.EndpointUpdatesBatchPeriod': only('0s'),
  'EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs': INERT,
  'EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset': only(1000),
  'EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod': only('0s'),
  'EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs': INERT,
  'GarbageCollectorController.EnableGarbageCollector': only(true),
  'GarbageCollectorController.ConcurrentGCSyncs': INERT,
  'HPAController.ConcurrentHorizontalPodAutoscalerSyncs': INERT,
  'HPAController.HorizontalPodAutoscalerSyncPeriod': { flag: 'horizontalPodAutoscalerSyncPeriod', read: time },
  'HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow': {
    flag: 'horizontalPodAutoscalerDownscaleStabilization',
    read: time,
  },
  'HPAController.HorizontalPodAutoscalerTolerance': { flag: 'horizontalPodAutoscalerTolerance', read: share },
  'HPAController.HorizontalPodAutoscalerCPUInitializationPeriod': {
    flag: 'horizontalPodAutoscalerCpuInitializationPeriod',
    read: time,
  },
  'HPAController.HorizontalPodAutoscalerInitialReadinessDelay': {
    flag: 'horizontalPodAutoscalerInitialReadinessDelay',
    read: time,
  },
  'JobController.ConcurrentJobSyncs': INERT,
  'CronJobController.ConcurrentCronJobSyncs': INERT,
  'LegacySATokenCleaner.CleanUpPeriod': { flag: 'legacyServiceAccountTokenCleanUpPeriod', read: time },
  'NamespaceController.NamespaceSyncPeriod': INERT,
  'NamespaceController.ConcurrentNamespaceSyncs': INERT,
  'NodeIPAMController.ServiceCIDR': { flag: 'serviceClusterIpRange', read: list },
  'NodeIPAMController.SecondaryServiceCIDR': only(''),
  'NodeIPAMController.NodeCIDRMaskSize': only(0),
  'NodeIPAMController.NodeCIDRMaskSizeIPv4': { flag: 'nodeCidrMaskSizeIpv4', read: unlessZero },
  'NodeIPAMController.NodeCIDRMaskSizeIPv6': { flag: 'nodeCidrMaskSizeIpv6', read: unlessZero },
  'NodeLifecycleController.NodeEvictionRate': { flag: 'nodeEvictionRate', read: share },
  'NodeLifecycleController.SecondaryNodeEvictionRate': { flag: 'secondaryNodeEvictionRate', read: share },
  'NodeLifecycleController.NodeStartupGracePeriod': { flag: 'nodeStartupGracePeriod', read: time },
  'NodeLifecycleController.NodeMonitorGracePeriod': { flag: 'nodeMonitorGracePeriod', read: time },
  'NodeLifecycleController.LargeClusterSizeThreshold': { flag: 'largeClusterSizeThreshold', read: whole },
  'NodeLifecycleController.UnhealthyZoneThreshold': { flag: 'unhealthyZoneThreshold', read: share },
  'PersistentVolumeBinderController.PVClaimBinderSyncPeriod': INERT,
  'PodGCController.TerminatedPodGCThreshold': { flag: 'terminatedPodGcThreshold', read: whole },
  'ReplicaSetController.ConcurrentRSSyncs': INERT,
  'ReplicationController.ConcurrentRCSyncs': INERT,
  'ResourceQuotaController.ResourceQuotaSyncPeriod': INERT,
  'ResourceQuotaController.ConcurrentResourceQuotaSyncs': INERT,
  'SAController.ServiceAccountKeyFile': { flag: 'serviceAccountPrivateKeyFile', read: text },
  'SAController.ConcurrentSATokenSyncs': INERT,
  'SAController.RootCAFile': { flag: 'rootCaFile', read: text },
  'TTLAfterFinishedController.ConcurrentTTLSyncs': INERT,
  'ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs': INERT,
  'DeviceTaintEvictionController.ConcurrentSyncs': INERT,
  'ResourceClaimController.ConcurrentSyncs': INERT,
};

/** Upstream's defaults, which hold here too, of flags that the controllers themselves know the defaults of. */
const DEFAULTS: Flags = {
  controllers: ['*'],
  leaderElect: true,
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
  leaderElectResourceName: 'kube-controller-manager',
  leaderElectResourceNamespace: 'kube-system',
  allocateNodeCidrs: false,
  disableForceDetachOnTimeout: false,
  clusterSigningDuration: 31_536_000_000,
  horizontalPodAutoscalerSyncPeriod: 15_000,
  horizontalPodAutoscalerDownscaleStabilization: 300_000,
  horizontalPodAutoscalerTolerance: 0.1,
  horizontalPodAutoscalerCpuInitializationPeriod: 300_000,
  horizontalPodAutoscalerInitialReadinessDelay: 30_000,
  legacyServiceAccountTokenCleanUpPeriod: 31_536_000_000,
  nodeCidrMaskSizeIpv4: 24,
  nodeCidrMaskSizeIpv6: 64,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  nodeStartupGracePeriod: 60_000,
  nodeMonitorGracePeriod: 50_000,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
  terminatedPodGcThreshold: 12_500,
};

/** What `/configz` shows: the fields that mean something here, as they hold, by the names that upstream's has inside. */
export function shownControllerManagerConfig(flags: Flags): object {
  const shown: Shown = {};
  for (const [path, rule] of Object.entries(RULES)) {
    if ('inert' in rule || !path.includes('.')) continue;
    const value = 'only' in rule ? rule.only.at(-1) : valueOf(flags[rule.flag] ?? DEFAULTS[rule.flag], rule.read);
    const parts = path.split('.').map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}`);
    const field = parts.pop() ?? '';
    let group = shown;
    for (const part of parts) group = (group[part] ??= {}) as Shown;
    group[field] = value;
  }
  return shown;
}

interface Shown {
  [field: string]: unknown;
}

/** Upstream's text for what is not said is the empty one. */
function valueOf(value: unknown, read: Read): unknown {
  if (read === time) return typeof value === 'number' ? formatGoDuration(value) : '0s';
  if (read === list) return Array.isArray(value) ? value.join() : '';
  return value ?? (read === text ? '' : null);
}

/** Groups of fields, so that an unknown one is told from a group. */
const GROUPS = new Set(
  Object.keys(RULES).flatMap((path) => {
    const parts = path.split('.');
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/** Reads a KubeControllerManagerConfiguration (YAML or JSON) as the flags that mean the same. Throws UsageError. */
export async function readControllerManagerConfig(path: string): Promise<Flags> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  try {
    return flagsOf(readYaml(await readFile(path, 'utf8')).value);
  } catch (error) {
    throw new UsageError(`cannot use the configuration ${path}: ${messageOf(error)}`, error);
  }
}

/** The flags that say the same as a configuration. Throws UsageError, which names the field. */
export function flagsOf(configuration: unknown): Flags {
  const document = membersOf(configuration);
  if (document === undefined) throw new UsageError('expected an object');
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(document, name)) throw new UsageError(`${name}: is missing`);
  }
  const flags = new Map<string, unknown>();
  collect(document, '', flags);
  return Object.fromEntries(flags);
}

function collect(members: { readonly [name: string]: unknown }, above: string, into: Map<string, unknown>): void {
  for (const [name, value] of Object.entries(members)) {
    const path = above === '' ? name : `${above}.${name}`;
    if (value === null) continue;
    if (GROUPS.has(path)) {
      const inner = membersOf(value);
      if (inner === undefined) throw new UsageError(`${path}: expected an object`);
      collect(inner, path, into);
      continue;
    }
    const rule = Object.hasOwn(RULES, path) ? RULES[path] : undefined;
    if (rule === undefined) throw new UsageError(`${path}: unknown, or not supported here`);
    take(rule, { path, value }, into);
  }
}

function take(rule: Rule, { path, value }: { path: string; value: unknown }, into: Map<string, unknown>): void {
  if ('inert' in rule) return;
  if ('only' in rule) {
    if (rule.only.includes(value)) return;
    const allowed = rule.only.map((one) => JSON.stringify(one)).join(' or ');
    throw new UsageError(`${path}: cannot be changed here, it is ${allowed}`);
  }
  try {
    const read = rule.read(value);
    if (read !== undefined) into.set(rule.flag, read);
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`, error);
  }
}

function membersOf(value: unknown): { readonly [name: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: unknown })
    : undefined;
}
