import { RuntimeNotFoundError } from '@binnacle/runtime';
import type { ContainerStatus, Runtime, SandboxStatus } from '@binnacle/runtime';
import { sortNewestFirst } from './seen.ts';

/**
 * What the runtime holds of one pod, as last looked at. It is brought up to date by the pod worker's own acts and
 * by events about single containers; the whole is listed again only when something may have been missed.
 */
export class RuntimeView {
  readonly #runtime: Runtime;
  readonly #podUid: string;
  readonly #known: (id: string) => void;
  readonly #sandboxes = new Map<string, SandboxStatus>();
  readonly #containers = new Map<string, ContainerStatus>();

  /** `known` is told of each id that belongs to the pod, so that events about it find the worker. */
  constructor(runtime: Runtime, podUid: string, known: (id: string) => void) {
    this.#runtime = runtime;
    this.#podUid = podUid;
    this.#known = known;
  }

  get sandboxes(): readonly SandboxStatus[] {
    return [...this.#sandboxes.values()].toSorted((a, b) => b.attempt - a.attempt || b.createdAt - a.createdAt);
  }

  get containers(): readonly ContainerStatus[] {
    return sortNewestFirst([...this.#containers.values()]);
  }

  get ids(): readonly string[] {
    return [...this.#sandboxes.keys(), ...this.#containers.keys()];
  }

  has(id: string): boolean {
    return this.#sandboxes.has(id) || this.#containers.has(id);
  }

  container(id: string): ContainerStatus | undefined {
    return this.#containers.get(id);
  }

  /** Lists everything of the pod again. Exited containers do not change: they are not asked for twice. */
  async relist(): Promise<void> {
    const filter = { podUid: this.#podUid };
    const [sandboxes, containers] = await Promise.all([
      this.#runtime.listSandboxes(filter),
      this.#runtime.listContainers(filter),
    ]);
    prune(this.#sandboxes, new Set(sandboxes.map((s) => s.id)));
    prune(this.#containers, new Set(containers.map((c) => c.id)));
    await Promise.all([
      ...sandboxes.map((s) => this.refreshSandbox(s.id)),
      ...containers
        .filter((c) => c.state !== 'exited' || this.#containers.get(c.id)?.state !== 'exited')
        .map((c) => this.refreshContainer(c.id)),
    ]);
  }

  async refreshContainer(id: string): Promise<ContainerStatus | undefined> {
    this.#known(id);
    const status = await orGone(this.#runtime.containerStatus(id));
    if (status === undefined) this.#containers.delete(id);
    else this.#containers.set(id, status);
    return status;
  }

  async refreshSandbox(id: string): Promise<SandboxStatus | undefined> {
    this.#known(id);
    const status = await orGone(this.#runtime.sandboxStatus(id));
    if (status === undefined) this.#sandboxes.delete(id);
    else this.#sandboxes.set(id, status);
    return status;
  }

  /** It was just made and will be looked at once it was started: events about it are ours from now on. */
  expect(id: string): void {
    this.#known(id);
  }

  /** Looks again at what an event was about. */
  async refresh(id: string): Promise<void> {
    if (this.#sandboxes.has(id)) await this.refreshSandbox(id);
    else await this.refreshContainer(id);
  }

  forget(id: string): void {
    this.#sandboxes.delete(id);
    this.#containers.delete(id);
  }
}

function prune(map: Map<string, unknown>, keep: ReadonlySet<string>): void {
  for (const id of map.keys()) if (!keep.has(id)) map.delete(id);
}

async function orGone<T>(status: Promise<T>): Promise<T | undefined> {
  try {
    return await status;
  } catch (error) {
    if (error instanceof RuntimeNotFoundError) return undefined;
    throw error;
  }
}
