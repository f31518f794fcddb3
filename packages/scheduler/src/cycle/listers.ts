import type { ResourceRef } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, Informer } from '@binnacle/client';
import type { Scope } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Lister } from '../handle.ts';
import type { ClusterEvent } from '../plan/framework.ts';

type Indexes<T> = { readonly [name: string]: (object: T) => readonly string[] };

interface Entry {
  readonly informer: Informer<KubeObject>;
  readonly lister: Lister<KubeObject>;
}

export interface ListersOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  /** Hears of every change. */
  readonly onEvent: (event: ClusterEvent) => void;
}

/** The caches that plugins asked for: one per kind and set of indexes, started together. */
export class Listers {
  readonly #options: ListersOptions;
  readonly #entries = new Map<string, Entry>();
  #isStarted = false;

  constructor(options: ListersOptions) {
    this.#options = options;
  }

  /** The cache of a kind; shared by those that want the same indexes. */
  lister<T extends KubeObject>(ref: ResourceRef<T>, indexes?: Indexes<T>): Lister<T> {
    const name = JSON.stringify([ref.group, ref.version, ref.resource, Object.keys(indexes ?? {}).sort()]);
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = this.#make(ref, indexes as Indexes<KubeObject> | undefined);
      this.#entries.set(name, entry);
    }
    return entry.lister as Lister<T>;
  }

  /** Starts all caches; resolves once they know what there is. */
  async start(scope: Scope, signal: AbortSignal): Promise<void> {
    this.#isStarted = true;
    const informers = [...this.#entries.values()].map((e) => e.informer);
    for (const informer of informers) informer.start(scope);
    await Promise.all(informers.map((i) => i.whenSynced(signal)));
  }

  /** Whether all have been told to start: no more can be asked for. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  #make(ref: ResourceRef<KubeObject>, indexes: Indexes<KubeObject> | undefined): Entry {
    const { client, world, onEvent } = this.#options;
    const informer = createInformer(client, ref, world, indexes === undefined ? {} : { indexes });
    const followers: ((before: KubeObject | undefined, after: KubeObject | undefined) => void)[] = [];
    const tell = (before: KubeObject | undefined, after: KubeObject | undefined): void => {
      for (const changed of followers) changed(before, after);
      const action = after === undefined ? 'delete' : before === undefined ? 'add' : 'update';
      onEvent({
        resource: ref.resource,
        action,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
    };
    informer.subscribe({
      add: (object) => tell(undefined, object),
      update: (before, after) => tell(before, after),
      remove: (object) => tell(object, undefined),
    });
    const lister: Lister<KubeObject> = {
      get: (key) => informer.get(key),
      list: () => informer.list(),
      byIndex: (index, value) => informer.byIndex(index, value),
      follow: (changed) => void followers.push(changed),
    };
    return { informer, lister };
  }
}
