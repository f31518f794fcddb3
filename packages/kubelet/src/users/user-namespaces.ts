import { messageOf } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { IdMapping, Runtime, RuntimeHandler } from '@binnacle/runtime';
import { podsMax } from '../config.ts';
import type { KubeletConfig } from '../config.ts';
import { ContainerStartError, KubeletConfigError, UserNamespaceError } from '../errors.ts';
import type { HostFiles, IdRange, Machine } from '../ports.ts';
import { IdRanges, podIds } from './id-ranges.ts';
import { idRecordPath, readIdRecord, writeIdRecord } from './id-record.ts';

/** Whose ids on the node the kubelet gives out to pods. */
const KUBELET_USER = 'kubelet';

/** What users of pods' own are made from. */
export interface UserNamespacesOptions {
  readonly config: KubeletConfig;
  readonly runtime: Pick<Runtime, 'status'>;
  readonly machine: Pick<Machine, 'cpus' | 'subordinateIds'>;
  /** Absent: nothing is remembered, as nothing else of such a node is. */
  readonly files?: HostFiles;
}

/** Gives pods with `hostUsers: false` user ids of the node that nobody else has, and knows them over a restart. */
export class UserNamespaces {
  readonly #options: UserNamespacesOptions;
  #ranges: IdRanges | undefined;
  readonly #counts = { started: 0, errors: 0 };

  constructor(options: UserNamespacesOptions) {
    this.#options = options;
  }

  /** Sandboxes with users of their own that were asked for, and those that could not be made. */
  get counts(): { readonly started: number; readonly errors: number } {
    return this.#counts;
  }

  /** Looks at which ids of the node are for pods, and which of them pods have. Throws KubeletConfigError. */
  async recall(): Promise<void> {
    const { config, machine, files } = this.#options;
    const { idsPerPod } = config;
    const told = await machine.subordinateIds?.(KUBELET_USER);
    const ranges = new IdRanges(podIds({ told, idsPerPod, pods: podsMax(config, machine.cpus) }), idsPerPod);
    const uids = (await files?.list(`${config.rootDirectory}/pods`)) ?? [];
    for (const uid of uids) {
      const run = files === undefined ? undefined : await recorded(files, this.#folder(uid));
      if (run !== undefined) claimed(ranges, { uid, run, path: this.#folder(uid) });
    }
    this.#ranges = ranges;
  }

  /**
   * Whom the pod's users are on the node; undefined: themselves. Throws ContainerStartError where the runtime cannot
   * (`handler`: by which of its ways the pod is run), or no ids are left.
   */
  async of(pod: Pod, handler: string): Promise<readonly IdMapping[] | undefined> {
    if (pod.spec.hostUsers !== false) return undefined;
    const { handlers } = await this.#options.runtime.status();
    const refusal = userNamespacesRefusal(handlers, handler);
    if (refusal !== undefined) throw new ContainerStartError('CreatePodSandboxError', refusal);
    const ranges = (this.#ranges ??= this.#unrecalled());
    const uid = pod.metadata.uid ?? '';
    const hostId = ranges.of(uid) ?? (await this.#give(ranges, uid));
    return [{ containerId: 0, hostId, length: ranges.idsPerPod }];
  }

  /** A sandbox was asked for: whether it was made is counted. */
  async counted<T>(pod: Pod, making: Promise<T>): Promise<T> {
    if (pod.spec.hostUsers !== false) return making;
    this.#counts.started++;
    try {
      return await making;
    } catch (error) {
      this.#counts.errors++;
      throw error;
    }
  }

  /** Nothing of the pod runs any more, and nothing of it is mounted: another may have its ids. */
  async release(uid: string): Promise<void> {
    if (this.#ranges?.of(uid) === undefined) return;
    await this.#options.files?.remove(idRecordPath(this.#folder(uid)));
    this.#ranges.release(uid);
  }

  /** Written down before anything has them. */
  async #give(ranges: IdRanges, uid: string): Promise<number> {
    const { files } = this.#options;
    try {
      const first = ranges.give(uid);
      if (files !== undefined) await writeIdRecord(files, this.#folder(uid), { first, length: ranges.idsPerPod });
      return first;
    } catch (error) {
      ranges.release(uid);
      throw new ContainerStartError('CreatePodSandboxError', `create user namespace: ${messageOf(error)}`, error);
    }
  }

  /** A node of which nothing is kept has nothing to look at. */
  #unrecalled(): IdRanges {
    const { config, machine } = this.#options;
    const { idsPerPod } = config;
    return new IdRanges(podIds({ told: undefined, idsPerPod, pods: podsMax(config, machine.cpus) }), idsPerPod);
  }

  #folder(uid: string): string {
    return `${this.#options.config.rootDirectory}/pods/${uid}`;
  }
}

/** Why a pod cannot have users of its own; undefined: it can. In upstream's words. Pure. */
export function userNamespacesRefusal(handlers: readonly RuntimeHandler[], handler: string): string | undefined {
  const found = handlers.find(({ name }) => name === handler);
  if (found?.userNamespaces === true) return undefined;
  const which =
    handler === ''
      ? 'runtime does not support user namespaces'
      : `RuntimeClass handler "${handler}" does not support user namespaces`;
  const isUnknown = found === undefined && handlers.length > 0;
  return `can't set \`spec.hostUsers: false\`, ${which}${isUnknown ? `: the handler "${handler}" is not known` : ''}`;
}

async function recorded(files: HostFiles, folder: string): Promise<IdRange | undefined> {
  try {
    return await readIdRecord(files, folder);
  } catch (error) {
    throw asConfigError(error, folder);
  }
}

function claimed(ranges: IdRanges, of: { readonly uid: string; readonly run: IdRange; readonly path: string }): void {
  try {
    ranges.claim(of.uid, of.run);
  } catch (error) {
    throw asConfigError(error, of.path);
  }
}

/** Ids that a running pod may have must not become another's: without knowing them nothing can go on. */
function asConfigError(error: unknown, folder: string): unknown {
  return error instanceof UserNamespaceError ? new KubeletConfigError(idRecordPath(folder), error.message) : error;
}
