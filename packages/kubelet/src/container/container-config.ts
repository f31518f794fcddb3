import { isSidecar } from '@binnacle/api';
import type { Container, Pod, VolumeMount } from '@binnacle/api/core/v1';
import type { ContainerConfig, ContainerSecurity, Device, ImageStatus, LinuxResources, Mount } from '@binnacle/runtime';
import { ContainerConfigError } from '../errors.ts';
import { type HugePages, hugePageLimits } from '../huge-pages.ts';
import { wholeValue } from './amount.ts';
import { expand } from './expand.ts';
import { containerAnnotations, containerLabels, mountAnnotations } from './labels.ts';
import { linuxResources } from './resources.ts';
import { type SeccompPlace, containerSecurity, verifyRunAsNonRoot } from './security.ts';

export interface ContainerInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  readonly image: ImageStatus;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** Groups that come with devices. */
  readonly groups?: readonly number[];
  /** What comes with devices. */
  readonly annotations?: { readonly [key: string]: string };
  readonly nodeMemoryBytes: number;
  /** What the machine has set aside, by size; absent: nothing. */
  readonly hugePages?: readonly HugePages[] | undefined;
  /** The CPUs that it runs on, as the kernel lists them; absent: all. Alone on them it needs no quota. */
  readonly cpus?: { readonly list: string; readonly isAlone: boolean } | undefined;
  /** The memory nodes that its memory comes from, as the kernel lists them; absent: any. */
  readonly memoryNodes?: string | undefined;
  readonly seccomp: SeccompPlace;
  /** The id of the container whose processes it is to see. */
  readonly joinsProcessesOf?: string | undefined;
}

/** What the runtime is told of one container. Throws ContainerStartError, UnsupportedError. Pure. */
export function containerConfig(input: ContainerInput): ContainerConfig {
  const { pod, container, env } = input;
  verifyRunAsNonRoot(pod, container, input.image);
  const lookup = (name: string): string | undefined => env.get(name);
  const endsAfterMs = endOf(pod, container);
  return {
    name: container.name,
    attempt: input.attempt,
    image: input.image.id,
    imageName: container.image ?? '',
    command: (container.command ?? []).map((word) => expand(word, lookup)),
    args: (container.args ?? []).map((word) => expand(word, lookup)),
    workingDir: container.workingDir ?? '',
    env: [...env].map(([name, value]) => ({ name, value })),
    mounts: input.mounts,
    devices: input.devices,
    labels: containerLabels(pod, container),
    annotations: {
      ...input.annotations,
      ...containerAnnotations(pod, container, input.attempt),
      ...mountAnnotations(input.mounts),
    },
    logPath: containerLogPath(container.name, input.attempt),
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    resources: placed(linuxResources(pod, container, input.nodeMemoryBytes), input),
    security: withGroups(containerSecurity(pod, container, input.seccomp), input.groups ?? []),
    ...(input.joinsProcessesOf === undefined ? {} : { joinsProcessesOf: input.joinsProcessesOf }),
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
    ...(endsAfterMs === undefined ? {} : { endsAfterMs }),
  };
}

function withGroups(security: ContainerSecurity, groups: readonly number[]): ContainerSecurity {
  return { ...security, supplementalGroups: [...new Set([...security.supplementalGroups, ...groups])] };
}

function placed(all: LinuxResources, input: ContainerInput): LinuxResources {
  const { cpus, memoryNodes } = input;
  const limits = hugePageLimits(input.hugePages ?? [], (resource) => hugePagesOf(input, resource));
  const resources = limits.length === 0 ? all : { ...all, hugePageLimits: limits };
  const cpusetMems = memoryNodes === undefined ? {} : { cpusetMems: memoryNodes };
  if (cpus === undefined) return { ...resources, ...cpusetMems };
  const { cpuQuota, cpuPeriod, ...unbounded } = resources;
  const bound = cpuQuota === undefined || cpuPeriod === undefined ? {} : { cpuQuota, cpuPeriod };
  return { ...unbounded, ...(cpus.isAlone ? {} : bound), cpusetCpus: cpus.list, ...cpusetMems };
}

/** A container's own limit, else that of its pod; none asked for, none used. */
function hugePagesOf({ pod, container }: ContainerInput, resource: string): number {
  return wholeValue(container.resources?.limits?.[resource] ?? pod.spec.resources?.limits?.[resource]);
}

/** Helm waits for the end of its hooks' pods, those of `helm test` among them, as Jobs do for theirs. */
const HELM_HOOK = 'helm.sh/hook';

/** When nothing is really run: an init container is done at once, one whose end is waited for seen running for a moment. */
function endOf(pod: Pod, container: Container): number | undefined {
  if (pod.spec.initContainers?.some((c) => c.name === container.name) === true)
    return isSidecar(container) ? undefined : 0;
  const ofJob = pod.metadata.ownerReferences?.some((o) => o.kind === 'Job' && o.controller === true) === true;
  const isAwaited = ofJob || pod.metadata.annotations?.[HELM_HOOK] !== undefined;
  return isAwaited && pod.spec.restartPolicy !== 'Always' ? 1_000 : undefined;
}

/** Under the pod's log directory. */
export function containerLogPath(name: string, attempt: number): string {
  return `${name}/${attempt}.log`;
}

const PROPAGATION = { None: 'private', HostToContainer: 'hostToContainer', Bidirectional: 'bidirectional' } as const;

/** The path in its volume that a mount is about; empty: all of it. Throws ContainerStartError where it would leave it. */
export function mountSubPath(mount: VolumeMount, env: ReadonlyMap<string, string>): string {
  const sub = mount.subPathExpr ? expandStrictly(mount.subPathExpr, env) : (mount.subPath ?? '');
  if (sub.startsWith('/')) {
    throw new ContainerConfigError(`error SubPath \`${sub}\` must not be an absolute path`);
  }
  if (sub.split('/').includes('..')) {
    throw new ContainerConfigError(`unable to provision SubPath \`${sub}\`: must not contain '..'`);
  }
  return sub;
}

/** Where in the container it is. */
export function mountedAt({ mountPath }: Pick<VolumeMount, 'mountPath'>): string {
  return mountPath.startsWith('/') ? mountPath : `/${mountPath}`;
}

/** One volumeMount as the runtime is told of it. */
export function volumeMount(
  mount: VolumeMount,
  volume: { readonly hostPath: string; readonly readOnly: boolean; readonly isRecursivelyReadOnly?: boolean },
): Mount {
  return {
    hostPath: volume.hostPath,
    containerPath: mountedAt(mount),
    readOnly: mount.readOnly === true || volume.readOnly,
    ...(volume.isRecursivelyReadOnly === true ? { isRecursivelyReadOnly: true } : {}),
    propagation: PROPAGATION[(mount.mountPropagation ?? 'None') as keyof typeof PROPAGATION],
  };
}

/** Unlike elsewhere, an unknown name is an error here. */
function expandStrictly(text: string, env: ReadonlyMap<string, string>): string {
  return expand(text, (name) => {
    const value = env.get(name);
    if (value === undefined) {
      throw new ContainerConfigError(`failed to expand subPath expression "${text}": missing value for "${name}"`);
    }
    return value;
  });
}
