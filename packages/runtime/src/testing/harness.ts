import type { ContainerConfig, Runtime, RuntimeEvent, SandboxConfig } from '../ports.ts';

/** How a container of the suite behaves; each driver says how it gets one to. */
export interface Behaviour {
  readonly command: readonly string[];
  readonly podAnnotations?: { readonly [key: string]: string };
}

/** What the suite needs to know about the driver under test. */
export interface RuntimeHarness {
  /** Another connection to the same node. */
  connect(): Promise<Runtime>;
  /** An image that is there, with a shell. */
  readonly image: string;
  /** A second one, which the suite removes. */
  readonly spareImage: string;
  /** One that is nowhere, and the pod annotations (if any) that make it so. */
  readonly absentImage: Behaviour & { readonly name: string };
  /** Ends at the stop signal, soon; makes the file `/listening` once it does. */
  readonly obedient: Behaviour;
  /** Ignores the stop signal. */
  readonly stubborn: Behaviour;
  /** Ends by itself within a second after writing the line `hello`. */
  exits(code: number): Behaviour;
  /** Answers HTTP on port 8080 with `hello`; makes the file `/listening` once it does. */
  readonly serving: Behaviour;
  /** Lets so much time pass on the driver's clock. */
  elapse(ms: number): Promise<void>;
  /** A pod's cgroup. */
  cgroupParent(uid: string): string;
  /** Where the pod's logs go. */
  logDirectory(uid: string): string;
  /** Where the runtime keeps images, or a folder above it; absent: on no disk. */
  readonly stateFolder?: string;
  /** The text of a log file. */
  readLog(path: string): Promise<string>;
  /** Frees everything. */
  close(): Promise<void>;
}

/** Collects events and lets a test wait for one; nothing polls. */
export class EventLog {
  readonly seen: RuntimeEvent[] = [];
  readonly lost: Error[] = [];
  #waiting: { readonly matches: (event: RuntimeEvent) => boolean; readonly resolve: (event: RuntimeEvent) => void }[] =
    [];

  event(event: RuntimeEvent): void {
    this.seen.push(event);
    const due = this.#waiting.filter((w) => w.matches(event));
    this.#waiting = this.#waiting.filter((w) => !due.includes(w));
    for (const waiter of due) waiter.resolve(event);
  }

  lostEvents(error: Error): void {
    this.lost.push(error);
  }

  /** The first event, past or coming, that matches. */
  next(type: RuntimeEvent['type'], containerId: string): Promise<RuntimeEvent> {
    const matches = (e: RuntimeEvent): boolean => e.type === type && e.containerId === containerId;
    const past = this.seen.find(matches);
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }
}

/** A pod's sandbox with everything at its plainest. */
export function plainSandbox(
  harness: Pick<RuntimeHarness, 'logDirectory' | 'cgroupParent'>,
  uid: string,
  changes: Partial<SandboxConfig> = {},
): SandboxConfig {
  return {
    name: `pod-${uid}`,
    namespace: 'default',
    uid,
    attempt: 0,
    hostname: `pod-${uid}`,
    logDirectory: harness.logDirectory(uid),
    dns: { servers: ['10.96.0.10'], searches: ['default.svc.cluster.local'], options: ['ndots:5'] },
    ports: [],
    labels: { 'io.kubernetes.pod.uid': uid },
    annotations: {},
    cgroupParent: harness.cgroupParent(uid),
    namespaces: { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false },
    sysctls: {},
    supplementalGroups: [],
    privileged: false,
    seccomp: 'RuntimeDefault',
    runtimeHandler: '',
    ...changes,
  };
}

/** A container with everything at its plainest. */
export function plainContainer(image: string, command: readonly string[], name = 'main'): ContainerConfig {
  return {
    name,
    attempt: 0,
    image,
    imageName: image,
    command,
    args: [],
    workingDir: '',
    env: [],
    mounts: [],
    devices: [],
    labels: { 'io.kubernetes.container.name': name },
    annotations: {},
    logPath: `${name}/0.log`,
    stdin: false,
    stdinOnce: false,
    tty: false,
    resources: { cpuShares: 2 },
    security: {
      privileged: false,
      readOnlyRootFilesystem: false,
      noNewPrivileges: false,
      supplementalGroups: [],
      addCapabilities: [],
      dropCapabilities: [],
      seccomp: 'RuntimeDefault',
      maskedPaths: [],
      readOnlyPaths: [],
    },
  };
}
