import { coalesced, messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { ContainerStatus, Runtime } from '@binnacle/runtime';
import { RuntimeNotFoundError } from '@binnacle/runtime';
import type { ExclusiveCpus } from './exclusive-cpus.ts';

/** A pod whose containers run. */
export interface RunningPod {
  readonly uid: string;
  readonly view: { readonly containers: readonly ContainerStatus[] };
}

export interface SharedCpusOptions {
  readonly cpus: Pick<ExclusiveCpus, 'groupCpus' | 'own'>;
  readonly runtime: Pick<Runtime, 'updateResources'>;
  readonly pods: () => readonly RunningPod[];
  readonly log: Logger;
}

/** Moves containers without CPUs of their own onto those that are left, one round at a time. */
export class SharedCpus {
  readonly #of: SharedCpusOptions;
  /** What is left is another now. Never rejects. */
  readonly changed = coalesced(async () => {
    for (const pod of this.#of.pods()) await this.#move(pod);
  });

  constructor(options: SharedCpusOptions) {
    this.#of = options;
  }

  async #move({ uid, view }: RunningPod): Promise<void> {
    const { cpus, runtime, log } = this.#of;
    for (const { id, name, state } of view.containers) {
      const cpusetCpus = cpus.groupCpus(uid, name);
      if (state !== 'running' || cpusetCpus === undefined || cpus.own(uid, name) !== undefined) continue;
      try {
        await runtime.updateResources(id, { cpusetCpus });
      } catch (error) {
        if (error instanceof RuntimeNotFoundError) continue;
        log.warn('A container runs on CPUs that are not for it any more', { id, name, reason: messageOf(error) });
      }
    }
  }
}
