import { normalizeImageName } from '../image-name.ts';
import type { ImageStatus } from '../image-port.ts';
import type {
  Container,
  ContainerConfig,
  ContainerSecurity,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  DnsConfig,
  LinuxResources,
  Sandbox,
  SandboxConfig,
  SELinuxLabels,
} from '../ports.ts';
import type {
  ContainerMessage,
  ImageMessage,
  ListedMessage,
  ResourcesMessage,
  StatsMessage,
  StringMap,
} from './messages.ts';
import { type ContainerRecord, type SandboxRecord, recordLabels } from './record.ts';

/** What of this machine shapes a container's configuration. */
export interface Surroundings {
  /** Nobody on this machine can have a lower oom_score_adj than this; absent: any. */
  readonly oomScoreFloor?: number;
  /** The text of a seccomp profile's file. */
  readonly profileText?: string;
  /** The user that the image names. */
  readonly imageUser?: string;
}

/** A container's own store of its log; ours is beside the pod, and rotated by the kubelet. */
const LOG_CONFIG = { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } };
/** The sandbox is the last to be killed. */
const SANDBOX_OOM_SCORE = -998;
const NEVER = { Name: 'no' };
const PROPAGATION = { private: 'rprivate', hostToContainer: 'rslave', bidirectional: 'rshared' } as const;

/** Body of POST /containers/create for the container that holds a pod's namespaces. `labels`: who owns it. */
export function toSandboxBody(
  config: SandboxConfig,
  record: SandboxRecord,
  { image, labels, around }: { readonly image: string; readonly labels: StringMap; readonly around: Surroundings },
): object {
  const { namespaces } = config;
  return {
    Image: image,
    // A host-network pod has the node's name.
    Hostname: namespaces.hostNetwork ? '' : config.hostname,
    Labels: recordLabels(record, labels),
    ...userOf(config, undefined),
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: namespaces.hostNetwork ? 'host' : 'none',
      PidMode: namespaces.hostPid ? 'host' : '',
      IpcMode: namespaces.hostIpc ? 'host' : 'shareable',
      CgroupParent: config.cgroupParent,
      Sysctls: config.sysctls,
      GroupAdd: config.supplementalGroups.map(String),
      Privileged: config.privileged,
      SecurityOpt: securityOptions({ ...config, noNewPrivileges: !config.privileged }, around),
      OomScoreAdj: oomScore(SANDBOX_OOM_SCORE, around),
      Runtime: config.runtimeHandler,
      RestartPolicy: NEVER,
      LogConfig: { Type: 'none' },
      CpuShares: 2,
    },
  };
}

/** Body of POST /containers/create. `labels`: who owns it. */
export function toContainerBody(
  config: ContainerConfig,
  record: ContainerRecord,
  of: { readonly sandbox: SandboxConfig; readonly labels: StringMap; readonly around: Surroundings },
): object {
  const { security, resources } = config;
  const { sandbox, labels, around } = of;
  return {
    Image: config.image,
    ...(config.command.length === 0 ? {} : { Entrypoint: config.command }),
    ...(config.args.length === 0 ? {} : { Cmd: config.args }),
    Env: config.env.map(({ name, value }) => `${name}=${value}`),
    ...(config.workingDir === '' ? {} : { WorkingDir: config.workingDir }),
    Labels: recordLabels(record, labels),
    OpenStdin: config.stdin,
    StdinOnce: config.stdinOnce,
    Tty: config.tty,
    ...userOf(security, around.imageUser),
    ...(config.stopSignal === undefined ? {} : { StopSignal: config.stopSignal }),
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: `container:${record.sandboxId}`,
      IpcMode: sandbox.namespaces.hostIpc ? 'host' : `container:${record.sandboxId}`,
      PidMode: pidMode(config, record.sandboxId, sandbox),
      CgroupParent: sandbox.cgroupParent,
      Mounts: config.mounts.map(({ hostPath, containerPath, readOnly, propagation }) => ({
        Type: 'bind',
        Source: hostPath,
        Target: containerPath,
        ReadOnly: readOnly,
        BindOptions: { Propagation: PROPAGATION[propagation] },
      })),
      Devices: config.devices.map(({ hostPath, containerPath, permissions }) => ({
        PathOnHost: hostPath,
        PathInContainer: containerPath,
        CgroupPermissions: permissions,
      })),
      Privileged: security.privileged,
      ReadonlyRootfs: security.readOnlyRootFilesystem,
      CapAdd: security.addCapabilities,
      CapDrop: security.dropCapabilities,
      GroupAdd: security.supplementalGroups.map(String),
      SecurityOpt: securityOptions(security, around),
      MaskedPaths: security.maskedPaths,
      ReadonlyPaths: security.readOnlyPaths,
      ...toResources(resources),
      ...(resources.oomScoreAdj === undefined ? {} : { OomScoreAdj: oomScore(resources.oomScoreAdj, around) }),
      Runtime: sandbox.runtimeHandler,
      RestartPolicy: NEVER,
      LogConfig: LOG_CONFIG,
      Init: false,
    },
  };
}

/** The part of HostConfig, and the body of an update, that says what a container may use; no swap beside memory. */
export function toResources(resources: LinuxResources): object {
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes, cpusetCpus, cpusetMems } = resources;
  return {
    ...(cpusetCpus === undefined ? {} : { CpusetCpus: cpusetCpus }),
    ...(cpusetMems === undefined ? {} : { CpusetMems: cpusetMems }),
    ...(cpuShares === undefined ? {} : { CpuShares: cpuShares }),
    ...(cpuQuota === undefined ? {} : { CpuQuota: cpuQuota }),
    ...(cpuPeriod === undefined ? {} : { CpuPeriod: cpuPeriod }),
    ...(memoryLimitBytes === undefined ? {} : { Memory: memoryLimitBytes, MemorySwap: memoryLimitBytes }),
  };
}

export function fromResources({ CpuShares, CpuQuota, CpuPeriod, Memory }: ResourcesMessage): LinuxResources {
  return {
    ...(CpuShares > 0 ? { cpuShares: CpuShares } : {}),
    ...(CpuQuota > 0 && CpuPeriod > 0 ? { cpuQuota: CpuQuota, cpuPeriod: CpuPeriod } : {}),
    ...(Memory > 0 ? { memoryLimitBytes: Memory } : {}),
  };
}

export function fromSandbox({ Id, State }: Pick<ListedMessage, 'Id' | 'State'>, record: SandboxRecord): Sandbox {
  const { name, namespace, uid, attempt, createdAt, labels, annotations } = record;
  const state = State === 'running' ? 'ready' : 'notReady';
  return { id: Id, name, namespace, uid, attempt, state, createdAt, labels, annotations };
}

export function fromListed({ Id, State, ImageID }: ListedMessage, record: ContainerRecord): Container {
  return { ...containerFields(Id, record, ImageID), state: stateOf(State) };
}

/** The life of a container; one that could not be started has ended at once. */
export function fromInspected({ Id, Image, State: state }: ContainerMessage, record: ContainerRecord): ContainerStatus {
  const startedAt = timeOf(state.StartedAt);
  const fields = { ...containerFields(Id, record, Image), message: state.Error, logPath: record.logPath };
  const running = stateOf(state.Status) === 'running';
  if (!running && startedAt === 0 && state.ExitCode !== 0) {
    const at = { startedAt: record.createdAt, finishedAt: record.createdAt };
    return { ...fields, ...at, state: 'exited', exitCode: state.ExitCode, reason: 'ContainerCannotRun' };
  }
  const ended = !running && startedAt > 0;
  const reason = state.OOMKilled ? 'OOMKilled' : state.ExitCode === 0 ? 'Completed' : 'Error';
  return {
    ...fields,
    state: stateOf(state.Status),
    startedAt,
    finishedAt: ended ? timeOf(state.FinishedAt) : 0,
    exitCode: ended ? state.ExitCode : 0,
    reason: ended ? reason : '',
  };
}

export function fromImage({ Id, RepoTags, RepoDigests, Size, Config }: ImageMessage): ImageStatus {
  const names = (all: readonly string[] | null): string[] =>
    (all ?? []).filter((name) => !name.includes('<none>')).map(normalizeImageName);
  const user = (Config?.User ?? '').split(':')[0] ?? '';
  return {
    id: Id,
    tags: names(RepoTags),
    digests: names(RepoDigests),
    sizeBytes: Size,
    ...(/^\d+$/.test(user) ? { uid: Number(user) } : user === '' ? {} : { username: user }),
  };
}

/** Inactive file pages are given back before anything is killed: they are not of the working set. */
export function fromStats(id: string, { read, cpu_stats: cpu, memory_stats: memory }: StatsMessage): ContainerStats {
  const { usage = 0, limit = 0, stats = {} } = memory;
  const inactive = stats['total_inactive_file'] ?? stats['inactive_file'] ?? 0;
  const workingSet = Math.max(0, usage - inactive);
  const rss = stats['total_rss'] ?? stats['anon'];
  const faults = stats['total_pgfault'] ?? stats['pgfault'];
  const majorFaults = stats['total_pgmajfault'] ?? stats['pgmajfault'];
  return {
    id,
    at: timeOf(read),
    cpuUsageNanos: cpu.cpu_usage.total_usage,
    memoryWorkingSetBytes: workingSet,
    memoryUsageBytes: usage,
    ...(limit > 0 ? { memoryAvailableBytes: Math.max(0, limit - workingSet) } : {}),
    ...(rss === undefined ? {} : { memoryRssBytes: rss }),
    ...(faults === undefined ? {} : { pageFaults: faults }),
    ...(majorFaults === undefined ? {} : { majorPageFaults: majorFaults }),
  };
}

/** The text of a pod's resolv.conf. */
export function resolvConf({ servers, searches, options }: DnsConfig): string {
  const lines = [
    ...servers.map((server) => `nameserver ${server}`),
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function containerFields(id: string, record: ContainerRecord, imageRef: string): Omit<Container, 'state'> {
  const { sandboxId, name, attempt, createdAt, imageName, labels, annotations } = record;
  return { id, sandboxId, name, attempt, createdAt, image: imageName, imageRef, labels, annotations };
}

function stateOf(state: string): ContainerState {
  switch (state) {
    case 'created':
      return 'created';
    case 'running':
    case 'paused':
    case 'restarting':
      return 'running';
    case 'removing':
    case 'exited':
    case 'dead':
      return 'exited';
    default:
      return 'unknown';
  }
}

/** 0 for year 1, which is Docker's word for never. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  return time > 0 ? time : 0;
}

function pidMode(config: ContainerConfig, sandboxId: string, { namespaces }: SandboxConfig): string {
  if (config.joinsProcessesOf !== undefined) return `container:${config.joinsProcessesOf}`;
  if (namespaces.hostPid) return 'host';
  return namespaces.sharePid ? `container:${sandboxId}` : '';
}

/** Docker takes a group only behind a user: the image's, where the pod names none. */
function userOf(
  of: { readonly runAsUser?: number; readonly runAsGroup?: number },
  imageUser: string | undefined,
): object {
  if (of.runAsUser === undefined && of.runAsGroup === undefined) return {};
  const user = of.runAsUser ?? ((imageUser ?? '').split(':')[0] || '0');
  return { User: of.runAsGroup === undefined ? String(user) : `${user}:${of.runAsGroup}` };
}

function oomScore(wanted: number, { oomScoreFloor: floor }: Surroundings): number {
  return floor === undefined ? wanted : Math.max(wanted, floor);
}

function securityOptions(
  of: Pick<ContainerSecurity, 'privileged' | 'seccomp' | 'noNewPrivileges'> & { readonly selinux?: SELinuxLabels },
  { profileText }: Surroundings,
): string[] {
  const labels = Object.entries(of.selinux ?? {}).filter(([, value]) => value !== '');
  return [
    ...(of.noNewPrivileges ? ['no-new-privileges'] : []),
    ...(of.privileged || of.seccomp === 'Unconfined' ? ['seccomp=unconfined'] : []),
    ...(!of.privileged && typeof of.seccomp === 'object' ? [`seccomp=${profileText ?? ''}`] : []),
    ...labels.map(([part, value]) => `label=${part}:${value}`),
  ];
}
