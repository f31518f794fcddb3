import { REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES } from '@binnacle/api';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { controllerOf, matchesLabels, selectorFromObject, selectorFromSet } from '@binnacle/machinery';
import type { KubeObject, LabelSelector, Selector } from '@binnacle/machinery';
import type { Handle, Lister } from '../handle.ts';
import { STATEFUL_SETS } from '../refs.ts';

/** Pods whose selector is remembered. */
const REMEMBERED_MAX = 1_024;

/** Which pods belong together with a pod: what the Services that choose it and its controller select. */
export class OwnerSelectors {
  readonly #services: Lister<Service>;
  readonly #controllers: ReadonlyMap<string, (key: string) => Selector | undefined>;
  readonly #remembered = new Map<string, Selector | undefined>();

  constructor(handle: Handle) {
    this.#services = handle.lister(SERVICES, { namespace: (s) => [s.metadata.namespace ?? ''] });
    const replicationControllers = handle.lister(REPLICATION_CONTROLLERS);
    const replicaSets = handle.lister(REPLICA_SETS);
    const statefulSets = handle.lister(STATEFUL_SETS);
    this.#controllers = new Map([
      ['ReplicationController', (key) => fromSet(replicationControllers.get(key)?.spec.selector)],
      ['ReplicaSet', (key) => fromObject(replicaSets.get(key)?.spec.selector)],
      ['StatefulSet', (key) => fromObject(statefulSets.get(key)?.spec.selector)],
    ]);
    for (const lister of [this.#services, replicationControllers, replicaSets, statefulSets]) this.#forgetWith(lister);
  }

  /** Undefined: nothing chooses the pod. */
  selectorFor(pod: Pod): Selector | undefined {
    const owner = controllerOf(pod);
    const name = JSON.stringify([pod.metadata.namespace, pod.metadata.labels, owner?.kind, owner?.name]);
    if (this.#remembered.has(name)) return this.#remembered.get(name);
    const selector = this.#find(pod);
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(name, selector);
    return selector;
  }

  #find(pod: Pod): Selector | undefined {
    const { namespace = '', labels } = pod.metadata;
    const set: Record<string, string> = {};
    for (const { spec } of this.#services.byIndex('namespace', namespace)) {
      const chosen = spec.selector;
      if (chosen === undefined || Object.keys(chosen).length === 0) continue;
      if (matchesLabels(selectorFromSet(chosen), labels)) Object.assign(set, chosen);
    }
    const owner = controllerOf(pod);
    const own = owner === undefined ? undefined : this.#controllers.get(owner.kind)?.(`${namespace}/${owner.name}`);
    const requirements = [...selectorFromSet(set).requirements, ...(own?.requirements ?? [])];
    return requirements.length === 0 ? undefined : { requirements };
  }

  #forgetWith(lister: Lister<KubeObject>): void {
    lister.follow((before, after) => {
      if (selectorText(before) !== selectorText(after)) this.#remembered.clear();
    });
  }
}

function selectorText(object: KubeObject | undefined): string | undefined {
  if (object === undefined) return undefined;
  return JSON.stringify((object as KubeObject & { readonly spec?: { readonly selector?: unknown } }).spec?.selector);
}

function fromSet(set: { readonly [key: string]: string } | undefined): Selector | undefined {
  return set === undefined ? undefined : selectorFromSet(set);
}

function fromObject(object: LabelSelector | undefined): Selector | undefined {
  return object === undefined ? undefined : selectorFromObject(object);
}
