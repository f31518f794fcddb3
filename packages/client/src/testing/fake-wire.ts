import { AbortedError } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import { applyJsonPatch, applyMergePatch, applyStrategicPatch, groupVersion, status } from '@binnacle/machinery';
import type {
  ApiCall,
  DeleteOptions,
  GroupVersionResource,
  KubeObject,
  RawCall,
  RawReply,
  StatusError,
  WatchCall,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import { findResource, schemas } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { TransportError } from '../errors.ts';
import { discover } from './fake-discovery.ts';
import { FakeStore } from './fake-store.ts';
import type { FakeObject } from './fake-store.ts';
import { FakeWatch } from './fake-watch.ts';
import { matcherOf } from './selectors.ts';

/** What goes wrong with a call. `late`: the caller gets a cut connection, and the server does it afterwards. */
export type CallFault =
  | { readonly kind: 'refuse'; readonly error: StatusError }
  | { readonly kind: 'lose-request' }
  | { readonly kind: 'lose-reply' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'late'; readonly ms: number };

/** Faults on demand; every hook may be set and unset at any time. */
export interface FakeFaults {
  call?: ((call: ApiCall) => CallFault | undefined) | undefined;
  /** How long the next watch events of a stream are held back, ms. */
  watchDelayMs?: (() => number) | undefined;
  /** Whether an event comes twice. */
  duplicate?: (() => boolean) | undefined;
}

/** The fake's time, chance and what it says it serves. */
export interface FakeWireOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** What discovery tells; any resource can be used without being listed here. */
  readonly resources?: readonly ResourceRef<KubeObject>[];
}

/** A small API in memory for the tests of clients, together with a first wire to it. */
export interface FakeWire extends Wire {
  readonly faults: FakeFaults;
  /** All calls so far, watches apart. */
  readonly calls: readonly ApiCall[];
  /** Another client's wire to the same server. `kill` is what a dying process does: everything in flight is on its own. */
  connect(): Wire & { kill(): void };
  /** What is there, straight from the server. */
  objects<T extends KubeObject>(ref: ResourceRef<T>): readonly T[];
  /** Puts an object in as it is, status included. */
  seed<T extends KubeObject>(ref: ResourceRef<T>, object: T): T;
  /** Changes an object's status as its owner would; no conflict. */
  setStatus<T extends KubeObject>(ref: ResourceRef<T>, object: T, value: unknown): void;
  /** Ends every watch with an error (a cut connection unless told otherwise), or cleanly with `null`. */
  cutWatches(error?: Error | null): void;
  /** Forgets history, so that watches from before now get 410. */
  compact(): void;
  readonly watchCount: number;
}

/** See FakeWire. Same clock, same seed, same calls: same outcome. */
export function createFakeWire(options: FakeWireOptions): FakeWire {
  const server = new FakeServer(options);
  const first = server.connect();
  return {
    call: (call) => first.call(call),
    watch: (call, sink) => first.watch(call, sink),
    raw: (call) => first.raw(call),
    open: (call) => first.open(call),
    close: () => first.close(),
    connect: () => server.connect(),
    faults: server.faults,
    calls: server.calls,
    objects: <T extends KubeObject>(ref: ResourceRef<T>) =>
      server.store.list(ref, undefined, () => true) as readonly KubeObject[] as readonly T[],
    seed: <T extends KubeObject>(ref: ResourceRef<T>, object: T) =>
      server.store.seed(ref, withKind(ref, object) as FakeObject) as KubeObject as T,
    setStatus: (ref, object, value) => {
      const { namespace = '', name = '' } = object.metadata;
      const place = { resource: ref, namespace, name };
      const { resourceVersion: _any, ...metadata } = server.store.get(place).metadata;
      server.store.replace(place, { metadata, status: value as NonNullable<FakeObject['status']> }, 'status');
    },
    cutWatches: (error) => server.cutWatches(error),
    compact: () => server.store.compact(),
    get watchCount() {
      return server.watchCount;
    },
  };
}

function withKind<T extends KubeObject>(ref: ResourceRef<T>, object: T): T {
  return { ...object, apiVersion: groupVersion(ref), kind: ref.kind };
}

class FakeServer {
  readonly store: FakeStore;
  readonly faults: FakeFaults = {};
  readonly calls: ApiCall[] = [];
  readonly #options: FakeWireOptions;
  readonly #watches = new Set<FakeWatch>();

  constructor(options: FakeWireOptions) {
    this.#options = options;
    this.store = new FakeStore(options.clock, options.random);
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  cutWatches(error: Error | null | undefined): void {
    const reason = error === undefined ? new TransportError('cut', 'the connection was cut') : (error ?? undefined);
    for (const watch of this.#watches) watch.end(reason);
  }

  connect(): Wire & { kill(): void } {
    const mine = new Set<FakeWatch>();
    let dead = false;
    const kill = (): void => {
      dead = true;
      for (const watch of mine) watch.end(new TransportError('cut', 'the process died'));
    };
    return {
      call: (call) => (dead ? Promise.reject(gone()) : this.#call(call)),
      watch: (call, sink) => this.#watch(call, sink as WatchSink, mine),
      raw: (call) => (dead ? Promise.reject(gone()) : Promise.resolve(this.#raw(call))),
      open: (call) => Promise.reject(dead ? gone() : status.notFound({ group: '', resource: '' }, call.path)),
      close: () => {
        kill();
        return Promise.resolve();
      },
      kill,
    };
  }

  #watch(call: WatchCall, sink: WatchSink, mine: Set<FakeWatch>): WatchHandle {
    const watch = new FakeWatch({
      store: this.store,
      clock: this.#options.clock,
      faults: this.faults,
      call,
      sink,
      ended: () => {
        mine.delete(watch);
        this.#watches.delete(watch);
      },
    });
    mine.add(watch);
    this.#watches.add(watch);
    watch.start();
    return { stop: () => watch.end(undefined) };
  }

  #raw({ path, method = 'GET' }: RawCall): RawReply {
    const answer = method === 'GET' ? discover(path, this.#options.resources ?? []) : undefined;
    const missing = status.notFound({ group: '', resource: '' }, path).status;
    const bytes = new TextEncoder().encode(JSON.stringify(answer ?? missing));
    return {
      status: answer === undefined ? 404 : 200,
      headers: { 'content-type': 'application/json' },
      body: once(bytes),
    };
  }

  #call(call: ApiCall): Promise<unknown> {
    this.calls.push(call);
    const fault = this.faults.call?.(call);
    return new Promise((resolve, reject) => {
      call.signal?.addEventListener('abort', () => reject(new AbortedError('call', call.signal?.reason)), {
        once: true,
      });
      const perform = (): void => {
        try {
          resolve(this.#perform(call));
        } catch (error) {
          reject(error as Error);
        }
      };
      const cut = (): void => reject(new TransportError('cut', 'the connection was cut'));
      this.#schedule(fault, { perform, cut, reject });
    });
  }

  #schedule(
    fault: CallFault | undefined,
    act: { perform: () => void; cut: () => void; reject: (error: Error) => void },
  ): void {
    switch (fault?.kind) {
      case undefined:
        queueMicrotask(act.perform);
        return;
      case 'refuse':
        act.reject(fault.error);
        return;
      case 'lose-request':
        act.cut();
        return;
      case 'lose-reply':
        act.cut();
        act.perform();
        return;
      case 'delay':
        this.#options.clock.after(fault.ms, act.perform);
        return;
      case 'late':
        act.cut();
        this.#options.clock.after(fault.ms, act.perform);
    }
  }

  #perform(call: ApiCall): unknown {
    const { resource, namespace, name = '' } = call;
    const place = { resource, namespace: namespace ?? '', name };
    const dryRun = call.query?.['dryRun'] === 'All';
    if (dryRun) return call.body ?? this.store.get(place);
    switch (call.verb) {
      case 'get':
        return this.store.get(place);
      case 'list':
        return listReply(this.store, call);
      case 'create':
        return this.#create(call);
      case 'update':
        return this.store.replace(place, call.body as FakeObject, call.subresource);
      case 'patch':
        return this.#patch(call);
      case 'delete':
        return this.store.remove(place, (call.body ?? {}) as DeleteOptions);
      case 'deletecollection':
        for (const object of this.store.list(resource, namespace, matcherOf(call.query))) {
          const one = { resource, namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
          this.store.remove(one, (call.body ?? {}) as DeleteOptions);
        }
        return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
    }
  }

  #create(call: ApiCall): unknown {
    const { resource, namespace, name = '' } = call;
    const body = call.body as FakeObject;
    const place = { resource, namespace: namespace ?? '', name };
    switch (call.subresource) {
      case undefined:
        return this.store.create(resource, namespace ?? body.metadata.namespace, body);
      case 'eviction':
        return this.store.remove(place, {});
      case 'binding': {
        const pod = this.store.get(place);
        const target = Reflect.get(body, 'target') as { readonly name?: string } | undefined;
        return this.store.replace(place, { ...pod, spec: { ...pod.spec, nodeName: target?.name } }, undefined);
      }
      default:
        throw status.notFound(resource, `${name}/${call.subresource}`);
    }
  }

  #patch(call: ApiCall): unknown {
    const { resource, namespace, name = '' } = call;
    const place = { resource, namespace: namespace ?? '', name };
    const after = patched(this.store.get(place), call) as FakeObject;
    return this.store.replace(place, after, call.subresource);
  }
}

function patched(document: FakeObject, call: ApiCall): unknown {
  const { group, version, resource } = call.resource;
  if (call.patch === 'merge') return applyMergePatch(document, call.body);
  if (call.patch === 'json') return applyJsonPatch(document, call.body);
  const schema = findResource(group, version, resource)?.schema;
  if (call.patch === 'strategic' && schema !== undefined) {
    return applyStrategicPatch(schemas, schema, { document, patch: call.body });
  }
  throw status.unsupportedMediaType(`the fake knows no ${call.patch} patch of ${resource}`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function gone(): TransportError {
  return new TransportError('closed', 'the wire is closed');
}

function listReply(store: FakeStore, call: ApiCall): unknown {
  const items = store.list(call.resource as GroupVersionResource, call.namespace, matcherOf(call.query));
  const limit = Number(call.query?.['limit'] ?? 0);
  const from = Number(call.query?.['continue'] ?? 0);
  const page = limit > 0 ? items.slice(from, from + limit) : items;
  const more = from + page.length < items.length;
  return {
    metadata: {
      resourceVersion: String(store.revision),
      ...(more ? { continue: String(from + page.length), remainingItemCount: items.length - from - page.length } : {}),
    },
    items: page,
  };
}
