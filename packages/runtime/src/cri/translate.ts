import type { ImageStatus, RegistryAuth, RuntimeFilesystem } from '../image-port.ts';
import type {
  Container,
  ContainerConfig,
  ContainerSecurity,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  IdMapping,
  LinuxResources,
  Mount,
  RuntimeHandler,
  Sandbox,
  SandboxConfig,
  SandboxNamespaces,
  SandboxStatus,
  SELinuxLabels,
} from '../ports.ts';
import type {
  ContainerFieldsMessage,
  ContainerMessage,
  ContainerStatsMessage,
  ContainerStatusMessage,
  FilesystemMessage,
  ImageMessage,
  PodSandboxMessage,
  PodSandboxStatusMessage,
  ResourcesMessage,
  RuntimeHandlerMessage,
  StringMap,
  UserMessage,
} from './messages.ts';

import { criSignal } from './stop-signals.ts';

/** Every CRI client labels with it; the driver does so itself, so that containers can be found by pod. */
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';

const ENCODER = new TextEncoder();

const PROPAGATION = {
  private: 'PROPAGATION_PRIVATE',
  hostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  bidirectional: 'PROPAGATION_BIDIRECTIONAL',
} as const;

const CONTAINER_STATES: { readonly [state: string]: ContainerState } = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
};

/** PodSandboxConfig. `labels`: put on it beside the pod's own. */
export function toSandboxMessage(config: SandboxConfig, labels: StringMap): object {
  return {
    metadata: { name: config.name, uid: config.uid, namespace: config.namespace, attempt: config.attempt },
    // runc cannot set a hostname in the host's UTS namespace, so a host-network pod must not name one.
    hostname: config.namespaces.hostNetwork ? '' : config.hostname,
    log_directory: config.logDirectory,
    dns_config: config.dns,
    port_mappings: config.ports.map((port) => ({
      protocol: port.protocol,
      container_port: port.containerPort,
      host_port: port.hostPort,
      host_ip: port.hostIP ?? '',
    })),
    labels: { ...config.labels, [POD_UID_LABEL]: config.uid, ...labels },
    annotations: config.annotations,
    linux: {
      cgroup_parent: config.cgroupParent,
      sysctls: config.sysctls,
      security_context: {
        namespace_options: namespaceOptions(config.namespaces),
        ...identity(config),
        supplemental_groups: config.supplementalGroups,
        ...groupsPolicy(config),
        privileged: config.privileged,
        seccomp: seccompMessage(config),
        ...selinuxOptions(config.selinux),
      },
    },
  };
}

/** ContainerConfig. */
export function toContainerMessage(config: ContainerConfig, sandbox: SandboxConfig, labels: StringMap): object {
  return {
    metadata: { name: config.name, attempt: config.attempt },
    image: { image: config.image, user_specified_image: config.imageName },
    command: config.command,
    args: config.args,
    working_dir: config.workingDir,
    // Bytes since v0.35, text before: the same on the wire.
    envs: config.env.map(({ name, value }) => ({ key: name, value: ENCODER.encode(value) })),
    mounts: config.mounts.map((mount) => toMountMessage(mount, sandbox.namespaces.users)),
    devices: config.devices.map(({ hostPath, containerPath, permissions }) => ({
      host_path: hostPath,
      container_path: containerPath,
      permissions,
    })),
    labels: { ...config.labels, [POD_UID_LABEL]: sandbox.uid, ...labels },
    annotations: config.annotations,
    log_path: config.logPath,
    stdin: config.stdin,
    stdin_once: config.stdinOnce,
    tty: config.tty,
    linux: {
      resources: toResourcesMessage(config.resources),
      security_context: toSecurityMessage(config, sandbox.namespaces),
    },
    ...(config.stopSignal === undefined ? {} : { stop_signal: criSignal(config.stopSignal) }),
  };
}

/** LinuxContainerResources; what is not set stays out. */
export function toResourcesMessage(resources: LinuxResources): object {
  return {
    cpu_shares: resources.cpuShares ?? 0,
    cpu_quota: resources.cpuQuota ?? 0,
    cpu_period: resources.cpuPeriod ?? 0,
    memory_limit_in_bytes: resources.memoryLimitBytes ?? 0,
    oom_score_adj: resources.oomScoreAdj ?? 0,
    cpuset_cpus: resources.cpusetCpus ?? '',
    cpuset_mems: resources.cpusetMems ?? '',
    ...(resources.hugePageLimits === undefined
      ? {}
      : { hugepage_limits: resources.hugePageLimits.map((of) => ({ page_size: of.pageSize, limit: of.limitBytes })) }),
  };
}

export function fromResources(message: ResourcesMessage): LinuxResources {
  return resources(message.cpu_shares, [message.cpu_quota, message.cpu_period], message.memory_limit_in_bytes);
}

function resources(shares: number, [quota, period]: readonly [number, number], memory: number): LinuxResources {
  return {
    ...(shares > 0 ? { cpuShares: shares } : {}),
    ...(quota > 0 && period > 0 ? { cpuQuota: quota, cpuPeriod: period } : {}),
    ...(memory > 0 ? { memoryLimitBytes: memory } : {}),
  };
}

/** The part of an OCI runtime specification that says what a container may use. */
interface SpecResources {
  readonly cpu?: { readonly shares?: number; readonly quota?: number; readonly period?: number };
  readonly memory?: { readonly limit?: number };
}

/** containerd before 1.7 tells only in the specification that it hands to runc, which is in what it tells for eyes. */
export function resourcesOfInfo(info: string): LinuxResources {
  const text = /^\s*\{/.test(info) ? info : '{}';
  const parsed = JSON.parse(text) as { runtimeSpec?: { linux?: { resources?: SpecResources } } };
  const { cpu, memory } = parsed.runtimeSpec?.linux?.resources ?? {};
  return resources(cpu?.shares ?? 0, [cpu?.quota ?? 0, cpu?.period ?? 0], memory?.limit ?? 0);
}

export function fromStats({ attributes, cpu, memory, writable_layer: layer }: ContainerStatsMessage): ContainerStats {
  const told = {
    at: cpu === null || cpu.timestamp === 0 ? undefined : toMilliseconds(cpu.timestamp),
    cpuNanoCores: cpu?.usage_nano_cores?.value,
    memoryUsageBytes: memory?.usage_bytes?.value,
    // containerd says 0 of a container that has no limit, where the kubelet's figures leave it out.
    memoryAvailableBytes: memory?.available_bytes?.value || undefined,
    memoryRssBytes: memory?.rss_bytes?.value,
    pageFaults: memory?.page_faults?.value,
    majorPageFaults: memory?.major_page_faults?.value,
    filesystem:
      layer === null
        ? undefined
        : { usedBytes: layer.used_bytes?.value ?? 0, inodesUsed: layer.inodes_used?.value ?? 0 },
  };
  return {
    id: attributes?.id ?? '',
    cpuUsageNanos: cpu?.usage_core_nano_seconds?.value ?? 0,
    memoryWorkingSetBytes: memory?.working_set_bytes?.value ?? 0,
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
  };
}

/** AuthConfig. */
export function toAuthMessage({ username, password, identityToken, registryToken }: RegistryAuth): object {
  return { username, password, identity_token: identityToken ?? '', registry_token: registryToken ?? '' };
}

export function fromSandbox(message: PodSandboxMessage): Sandbox {
  return {
    id: message.id,
    name: message.metadata?.name ?? '',
    namespace: message.metadata?.namespace ?? '',
    uid: message.metadata?.uid ?? '',
    attempt: message.metadata?.attempt ?? 0,
    state: message.state === 'SANDBOX_READY' ? 'ready' : 'notReady',
    createdAt: toMilliseconds(message.created_at),
    labels: message.labels,
    annotations: message.annotations,
  };
}

export function fromSandboxStatus(message: PodSandboxStatusMessage): SandboxStatus {
  const all = [message.network?.ip ?? '', ...(message.network?.additional_ips ?? []).map((other) => other.ip)];
  return { ...fromSandbox(message), ips: all.filter((ip) => ip !== '') };
}

export function fromContainer(message: ContainerMessage): Container {
  return containerFields(message, message.pod_sandbox_id);
}

/** CRI's status does not name the sandbox: the caller knows it. */
export function fromContainerStatus(message: ContainerStatusMessage, sandboxId: string): ContainerStatus {
  return {
    ...containerFields(message, sandboxId),
    startedAt: toMilliseconds(message.started_at),
    finishedAt: toMilliseconds(message.finished_at),
    exitCode: message.exit_code,
    reason: message.reason,
    message: message.message,
    logPath: message.log_path,
    ...fromUser(message.user?.linux),
  };
}

function fromUser(user: UserMessage | null | undefined): Pick<ContainerStatus, 'user'> {
  return user ? { user: { uid: user.uid, gid: user.gid, groups: user.supplemental_groups } } : {};
}

export function fromImage(message: ImageMessage): ImageStatus {
  return {
    id: message.id,
    tags: message.repo_tags,
    digests: message.repo_digests,
    sizeBytes: message.size,
    ...(message.uid === null ? {} : { uid: message.uid.value }),
    ...(message.username === '' ? {} : { username: message.username }),
    ...(message.pinned ? { isPinned: true } : {}),
  };
}

/** FilesystemUsage; nothing where no folder is named. */
export function fromFilesystem({ fs_id: id, used_bytes, inodes_used }: FilesystemMessage): RuntimeFilesystem[] {
  if (id === null || id.mountpoint === '') return [];
  return [
    {
      folder: id.mountpoint,
      ...(used_bytes === null ? {} : { usedBytes: used_bytes.value }),
      ...(inodes_used === null ? {} : { inodesUsed: inodes_used.value }),
    },
  ];
}

/** RuntimeHandler; what is not told of it it cannot do. */
export function fromHandler({ name, features }: RuntimeHandlerMessage): RuntimeHandler {
  return {
    name,
    recursiveReadOnlyMounts: features?.recursive_read_only_mounts === true,
    userNamespaces: features?.user_namespaces === true,
  };
}

/** Nanoseconds since the epoch pass 2⁵³ and are off by up to 128; whole milliseconds are right. */
function toMilliseconds(nanoseconds: number): number {
  return Math.max(0, Math.floor(nanoseconds / 1_000_000));
}

function containerFields(message: ContainerFieldsMessage, sandboxId: string): Container {
  return {
    id: message.id,
    sandboxId,
    name: message.metadata?.name ?? '',
    attempt: message.metadata?.attempt ?? 0,
    state: CONTAINER_STATES[message.state] ?? 'unknown',
    createdAt: toMilliseconds(message.created_at),
    image: message.image?.image ?? '',
    imageRef: message.image_ref,
    labels: message.labels,
    annotations: message.annotations,
  };
}

function namespaceOptions(namespaces: SandboxNamespaces): object {
  return {
    network: namespaces.hostNetwork ? 'NODE' : 'POD',
    pid: namespaces.hostPid ? 'NODE' : namespaces.sharePid ? 'POD' : 'CONTAINER',
    ipc: namespaces.hostIpc ? 'NODE' : 'POD',
    ...(namespaces.users === undefined ? {} : { userns_options: usersMessage(namespaces.users) }),
  };
}

/** UserNamespace. Engines that know none pass it over: who asks for one looks at what they say of themselves first. */
function usersMessage(users: readonly IdMapping[]): object {
  const ids = idsMessage(users);
  return { mode: 'POD', uids: ids, gids: ids };
}

function idsMessage(users: readonly IdMapping[]): object[] {
  return users.map((of) => ({ container_id: of.containerId, host_id: of.hostId, length: of.length }));
}

function identity(of: { readonly runAsUser?: number; readonly runAsGroup?: number }): object {
  return {
    ...(of.runAsUser === undefined ? {} : { run_as_user: { value: of.runAsUser } }),
    ...(of.runAsGroup === undefined ? {} : { run_as_group: { value: of.runAsGroup } }),
  };
}

/** What the pod's users see as theirs in it is theirs on the node's disk too: mounts are mapped as the pod is. */
function toMountMessage(mount: Mount, users: readonly IdMapping[] | undefined): object {
  const ids = users === undefined ? undefined : idsMessage(users);
  return {
    host_path: mount.hostPath,
    container_path: mount.containerPath,
    readonly: mount.readOnly,
    ...(mount.isRecursivelyReadOnly === true ? { recursive_read_only: true } : {}),
    propagation: PROPAGATION[mount.propagation],
    ...(ids === undefined ? {} : { uidMappings: ids, gidMappings: ids }),
  };
}

function groupsPolicy({ groupsPolicy: policy }: Pick<SandboxConfig, 'groupsPolicy'>): object {
  return policy === undefined ? {} : { supplemental_groups_policy: policy };
}

function seccompMessage({ privileged, seccomp }: Pick<ContainerSecurity, 'privileged' | 'seccomp'>): object {
  if (privileged) return { profile_type: 'Unconfined' };
  return typeof seccomp === 'string'
    ? { profile_type: seccomp }
    : { profile_type: 'Localhost', localhost_ref: seccomp.file };
}

function selinuxOptions(labels: SELinuxLabels | undefined): object {
  return labels === undefined ? {} : { selinux_options: labels };
}

function toSecurityMessage(
  { security, joinsProcessesOf }: Pick<ContainerConfig, 'security' | 'joinsProcessesOf'>,
  namespaces: SandboxNamespaces,
): object {
  return {
    capabilities: { add_capabilities: security.addCapabilities, drop_capabilities: security.dropCapabilities },
    privileged: security.privileged,
    namespace_options: {
      ...namespaceOptions(namespaces),
      ...(joinsProcessesOf === undefined ? {} : { pid: 'TARGET', target_id: joinsProcessesOf }),
    },
    ...identity(security),
    readonly_rootfs: security.readOnlyRootFilesystem,
    supplemental_groups: security.supplementalGroups,
    ...groupsPolicy(security),
    no_new_privs: security.noNewPrivileges,
    masked_paths: security.maskedPaths,
    readonly_paths: security.readOnlyPaths,
    seccomp: seccompMessage(security),
    ...selinuxOptions(security.selinux),
  };
}
