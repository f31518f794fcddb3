import type { Container, Pod, SELinuxOptions, SeccompProfile as SeccompProfileWish } from '@binnacle/api/core/v1';
import type { ContainerSecurity, GroupsPolicy, ImageStatus, SELinuxLabels, SeccompProfile } from '@binnacle/runtime';
import { ContainerConfigError } from '../errors.ts';

const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];

const READ_ONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** What a node knows of seccomp. */
export interface SeccompPlace {
  /** Of profiles on the node. */
  readonly folder: string;
  /** Who names no profile gets the runtime's own. */
  readonly byDefault: boolean;
}

/** The container's security settings over the pod's. */
export function containerSecurity(pod: Pod, container: Container, place: SeccompPlace): ContainerSecurity {
  const own = container.securityContext ?? {};
  const shared = pod.spec?.securityContext ?? {};
  const privileged = own.privileged === true;
  const unmasked = privileged || own.procMount === 'Unmasked';
  const user = own.runAsUser ?? shared.runAsUser;
  const unnamed = place.byDefault ? ({ type: 'RuntimeDefault' } as const) : undefined;
  const group = own.runAsGroup ?? shared.runAsGroup;
  return {
    privileged,
    readOnlyRootFilesystem: own.readOnlyRootFilesystem === true,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    ...(user === undefined ? {} : { runAsUser: user }),
    ...(group === undefined ? {} : { runAsGroup: group }),
    supplementalGroups: supplementalGroups(pod),
    ...groupsPolicy(pod),
    addCapabilities: own.capabilities?.add ?? [],
    dropCapabilities: own.capabilities?.drop ?? [],
    seccomp: seccomp(own.seccompProfile ?? shared.seccompProfile ?? unnamed, place.folder),
    ...selinux(own.seLinuxOptions ?? shared.seLinuxOptions),
    maskedPaths: unmasked ? [] : MASKED_PATHS,
    readOnlyPaths: unmasked ? [] : READ_ONLY_PATHS,
  };
}

export function supplementalGroups(pod: Pod): readonly number[] {
  const context = pod.spec?.securityContext;
  const groups = [...(context?.supplementalGroups ?? [])];
  if (context?.fsGroup !== undefined && !groups.includes(context.fsGroup)) groups.push(context.fsGroup);
  return groups;
}

/** Which groups the pod's processes have beside those that it names; nothing where it says nothing. */
export function groupsPolicy(pod: Pod): { readonly groupsPolicy?: GroupsPolicy } {
  const policy = pod.spec.securityContext?.supplementalGroupsPolicy;
  return policy === undefined ? {} : { groupsPolicy: policy as GroupsPolicy };
}

/** Throws ContainerConfigError where `runAsNonRoot` forbids the user that the image would run as. */
export function verifyRunAsNonRoot(pod: Pod, container: Container, image: ImageStatus | undefined): void {
  const own = container.securityContext;
  const shared = pod.spec?.securityContext;
  if ((own?.runAsNonRoot ?? shared?.runAsNonRoot) !== true) return;
  const where = `(pod: "${pod.metadata.name ?? ''}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid ?? ''})", container: ${container.name})`;
  const user = own?.runAsUser ?? shared?.runAsUser;
  if (user !== undefined) {
    if (user !== 0) return;
    throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
  }
  if (image?.username) {
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
  if ((image?.uid ?? 0) === 0) {
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  }
}

/** Where a node keeps its seccomp profiles. */
export function seccompFolder(rootDirectory: string): string {
  return `${rootDirectory}/seccomp`;
}

/** The profile as the runtime knows it. Throws ContainerConfigError for a file without a name. */
export function seccomp(profile: SeccompProfileWish | undefined, profiles: string): SeccompProfile {
  const { type, localhostProfile = '' } = profile ?? {};
  if (type === 'RuntimeDefault') return type;
  if (type !== 'Localhost') return 'Unconfined';
  if (localhostProfile !== '') return { file: `${profiles}/${localhostProfile}` };
  throw new ContainerConfigError('localhostProfile must be set if seccompProfile type is Localhost.');
}

/** Passed on as it is: what labels mean is the runtime's business, and nobody's on a node without SELinux. */
export function selinux(options: SELinuxOptions | undefined): { readonly selinux?: SELinuxLabels } {
  if (options === undefined) return {};
  const { user = '', role = '', type = '', level = '' } = options;
  return { selinux: { user, role, type, level } };
}
