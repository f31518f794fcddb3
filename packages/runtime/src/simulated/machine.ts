import { type Clock, type Random, type Timer, assert } from '@binnacle/base';
import { RuntimeConflictError, RuntimeError, RuntimeNotFoundError } from '../errors.ts';
import type { ImageStatus } from '../image-port.ts';
import type {
  ContainerConfig,
  ContainerStatus,
  LinuxResources,
  RuntimeCondition,
  RuntimeEvent,
  SandboxConfig,
  SandboxStatus,
} from '../ports.ts';
import type { AddressPool } from './address-pool.ts';
import type { ImageShelf } from './image-shelf.ts';
import type { Script } from './script.ts';

/** A sandbox of the machine. `status` is replaced, never changed, so that lists hand it out as it is. */
export interface SandboxRecord {
  status: SandboxStatus;
  /** The configuration itself is not kept: 150,000 pods would hold as many. */
  readonly logDirectory: string;
}

/** The first process of a container that takes input. */
export interface ContainerConsole {
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Somebody has spoken to it: its end is the container's. */
  isRunning: boolean;
}

export interface ContainerRecord {
  status: ContainerStatus;
  readonly sandbox: SandboxRecord;
  readonly script: Script;
  /** What it may use. */
  resources: LinuxResources;
  starting: boolean;
  /** Of a container with input only: what a client that attaches meets. */
  readonly console: ContainerConsole | undefined;
  timers: readonly Timer[];
  /** Who waits for its end. */
  waiting: readonly (() => void)[];
}

export interface MachineParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: AddressPool;
  readonly images: ImageShelf;
  readonly appendLog: ((path: string, text: string) => void) | undefined;
}

const READY: RuntimeCondition = { ready: true, reason: '', message: '' };
const NONE: readonly never[] = [];

/**
 * The state of one simulated node: what outlives a connection. It holds no timer unless a pod's script asks for one,
 * and is made for thousands in one process.
 */
export class SimulatedMachine {
  readonly parts: MachineParts;
  readonly sandboxes = new Map<string, SandboxRecord>();
  readonly containers = new Map<string, ContainerRecord>();
  readonly sinks = new Set<(event: RuntimeEvent) => void>();
  runtimeCondition = READY;
  networkCondition = READY;

  constructor(parts: MachineParts) {
    this.parts = parts;
  }

  newId(): string {
    // Joined, not added up: a string that was added up is kept as a tree of its parts, ten times as large.
    const hex = Array.from(this.parts.random.bytes(16), (byte) => (byte + 0x100).toString(16).slice(1));
    return hex.join('');
  }

  sandbox(id: string): SandboxRecord {
    const record = this.sandboxes.get(id);
    if (record === undefined) throw new RuntimeNotFoundError('sandbox', id);
    return record;
  }

  container(id: string): ContainerRecord {
    const record = this.containers.get(id);
    if (record === undefined) throw new RuntimeNotFoundError('container', id);
    return record;
  }

  /** Waits without a timer when there is nothing to wait for. */
  async pause(delayMs: number): Promise<void> {
    if (delayMs <= 0) return;
    await new Promise<void>((resolve) => this.parts.clock.after(delayMs, resolve));
  }

  addSandbox(config: SandboxConfig): SandboxRecord {
    for (const { status: other } of this.sandboxes.values()) {
      if (other.uid === config.uid && other.attempt === config.attempt && other.name === config.name) {
        throw new RuntimeConflictError(`sandbox of pod ${config.namespace}/${config.name} exists already`);
      }
    }
    const status: SandboxStatus = {
      id: this.newId(),
      name: config.name,
      namespace: config.namespace,
      uid: config.uid,
      attempt: config.attempt,
      state: 'ready',
      createdAt: this.parts.clock.now(),
      labels: config.labels,
      annotations: config.annotations,
      ips: config.namespaces.hostNetwork ? NONE : [this.parts.addresses.take()],
    };
    const record: SandboxRecord = { status, logDirectory: config.logDirectory };
    this.sandboxes.set(status.id, record);
    this.#emit(record, { type: 'created', containerId: status.id });
    this.#emit(record, { type: 'started', containerId: status.id });
    return record;
  }

  stopSandbox(record: SandboxRecord): void {
    for (const container of this.#containersOf(record)) this.finish(container, 137, 'Error');
    if (record.status.state === 'notReady') return;
    for (const ip of record.status.ips) this.parts.addresses.release(ip);
    record.status = { ...record.status, state: 'notReady', ips: NONE };
    this.#emit(record, { type: 'stopped', containerId: record.status.id });
  }

  removeSandbox(record: SandboxRecord): void {
    this.stopSandbox(record);
    for (const container of this.#containersOf(record)) this.removeContainer(container);
    if (this.sandboxes.delete(record.status.id)) this.#emit(record, { type: 'deleted', containerId: record.status.id });
  }

  addContainer(sandbox: SandboxRecord, config: ContainerConfig, found: { image: ImageStatus; script: Script }): string {
    for (const { status } of this.#containersOf(sandbox)) {
      if (status.name === config.name && status.attempt === config.attempt) {
        throw new RuntimeConflictError(`container ${config.name} of pod ${sandbox.status.name} exists already`);
      }
    }
    const { script, image } = found;
    const status: ContainerStatus = {
      id: this.newId(),
      sandboxId: sandbox.status.id,
      name: config.name,
      attempt: config.attempt,
      state: 'created',
      createdAt: this.parts.clock.now(),
      // The kubelet asks by id; containers are told by the image's name.
      image: image.tags[0] ?? config.image,
      imageRef: image.digests[0] ?? image.id,
      labels: config.labels,
      annotations: config.annotations,
      startedAt: 0,
      finishedAt: 0,
      exitCode: 0,
      reason: '',
      message: '',
      logPath: `${sandbox.logDirectory}/${config.logPath}`,
    };
    const command = [...config.command, ...config.args];
    const console = config.stdin ? { command, tty: config.tty, isRunning: false } : undefined;
    const { resources } = config;
    const fresh = { console, resources, starting: false, timers: NONE, waiting: NONE };
    this.containers.set(status.id, { status, sandbox, script, ...fresh });
    this.#emit(sandbox, { type: 'created', containerId: status.id });
    return status.id;
  }

  /** The container runs from now on, until its script or somebody ends it. */
  setRunning(record: ContainerRecord): void {
    assert(record.status.state === 'created', 'a container starts once', { id: record.status.id });
    const { script, status } = record;
    record.status = { ...status, state: 'running', startedAt: this.parts.clock.now() };
    this.#emit(record.sandbox, { type: 'started', containerId: status.id });
    if (script.log !== '') this.log(record, script.log);
    if (script.exitAfterMs === Infinity || status.attempt >= script.exitTimes) return;
    const reason = script.exitReason === '' ? reasonOf(script.exitCode) : script.exitReason;
    this.later(record, script.exitAfterMs, () => this.finish(record, script.exitCode, reason));
  }

  /** The container could not be started: upstream's runtimes leave it exited with code 128. */
  setStartFailed(record: ContainerRecord, message: string): RuntimeError {
    const now = this.parts.clock.now();
    const failed = { state: 'exited', exitCode: 128, reason: 'StartError', message, finishedAt: now } as const;
    record.status = { ...record.status, ...failed };
    this.#emit(record.sandbox, { type: 'stopped', containerId: record.status.id, exitCode: 128 });
    return new RuntimeError(message, { code: 'start-failed', facts: { id: record.status.id } });
  }

  /** Ends a running container; anything else stays as it is. */
  finish(record: ContainerRecord, exitCode: number, reason: string): void {
    if (record.status.state !== 'running') return;
    for (const timer of record.timers) timer.cancel();
    record.timers = NONE;
    record.status = { ...record.status, state: 'exited', exitCode, reason, finishedAt: this.parts.clock.now() };
    if (reason === 'OOMKilled') this.#emit(record.sandbox, { type: 'oom', containerId: record.status.id });
    this.#emit(record.sandbox, { type: 'stopped', containerId: record.status.id, exitCode });
    const waiting = record.waiting;
    record.waiting = NONE;
    for (const wake of waiting) wake();
  }

  /** A timer of a container, called off when it ends. */
  later(record: ContainerRecord, delayMs: number, run: () => void): void {
    record.timers = [...record.timers, this.parts.clock.after(delayMs, run, { background: true })];
  }

  removeContainer(record: ContainerRecord): void {
    this.finish(record, 137, 'Error');
    if (this.containers.delete(record.status.id))
      this.#emit(record.sandbox, { type: 'deleted', containerId: record.status.id });
  }

  log(record: ContainerRecord, text: string): void {
    this.parts.appendLog?.(record.status.logPath, criLines(this.parts.clock.now(), text));
  }

  /** The whole node goes: every script's timer ends, nobody is told. */
  powerOff(): void {
    this.sinks.clear();
    for (const record of this.containers.values()) for (const timer of record.timers) timer.cancel();
    this.containers.clear();
    this.sandboxes.clear();
  }

  #containersOf(sandbox: SandboxRecord): ContainerRecord[] {
    const found: ContainerRecord[] = [];
    for (const record of this.containers.values()) if (record.sandbox === sandbox) found.push(record);
    return found;
  }

  #emit(sandbox: SandboxRecord, event: Omit<RuntimeEvent, 'podUid'>): void {
    if (this.sinks.size === 0) return;
    const told: RuntimeEvent = { ...event, podUid: sandbox.status.uid };
    for (const sink of this.sinks) sink(told);
  }
}

/** How a runtime names an exit code. */
export function reasonOf(exitCode: number): string {
  return exitCode === 0 ? 'Completed' : 'Error';
}

/** Text as a runtime writes it into a log: one stamped line each. */
export function criLines(time: number, text: string): string {
  const stamp = new Date(time).toISOString();
  const lines = text.split('\n');
  return lines.map((line) => `${stamp} stdout F ${line}\n`).join('');
}
