import type { Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';

interface Selecting {
  readonly namespace: string;
  readonly selector: readonly (readonly [key: string, value: string])[];
}

/**
 * Which pods each service selects, without asking every service for every pod. Each service is filed under one
 * requirement of its selector; pods are filed under those label keys only that some service is filed by.
 */
export class ServicePods {
  readonly #pods: Pick<Informer<Pod>, 'get' | 'list'>;
  readonly #services = new Map<string, Selecting>();
  /** Label key → `namespace/value` → services filed there. */
  readonly #servicesBy = new Map<string, Map<string, Set<string>>>();
  /** Label key → `namespace/value` → pods that have it. */
  readonly #podsBy = new Map<string, Map<string, Set<string>>>();

  constructor(pods: Pick<Informer<Pod>, 'get' | 'list'>) {
    this.#pods = pods;
  }

  /** Files a service; one without a selector selects nothing. */
  setService(service: Service): void {
    const key = cacheKey(service);
    const selector = Object.entries(service.spec.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    this.removeService(key);
    const [first] = selector;
    if (first === undefined) return;
    const namespace = service.metadata.namespace ?? '';
    this.#services.set(key, { namespace, selector });
    const services = bucketsOf(this.#servicesBy, first[0]);
    if (services.size === 0) this.#filePodsBy(first[0]);
    add(services, `${namespace}/${first[1]}`, key);
  }

  removeService(key: string): void {
    const known = this.#services.get(key);
    const [first] = known?.selector ?? [];
    if (known === undefined || first === undefined) return;
    this.#services.delete(key);
    const services = this.#servicesBy.get(first[0]);
    if (services === undefined) return;
    drop(services, `${known.namespace}/${first[1]}`, key);
    if (services.size > 0) return;
    this.#servicesBy.delete(first[0]);
    this.#podsBy.delete(first[0]);
  }

  /** A pod came (no before), changed, or went (no after). */
  movePod(before: Pod | undefined, after: Pod | undefined): void {
    if (before !== undefined && before.metadata.labels === after?.metadata.labels) return;
    for (const [key, pods] of this.#podsBy) {
      const [was, is] = [placeOf(before, key), placeOf(after, key)];
      if (was === is) continue;
      if (was !== undefined && before !== undefined) drop(pods, was, cacheKey(before));
      if (is !== undefined && after !== undefined) add(pods, is, cacheKey(after));
    }
  }

  /** The services that select the pod. */
  *servicesOf(pod: Pod): Iterable<string> {
    for (const [label, services] of this.#servicesBy) {
      const place = placeOf(pod, label);
      if (place === undefined) continue;
      for (const key of services.get(place) ?? []) if (this.#selects(key, pod)) yield key;
    }
  }

  /** How many pods a sync of the service looks at, at most. */
  countOf(key: string): number {
    return this.#candidates(key).size;
  }

  /** The pods that the service selects. */
  podsOf(key: string): readonly Pod[] {
    const found: Pod[] = [];
    for (const name of this.#candidates(key)) {
      const pod = this.#pods.get(name);
      if (pod !== undefined && this.#selects(key, pod)) found.push(pod);
    }
    return found;
  }

  #candidates(key: string): ReadonlySet<string> {
    const known = this.#services.get(key);
    const [first] = known?.selector ?? [];
    if (known === undefined || first === undefined) return NONE;
    return this.#podsBy.get(first[0])?.get(`${known.namespace}/${first[1]}`) ?? NONE;
  }

  #selects(key: string, pod: Pod): boolean {
    const labels = pod.metadata.labels ?? {};
    return this.#services.get(key)?.selector.every(([label, value]) => labels[label] === value) === true;
  }

  #filePodsBy(label: string): void {
    const pods = bucketsOf(this.#podsBy, label);
    for (const pod of this.#pods.list()) {
      const place = placeOf(pod, label);
      if (place !== undefined) add(pods, place, cacheKey(pod));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

function placeOf(pod: Pod | undefined, label: string): string | undefined {
  const labels = pod?.metadata.labels;
  if (pod === undefined || labels === undefined || !Object.hasOwn(labels, label)) return undefined;
  return `${pod.metadata.namespace ?? ''}/${labels[label]}`;
}

function bucketsOf(table: Map<string, Map<string, Set<string>>>, label: string): Map<string, Set<string>> {
  let buckets = table.get(label);
  if (buckets === undefined) table.set(label, (buckets = new Map()));
  return buckets;
}

function add(buckets: Map<string, Set<string>>, place: string, key: string): void {
  const bucket = buckets.get(place);
  if (bucket === undefined) buckets.set(place, new Set([key]));
  else bucket.add(key);
}

function drop(buckets: Map<string, Set<string>>, place: string, key: string): void {
  const bucket = buckets.get(place);
  bucket?.delete(key);
  if (bucket?.size === 0) buckets.delete(place);
}
