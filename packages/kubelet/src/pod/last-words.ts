import type { Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { allContainers } from '../container/pod-containers.ts';
import { terminationFile } from './mounts.ts';
import { readTerminationMessage } from './termination-message.ts';
import type { PodWorld } from './world.ts';

const NO_MESSAGES: ReadonlyMap<string, string> = new Map();

/** What the containers of one pod left to say when they ended; each is read once. */
export class LastWords {
  readonly #world: PodWorld;
  // Thousands of simulated pods live in one process, and most of them never end.
  #messages: Map<string, string> | undefined;

  constructor(world: PodWorld) {
    this.#world = world;
  }

  /** By container id. */
  get messages(): ReadonlyMap<string, string> {
    return this.#messages ?? NO_MESSAGES;
  }

  /** Whether one of them has ended and was not read yet. */
  areMissing(containers: readonly ContainerStatus[]): boolean {
    return containers.some((container) => this.#isUnheard(container));
  }

  /** Reads those that are new, of all that there are of the pod; what is not among them is forgotten. */
  async hear(pod: Pod, containers: readonly ContainerStatus[]): Promise<void> {
    // One that ends again and again is another one each time.
    const ids = new Set(this.#messages === undefined ? [] : containers.map(({ id }) => id));
    for (const id of this.#messages?.keys() ?? []) if (!ids.has(id)) this.#messages?.delete(id);
    for (const container of containers) {
      if (this.#isUnheard(container)) (this.#messages ??= new Map()).set(container.id, await this.#of(pod, container));
    }
  }

  #isUnheard(container: ContainerStatus): boolean {
    return container.state === 'exited' && this.#messages?.has(container.id) !== true;
  }

  async #of(pod: Pod, container: ContainerStatus): Promise<string> {
    const spec = allContainers(pod).find((c) => c.name === container.name);
    if (this.#world.files === undefined || spec === undefined) return '';
    const path = terminationFile(this.#world, pod, container);
    return readTerminationMessage(this.#world.files, { path, spec, container });
  }
}
