import type { Clock } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject, WatchCall, WatchEvent, WatchSink } from '@binnacle/machinery';
import { tableName } from './fake-store.ts';
import type { FakeChange, FakeStore } from './fake-store.ts';
import { matcherOf } from './selectors.ts';
import type { Match } from './selectors.ts';

export interface FakeWatchOptions {
  readonly store: FakeStore;
  readonly clock: Clock;
  readonly faults: { watchDelayMs?: (() => number) | undefined; duplicate?: (() => boolean) | undefined };
  readonly call: WatchCall;
  readonly sink: WatchSink;
  readonly ended: () => void;
}

/** One watch stream of the fake: keeps the order, may be late, may stutter, ends once. */
export class FakeWatch {
  readonly #options: FakeWatchOptions;
  readonly #match: Match;
  readonly #table: string;
  #pending: WatchEvent[] = [];
  #flushing = false;
  #over = false;
  #unlisten: () => void = () => undefined;

  constructor(options: FakeWatchOptions) {
    this.#options = options;
    this.#match = matcherOf(options.call.query);
    this.#table = tableName(options.call.resource);
  }

  start(): void {
    const { store, call } = this.#options;
    try {
      const from = call.query?.['resourceVersion'] ?? '';
      if (call.query?.['sendInitialEvents'] === 'true') this.#sendInitial();
      else for (const change of store.changesAfter(from === '' ? store.revision : Number(from))) this.#take(change);
    } catch (error) {
      queueMicrotask(() => this.end(error instanceof StatusError ? error : undefined));
      return;
    }
    this.#unlisten = store.listen((change) => this.#take(change));
  }

  end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#unlisten();
    this.#options.ended();
    this.#options.sink.end(error);
  }

  #sendInitial(): void {
    const { store, call } = this.#options;
    for (const object of store.list(call.resource, call.namespace, this.#match)) this.#send({ type: 'ADDED', object });
    const metadata = {
      resourceVersion: String(store.revision),
      annotations: { 'k8s.io/initial-events-end': 'true' },
    };
    this.#send({ type: 'BOOKMARK', object: { metadata } });
  }

  #take(change: FakeChange): void {
    if (change.table !== this.#table) return;
    const { namespace } = this.#options.call;
    if (namespace !== undefined && change.object.metadata.namespace !== namespace) return;
    const event = this.#seenThroughSelector(change);
    if (event === undefined) return;
    this.#send(event);
    if (this.#options.faults.duplicate?.() === true) this.#send(event);
  }

  #seenThroughSelector(change: FakeChange): WatchEvent | undefined {
    const was = change.before !== undefined && this.#match(change.before);
    const is = change.type !== 'DELETED' && this.#match(change.object);
    if (!was && !is) return undefined;
    const object: KubeObject = change.object;
    return { type: !was ? 'ADDED' : !is ? 'DELETED' : 'MODIFIED', object };
  }

  #send(event: WatchEvent): void {
    this.#pending.push(event);
    if (this.#flushing) return;
    this.#flushing = true;
    const delay = this.#options.faults.watchDelayMs?.() ?? 0;
    if (delay > 0) this.#options.clock.after(delay, () => this.#flush());
    else queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#over) return;
    const batch = this.#pending;
    this.#pending = [];
    this.#options.sink.events(batch);
  }
}
