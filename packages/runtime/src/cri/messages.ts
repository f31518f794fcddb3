/** The fields of CRI v1 messages that the driver reads; the channel fills absent ones (nested messages: null). */

export interface StringMap {
  readonly [key: string]: string;
}

export interface PodMetadataMessage {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}

export interface PodSandboxMessage {
  readonly id: string;
  readonly metadata: PodMetadataMessage | null;
  readonly state: string;
  readonly created_at: number;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface PodSandboxStatusMessage extends PodSandboxMessage {
  readonly network: { readonly ip: string; readonly additional_ips: readonly { readonly ip: string }[] } | null;
}

export interface ContainerMetadataMessage {
  readonly name: string;
  readonly attempt: number;
}

export interface ContainerFieldsMessage {
  readonly id: string;
  readonly metadata: ContainerMetadataMessage | null;
  readonly image: { readonly image: string } | null;
  readonly image_ref: string;
  readonly state: string;
  readonly created_at: number;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface ContainerMessage extends ContainerFieldsMessage {
  readonly pod_sandbox_id: string;
}

export interface ContainerStatusMessage extends ContainerFieldsMessage {
  readonly started_at: number;
  readonly finished_at: number;
  readonly exit_code: number;
  readonly reason: string;
  readonly message: string;
  readonly log_path: string;
  readonly resources: { readonly linux: ResourcesMessage | null } | null;
  readonly user: { readonly linux: UserMessage | null } | null;
}

export interface UserMessage {
  readonly uid: number;
  readonly gid: number;
  readonly supplemental_groups: readonly number[];
}

export interface ResourcesMessage {
  readonly cpu_period: number;
  readonly cpu_quota: number;
  readonly cpu_shares: number;
  readonly memory_limit_in_bytes: number;
}

export interface ImageMessage {
  readonly id: string;
  readonly repo_tags: readonly string[];
  readonly repo_digests: readonly string[];
  readonly size: number;
  readonly uid: { readonly value: number } | null;
  readonly username: string;
  readonly pinned: boolean;
}

export interface ConditionMessage {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeHandlerMessage {
  readonly name: string;
  readonly features: { readonly recursive_read_only_mounts: boolean; readonly user_namespaces: boolean } | null;
}

/** A number that may be missing. */
type NumberMessage = { readonly value: number } | null;

export interface ContainerStatsMessage {
  readonly attributes: { readonly id: string } | null;
  readonly cpu: {
    readonly timestamp: number;
    readonly usage_core_nano_seconds: NumberMessage;
    readonly usage_nano_cores: NumberMessage;
  } | null;
  readonly memory: {
    readonly working_set_bytes: NumberMessage;
    readonly available_bytes: NumberMessage;
    readonly usage_bytes: NumberMessage;
    readonly rss_bytes: NumberMessage;
    readonly page_faults: NumberMessage;
    readonly major_page_faults: NumberMessage;
  } | null;
  readonly writable_layer: { readonly used_bytes: NumberMessage; readonly inodes_used: NumberMessage } | null;
}

export interface FilesystemMessage {
  readonly fs_id: { readonly mountpoint: string } | null;
  readonly used_bytes: NumberMessage;
  readonly inodes_used: NumberMessage;
}

/** What each method answers. */
export interface Answers {
  readonly Version: { readonly runtime_name: string; readonly runtime_version: string };
  readonly Status: {
    readonly status: { readonly conditions: readonly ConditionMessage[] } | null;
    readonly runtime_handlers: readonly RuntimeHandlerMessage[];
    readonly features: { readonly supplemental_groups_policy: boolean } | null;
  };
  readonly RunPodSandbox: { readonly pod_sandbox_id: string };
  readonly StopPodSandbox: object;
  readonly RemovePodSandbox: object;
  readonly PodSandboxStatus: { readonly status: PodSandboxStatusMessage | null };
  readonly ListPodSandbox: { readonly items: readonly PodSandboxMessage[] };
  readonly CreateContainer: { readonly container_id: string };
  readonly StartContainer: object;
  readonly StopContainer: object;
  readonly RemoveContainer: object;
  /** `info`: for eyes, in a form of the runtime's own; only where it was asked for. */
  readonly ContainerStatus: { readonly status: ContainerStatusMessage | null; readonly info: StringMap };
  readonly ListContainers: { readonly containers: readonly ContainerMessage[] };
  readonly UpdateContainerResources: object;
  readonly ContainerStats: { readonly stats: ContainerStatsMessage | null };
  readonly ListContainerStats: { readonly stats: readonly ContainerStatsMessage[] };
  readonly ExecSync: { readonly stdout: Uint8Array; readonly stderr: Uint8Array; readonly exit_code: number };
  readonly Exec: { readonly url: string };
  readonly Attach: { readonly url: string };
  readonly PortForward: { readonly url: string };
  readonly ReopenContainerLog: object;
  readonly CheckpointContainer: object;
  readonly ImageStatus: { readonly image: ImageMessage | null };
  readonly PullImage: { readonly image_ref: string };
  readonly ListImages: { readonly images: readonly ImageMessage[] };
  readonly RemoveImage: object;
  readonly ImageFsInfo: {
    readonly image_filesystems: readonly FilesystemMessage[];
    readonly container_filesystems: readonly FilesystemMessage[];
  };
}

/** One message of the GetContainerEvents stream. */
export interface ContainerEventMessage {
  readonly container_id: string;
  readonly container_event_type: string;
  readonly pod_sandbox_status: PodSandboxStatusMessage | null;
  readonly containers_statuses: readonly ContainerStatusMessage[];
}

/** One message of containerd's own event stream. */
export interface EnvelopeMessage {
  readonly topic: string;
  readonly event: { readonly type_url: string; readonly value: Uint8Array } | null;
}

export interface TaskExitMessage {
  readonly container_id: string;
  readonly id: string;
  readonly exit_status: number;
}
