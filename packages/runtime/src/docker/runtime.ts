import { readFile, writeFile } from 'node:fs/promises';
import type { Clock, Duplex, Logger } from '@binnacle/base';
import { RuntimeError, RuntimeNotFoundError } from '../errors.ts';
import { wholeGrace } from '../grace.ts';
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
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxConfig,
  SandboxStatus,
  SeccompProfile,
} from '../ports.ts';
import type { DockerApi, Subject } from './api.ts';
import type { DockerCommands } from './commands.ts';
import type { DockerEvents, EventSink } from './events.ts';
import type { DockerImages } from './images.ts';
import type { DockerLogs } from './logs.ts';
import type { ContainerMessage, InfoMessage, ListedMessage, StatsMessage, StringMap } from './messages.ts';
import type { PodPlugins } from './pod-network.ts';
import { dialWithin } from './port-dialer.ts';
import { type ContainerRecord, type SandboxRecord, POD_UID_LABEL, RECORD_LABEL, recordOf } from './record.ts';
import {
  type Surroundings,
  fromInspected,
  fromListed,
  fromResources,
  fromSandbox,
  fromStats,
  resolvConf,
  toContainerBody,
  toResources,
  toSandboxBody,
} from './translate.ts';

export interface DockerRuntimeParts {
  readonly api: DockerApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly images: DockerImages;
  readonly logs: DockerLogs;
  readonly events: DockerEvents;
  readonly commands: DockerCommands;
  readonly network: PodPlugins;
  /** The image of sandboxes; makes sure that it is there. */
  sandboxImage(): Promise<string>;
  /** Labels of what is ours. */
  readonly labels: StringMap;
  readonly oomScoreFloor: number | undefined;
}

const STATS_AT_ONCE = 8;

interface Found<R> {
  readonly message: ContainerMessage;
  readonly record: R;
}

/** Pods on a Docker Engine: a container that holds their namespaces, joined to the pods' network by CNI, and theirs. */
export class DockerRuntime implements Runtime {
  readonly #parts: DockerRuntimeParts;

  constructor(parts: DockerRuntimeParts) {
    this.#parts = parts;
  }

  async version(): Promise<RuntimeVersion> {
    return { name: 'docker', version: (await this.#parts.api.version()).Version };
  }

  async status(): Promise<RuntimeStatus> {
    await this.#parts.api.call<InfoMessage>({ method: 'GET', path: '/info' });
    const ready = { ready: true, reason: '', message: '' };
    return { runtime: ready, network: ready, handlers: [] };
  }

  /** What it has there it would tell only after it has looked through all of it. */
  async filesystems(): Promise<RuntimeFilesystems | undefined> {
    const { DockerRootDir: folder } = await this.#parts.api.call<InfoMessage>({ method: 'GET', path: '/info' });
    return folder === undefined ? undefined : { images: { folder } };
  }

  async runSandbox(config: SandboxConfig): Promise<string> {
    const { network, labels, clock } = this.#parts;
    const { name, namespace, uid, attempt, annotations, namespaces } = config;
    const { hostNetwork, users } = namespaces;
    if (users !== undefined) throw new RuntimeError('users of a pod of its own are not built for Docker Engine');
    const kept = { name, namespace, uid, attempt, annotations, hostNetwork, labels: config.labels };
    const record: SandboxRecord = { kind: 'sandbox', ...kept, createdAt: clock.now() };
    const around = await this.#around(config.seccomp);
    const body = toSandboxBody(config, record, { image: await this.#parts.sandboxImage(), labels, around });
    const id = await this.#create(nameOf('POD', config, attempt), body);
    try {
      await this.#post(`/containers/${id}/start`, { what: 'sandbox', id });
      const { State: state, ResolvConfPath: resolv } = await this.#inspect({ what: 'sandbox', id });
      if (!hostNetwork) await network.add(id, state.Pid, config.ports);
      const text = resolvConf(config.dns);
      // The file is mounted already, here and later in the pod's containers: it is written, not replaced.
      if (text !== '') await writeFile(resolv, text);
      return id;
    } catch (error) {
      await this.#remove({ what: 'sandbox', id });
      throw error;
    }
  }

  async stopSandbox(id: string): Promise<void> {
    const found = await this.#findIfThere({ what: 'sandbox', id });
    if (found?.record.kind !== 'sandbox') return;
    const containers = await this.listContainers({ sandboxId: id });
    await Promise.all(containers.map((container) => this.stopContainer(container.id, 0)));
    await this.#parts.network.remove(id);
    await this.#kill({ what: 'sandbox', id });
  }

  async removeSandbox(id: string): Promise<void> {
    const found = await this.#findIfThere({ what: 'sandbox', id });
    if (found?.record.kind !== 'sandbox') return;
    const containers = await this.listContainers({ sandboxId: id });
    await Promise.all(containers.map((container) => this.removeContainer(container.id)));
    await this.#parts.network.remove(id);
    await this.#remove({ what: 'sandbox', id });
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    const { message, record } = await this.#sandbox(id);
    const sandbox = fromSandbox({ Id: id, State: message.State.Status }, record);
    return { ...sandbox, ips: sandbox.state === 'ready' ? await this.#parts.network.addresses(id) : [] };
  }

  async listSandboxes(filter: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    const found = await this.#list(filter.podUid);
    return found.flatMap(({ message, record }) => (record.kind === 'sandbox' ? [fromSandbox(message, record)] : []));
  }

  async createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string> {
    const { clock, labels } = this.#parts;
    const { record: pod } = await this.#sandbox(sandboxId);
    const { name, attempt, imageName, annotations, tty } = config;
    const kept = { name, attempt, imageName, annotations, tty, labels: config.labels, uid: pod.uid };
    const logPath = config.logPath === '' ? '' : `${sandbox.logDirectory}/${config.logPath}`;
    const record: ContainerRecord = { kind: 'container', ...kept, sandboxId, logPath, createdAt: clock.now() };
    const { runAsUser, runAsGroup, seccomp } = config.security;
    const needsUser = runAsUser === undefined && runAsGroup !== undefined;
    const around = {
      ...(await this.#around(seccomp)),
      ...(needsUser ? { imageUser: await this.#parts.images.userOf(config.image) } : {}),
    };
    return this.#create(nameOf(name, sandbox, attempt), toContainerBody(config, record, { sandbox, labels, around }));
  }

  async startContainer(id: string): Promise<void> {
    const { message, record } = await this.#container(id);
    // Docker would start one that has ended again.
    if (message.State.Status !== 'created' || message.State.ExitCode !== 0) {
      throw new RuntimeError(`container "${id}" is ${message.State.Status}, and cannot be started`);
    }
    const start = (): Promise<void> => this.#post(`/containers/${id}/start`, { what: 'container', id });
    await this.#parts.logs.begin(id, record, start);
  }

  async stopContainer(id: string, graceSeconds: number): Promise<void> {
    const about = { what: 'container', id } as const;
    if ((await this.#findIfThere(about)) === undefined) return;
    const seconds = wholeGrace(graceSeconds);
    if (seconds === 0) return this.#kill(about);
    await this.#ifThere(() => this.#post(`/containers/${id}/stop?t=${seconds}`, about, 0));
  }

  async removeContainer(id: string): Promise<void> {
    const about = { what: 'container', id } as const;
    if ((await this.#findIfThere(about)) === undefined) return;
    await this.#remove(about);
    await this.#parts.logs.drop(id);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    const { message, record } = await this.#container(id);
    return fromInspected(message, record);
  }

  async listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly Container[]> {
    const found = await this.#list(filter.podUid);
    return found.flatMap(({ message, record }) => {
      if (record.kind !== 'container') return [];
      return (filter.sandboxId ?? record.sandboxId) === record.sandboxId ? [fromListed(message, record)] : [];
    });
  }

  async updateResources(id: string, resources: LinuxResources): Promise<void> {
    await this.#container(id);
    const about = { what: 'container', id } as const;
    const path = `/containers/${id}/update`;
    await this.#parts.api.call({ method: 'POST', path, body: toResources(resources), about });
  }

  async containerResources(id: string): Promise<LinuxResources> {
    return fromResources((await this.#container(id)).message.HostConfig);
  }

  async stats(ids?: readonly string[]): Promise<readonly ContainerStats[]> {
    const wanted = ids ?? (await this.listContainers()).filter((one) => one.state === 'running').map((one) => one.id);
    const waiting = [...wanted];
    const found: ContainerStats[] = [];
    const work = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const told = await this.#statsOf(id, ids !== undefined);
        if (told !== undefined) found.push(told);
      }
    };
    await Promise.all(Array.from({ length: STATS_AT_ONCE }, work));
    return found;
  }

  async exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    await this.#container(id);
    return this.#parts.commands.exec(id, command, timeoutMs);
  }

  async runCommand(id: string, command: readonly string[], io: CommandIo): Promise<number> {
    await this.#container(id);
    return this.#parts.commands.run(id, command, io);
  }

  async attach(id: string, io: CommandIo): Promise<void> {
    const { record } = await this.#container(id);
    return this.#parts.commands.attach(id, record.tty, io);
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    const { message } = await this.#sandbox(sandboxId);
    if (message.State.Pid === 0) throw new RuntimeError(`sandbox "${sandboxId}" is not running`);
    return dialWithin(message.State.Pid, port);
  }

  async reopenLog(id: string): Promise<void> {
    await this.#container(id);
    await this.#parts.logs.reopen(id);
  }

  async imageStatus(image: string): Promise<ImageStatus | undefined> {
    return this.#parts.images.status(image);
  }

  async pullImage(image: string, _pod?: ImageUser, auth?: RegistryAuth): Promise<string> {
    return this.#parts.images.pull(image, auth);
  }

  listImages(): Promise<readonly ImageStatus[]> {
    return this.#parts.images.list();
  }

  removeImage(image: string): Promise<void> {
    return this.#parts.images.remove(image);
  }

  events(sink: EventSink): { stop(): void } {
    return this.#parts.events.subscribe(sink);
  }

  async close(): Promise<void> {
    this.#parts.events.close();
    await this.#parts.api.close();
  }

  /** Follows the logs of what an earlier process started. */
  async adopt(): Promise<void> {
    for (const { message, record } of await this.#list(undefined)) {
      if (record.kind === 'container' && message.State === 'running') this.#parts.logs.follow(message.Id, record);
    }
  }

  async #around(seccomp: SeccompProfile): Promise<Surroundings> {
    const { oomScoreFloor } = this.#parts;
    return {
      ...(oomScoreFloor === undefined ? {} : { oomScoreFloor }),
      ...(typeof seccomp === 'string' ? {} : { profileText: await readFile(seccomp.file, 'utf8') }),
    };
  }

  async #create(name: string, body: object): Promise<string> {
    const path = `/containers/create?name=${encodeURIComponent(name)}`;
    return (await this.#parts.api.call<{ readonly Id: string }>({ method: 'POST', path, body })).Id;
  }

  async #post(path: string, about: Subject, timeoutMs?: number): Promise<void> {
    await this.#parts.api.call({ method: 'POST', path, about, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }

  async #kill(about: Subject): Promise<void> {
    await this.#ifThere(() => this.#post(`/containers/${about.id}/kill?signal=KILL`, about));
    await this.#ifThere(() => this.#post(`/containers/${about.id}/wait?condition=not-running`, about));
  }

  async #remove(about: Subject): Promise<void> {
    await this.#ifThere(() =>
      this.#parts.api.call({ method: 'DELETE', path: `/containers/${about.id}?force=1&v=1`, about }),
    );
  }

  /** What is gone, or ends already, is as it should be. */
  async #ifThere(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }

  async #statsOf(id: string, mustBe: boolean): Promise<ContainerStats | undefined> {
    if (mustBe) await this.#container(id);
    const about = { what: 'container', id } as const;
    try {
      const path = `/containers/${id}/stats?stream=false&one-shot=true`;
      return fromStats(id, await this.#parts.api.call<StatsMessage>({ method: 'GET', path, about }));
    } catch (error) {
      if (!mustBe && error instanceof RuntimeNotFoundError) return undefined;
      throw error;
    }
  }

  async #sandbox(id: string): Promise<Found<SandboxRecord>> {
    const { message, record } = await this.#find({ what: 'sandbox', id });
    if (record.kind !== 'sandbox') throw new RuntimeNotFoundError('sandbox', id);
    return { message, record };
  }

  async #container(id: string): Promise<Found<ContainerRecord>> {
    const { message, record } = await this.#find({ what: 'container', id });
    if (record.kind !== 'container') throw new RuntimeNotFoundError('container', id);
    return { message, record };
  }

  /** Law 4: what does not carry our labels is not there. */
  async #find(about: Subject): Promise<Found<SandboxRecord | ContainerRecord>> {
    const message = await this.#inspect(about);
    const { Labels: labels } = message.Config;
    const record = recordOf(labels);
    const isOurs = Object.entries(this.#parts.labels).every(([key, value]) => labels?.[key] === value);
    // Docker finds containers by their names and by the beginnings of their ids too.
    if (record === undefined || !isOurs || message.Id !== about.id)
      throw new RuntimeNotFoundError(about.what, about.id);
    return { message, record };
  }

  async #findIfThere(about: Subject): Promise<Found<SandboxRecord | ContainerRecord> | undefined> {
    try {
      return await this.#find(about);
    } catch (error) {
      if (error instanceof RuntimeNotFoundError) return undefined;
      throw error;
    }
  }

  #inspect(about: Subject): Promise<ContainerMessage> {
    const path = `/containers/${encodeURIComponent(about.id)}/json`;
    return this.#parts.api.call<ContainerMessage>({ method: 'GET', path, about });
  }

  async #list(
    podUid: string | undefined,
  ): Promise<readonly { readonly message: ListedMessage; readonly record: SandboxRecord | ContainerRecord }[]> {
    const { labels } = this.#parts;
    const wanted = Object.entries({ ...labels, ...(podUid === undefined ? {} : { [POD_UID_LABEL]: podUid }) });
    const filters = { label: [RECORD_LABEL, ...wanted.map(([key, value]) => `${key}=${value}`)] };
    const path = `/containers/json?all=1&filters=${encodeURIComponent(JSON.stringify(filters))}`;
    const all = await this.#parts.api.call<readonly ListedMessage[]>({ method: 'GET', path });
    return all.flatMap((message) => {
      const record = recordOf(message.Labels);
      return record === undefined ? [] : [{ message, record }];
    });
  }
}

/** Gone, being removed, or not running. */
function isOver(error: unknown): boolean {
  return (
    error instanceof RuntimeNotFoundError ||
    (error instanceof RuntimeError &&
      /is not running|removal of container .* is already in progress|No such container/.test(error.message))
  );
}

/** One container of a pod and attempt: Docker refuses a second one of the name. */
function nameOf(container: string, pod: SandboxConfig, attempt: number): string {
  return `k8s_${container}_${pod.name}_${pod.namespace}_${pod.uid}_${attempt}`;
}
