import { RuntimeNotFoundError } from '@binnacle/runtime';
import type { ContainerStatus, Runtime, SandboxStatus } from '@binnacle/runtime';
import { sortNewestFirst } from './seen.ts';

/** Who is told of the ids that belong to a pod, so that events about them find its worker. */
export interface ViewedIds {
  readonly known: (id: string) => void;
  /** There is no such thing any more. */
  readonly gone: (id: string) => void;
}

/**
 * What the runtime holds of one pod, as last looked at. It is brought up to date by the pod worker's own acts and
 * by events about single containers; the whole is listed again only when something may have been missed.
 */
export class RuntimeView {
  readonly #runtime: Runtime;
  readonly #podUid: string;
  readonly #ids: ViewedIds;
  readonly #sandboxes = new Map<string, SandboxStatus>();
  readonly #containers = new Map<string, ContainerStatus>();
  /** Ids that events were about since the last look. */
  #touched: Set<string> | undefined;
  /** The container that is being started: pods start them one after the other. */
  #expected: string | undefined;
  #isDoubtful = false;
  #takenAway: Map<string, ContainerStatus> | undefined;
  // Thousands of simulated pods live in one process, and hardly one of them is ever short of room.
  #discarded: Set<string> | undefined;

  constructor(runtime: Runtime, podUid: string, ids: ViewedIds) {
    this.#runtime = runtime;
    this.#podUid = podUid;
    this.#ids = ids;
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

  /** An event was about it: the next look asks for it. */
  touch(id: string): void {
    (this.#touched ??= new Set()).add(id);
  }

  /** Events may have been missed: the next look lists everything again. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Brings the view up to date. Where that fails, what was touched is in doubt: say so. */
  async look(): Promise<void> {
    const touched = [...(this.#touched ?? [])];
    this.#touched = undefined;
    if (this.#isDoubtful) {
      this.#isDoubtful = false;
      await this.#relist();
    } else {
      await Promise.all(touched.map((id) => this.#refresh(id)));
    }
  }

  async refreshContainer(id: string): Promise<ContainerStatus | undefined> {
    this.#ids.known(id);
    // What happens from now on may be missing from the answer.
    if (this.#expected === id) this.#expected = undefined;
    const status = await orGone(this.#runtime.containerStatus(id));
    if (status !== undefined) this.#containers.set(id, status);
    else if (!this.isDiscarded(id)) this.forget(id);
    return status;
  }

  async refreshSandbox(id: string): Promise<SandboxStatus | undefined> {
    this.#ids.known(id);
    const status = await orGone(this.#runtime.sandboxStatus(id));
    if (status !== undefined) this.#sandboxes.set(id, status);
    else if (!this.isDiscarded(id)) this.forget(id);
    return status;
  }

  /** It was just made and will be looked at once it was started: events about it are ours from now on. */
  expect(id: string): void {
    this.#ids.known(id);
    this.#expected = id;
  }

  /** Whether an event that says that it was made or started tells nothing: it is known, or about to be looked at. */
  foresees(id: string): boolean {
    if (this.#expected === id) return true;
    const known = this.#containers.get(id)?.state;
    return known !== undefined && known !== 'unknown';
  }

  /** Something dead is removed for the room that it takes; how it was is told as before. Throws what `remove` throws. */
  async discard(id: string, remove: () => Promise<void>): Promise<void> {
    const discarded = (this.#discarded ??= new Set());
    // First: the runtime's event of it may come before its answer.
    discarded.add(id);
    try {
      await remove();
    } catch (error) {
      discarded.delete(id);
      throw error;
    }
  }

  /** Whether it was removed, and is here alone. */
  isDiscarded(id: string): boolean {
    return this.#discarded?.has(id) === true;
  }

  /** Removes something dead that nobody asks for any more; events of it wake nobody. Throws what `remove` throws. */
  async remove(id: string, remove: () => Promise<void>): Promise<void> {
    const [container, sandbox] = [this.#containers.get(id), this.#sandboxes.get(id)];
    // First: the runtime's event of it may come before its answer.
    this.forget(id);
    try {
      await remove();
    } catch (error) {
      this.#ids.known(id);
      if (container !== undefined) this.#containers.set(id, container);
      if (sandbox !== undefined) this.#sandboxes.set(id, sandbox);
      throw error;
    }
  }

  /** By name: the last container that was taken away for all to begin anew. Lives as long as this kubelet. */
  get takenAway(): ReadonlyMap<string, ContainerStatus> | undefined {
    return this.#takenAway;
  }

  /** One that ended is removed for all to begin anew. Throws what `remove` throws. */
  async takeAway(container: ContainerStatus, remove: () => Promise<void>): Promise<void> {
    await this.remove(container.id, remove);
    (this.#takenAway ??= new Map()).set(container.name, container);
  }

  forget(id: string): void {
    this.#ids.gone(id);
    this.#sandboxes.delete(id);
    this.#containers.delete(id);
    this.#discarded?.delete(id);
  }

  /** Lists everything of the pod again. Exited containers do not change: they are not asked for twice. */
  async #relist(): Promise<void> {
    const filter = { podUid: this.#podUid };
    const [sandboxes, containers] = await Promise.all([
      this.#runtime.listSandboxes(filter),
      this.#runtime.listContainers(filter),
    ]);
    const kept = [...(this.#discarded ?? [])];
    const there = new Set([...sandboxes.map((s) => s.id), ...containers.map((c) => c.id), ...kept]);
    for (const id of this.ids) if (!there.has(id)) this.forget(id);
    await Promise.all([
      ...sandboxes.map((s) => this.refreshSandbox(s.id)),
      ...containers
        .filter((c) => c.state !== 'exited' || this.#containers.get(c.id)?.state !== 'exited')
        .map((c) => this.refreshContainer(c.id)),
    ]);
  }

  /** Looks again at what an event was about. */
  async #refresh(id: string): Promise<void> {
    if (this.#sandboxes.has(id)) await this.refreshSandbox(id);
    else await this.refreshContainer(id);
  }
}

async function orGone<T>(status: Promise<T>): Promise<T | undefined> {
  try {
    return await status;
  } catch (error) {
    if (error instanceof RuntimeNotFoundError) return undefined;
    throw error;
  }
}
