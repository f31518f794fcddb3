/** The parts of the Engine API's answers (v1.41 and later) that the driver reads. */

export interface StringMap {
  readonly [key: string]: string;
}

/** GET /version */
export interface VersionMessage {
  readonly Version: string;
  readonly ApiVersion: string;
  readonly MinAPIVersion?: string;
}

/** GET /info */
export interface InfoMessage {
  readonly CgroupDriver: string;
  /** Where all that it keeps lies. */
  readonly DockerRootDir?: string;
  readonly Warnings?: readonly string[] | null;
}

/** One of GET /containers/json. */
export interface ListedMessage {
  readonly Id: string;
  readonly Image: string;
  readonly ImageID: string;
  readonly State: string;
  readonly Labels: StringMap | null;
}

/** GET /containers/ID/json */
export interface ContainerMessage {
  readonly Id: string;
  /** Of the image: `sha256:…`. */
  readonly Image: string;
  readonly ResolvConfPath: string;
  readonly State: StateMessage;
  readonly Config: { readonly Labels: StringMap | null; readonly Tty: boolean };
  readonly HostConfig: ResourcesMessage;
}

export interface StateMessage {
  /** `created`, `running`, `paused`, `restarting`, `removing`, `exited`, `dead`. */
  readonly Status: string;
  readonly OOMKilled: boolean;
  readonly Pid: number;
  readonly ExitCode: number;
  readonly Error: string;
  /** RFC 3339 with nanoseconds; year 1 while it has not happened. */
  readonly StartedAt: string;
  readonly FinishedAt: string;
}

/** What HostConfig and updates say of a control group; 0: not set. */
export interface ResourcesMessage {
  readonly CpuShares: number;
  readonly CpuQuota: number;
  readonly CpuPeriod: number;
  readonly Memory: number;
}

/** GET /exec/ID/json; `Pid` 0: it never started. */
export interface ExecMessage {
  readonly Running: boolean;
  readonly ExitCode: number | null;
  readonly Pid: number;
}

/** GET /images/NAME/json and one of GET /images/json. */
export interface ImageMessage {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
  readonly RepoDigests: readonly string[] | null;
  readonly Size: number;
  readonly Config?: { readonly User?: string } | null;
}

/** GET /containers/ID/stats?stream=false&one-shot=true */
export interface StatsMessage {
  readonly read: string;
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } };
  readonly memory_stats: {
    readonly usage?: number;
    readonly limit?: number;
    readonly stats?: { readonly [name: string]: number };
  };
}

/** One line of GET /events. */
export interface EventMessage {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: StringMap };
  readonly timeNano: number;
}
