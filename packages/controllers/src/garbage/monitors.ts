import type { Logger, Scope } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Informer } from '@binnacle/client';
import { triggerOf } from '@binnacle/reconcile';
import type { DiscoveredResource } from '../discovery.ts';
import type { OwnerGraph, Place } from './graph.ts';

export interface MonitorsOptions {
  readonly scope: Scope;
  readonly graph: OwnerGraph;
  readonly log: Logger;
  /** A cache of a resource that has at least the metadata; it ends with the scope. */
  readonly informerOf: (resource: DiscoveredResource, scope: Scope) => Informer<KubeObject>;
}

interface Monitor {
  readonly group: string;
  readonly scope: Scope;
  readonly informer: Informer<KubeObject>;
}

/** Events come by the thousand, own nothing and are owned by nobody. */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);

/** More of one group are not watched: whoever serves it says how many there are, and each watch has its connection. */
const OF_A_GROUP_MAX = 1000;

/** One watch per resource that can be deleted, kept in step with what the server serves. */
export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #running = new Map<string, Monitor>();

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** Starts what is new and stops what is gone; of a group in `unknown` nobody knows what is gone: it goes on as it is. */
  follow(resources: readonly DiscoveredResource[], unknown: ReadonlySet<string> = new Set()): void {
    const wanted = new Map(this.#bounded(resources.filter(isCollectable)).map((one) => [keyOf(one), one]));
    for (const [key, monitor] of this.#running) {
      if (wanted.has(key) || unknown.has(monitor.group)) continue;
      this.#running.delete(key);
      monitor.scope
        .close()
        .catch((error: unknown) => this.#options.log.error(error, 'a monitor did not end well', { resource: key }));
      this.#options.graph.dropResource(
        (place) => place.resource !== undefined && keyOf(place.resource) === key,
        () => ({ what: `${key} is no longer served` }),
      );
    }
    for (const [key, resource] of wanted) if (!this.#running.has(key)) this.#running.set(key, this.#start(resource));
  }

  #bounded(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
    const seen = new Map<string, number>();
    const within = resources.filter(({ group }) => {
      const before = seen.get(group) ?? 0;
      seen.set(group, before + 1);
      return before < OF_A_GROUP_MAX;
    });
    const left = resources.length - within.length;
    if (left > 0) this.#options.log.warn('Groups with too many resources: garbage among the others stays', { left });
    return within;
  }

  /** The running watch of a resource. */
  informerOf(group: string, resource: string): Informer<KubeObject> | undefined {
    return this.#running.get(keyOf({ group, resource }))?.informer;
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ informer }) => informer.whenSynced(signal)));
  }

  #start(resource: DiscoveredResource): Monitor {
    const { graph, informerOf } = this.#options;
    const scope = this.#options.scope.child(`watch of ${keyOf(resource)}`);
    const informer = informerOf(resource, scope);
    const inResource = (object: KubeObject): Place => placeOf(resource, object);
    const observe = (event: string, object: KubeObject): void =>
      graph.observe(object, inResource, () => triggerOf(event, object));
    scope.defer(
      informer.subscribe({
        add: (object) => observe('ADDED', object),
        update: (_before, after) => observe('MODIFIED', after),
        remove: (object) => graph.forget(object.metadata.uid ?? '', () => triggerOf('DELETED', object)),
      }),
    );
    return { group: resource.group, scope, informer };
  }
}

function isCollectable({ group, resource, verbs }: DiscoveredResource): boolean {
  return ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb)) && !IGNORED.has(`${group}/${resource}`);
}

function keyOf(resource: { readonly group: string; readonly resource: string }): string {
  return `${resource.group}/${resource.resource}`;
}

function placeOf(resource: DiscoveredResource, object: KubeObject): Place {
  const { name = '', namespace = '' } = object.metadata;
  return { resource, apiVersion: groupVersion(resource), kind: resource.kind, namespace, name };
}
