import { INGRESSES } from '@binnacle/api';
import type { Ingress, IngressLoadBalancerIngress } from '@binnacle/api/networking/v1';
import { actOnEach, cacheKey, observedCause, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder } from '@binnacle/client';
import { status } from '@binnacle/machinery';

/** What Ingresses are to be told. */
export interface Wanted {
  readonly ours: readonly Ingress[];
  /** `status.loadBalancer.ingress` of all of ours. */
  readonly wanted: readonly IngressLoadBalancerIngress[];
  /** What of one is not served, a sentence each. */
  readonly problemsOf: (ingress: Ingress) => readonly string[];
  /** An Ingress as it is now, whoever's it is. */
  readonly latest: (key: string) => Ingress | undefined;
}

/** Who writes where Ingresses are reached, as `managedFields` tell. */
const MANAGER = 'binnacle-ingress';

/** Tells Ingresses where they are reached, and, once each, what of them is not served. */
export class StatusDesk {
  readonly #client: Client;
  readonly #events: EventRecorder;
  /** What was told, by Ingress. */
  readonly #told = new Map<string, ReadonlySet<string>>();
  /** Those that were ours: who leaves our class is reached here no more. */
  readonly #mine = new Set<string>();

  constructor({ client }: { readonly client: Client }, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  /** At the start: those that were told by us before may have left our class while nobody looked. */
  adopt(ingresses: readonly Ingress[]): void {
    for (const ingress of ingresses) if (isToldByUs(ingress)) this.#mine.add(cacheKey(ingress));
  }

  /** The Ingress is gone. */
  forget(key: string): void {
    this.#told.delete(key);
    this.#mine.delete(key);
  }

  /** All of ours as they should be, and those that are not ours any more. */
  async settle({ ours, wanted, problemsOf, latest }: Wanted): Promise<void> {
    const left = new Set(this.#mine);
    for (const ingress of ours) {
      const key = cacheKey(ingress);
      left.delete(key);
      this.#mine.add(key);
      this.#tell(key, ingress, problemsOf(ingress));
    }
    await actOnEach([...left, ...ours], (one) => {
      if (typeof one !== 'string') return this.#write(one, wanted);
      return this.#leave(one, latest(one));
    });
  }

  async #leave(key: string, ingress: Ingress | undefined): Promise<void> {
    if (ingress === undefined || (await this.#write(ingress, []))) this.forget(key);
  }

  #tell(key: string, ingress: Ingress, problems: readonly string[]): void {
    const before = this.#told.get(key);
    for (const problem of problems) {
      if (before?.has(problem) !== true)
        this.#events.event(referenceTo(INGRESSES, ingress), 'Warning', 'NotServed', problem);
    }
    if (problems.length === 0) this.#told.delete(key);
    else this.#told.set(key, new Set(problems));
  }

  /** False: it changed meanwhile, and comes again by the watch. */
  async #write(ingress: Ingress, wanted: readonly IngressLoadBalancerIngress[]): Promise<boolean> {
    const has = ingress.status?.loadBalancer?.ingress ?? [];
    if (JSON.stringify(has) === JSON.stringify(wanted)) return true;
    const loadBalancer = wanted.length === 0 ? {} : { ingress: wanted };
    const cause = observedCause('binnacle-ingress', ingress, `where ${cacheKey(ingress)} is reached`);
    const next = { ...ingress, status: { ...ingress.status, loadBalancer } };
    const all = this.#client.resource(INGRESSES, ingress.metadata.namespace);
    try {
      await all.updateStatus(next, { fieldManager: MANAGER }, { cause });
    } catch (error) {
      if (status.isConflict(error)) return false;
      if (!status.isNotFound(error)) throw error;
    }
    return true;
  }
}

/** Whether where it is reached was written by this controller, and by nobody since. */
function isToldByUs({ metadata, status: told }: Ingress): boolean {
  if ((told?.loadBalancer?.ingress ?? []).length === 0) return false;
  return (metadata.managedFields ?? []).some(({ manager, subresource, fieldsV1 }) => {
    const fields = fieldsV1?.['f:status'];
    const isAbout = typeof fields === 'object' && fields !== null && 'f:loadBalancer' in fields;
    return manager === MANAGER && subresource === 'status' && isAbout;
  });
}
