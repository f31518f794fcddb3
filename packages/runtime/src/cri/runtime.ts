import { AbortedError, sleep } from '@binnacle/base';
import type { Clock, Duplex, Logger } from '@binnacle/base';
import { wholeGrace } from '../grace.ts';
import { ExecTimeoutError, RuntimeNotFoundError } from '../errors.ts';
import type { ImageStatus, ImageUser, RegistryAuth, RuntimeFilesystems } from '../image-port.ts';
import type {
  CommandIo,
  Container,
  ContainerConfig,
  ContainerStats,
  ContainerStatus,
  ExecResult,
  LinuxResources,
  Runtime,
  RuntimeCondition,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxConfig,
  SandboxStatus,
} from '../ports.ts';
import { type Channel, STATUS, failureOf } from '@binnacle/grpc';
import { CALL_TIMEOUT_MS, CriCalls, NO_TIMEOUT } from './calls.ts';
import { endHiddenTasks, removeWithTasks } from './hidden-tasks.ts';
import { stopBySignal } from './stop-by-signal.ts';
import { keepsStopSignals } from './stop-signals.ts';
import { type EventSink, EventSource } from './events.ts';
import { type Subject, toRuntimeError } from './failure.ts';
import { type Identity, Identities } from './identities.ts';
import { CriImages } from './images.ts';
import type { ConditionMessage } from './messages.ts';
import { Ownership, type OwnershipLabel } from './ownership.ts';
import { exitCodeOf, StreamingServer, wantedStreams } from './streaming.ts';
import {
  POD_UID_LABEL,
  fromContainer,
  fromContainerStatus,
  fromHandler,
  fromResources,
  fromSandbox,
  fromSandboxStatus,
  fromStats,
  resourcesOfInfo,
  toContainerMessage,
  toResourcesMessage,
  toSandboxMessage,
} from './translate.ts';

/** A runtime may tell of an end a little after the streams of the container broke. */
const END_LOOKS = 10;
const END_LOOK_MS = 100;

export interface CriRuntimeParts {
  readonly channel: Channel;
  /** One more connection, for one call. */
  readonly open: () => Promise<Channel>;
  readonly endpoint: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ownershipLabel: OwnershipLabel;
}

/** A checkpoint takes as long as its container's memory takes to be written; a day is no more than a mistake. */
const CHECKPOINT_SECONDS_MAX = 86_400;
const EXEC_OUTPUT_BYTES_MAX = 16 << 20;

/** A runtime spoken to over CRI v1. */
export class CriRuntime implements Runtime {
  readonly #parts: CriRuntimeParts;
  readonly #calls: CriCalls;
  readonly #images: CriImages;
  readonly #identities = new Identities();
  readonly #ours: Ownership;
  readonly #streaming: StreamingServer;
  readonly #events: EventSource;
  #version: RuntimeVersion | undefined;
  #creating = 0;

  constructor(parts: CriRuntimeParts) {
    this.#parts = parts;
    this.#calls = new CriCalls(parts);
    this.#images = new CriImages(this.#calls, parts.endpoint);
    this.#streaming = new StreamingServer(parts.clock);
    this.#ours = new Ownership(parts.ownershipLabel, this.#identities, () => this.#listAll());
    this.#events = new EventSource({
      ...parts,
      identities: this.#identities,
      learn: () => this.#ours.learn(),
      hasEnded: (id) => this.#hasEnded(id),
      creating: () => this.#creating > 0,
    });
  }

  async version(): Promise<RuntimeVersion> {
    const answer = await this.#calls.call('Version', { version: '0.1.0' });
    return { name: answer.runtime_name, version: answer.runtime_version };
  }

  async status(): Promise<RuntimeStatus> {
    const { status, runtime_handlers: handlers, features } = await this.#calls.call('Status', {});
    const conditions = status?.conditions ?? [];
    return {
      runtime: condition(conditions, 'RuntimeReady'),
      network: condition(conditions, 'NetworkReady'),
      handlers: handlers.map(fromHandler),
      ...(features ? { supportsGroupsPolicy: features.supplemental_groups_policy } : {}),
    };
  }

  runSandbox(config: SandboxConfig): Promise<string> {
    return this.#create(async () => {
      const request = { config: toSandboxMessage(config, this.#ours.labels), runtime_handler: config.runtimeHandler };
      const answer = await this.#calls.call('RunPodSandbox', request, { what: 'sandbox', id: config.uid });
      const id = answer.pod_sandbox_id;
      return { id, identity: { podUid: config.uid, sandboxId: id } };
    });
  }

  async stopSandbox(id: string): Promise<void> {
    await this.#ifThere(id, 'sandbox', () => this.#calls.call('StopPodSandbox', { pod_sandbox_id: id }));
  }

  async removeSandbox(id: string): Promise<void> {
    const remove = (): Promise<unknown> => this.#calls.call('RemovePodSandbox', { pod_sandbox_id: id });
    await this.#ifThere(id, 'sandbox', () =>
      removeWithTasks(this.#parts, remove, async () => [{ id }, ...(await this.listContainers({ sandboxId: id }))]),
    );
    if (!this.#events.listening) this.#identities.forgetSandbox(id);
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    const answer = await this.#calls.call('PodSandboxStatus', { pod_sandbox_id: id }, { what: 'sandbox', id });
    if (answer.status === null || !this.#ours.carriedBy(answer.status.labels))
      throw new RuntimeNotFoundError('sandbox', id);
    return fromSandboxStatus(answer.status);
  }

  async listSandboxes(filter: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    const answer = await this.#calls.call('ListPodSandbox', {
      filter: { label_selector: this.#ours.selector(filter.podUid) },
    });
    const found = answer.items.map(fromSandbox);
    for (const { id, uid } of found) this.#identities.learn(id, { podUid: uid, sandboxId: id });
    return found;
  }

  createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string> {
    return this.#create(async () => {
      const request = {
        pod_sandbox_id: sandboxId,
        config: toContainerMessage(config, sandbox, this.#ours.labels),
        sandbox_config: toSandboxMessage(sandbox, this.#ours.labels),
      };
      const answer = await this.#calls.call('CreateContainer', request, {
        what: 'object',
        id: `${sandboxId}, ${config.image}`,
      });
      return { id: answer.container_id, identity: { podUid: sandbox.uid, sandboxId } };
    });
  }

  async startContainer(id: string): Promise<void> {
    await this.#ours.demand(id);
    await this.#calls.call('StartContainer', { container_id: id }, { what: 'container', id });
  }

  async stopContainer(id: string, graceSeconds: number, signal?: string): Promise<void> {
    const whole = wholeGrace(graceSeconds);
    const isOver = signal !== undefined && whole > 0 && (await this.#stopsBySignal(id, { signal, seconds: whole }));
    const seconds = isOver ? 0 : whole;
    const timeoutMs = seconds * 1000 + CALL_TIMEOUT_MS;
    const request = { container_id: id, timeout: seconds };
    await this.#ifThere(id, 'container', () =>
      this.#calls.call('StopContainer', request, { what: 'container', id, timeoutMs }),
    );
  }

  async #stopsBySignal(id: string, grace: { readonly signal: string; readonly seconds: number }): Promise<boolean> {
    this.#version ??= await this.version();
    if (keepsStopSignals(this.#version)) return false;
    await this.#ours.demand(id);
    const heard = { subscribe: (sink: EventSink) => this.events(sink), hasEnded: (of: string) => this.#hasEnded(of) };
    return stopBySignal({ ...this.#parts, ...heard }, id, grace);
  }

  async removeContainer(id: string): Promise<void> {
    const remove = (): Promise<unknown> => this.#calls.call('RemoveContainer', { container_id: id });
    await this.#ifThere(id, 'container', () => removeWithTasks(this.#parts, remove, async () => [{ id }]));
    if (!this.#events.listening) this.#identities.forget(id);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    const answer = await this.#calls.call('ContainerStatus', { container_id: id }, { what: 'container', id });
    if (answer.status === null || !this.#ours.carriedBy(answer.status.labels))
      throw new RuntimeNotFoundError('container', id);
    return fromContainerStatus(answer.status, await this.#sandboxOf(id));
  }

  async listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly Container[]> {
    const selector = { label_selector: this.#ours.selector(filter.podUid), pod_sandbox_id: filter.sandboxId ?? '' };
    const answer = await this.#calls.call('ListContainers', { filter: selector });
    for (const { id, labels, pod_sandbox_id: sandboxId } of answer.containers) {
      this.#identities.learn(id, { podUid: labels[POD_UID_LABEL] ?? '', sandboxId });
    }
    return answer.containers.map(fromContainer);
  }

  async updateResources(id: string, resources: LinuxResources): Promise<void> {
    await this.#ours.demand(id);
    const request = { container_id: id, linux: toResourcesMessage(resources) };
    await this.#calls.call('UpdateContainerResources', request, { what: 'container', id });
  }

  async containerResources(id: string): Promise<LinuxResources> {
    const { status, info } = await this.#calls.call(
      'ContainerStatus',
      { container_id: id, verbose: true },
      { what: 'container', id },
    );
    if (status === null || !this.#ours.carriedBy(status.labels)) throw new RuntimeNotFoundError('container', id);
    const told = status.resources?.linux;
    return told ? fromResources(told) : resourcesOfInfo(info['info'] ?? '');
  }

  async stats(ids?: readonly string[]): Promise<readonly ContainerStats[]> {
    if (ids === undefined) {
      const answer = await this.#calls.call('ListContainerStats', { filter: { label_selector: this.#ours.labels } });
      return answer.stats.map(fromStats);
    }
    const found: ContainerStats[] = [];
    for (const id of ids) {
      await this.#ours.demand(id);
      const { stats } = await this.#calls.call('ContainerStats', { container_id: id }, { what: 'container', id });
      if (stats !== null) found.push(fromStats(stats));
    }
    return found;
  }

  async exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    await this.#ours.demand(id);
    const seconds = timeoutMs > 0 ? Math.ceil(timeoutMs / 1000) : 0;
    const request = { container_id: id, cmd: command, timeout: seconds };
    try {
      const answer = await this.#calls.raw(
        'ExecSync',
        request,
        seconds > 0 ? seconds * 1000 + CALL_TIMEOUT_MS : NO_TIMEOUT,
      );
      return {
        exitCode: answer.exit_code,
        stdout: answer.stdout.subarray(0, EXEC_OUTPUT_BYTES_MAX),
        stderr: answer.stderr.subarray(0, EXEC_OUTPUT_BYTES_MAX),
      };
    } catch (error) {
      if (failureOf(error).status === STATUS.DEADLINE_EXCEEDED) throw new ExecTimeoutError(command, timeoutMs, error);
      throw toRuntimeError(error, this.#parts.endpoint, { what: 'container', id });
    }
  }

  async runCommand(id: string, command: readonly string[], io: CommandIo): Promise<number> {
    await this.#ours.demand(id);
    const request = { container_id: id, cmd: command, ...wantedStreams(io) };
    const { url } = await this.#calls.call('Exec', request, { what: 'container', id });
    return exitCodeOf(await this.#streaming.run(url, io));
  }

  async attach(id: string, io: CommandIo): Promise<void> {
    await this.#ours.demand(id);
    const { url } = await this.#calls.call(
      'Attach',
      { container_id: id, ...wantedStreams(io) },
      { what: 'container', id },
    );
    try {
      exitCodeOf(await this.#streaming.run(url, io));
    } catch (error) {
      // The end of the container ends the connection too, in one order or the other.
      if (error instanceof AbortedError || !(await this.#isEnding(id))) throw error;
    }
  }

  /** Whether a container that was cut off from us has ended, or is told to have in a moment. */
  async #isEnding(id: string): Promise<boolean> {
    for (let look = 1; look <= END_LOOKS; look++) {
      if ((await this.containerStatus(id)).state !== 'running') return true;
      // CRI of the older engines has no events.
      await sleep(this.#parts.clock, END_LOOK_MS);
    }
    return false;
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    await this.#ours.demand(sandboxId);
    const request = { pod_sandbox_id: sandboxId, port: [port] };
    const { url } = await this.#calls.call('PortForward', request, { what: 'sandbox', id: sandboxId });
    return this.#streaming.forward(url, port);
  }

  async reopenLog(id: string): Promise<void> {
    await this.#ours.demand(id);
    await this.#calls.call('ReopenContainerLog', { container_id: id }, { what: 'container', id });
  }

  async checkpoint(id: string, to: { readonly location: string; readonly seconds: number }): Promise<void> {
    await this.#ours.demand(id);
    const seconds = Math.min(CHECKPOINT_SECONDS_MAX, Math.max(to.seconds, CALL_TIMEOUT_MS / 1000));
    const request = { container_id: id, location: to.location, timeout: seconds };
    await this.#calls.call('CheckpointContainer', request, { what: 'container', id, timeoutMs: seconds * 1000 });
  }

  imageStatus(image: string, pod?: ImageUser): Promise<ImageStatus | undefined> {
    return this.#images.status(image, pod);
  }

  pullImage(image: string, pod?: ImageUser, auth?: RegistryAuth): Promise<string> {
    return this.#images.pull(image, pod, auth);
  }

  listImages(): Promise<readonly ImageStatus[]> {
    return this.#images.list();
  }

  removeImage(image: string): Promise<void> {
    return this.#images.remove(image);
  }

  filesystems(): Promise<RuntimeFilesystems | undefined> {
    return this.#images.filesystems();
  }

  events(sink: EventSink): { stop(): void } {
    return this.#events.subscribe(sink);
  }

  async close(): Promise<void> {
    this.#events.close();
    this.#calls.close();
    await this.#streaming.close();
  }

  /** Ends what runs behind containers that count as ended; a kubelet that was killed in the middle of a start leaves such. */
  async endHiddenTasks(): Promise<void> {
    await endHiddenTasks(this.#parts, () => this.listContainers());
  }

  /** Makes something: its id is learnt before its events are told. */
  async #create(make: () => Promise<{ readonly id: string; readonly identity: Identity }>): Promise<string> {
    this.#creating++;
    try {
      const { id, identity } = await make();
      // containerd's stream has no such event for CRI; told first, it keeps its place before `started`.
      this.#events.tell({ type: 'created', containerId: id, podUid: identity.podUid });
      this.#identities.learn(id, identity);
      return id;
    } finally {
      this.#creating--;
      this.#events.settle();
    }
  }

  async #ifThere(id: string, what: Subject['what'], act: () => Promise<unknown>): Promise<void> {
    try {
      await this.#ours.demand(id);
      await act();
    } catch (error) {
      if (!(error instanceof RuntimeNotFoundError)) throw error;
      this.#parts.log.info(5, 'already gone', { what, id });
    }
  }

  async #hasEnded(id: string): Promise<boolean> {
    try {
      if (this.#identities.of(id)?.sandboxId === id) return (await this.sandboxStatus(id)).state === 'notReady';
      return (await this.containerStatus(id)).state === 'exited';
    } catch (error) {
      if (error instanceof RuntimeNotFoundError) return true;
      throw error;
    }
  }

  async #sandboxOf(id: string): Promise<string> {
    const known = this.#identities.of(id);
    if (known !== undefined) return known.sandboxId;
    const { containers } = await this.#calls.call('ListContainers', { filter: { id } });
    return containers[0]?.pod_sandbox_id ?? '';
  }

  async #listAll(): Promise<readonly { readonly id: string }[]> {
    const [sandboxes, containers] = await Promise.all([this.listSandboxes(), this.listContainers()]);
    return [...sandboxes, ...containers];
  }
}

function condition(all: readonly ConditionMessage[], type: string): RuntimeCondition {
  const found = all.find((one) => one.type === type);
  if (found === undefined) return { ready: false, reason: 'Unknown', message: `the runtime does not report ${type}` };
  return { ready: found.status, reason: found.reason, message: found.message };
}
