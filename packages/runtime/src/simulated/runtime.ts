import type { Duplex } from '@binnacle/base';
import {
  ExecTimeoutError,
  ImagePullError,
  RuntimeError,
  RuntimeNotFoundError,
  RuntimeUnavailableError,
} from '../errors.ts';
import type { ImageStatus, ImageUser } from '../image-port.ts';
import type {
  CommandIo,
  Container,
  ContainerConfig,
  ContainerStats,
  ContainerStatus,
  ExecResult,
  LinuxResources,
  Runtime,
  RuntimeEvent,
  RuntimeHandler,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxConfig,
  SandboxStatus,
} from '../ports.ts';
import { type ContainerRecord, type SimulatedMachine, reasonOf } from './machine.ts';
import { connectResponder } from './responder.ts';
import { ending, readScript } from './script.ts';
import { runProgram } from './shell.ts';

const EMPTY = new Uint8Array(0);
const ENCODER = new TextEncoder();

/** Nobody's users are told apart here: a pod may play that it has its own. */
const HANDLERS: readonly RuntimeHandler[] = [{ name: '', recursiveReadOnlyMounts: false, userNamespaces: true }];

/** One connection to a simulated machine. Closing it leaves the machine's pods running. */
export class SimulatedRuntime implements Runtime {
  readonly #machine: SimulatedMachine;
  readonly #sinks: ((event: RuntimeEvent) => void)[] = [];
  #closed = false;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
  }

  async version(): Promise<RuntimeVersion> {
    this.#assertOpen();
    return { name: 'simulated', version: '1.0.0' };
  }

  async status(): Promise<RuntimeStatus> {
    this.#assertOpen();
    const { runtimeCondition: runtime, networkCondition: network } = this.#machine;
    return { runtime, network, handlers: HANDLERS };
  }

  async runSandbox(config: SandboxConfig): Promise<string> {
    this.#assertOpen();
    const script = readScript(config.annotations);
    await this.#machine.pause(script.sandboxDelayMs);
    if (script.sandboxFailure !== '') throw new RuntimeError(script.sandboxFailure, { code: 'sandbox-failed' });
    return this.#machine.addSandbox(config).status.id;
  }

  async stopSandbox(id: string): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.sandboxes.get(id);
    if (record !== undefined) this.#machine.stopSandbox(record);
  }

  async removeSandbox(id: string): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.sandboxes.get(id);
    if (record !== undefined) this.#machine.removeSandbox(record);
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    this.#assertOpen();
    return this.#machine.sandbox(id).status;
  }

  async listSandboxes(filter: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    this.#assertOpen();
    const found: Sandbox[] = [];
    for (const { status } of this.#machine.sandboxes.values()) {
      if (filter.podUid === undefined || filter.podUid === status.uid) found.push(status);
    }
    return found;
  }

  async createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string> {
    this.#assertOpen();
    const record = this.#machine.sandbox(sandboxId);
    if (record.status.state !== 'ready') {
      throw new RuntimeError(`sandbox "${sandboxId}" is not running`, { code: 'sandbox-stopped' });
    }
    const script = ending(readScript(sandbox.annotations, config.name), config.endsAfterMs);
    const image = this.#machine.parts.images.find(config.image, script.imageAbsent || script.pullFailure !== '');
    if (image === undefined) throw new RuntimeNotFoundError('image', config.image);
    if (script.createFailure !== '') throw new RuntimeError(script.createFailure, { code: 'create-failed' });
    return this.#machine.addContainer(record, config, { image, script });
  }

  async startContainer(id: string): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.container(id);
    if (record.status.state !== 'created' || record.starting) {
      throw new RuntimeError(`container "${id}" is not in created state`, { code: 'bad-state' });
    }
    const { script } = record;
    record.starting = true;
    await this.#machine.pause(script.startDelayMs);
    if (!this.#machine.containers.has(id)) throw new RuntimeNotFoundError('container', id);
    if (record.sandbox.status.state !== 'ready') throw this.#machine.setStartFailed(record, 'sandbox was stopped');
    if (script.startFailure !== '' && record.status.attempt < script.startFailureTimes) {
      throw this.#machine.setStartFailed(record, script.startFailure);
    }
    this.#machine.setRunning(record);
  }

  async stopContainer(id: string, graceSeconds: number): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.containers.get(id);
    if (record?.status.state !== 'running') return;
    const graceMs = Math.max(0, graceSeconds) * 1000;
    const ownMs = record.script.ignoreStop ? Infinity : record.script.stopDelayMs;
    const killed = graceMs === 0 || ownMs > graceMs;
    const exitCode = killed ? 137 : record.script.stopExitCode;
    const delayMs = killed ? graceMs : ownMs;
    if (delayMs === 0) {
      this.#machine.finish(record, exitCode, reasonOf(exitCode));
      return;
    }
    await this.#awaitEnd(record, () => {
      this.#machine.later(record, delayMs, () => this.#machine.finish(record, exitCode, reasonOf(exitCode)));
    });
  }

  async removeContainer(id: string): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.containers.get(id);
    if (record !== undefined) this.#machine.removeContainer(record);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    this.#assertOpen();
    return this.#machine.container(id).status;
  }

  async listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly Container[]> {
    this.#assertOpen();
    const found: Container[] = [];
    for (const { status, sandbox } of this.#machine.containers.values()) {
      if (filter.podUid !== undefined && filter.podUid !== sandbox.status.uid) continue;
      if (filter.sandboxId !== undefined && filter.sandboxId !== status.sandboxId) continue;
      found.push(status);
    }
    return found;
  }

  async updateResources(id: string, resources: LinuxResources): Promise<void> {
    this.#assertOpen();
    const record = this.#machine.container(id);
    record.resources = { ...record.resources, ...resources };
  }

  async containerResources(id: string): Promise<LinuxResources> {
    this.#assertOpen();
    return this.#machine.container(id).resources;
  }

  async stats(ids?: readonly string[]): Promise<readonly ContainerStats[]> {
    this.#assertOpen();
    const now = this.#machine.parts.clock.now();
    const found: ContainerStats[] = [];
    for (const { status, script } of this.#machine.containers.values()) {
      if (status.state !== 'running' || ids?.includes(status.id) === false) continue;
      const cpuUsageNanos = (now - status.startedAt) * script.cpuMillicores * 1000;
      const { memoryBytes } = script;
      found.push({
        id: status.id,
        at: now,
        cpuUsageNanos,
        memoryWorkingSetBytes: memoryBytes,
        memoryUsageBytes: memoryBytes,
      });
    }
    return found;
  }

  async exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    this.#assertOpen();
    const { script, status } = this.#machine.container(id);
    if (status.state !== 'running') throw new RuntimeError(`container "${id}" is not running`, { code: 'bad-state' });
    const takesMs = Math.max(script.execDelayMs, sleepMs(command));
    const tooSlow = timeoutMs > 0 && takesMs > timeoutMs;
    await this.#machine.pause(tooSlow ? timeoutMs : takesMs);
    if (tooSlow) throw new ExecTimeoutError(command, timeoutMs);
    const exitCode = script.execExitCode ?? exitCodeOf(command);
    return { exitCode, stdout: ENCODER.encode(script.execOutput || echoed(command)), stderr: EMPTY };
  }

  async runCommand(id: string, command: readonly string[], io: CommandIo): Promise<number> {
    this.#assertOpen();
    const { script, sandbox } = this.#running(id);
    if (script.execDelayMs > 0) await this.#machine.pause(script.execDelayMs);
    if (script.execOutput === '' && script.execExitCode === undefined) {
      return runProgram({ clock: this.#machine.parts.clock, hostname: sandbox.status.name }, command, io);
    }
    if (script.execOutput !== '') await io.stdout?.write(ENCODER.encode(script.execOutput));
    return script.execExitCode ?? 0;
  }

  async attach(id: string, io: CommandIo): Promise<void> {
    this.#assertOpen();
    const record = this.#running(id);
    const { console, sandbox } = record;
    if (console === undefined || io.stdin === undefined || console.isRunning) {
      await this.#untilGone(record, io.signal);
      return;
    }
    console.isRunning = true;
    const world = { clock: this.#machine.parts.clock, hostname: sandbox.status.name };
    try {
      const code = await runProgram(world, console.command, { ...io, tty: console.tty });
      this.#machine.finish(record, code, reasonOf(code));
    } finally {
      console.isRunning = false;
    }
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    this.#assertOpen();
    const record = this.#machine.sandbox(sandboxId);
    for (const { sandbox, script, status } of this.#machine.containers.values()) {
      if (sandbox !== record || status.state !== 'running' || script.httpPort !== port) continue;
      return connectResponder(script.httpBody);
    }
    throw new RuntimeError(`failed to connect to localhost:${port} inside namespace: connection refused`, {
      code: 'connection-refused',
    });
  }

  #running(id: string): ContainerRecord {
    const record = this.#machine.container(id);
    if (record.status.state !== 'running') {
      throw new RuntimeError(`container "${id}" is not running`, { code: 'bad-state' });
    }
    return record;
  }

  #untilGone(record: ContainerRecord, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        record.waiting = record.waiting.filter((one) => one !== over);
        signal?.removeEventListener('abort', over);
        resolve();
      };
      record.waiting = [...record.waiting, over];
      signal?.addEventListener('abort', over, { once: true });
      if (signal?.aborted === true) over();
    });
  }

  async reopenLog(id: string): Promise<void> {
    this.#assertOpen();
    this.#machine.container(id);
  }

  async imageStatus(image: string, pod?: ImageUser): Promise<ImageStatus | undefined> {
    this.#assertOpen();
    const script = readScript(pod?.annotations ?? {});
    return this.#machine.parts.images.find(image, script.imageAbsent || script.pullFailure !== '');
  }

  async pullImage(image: string, pod?: ImageUser): Promise<string> {
    this.#assertOpen();
    const script = readScript(pod?.annotations ?? {});
    await this.#machine.pause(script.pullDelayMs);
    if (script.pullFailure !== '') throw new ImagePullError(image, script.pullFailure);
    return this.#machine.parts.images.add(image).id;
  }

  async listImages(): Promise<readonly ImageStatus[]> {
    this.#assertOpen();
    return this.#machine.parts.images.list();
  }

  async removeImage(image: string): Promise<void> {
    this.#assertOpen();
    this.#machine.parts.images.remove(image);
  }

  events(sink: { event(event: RuntimeEvent): void; lost(error: Error): void }): { stop(): void } {
    this.#assertOpen();
    const own = (event: RuntimeEvent): void => sink.event(event);
    this.#sinks.push(own);
    this.#machine.sinks.add(own);
    return {
      stop: (): void => {
        this.#machine.sinks.delete(own);
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const sink of this.#sinks) this.#machine.sinks.delete(sink);
  }

  #assertOpen(): void {
    if (this.#closed) throw new RuntimeUnavailableError('simulated');
  }

  #awaitEnd(record: ContainerRecord, begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      record.waiting = [...record.waiting, resolve];
      begin();
    });
  }
}

/** `true`, `false`, `sh -c 'exit N'` mean what they mean; any other command succeeds. */
function exitCodeOf(command: readonly string[]): number {
  if (command[0] === 'false') return 1;
  const script = command[0] === 'sh' && command[1] === '-c' ? command[2] : undefined;
  return Number(/(?:^|[\s;])exit (\d{1,3})$/.exec(script ?? '')?.[1] ?? 0);
}

function echoed(command: readonly string[]): string {
  return command[0] === 'echo' ? `${command.slice(1).join(' ')}\n` : '';
}

function sleepMs(command: readonly string[]): number {
  const seconds = Number(command[0] === 'sleep' ? command[1] : 0);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}
