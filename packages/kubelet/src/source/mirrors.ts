/**
 * Static pods in the API. For each static pod a mirror pod of the same name is kept there: made when missing,
 * replaced when it is of another hash or is being deleted, removed with the static pod. Deleting the mirror never
 * stops the static pod. The static pod's UID is a hash of its file; the mirror has a UID of the API's.
 */
import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { NODES, PODS, wellknown } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { isStatic } from '../container/static-pod.ts';
import type { Pod } from '@binnacle/api/core/v1';
import { observedCause } from '@binnacle/client';
import type { Draft } from '@binnacle/client';
import type { KubeletOptions } from '../ports.ts';

const { ANNOTATION_CONFIG_HASH, ANNOTATION_MIRROR } = wellknown;
/** A first failure is ordinary: the node itself may not be registered yet. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 10_000;

export class Mirrors {
  readonly #options: KubeletOptions;
  readonly #statics = new Map<string, Pod>();
  readonly #mirrors = new Map<string, Pod>();
  readonly #busy = new Set<string>();
  /** What changed while it was being acted on. */
  readonly #missed = new Set<string>();
  /** How long to wait after the next failure, by key. */
  readonly #retryMs = new Map<string, number>();
  #ready = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  /** The API's object for a pod: itself, or its mirror when that is of the same hash. */
  twin(pod: Pod): Pod | undefined {
    if (!isStatic(pod)) return pod;
    const mirror = this.#mirrors.get(keyOf(pod));
    return mirror !== undefined && matches(mirror, pod) ? mirror : undefined;
  }

  want(pod: Pod): void {
    this.#statics.set(keyOf(pod), pod);
    this.#sync(keyOf(pod));
  }

  unwant(pod: Pod): void {
    const key = keyOf(pod);
    if (this.#statics.get(key)?.metadata.uid === pod.metadata.uid) this.#statics.delete(key);
    this.#sync(key);
  }

  seen(mirror: Pod): void {
    this.#mirrors.set(keyOf(mirror), mirror);
    this.#sync(keyOf(mirror));
  }

  gone(mirror: Pod): void {
    const key = keyOf(mirror);
    if (this.#mirrors.get(key)?.metadata.uid === mirror.metadata.uid) this.#mirrors.delete(key);
    this.#sync(key);
  }

  /** All sources have spoken: mirrors of static pods that are not there may go. */
  ready(): void {
    this.#ready = true;
    for (const key of new Set([...this.#statics.keys(), ...this.#mirrors.keys()])) this.#sync(key);
  }

  #sync(key: string): void {
    const { client, scope } = this.#options;
    if (client === undefined || !this.#ready || scope.closing) return;
    if (this.#busy.has(key)) {
      this.#missed.add(key);
      return;
    }
    const wanted = this.#statics.get(key);
    const mirror = this.#mirrors.get(key);
    if (mirror === undefined ? wanted === undefined : wanted !== undefined && matches(mirror, wanted)) return;
    this.#busy.add(key);
    // Never rejects: what fails is told and tried again.
    void this.#act(mirror, wanted).then((again) => {
      this.#busy.delete(key);
      if (this.#missed.delete(key)) this.#sync(key);
      // What was done comes back over the watch and looks again; only a failure needs a timer.
      if (again) this.#retry(key);
      else this.#retryMs.delete(key);
    });
  }

  #retry(key: string): void {
    const delayMs = this.#retryMs.get(key) ?? RETRY_MS_MIN;
    this.#retryMs.set(key, Math.min(delayMs * 2, RETRY_MS_MAX));
    this.#options.clock.after(delayMs, () => this.#sync(key), { background: true });
  }

  async #act(mirror: Pod | undefined, wanted: Pod | undefined): Promise<boolean> {
    try {
      if (mirror !== undefined) await this.#delete(mirror);
      else if (wanted !== undefined) return !(await this.#create(wanted));
      return false;
    } catch (error) {
      this.#options.log.warn('Failed to keep a mirror pod', {
        pod: (wanted ?? mirror)?.metadata.name,
        reason: messageOf(error),
      });
      return true;
    }
  }

  #context(pod: Pod, request: string): CallContext {
    return { cause: observedCause(`kubelet ${this.#options.config.nodeName}`, pod, request) };
  }

  async #delete(mirror: Pod): Promise<void> {
    const { namespace, name = '', uid = '' } = mirror.metadata;
    try {
      await this.#options.client
        ?.resource(PODS, namespace)
        .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } }, this.#context(mirror, 'end of a mirror pod'));
    } catch (error) {
      if (!statusErrors.isNotFound(error) && !statusErrors.isConflict(error)) throw error;
    }
  }

  /** False: something of that name is there. It may be its mirror, of which the watch tells yet, or nothing that we would hear of. */
  async #create(pod: Pod): Promise<boolean> {
    const { client, config } = this.#options;
    const node = await client?.resource(NODES).get(config.nodeName);
    const { namespace, name, labels, annotations = {} } = pod.metadata;
    const owner = {
      apiVersion: 'v1',
      kind: 'Node',
      name: config.nodeName,
      uid: node?.metadata.uid ?? '',
      controller: true,
    };
    const draft: Draft<Pod> = {
      metadata: {
        ...(name === undefined ? {} : { name }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        annotations: { ...annotations, [ANNOTATION_MIRROR]: annotations[ANNOTATION_CONFIG_HASH] ?? '' },
        ownerReferences: [owner],
      },
      spec: pod.spec,
    };
    try {
      await client?.resource(PODS, namespace).create(draft, undefined, this.#context(pod, 'a static pod'));
      return true;
    } catch (error) {
      if (statusErrors.isAlreadyExists(error)) return false;
      throw error;
    }
  }
}

function matches(mirror: Pod, pod: Pod): boolean {
  return (
    mirror.metadata.deletionTimestamp === undefined &&
    mirror.metadata.annotations?.[ANNOTATION_MIRROR] === pod.metadata.annotations?.[ANNOTATION_CONFIG_HASH]
  );
}

function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}
