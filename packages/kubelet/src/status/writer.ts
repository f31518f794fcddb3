import { status as statusErrors } from '@binnacle/machinery';
import { formatTime } from '@binnacle/base';
import type { Clock, Logger, Timer } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { observedCause } from '@binnacle/client';
import type { Client, ResourceClient } from '@binnacle/client';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { statusPatch } from './diff.ts';
import { isThere } from './is-there.ts';
import { sinceKnown } from './since-known.ts';

export interface StatusWriterOptions {
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a Pending status may wait for a better one. */
  readonly pendingDelayMs: number;
}

interface Entry {
  /** The API's object: for static pods, their mirror. */
  target: Pod;
  /** The last status that the API is known to have. */
  base: PodStatus | undefined;
  baseVersion: string;
  wanted: PodStatus;
  writing: Promise<void> | undefined;
  timer: Timer | undefined;
  failures: number;
}

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/**
 * Tells the API how pods are: one PATCH at a time per pod, only the newest status, only what differs.
 * Nobody waits for it, except `flush` before a pod's object is deleted. One entry per pod: bounded by the node's pods.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** `target` is the API's object of the pod. */
  publish(target: Pod, status: PodStatus): void {
    if (this.#options.client === undefined || this.#closed) return;
    const uid = target.metadata.uid ?? '';
    const entry = this.#entries.get(uid) ?? this.#open(uid, target);
    this.#observe(entry, target);
    // The object that the status was made from may be older than what was told: its conditions would have begun again.
    const known = entry.writing === undefined ? entry.base : entry.wanted;
    entry.wanted = sinceKnown(known, status, formatTime(this.#options.clock.now()));
    if (entry.writing !== undefined) return;
    const patch = statusPatch(entry.base, entry.wanted);
    if (patch === undefined) {
      // The object itself shows what was written: nothing needs to be remembered.
      if (entry.base === target.status) this.forget(uid);
      else this.#cancel(entry);
      return;
    }
    if (status.phase === 'Pending' && !hasTrouble(status)) this.#later(entry, this.#options.pendingDelayMs);
    else this.#begin(entry, patch);
  }

  /**
   * The API shows this version of a pod. True: it is the one that our own write made. Where a write is under way nobody knows
   * yet: true, and `otherwise` is called should it turn out to be somebody else's. What came back and leaves nothing to
   * tell is forgotten.
   */
  acknowledge({ metadata: { uid = '', resourceVersion } }: Pod, otherwise: () => void): boolean {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return false;
    const isOwn = (): boolean => {
      if (entry.baseVersion !== resourceVersion) return false;
      if (this.#entries.get(uid) === entry && this.isTold(uid)) this.forget(uid);
      return true;
    };
    if (entry.writing === undefined) return isOwn();
    // Never rejects: a write that fails is told by itself.
    void entry.writing.then(() => {
      if (!isOwn()) otherwise();
    });
    return true;
  }

  /** Resolves when the newest status is written, or cannot be. */
  async flush(uid: string): Promise<void> {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    if (entry.timer !== undefined) this.#write(entry);
    while (entry.writing !== undefined) await entry.writing;
  }

  /** Whether the API has the newest status of a pod, or nobody has to be told. */
  isTold(uid: string): boolean {
    const entry = this.#entries.get(uid);
    return entry === undefined || (entry.writing === undefined && statusPatch(entry.base, entry.wanted) === undefined);
  }

  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) this.#cancel(entry);
    this.#entries.delete(uid);
  }

  /** For good: pods that are still on their way down are told of no more. */
  close(): void {
    this.#closed = true;
    for (const uid of this.#entries.keys()) this.forget(uid);
  }

  #open(uid: string, target: Pod): Entry {
    const entry: Entry = {
      target,
      base: target.status,
      baseVersion: target.metadata.resourceVersion ?? '',
      wanted: {},
      writing: undefined,
      timer: undefined,
      failures: 0,
    };
    this.#entries.set(uid, entry);
    return entry;
  }

  /** A newer object of the API is a better base: somebody else may have written. */
  #observe(entry: Entry, target: Pod): void {
    if (isNewer(entry.baseVersion, target.metadata.resourceVersion ?? '')) return;
    entry.target = target;
    entry.base = target.status;
    entry.baseVersion = target.metadata.resourceVersion ?? '';
  }

  #later(entry: Entry, delayMs: number): void {
    entry.timer ??= this.#options.clock.after(delayMs, () => this.#write(entry));
  }

  #cancel(entry: Entry): void {
    entry.timer?.cancel();
    entry.timer = undefined;
  }

  #write(entry: Entry): void {
    const patch = statusPatch(entry.base, entry.wanted);
    if (patch === undefined || entry.writing !== undefined) this.#cancel(entry);
    else this.#begin(entry, patch);
  }

  #begin(entry: Entry, patch: object): void {
    this.#cancel(entry);
    entry.writing = this.#send(entry, patch).then((again) => {
      entry.writing = undefined;
      if (again === 'now') this.#write(entry);
      else if (again === 'later' && this.#entries.get(entry.target.metadata.uid ?? '') === entry) {
        this.#later(entry, Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** entry.failures++));
      }
    });
  }

  async #send(entry: Entry, patch: object): Promise<'now' | 'later' | 'never'> {
    const { namespace, name = '', uid } = entry.target.metadata;
    const pods = this.#options.client?.resource(PODS, namespace);
    if (pods === undefined) return 'never';
    try {
      const answer = await pods.patch(
        name,
        'strategic',
        { metadata: { uid }, status: patch },
        { subresource: 'status' },
        {
          cause: observedCause(
            `kubelet ${this.#options.nodeName}`,
            entry.target,
            `status of pod ${namespace ?? ''}/${name}`,
          ),
        },
      );
      entry.base = answer.status;
      entry.baseVersion = answer.metadata.resourceVersion ?? '';
      entry.failures = 0;
      const pod = `${namespace ?? ''}/${name}`;
      this.#options.log.info(2, 'Patched the status of a pod', { pod, phase: answer.status?.phase, uid });
      return 'now';
    } catch (error) {
      // Gone, or another pod of that name: nobody to tell any more.
      if (statusErrors.isNotFound(error)) return 'never';
      if (statusErrors.isConflict(error) && !(await mayBeThere(pods, entry.target))) return 'never';
      this.#options.log.error(error, 'Failed to update status for pod', { pod: `${namespace ?? ''}/${name}` });
      return statusErrors.isInvalid(error) ? 'never' : 'later';
    }
  }
}

/** Who cannot look takes it for there: it is tried again. */
async function mayBeThere(pods: ResourceClient<Pod>, pod: Pod): Promise<boolean> {
  try {
    return await isThere(pods, pod);
  } catch {
    // Told of by the failure that it was looked for.
    return true;
  }
}

function hasTrouble(status: PodStatus): boolean {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.some(
    (c) => c.state?.waiting?.reason !== 'ContainerCreating' && c.state?.waiting?.reason !== 'PodInitializing',
  );
}

/** Versions are numbers that grow (KEP-5504). */
function isNewer(version: string, than: string): boolean {
  return Number(version) > Number(than);
}
