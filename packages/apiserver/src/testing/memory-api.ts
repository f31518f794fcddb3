import type { ResourceInfo, ResourceRef } from '@binnacle/api';
import { assert, deepFreeze, formatTime, silentLogger } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, ObjectMeta, WatchHandle, Wire } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import type { EmbeddedStore } from '@binnacle/store';
import { assemble } from '../assemble.ts';
import type { Assembly } from '../assemble.ts';
import { LOOPBACK_USER } from '../own-calls.ts';
import { startServer } from '../server.ts';
import { createBindingHandler } from '../kinds/core/pods/binding.ts';
import { createEvictionHandler } from '../kinds/core/pods/eviction.ts';
import { createAllocations } from '../kinds/core/services/allocation/allocations.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy, PolicyWorld } from '../policy.ts';
import { keyOf, REGISTRY } from '../storage/keys.ts';

const SERVICE_RANGES = ['10.96.0.0/16', 'fd00:10:96::/112'];

/** A whole API server in memory for the tests of its clients, and a hand in its store. */
export interface MemoryApi {
  /** An administrator's wire to it. */
  connect(): Wire;
  /** What is stored, by key; frozen. */
  objects<T extends KubeObject>(ref: ResourceRef<T>): readonly T[];
  /** Stores an object as it is, whatever the server would say of it; with a uid and a time where it has none. */
  seed<T extends KubeObject>(ref: ResourceRef<T>, object: T): T;
  /** Puts another status in the place of the stored one. */
  setStatus<T extends KubeObject>(ref: ResourceRef<T>, object: T, value: unknown): void;
  /** The newest one of the store. */
  revision(): number;
}

/** What it is made of, and what it serves beside what is always served. */
export interface MemoryApiOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly onRequest?: readonly ResourceInfo[];
}

/** Same clock, same seed, same calls: same outcome. Everybody may do everything. */
export function createMemoryApi({ clock, random, onRequest = [] }: MemoryApiOptions): MemoryApi {
  const store = createMemoryStore({ clock, startRevision: 100 });
  const world = { store, clock, random, log: silentLogger };
  const parts = assemble({ ...world, onRequest, assertions: true, trace: false, policy: (known) => openPolicy(known) });
  const started = startServer(parts, { clock, log: silentLogger });
  const place = <T extends KubeObject>(ref: ResourceRef<T>): Place => placeOf(parts, ref);
  const readers = new Map<string, StoreReader>();
  const reader = (ref: Parameters<typeof place>[0]): StoreReader => {
    const { prefix } = place(ref);
    const found = readers.get(prefix) ?? new StoreReader(store, prefix);
    readers.set(prefix, found);
    return found;
  };
  const seed: MemoryApi['seed'] = (ref, object) => {
    const metadata: ObjectMeta = {
      uid: random.uuid(),
      creationTimestamp: formatTime(clock.now()),
      ...('spec' in object && object.spec !== undefined ? { generation: 1 } : {}),
      ...object.metadata,
    };
    return put(store, place(ref), { ...object, metadata });
  };
  return {
    seed,
    connect: () => lateWire(started.then((server) => server.clientAs(LOOPBACK_USER))),
    objects: (ref) => reader(ref).objects(),
    setStatus: (ref, object, value) => {
      const stored = reader(ref)
        .objects<typeof object>()
        .find(
          ({ metadata }) => metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace,
        );
      assert(stored !== undefined, 'who has a status is stored', { name: object.metadata.name });
      put(store, place(ref), { ...stored, status: value });
    },
    revision: () => store.revision,
  };
}

/** Everybody may do everything; Services get addresses, pods are bound and evicted as anywhere. */
function openPolicy(world: PolicyWorld): Policy {
  const open = createOpenPolicy();
  return {
    ...open,
    join: (own) => {
      const whole = { ...world, ...own };
      const allocations = createAllocations(whole, { serviceCidrs: SERVICE_RANGES });
      const binding = createBindingHandler(whole);
      const behaviours = {
        bindings: { answer: binding },
        pods: { subresources: { binding, eviction: createEvictionHandler(whole) } },
        services: { strategy: allocations.strategy },
      };
      return { ...open.join(own), behaviours };
    },
  };
}

/** Where a resource's objects are, and what they begin with. */
interface Place {
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly apiVersion: string;
}

function placeOf(parts: Assembly, ref: { readonly group: string; readonly resource: string }): Place {
  const info = parts.foundation.catalogue.stored(ref)?.info;
  assert(info !== undefined, 'a resource of the server', { resource: ref.resource });
  const { kind, namespaced } = info;
  return { prefix: `${REGISTRY}${info.storagePrefix}/`, namespaced, kind, apiVersion: groupVersion(info) };
}

/** Reads a resource's objects out of the store; each version of each is decoded once. */
class StoreReader {
  readonly #store: EmbeddedStore;
  readonly #prefix: string;
  readonly #text = new TextDecoder();
  #known = new Map<string, { readonly revision: number; readonly object: KubeObject }>();

  constructor(store: EmbeddedStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  objects<T extends KubeObject>(): readonly T[] {
    const { kvs } = this.#store.rangeNow({ key: this.#prefix, end: `${this.#prefix.slice(0, -1)}0` });
    const before = this.#known;
    this.#known = new Map();
    return kvs.map(({ key, value, modRevision }) => {
      const known = before.get(key);
      const object = known?.revision === modRevision ? known.object : this.#decode(value, modRevision);
      this.#known.set(key, { revision: modRevision, object });
      return object as T;
    });
  }

  #decode(value: Uint8Array, revision: number): KubeObject {
    const object = JSON.parse(this.#text.decode(value)) as KubeObject;
    return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
  }
}

function put<T extends KubeObject>(store: EmbeddedStore, place: Place, object: T): T {
  const { resourceVersion: _any, ...metadata } = object.metadata;
  const { kind, apiVersion } = place;
  // In the order in which the server writes them.
  const whole = Object.assign({ kind, apiVersion, metadata }, object, { kind, apiVersion, metadata });
  const key = place.prefix + keyOf(place.namespaced, metadata.namespace ?? '', metadata.name ?? '');
  const value = new TextEncoder().encode(JSON.stringify(whole));
  // A store in memory has it when this returns.
  void store.txn({ compare: [], success: [{ type: 'put', key, value }], failure: [] });
  return deepFreeze({ ...whole, metadata: { ...metadata, resourceVersion: String(store.revision) } });
}

/** A wire to a server that is starting. */
function lateWire(started: Promise<Wire>): Wire {
  return {
    call: async (call) => (await started).call(call),
    batch: async (calls, settled) => (await started).batch(calls, settled),
    raw: async (call) => (await started).raw(call),
    open: async (call) => (await started).open(call),
    close: async () => (await started).close(),
    watch: (call, sink) => {
      let handle: WatchHandle | undefined;
      let stopped = false;
      void started.then((wire) => {
        if (!stopped) handle = wire.watch(call, sink);
      });
      return {
        stop: () => {
          if (handle !== undefined) handle.stop();
          else if (!stopped) sink.end(undefined);
          stopped = true;
        },
      };
    },
  };
}
