import { type SchemaTable } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import { volumeDrivers } from '../volume/drivers/registry.ts';

/**
 * What this kubelet does about each field of a pod: the list of what it acts on, or knows to be somebody else's. A
 * field that is not in it is refused, also one that Kubernetes adds one day.
 */
type Rule =
  | 'done'
  /** Nothing for a kubelet to do: scheduling, admission, another operating system. */
  | 'elsewhere'
  /** A struct, or a list of them, looked into by its own rules. */
  | { readonly of: string }
  /** Done where its feature gate is on. */
  | { readonly gate: string }
  /** By its value: a text says what of it is not done. */
  | ((value: never) => string | undefined);

type Rules = { readonly [field: string]: Rule };

const done = (...fields: string[]): Rules => Object.fromEntries(fields.map((field) => [field, 'done' as const]));
const elsewhere = (...fields: string[]): Rules =>
  Object.fromEntries(fields.map((field) => [field, 'elsewhere' as const]));
const profile =
  (refused: readonly string[]) =>
  (value: { readonly type?: string }): string | undefined =>
    refused.includes(value.type ?? '') ? value.type : undefined;
const CONTAINER: Rules = {
  ...done('args', 'command', 'image', 'imagePullPolicy', 'name', 'ports', 'restartPolicy'),
  ...done(
    'resizePolicy',
    'stdin',
    'stdinOnce',
    'terminationMessagePath',
    'terminationMessagePolicy',
    'tty',
    'workingDir',
  ),
  restartPolicyRules: (rules: readonly { readonly action: string }[]) =>
    rules.find(({ action }) => action !== 'Restart' && action !== 'RestartAllContainers')?.action,
  env: { of: 'EnvVar' },
  envFrom: 'done',
  lifecycle: { of: 'Lifecycle' },
  livenessProbe: { of: 'Probe' },
  readinessProbe: { of: 'Probe' },
  startupProbe: { of: 'Probe' },
  resources: { of: 'ResourceRequirements' },
  securityContext: { of: 'SecurityContext' },
  volumeMounts: { of: 'VolumeMount' },
  volumeDevices: 'done',
};

/** By the name of the type in core/v1. */
export const podFieldRules: { readonly [type: string]: Rules } = {
  PodSpec: {
    ...done('activeDeadlineSeconds', 'dnsConfig', 'dnsPolicy', 'enableServiceLinks', 'hostAliases', 'hostIPC'),
    // What the runtime cannot it is asked for, and says.
    ...done('hostUsers'),
    ...done('hostNetwork', 'hostPID', 'hostname', 'hostnameOverride', 'imagePullSecrets', 'nodeName', 'priority'),
    ...done('readinessGates', 'restartPolicy', 'serviceAccount', 'serviceAccountName', 'setHostnameAsFQDN'),
    ...done('shareProcessNamespace', 'subdomain', 'terminationGracePeriodSeconds', 'overhead', 'runtimeClassName'),
    ...elsewhere('affinity', 'automountServiceAccountToken', 'nodeSelector', 'preemptionPolicy', 'priorityClassName'),
    ...elsewhere('schedulerName', 'schedulingGates', 'schedulingGroup', 'tolerations', 'topologySpreadConstraints'),
    containers: { of: 'Container' },
    initContainers: { of: 'Container' },
    ephemeralContainers: { of: 'EphemeralContainer' },
    os: (value: { readonly name?: string }) => (value.name === 'linux' ? undefined : value.name),
    // Prepared by their drivers; a simulated node has no devices and plays that it has them.
    resourceClaims: 'done',
    // Of the pod as a whole: its control group is set to it.
    resources: { of: 'ResourceRequirements' },
    securityContext: { of: 'PodSecurityContext' },
    volumes: { of: 'Volume' },
  },
  Container: CONTAINER,
  EphemeralContainer: { ...CONTAINER, targetContainerName: 'done' },
  EnvVar: { ...done('name', 'value'), valueFrom: { of: 'EnvVarSource' } },
  EnvVarSource: done('configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef'),
  Lifecycle: { postStart: { of: 'LifecycleHandler' }, preStop: { of: 'LifecycleHandler' }, stopSignal: 'done' },
  LifecycleHandler: done('exec', 'httpGet', 'sleep'),
  Probe: done(
    ...[
      'exec',
      'failureThreshold',
      'grpc',
      'httpGet',
      'initialDelaySeconds',
      'periodSeconds',
      'successThreshold',
      'tcpSocket',
    ],
    ...['terminationGracePeriodSeconds', 'timeoutSeconds'],
  ),
  // An extended resource that a node tells of is counted by the scheduler; without a device plugin there is nothing to hand in.
  ResourceRequirements: done('claims', 'limits', 'requests'),
  SecurityContext: {
    ...done('allowPrivilegeEscalation', 'capabilities', 'privileged', 'procMount', 'readOnlyRootFilesystem'),
    ...done('runAsGroup', 'runAsNonRoot', 'runAsUser'),
    ...elsewhere('windowsOptions'),
    appArmorProfile: profile(['Localhost', 'RuntimeDefault']),
    // Of SELinux: passed on, as to any runtime.
    ...done('seccompProfile', 'seLinuxOptions'),
  },
  PodSecurityContext: {
    ...done(
      'fsGroup',
      'fsGroupChangePolicy',
      'runAsGroup',
      'runAsNonRoot',
      'runAsUser',
      'supplementalGroups',
      'sysctls',
    ),
    // Says how labels are put on volumes; there are no labels.
    ...elsewhere('windowsOptions', 'seLinuxChangePolicy'),
    appArmorProfile: profile(['Localhost', 'RuntimeDefault']),
    // Of SELinux: passed on, as to any runtime.
    ...done('seccompProfile', 'seLinuxOptions'),
    // Where the runtime cannot the pod is sent away.
    supplementalGroupsPolicy: 'done',
  },
  Volume: {
    name: 'done',
    ...Object.fromEntries(volumeDrivers.map((driver) => [driver.source, 'done' as const])),
    emptyDir: { of: 'EmptyDirVolumeSource' },
    projected: { of: 'ProjectedVolumeSource' },
  },
  EmptyDirVolumeSource: {
    sizeLimit: 'done',
    medium: (value: string) => (/^(|Memory|HugePages(-.+)?)$/.test(value) ? undefined : value),
  },
  ProjectedVolumeSource: { defaultMode: 'done', sources: { of: 'VolumeProjection' } },
  VolumeProjection: {
    ...done('configMap', 'downwardAPI', 'secret', 'serviceAccountToken'),
    clusterTrustBundle: { gate: 'ClusterTrustBundleProjection' },
  },
  VolumeMount: {
    ...done('mountPath', 'name', 'readOnly', 'subPath', 'subPathExpr', 'mountPropagation'),
    // Where the runtime cannot the container is not made.
    recursiveReadOnly: 'done',
  },
};

type Gates = KubeletConfig['featureGates'];

const NO_GATES: Gates = {};

/** By what is switched on and the spec, which nobody writes into: each pass over a pod asks. */
const known = new WeakMap<Gates, WeakMap<Pod['spec'], readonly string[]>>();

/**
 * What a pod asks for that this kubelet does not do, by path: `spec.containers[main].volumeDevices`. Such a pod
 * is held with a visible reason: an ignored probe would be a false Ready.
 */
export function unsupportedAsks(pod: Pod, gates: Gates = NO_GATES): readonly string[] {
  let ofGates = known.get(gates);
  if (ofGates === undefined) known.set(gates, (ofGates = new WeakMap()));
  let asks = ofGates.get(pod.spec);
  if (asks === undefined) {
    const found: string[] = [];
    look(pod.spec, { type: 'PodSpec', path: 'spec' }, { asks: found, gates });
    ofGates.set(pod.spec, (asks = found));
  }
  return asks;
}

/** The fields of the schema's types for which there is no rule: what is refused by its mere presence. For tests. */
export function unknownFields(table: SchemaTable): string[] {
  return Object.entries(podFieldRules).flatMap(([type, rules]) =>
    Object.keys(table[`core.v1.${type}`]?.fields ?? {})
      .filter((field) => rules[field] === undefined)
      .map((field) => `${type}.${field}`),
  );
}

interface Looking {
  readonly asks: string[];
  readonly gates: KubeletConfig['featureGates'];
}

function look(value: object, at: { readonly type: string; readonly path: string }, by: Looking): void {
  const { asks, gates } = by;
  const rules = podFieldRules[at.type] ?? {};
  for (const [field, inner] of Object.entries(value)) {
    if (isNothing(inner)) continue;
    const path = `${at.path}.${field}`;
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (rule === undefined) asks.push(path);
    else if (typeof rule === 'function') {
      const what = rule(inner as never);
      if (what !== undefined) asks.push(`${path}: ${what}`);
    } else if (typeof rule === 'object' && 'gate' in rule) {
      if (gates[rule.gate] !== true) asks.push(path);
    } else if (typeof rule === 'object') {
      for (const [suffix, one] of each(inner)) look(one, { type: rule.of, path: `${path}${suffix}` }, by);
    }
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** A struct as it is; of a list each by its name or place. */
function each(value: unknown): [string, object][] {
  if (!Array.isArray(value)) return [['', value as object]];
  return value.map((one: { readonly name?: string }, i) => [`[${one.name ?? i}]`, one]);
}
