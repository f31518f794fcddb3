import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { matchesLabels } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';

interface Selecting {
  readonly namespace: string;
  readonly selector: Selector;
  /** The requirement that it is filed under: a label, and where its pods are among those that have it. */
  readonly label: string;
  readonly place: string;
}

/**
 * Which pods each object selects in its namespace (services, budgets, autoscalers), without asking each of them for every pod.
 * Each object is filed under one requirement of its selector; pods are filed under those label keys only that some object is
 * filed by. Whoever requires no certain value of any label is asked for all pods of its namespace.
 */
export class SelectedPods {
  readonly #pods: Pick<Informer<Pod>, 'get' | 'list'>;
  readonly #selecting = new Map<string, Selecting>();
  /** Label key → `namespace/value` → objects filed there. */
  readonly #selectorsBy = new Map<string, Map<string, Set<string>>>();
  /** Label key → `namespace/value` → pods that have it. */
  readonly #podsBy = new Map<string, Map<string, Set<string>>>();

  constructor(pods: Pick<Informer<Pod>, 'get' | 'list'>) {
    this.#pods = pods;
  }

  /** Files an object by its key; the same one again takes the place of what it was. One that selects nothing has no pods. */
  set(key: string, namespace: string, selector: Selector): void {
    const known = this.#selecting.get(key);
    if (known?.selector === selector && known.namespace === namespace) return;
    this.remove(key);
    if (selector.nothing === true) return;
    const [label, value] = certainty(selector);
    const place = `${namespace}/${value}`;
    this.#selecting.set(key, { namespace, selector, label, place });
    const selectors = bucketsOf(this.#selectorsBy, label);
    if (selectors.size === 0) this.#filePodsBy(label);
    add(selectors, place, key);
  }

  remove(key: string): void {
    const known = this.#selecting.get(key);
    if (known === undefined) return;
    this.#selecting.delete(key);
    const selectors = this.#selectorsBy.get(known.label);
    if (selectors === undefined) return;
    drop(selectors, known.place, key);
    if (selectors.size > 0) return;
    this.#selectorsBy.delete(known.label);
    this.#podsBy.delete(known.label);
  }

  /** A pod came (no before), changed, or went (no after). */
  movePod(before: Pod | undefined, after: Pod | undefined): void {
    if (before !== undefined && after !== undefined && before.metadata.labels === after.metadata.labels) return;
    for (const [key, pods] of this.#podsBy) {
      const [was, is] = [placeOf(before, key), placeOf(after, key)];
      if (was === is) continue;
      if (was !== undefined && before !== undefined) drop(pods, was, cacheKey(before));
      if (is !== undefined && after !== undefined) add(pods, is, cacheKey(after));
    }
  }

  /** The objects that select the pod. Made without garbage where there is none, as for most pods: it is asked at every change. */
  selectorsOf(pod: Pod): readonly string[] {
    let found: string[] | undefined;
    for (const [label, selectors] of this.#selectorsBy) {
      const place = placeOf(pod, label);
      const filed = place === undefined ? undefined : selectors.get(place);
      if (filed === undefined) continue;
      for (const key of filed) if (this.#selects(key, pod)) (found ??= []).push(key);
    }
    return found ?? NOBODY;
  }

  /** How many pods are looked at for the object, at most. */
  countOf(key: string): number {
    return this.#candidates(key).size;
  }

  /** The pods that the object selects. */
  podsOf(key: string): readonly Pod[] {
    const found: Pod[] = [];
    for (const name of this.#candidates(key)) {
      const pod = this.#pods.get(name);
      if (pod !== undefined && this.#selects(key, pod)) found.push(pod);
    }
    return found;
  }

  #candidates(key: string): ReadonlySet<string> {
    const known = this.#selecting.get(key);
    return known === undefined ? NONE : (this.#podsBy.get(known.label)?.get(known.place) ?? NONE);
  }

  #selects(key: string, pod: Pod): boolean {
    const known = this.#selecting.get(key);
    return known !== undefined && matchesLabels(known.selector, pod.metadata.labels);
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
const NOBODY: readonly never[] = [];
/** No label has this key: all pods are filed under it, by their namespaces. */
const ANY = '';
const CERTAIN = new Set<string>(['=', '==', 'in']);

/** The label whose value the selector leaves no choice of, and that value: of several the first, so that most share one. */
function certainty({ requirements }: Selector): readonly [label: string, value: string] {
  let found: readonly [string, string] | undefined;
  for (const { key, operator, values } of requirements) {
    const [value, ...others] = values;
    if (value === undefined || others.length > 0 || !CERTAIN.has(operator)) continue;
    if (found === undefined || key < found[0]) found = [key, value];
  }
  return found ?? [ANY, ''];
}

function placeOf(pod: Pod | undefined, label: string): string | undefined {
  if (pod === undefined) return undefined;
  const { namespace = '', labels } = pod.metadata;
  if (label === ANY) return `${namespace}/`;
  return labels === undefined || !Object.hasOwn(labels, label) ? undefined : `${namespace}/${labels[label]}`;
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
