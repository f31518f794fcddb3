import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { DamagedValueError } from '@binnacle/store';
import type {
  CallOptions,
  HealthAspect,
  KeyValue,
  LeaseStatus,
  Operation,
  OperationResult,
  RangeRequest,
  RangeResult,
  Store,
  StoreEvent,
  StoreStatus,
  TxnRequest,
  TxnResult,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from '@binnacle/store';
import type { Restored, Transformer } from '../ports/transformer.ts';
import { KeyServiceAwayError } from './encryption/errors.ts';
import { unrestored } from './unrestored.ts';

export interface TransformingOptions {
  /** Where values rest. Stays the caller's: `close` closes it as the caller would. */
  readonly store: Store;
  readonly transformer: Transformer;
  /** The resource whose objects lie under a key; undefined for what is no object. */
  readonly resourceOf: (key: string) => string | undefined;
  readonly log: Logger;
}

/**
 * A store whose values rest in another form. What has to be waited for holds back the events behind it, and the
 * acknowledgement of a write waits until its watchers have heard of it, so that caches stay as current as the store
 * within promises. Values that cannot be restored are left out of ranges and named there, as damaged ones are; in events
 * they say why (`unrestored`), so that one of them does not hold up all others. While the service that keeps a key is
 * away, what it sealed is not damaged: ranges fail, and watches end, to be asked for again.
 */
export class TransformingStore implements Store {
  readonly cachesAreCurrent: boolean;
  readonly promptProgress: boolean;
  readonly #options: TransformingOptions;
  /** The plain form of what this server wrote itself: embedded engines hand the same bytes back. */
  readonly #own = new WeakMap<Uint8Array, Uint8Array>();
  /** What the plain values that are known rest in; those that rest in an old form are not here. */
  readonly #forms = new WeakMap<Uint8Array, object>();
  readonly #queues = new Set<EventQueue>();

  constructor(options: TransformingOptions) {
    this.#options = options;
    this.cachesAreCurrent = options.store.cachesAreCurrent;
    this.promptProgress = options.store.promptProgress ?? true;
  }

  /**
   * Whether a value of ours should be written anew although nothing in it changes: it rests in another form than it would
   * be written in now. Forms change while the server runs, so that what was right when it was read is asked each time.
   */
  isStale(value: Uint8Array, key: string): boolean {
    const resource = this.#covers(key);
    return resource !== undefined && this.#forms.get(value) !== this.#options.transformer.formOf(resource);
  }

  async range(request: RangeRequest, options?: CallOptions): Promise<RangeResult> {
    const result = await this.#options.store.range(request, options);
    if (request.keysOnly === true) return result;
    return this.#restoredRange(result, request.end === undefined);
  }

  async txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    const [success, failure] = await Promise.all([this.#outgoing(request.success), this.#outgoing(request.failure)]);
    const result = await this.#options.store.txn({ compare: request.compare, success, failure }, options);
    const results = await Promise.all(result.results.map((one) => this.#incoming(one)));
    for (const queue of this.#queues) if (queue.busy) await queue.settled();
    return { ...result, results };
  }

  watch(request: WatchRequest, sink: WatchSink): WatchHandle {
    const queue = new EventQueue(sink, (events) => this.#restoredEvents(events));
    this.#queues.add(queue);
    const handle = this.#options.store.watch(request, {
      created: (revision) => sink.created?.(revision),
      events: (events, revision) => queue.push(events, revision),
      progress: (revision) => queue.progress(revision),
      end: (error) => {
        this.#queues.delete(queue);
        queue.end(error);
      },
    });
    const cancel = (): void => handle.cancel();
    queue.onBroken = cancel;
    return handle;
  }

  async #outgoing(operations: readonly Operation[]): Promise<readonly Operation[]> {
    if (!operations.some((each) => each.type === 'put' && this.#covers(each.key))) return operations;
    return Promise.all(
      operations.map(async (each) => {
        const resource = each.type === 'put' ? this.#covers(each.key) : undefined;
        if (each.type !== 'put' || resource === undefined) return each;
        const { transformer } = this.#options;
        const sealing = transformer.toStorage(each.value, each.key, resource);
        this.#rests(each.value, transformer.formOf(resource));
        const value = await sealing;
        this.#own.set(value, each.value);
        return { ...each, value };
      }),
    );
  }

  async #incoming(result: OperationResult): Promise<OperationResult> {
    switch (result.type) {
      case 'range':
        return { type: 'range', ...(await this.#restoredRange(result, false)) };
      case 'put':
        return result.prevKv === undefined ? result : { type: 'put', prevKv: await this.#restore(result.prevKv) };
      case 'delete':
        return { ...result, prevKvs: await Promise.all(result.prevKvs.map(async (kv) => this.#restore(kv))) };
    }
  }

  async #restoredRange(result: RangeResult, single: boolean): Promise<RangeResult> {
    if (!result.kvs.some(({ key }) => this.#covers(key))) return result;
    const damaged: string[] = [...(result.damaged ?? [])];
    const reasons = new Map<string, string>();
    const kvs = await Promise.all(
      result.kvs.map(async (kv) => {
        try {
          return await this.#restore(kv);
        } catch (error) {
          if (single || isAway(error)) throw error;
          const reason = reasonOf(error);
          this.#options.log.error(error, 'a stored value cannot be read', { key: kv.key, reason });
          damaged.push(kv.key);
          reasons.set(kv.key, reason);
          return undefined;
        }
      }),
    );
    const left = damaged.length === 0 ? {} : { damaged, reasons };
    return { ...result, kvs: kvs.filter((kv) => kv !== undefined), ...left };
  }

  /** At once where nothing has to be waited for. Throws KeyServiceAwayError. */
  #restoredEvents(events: readonly StoreEvent[]): readonly StoreEvent[] | Promise<readonly StoreEvent[]> {
    if (!events.some(({ kv }) => this.#covers(kv.key))) return events;
    const restored = events.map((event) => this.#restoredEvent(event));
    const known = restored.filter((one): one is StoreEvent => !(one instanceof Promise));
    return known.length === restored.length ? known : Promise.all(restored.map(async (one) => one));
  }

  #restoredEvent(event: StoreEvent): StoreEvent | Promise<StoreEvent> {
    const kv = event.type === 'put' ? this.#restoredOrWhy(event.kv) : event.kv;
    const prevKv = event.prevKv === undefined ? undefined : this.#restoredOrWhy(event.prevKv);
    const made = (now: KeyValue, before: KeyValue | undefined): StoreEvent =>
      before === undefined ? { type: event.type, kv: now } : { type: event.type, kv: now, prevKv: before };
    if (kv instanceof Promise || prevKv instanceof Promise)
      return Promise.all([kv, prevKv]).then(([now, before]) => made(now, before));
    return made(kv, prevKv);
  }

  #restoredOrWhy(kv: KeyValue): KeyValue | Promise<KeyValue> {
    const lost = (error: unknown): KeyValue => {
      if (isAway(error)) throw error;
      this.#options.log.error(error, 'a stored value cannot be read', { key: kv.key, reason: reasonOf(error) });
      return { ...kv, value: unrestored(reasonOf(error)) };
    };
    try {
      const restored = this.#restore(kv);
      return restored instanceof Promise ? restored.catch(lost) : restored;
    } catch (error) {
      return lost(error);
    }
  }

  #restore(kv: KeyValue): KeyValue | Promise<KeyValue> {
    const resource = this.#covers(kv.key);
    if (resource === undefined) return kv;
    const own = this.#own.get(kv.value);
    if (own !== undefined) return { ...kv, value: own };
    const form = this.#options.transformer.formOf(resource);
    const restored = this.#fromStorage(kv, resource);
    return restored instanceof Promise
      ? restored.then((one) => this.#plain(kv, one, form))
      : this.#plain(kv, restored, form);
  }

  #fromStorage(kv: KeyValue, resource: string): Restored | Promise<Restored> {
    const broken = (error: unknown): never => {
      throw isAway(error) ? error : new DamagedValueError(kv.key, error);
    };
    try {
      const restored = this.#options.transformer.fromStorage(kv.value, kv.key, resource);
      return restored instanceof Promise ? restored.catch(broken) : restored;
    } catch (error) {
      return broken(error);
    }
  }

  #plain(kv: KeyValue, { value, stale }: Restored, form: object | undefined): KeyValue {
    this.#own.set(kv.value, value);
    if (!stale) this.#rests(value, form);
    return { ...kv, value };
  }

  #rests(value: Uint8Array, form: object | undefined): void {
    if (form !== undefined) this.#forms.set(value, form);
  }

  #covers(key: string): string | undefined {
    const resource = this.#options.resourceOf(key);
    return resource !== undefined && this.#options.transformer.covers(resource) ? resource : undefined;
  }

  grantLease(ttlSeconds: number, id?: number): Promise<{ readonly id: number; readonly ttl: number }> {
    return this.#options.store.grantLease(ttlSeconds, id);
  }

  revokeLease(id: number): Promise<void> {
    return this.#options.store.revokeLease(id);
  }

  keepAlive(id: number): Promise<number> {
    return this.#options.store.keepAlive(id);
  }

  leaseStatus(id: number): Promise<LeaseStatus> {
    return this.#options.store.leaseStatus(id);
  }

  leases(): Promise<readonly number[]> {
    return this.#options.store.leases();
  }

  compact(revision: number): Promise<void> {
    return this.#options.store.compact(revision);
  }

  status(): Promise<StoreStatus> {
    return this.#options.store.status();
  }

  health(aspect: HealthAspect): Promise<void> {
    return this.#options.store.health(aspect);
  }

  /** Values in the form in which they rest. */
  snapshot(): AsyncIterable<Uint8Array> {
    return this.#options.store.snapshot();
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }
}

/** What keeps a key gives no answer: it may be read later. */
function isAway(error: unknown): boolean {
  return error instanceof KeyServiceAwayError;
}

/** What the transformer said, where it did. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof DamagedValueError ? (error.cause ?? error) : error);
}

type Restoring = (events: readonly StoreEvent[]) => readonly StoreEvent[] | Promise<readonly StoreEvent[]>;

/** The events of one watch in their order, whatever has to be waited for. */
class EventQueue {
  readonly #sink: WatchSink;
  readonly #restore: Restoring;
  /** Set while something is waited for. */
  #tail: Promise<void> | undefined;
  #over = false;
  onBroken: () => void = () => undefined;

  constructor(sink: WatchSink, restore: Restoring) {
    this.#sink = sink;
    this.#restore = restore;
  }

  get busy(): boolean {
    return this.#tail !== undefined;
  }

  settled(): Promise<void> {
    return this.#tail ?? Promise.resolve();
  }

  push(events: readonly StoreEvent[], revision: number): void {
    const restored = this.#attempt(events);
    if (!(restored instanceof Promise)) return this.#after(() => this.#hear(restored, revision));
    this.#wait(restored.then((made) => () => this.#hear(made, revision)));
  }

  progress(revision: number): void {
    this.#after(() => this.#sink.progress?.(revision));
  }

  end(error?: Error): void {
    this.#after(() => {
      this.#over = true;
      this.#sink.end(error);
    });
  }

  /** What the events are, or why they cannot be known. */
  #attempt(events: readonly StoreEvent[]): Outcome | Promise<Outcome> {
    const failed = (error: unknown): Outcome => ({ error: error as Error });
    try {
      const restored = this.#restore(events);
      return restored instanceof Promise ? restored.then((made) => ({ events: made }), failed) : { events: restored };
    } catch (error) {
      return failed(error);
    }
  }

  #hear(outcome: Outcome, revision: number): void {
    if ('events' in outcome) return this.#sink.events(outcome.events, revision);
    this.#over = true;
    this.onBroken();
    this.#sink.end(outcome.error);
  }

  #after(act: () => void): void {
    if (this.#tail === undefined) this.#tell(act);
    else this.#wait(Promise.resolve(act));
  }

  /** `next` may be under way already; what it comes to is told after all that was before it. */
  #wait(next: Promise<() => void>): void {
    const before = this.#tail ?? Promise.resolve();
    const tail = Promise.all([next, before]).then(([act]) => {
      if (this.#tail === tail) this.#tail = undefined;
      this.#tell(act);
    });
    this.#tail = tail;
  }

  #tell(act: () => void): void {
    if (!this.#over) act();
  }
}

type Outcome = { readonly events: readonly StoreEvent[] } | { readonly error: Error };
