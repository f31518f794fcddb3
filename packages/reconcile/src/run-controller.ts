import { AssertionError, messageOf, openGate, silentTrace } from '@binnacle/base';
import type { Cause, Gate, Hop, Scope, Trace } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { createWorkQueue } from '@binnacle/client';
import type { ClientWorld, Informer, WorkQueue } from '@binnacle/client';

/** What made a key due: the watch event whose revision leads to the request behind it (law 11). */
export interface Trigger {
  readonly what: string;
  readonly revision?: string;
}

/** Goes with one sync: hand it on to every call, so that the cause travels. */
export interface SyncContext {
  readonly signal: AbortSignal;
  readonly cause: Cause;
  /** Has the key synced again after `delayMs`, whatever happens until then: because it is time. */
  requeueAfter(delayMs: number): void;
  /** Likewise, for the reason of this sync: what it waits for was not to be seen yet. */
  postpone(delayMs: number): void;
}

/** A controller's name, its sync function and what it waits for. */
export interface ControllerOptions {
  readonly name: string;
  /** The resource whose objects the keys are; absent: the trace does not say what a sync is about. */
  readonly about?: { readonly group: string; readonly resource: string };
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** Brings one object to what it should be. Throwing means: again, later. Never runs twice at a time for one key. */
  readonly sync: (key: string, context: SyncContext) => Promise<void>;
  /** Nothing is synced before these caches are filled. */
  readonly caches: readonly { whenSynced(signal?: AbortSignal): Promise<void> }[];
  /** How many keys are synced at the same time. Default 5. */
  readonly workers?: number;
  /** Retries per second in the long run and at once; see createWorkQueue. */
  readonly rate?: { readonly qps: number; readonly burst: number };
}

/** What a controller is doing, for people and for tests. */
export interface ControllerState {
  readonly name: string;
  readonly waiting: number;
  readonly running: readonly string[];
  readonly syncs: number;
  /** Syncs that failed, conflicts included. */
  readonly failures: number;
  /** Set once an assertion of our own failed: the controller does nothing any more, and must not look healthy. */
  readonly broken?: string;
  /** Keys whose last sync failed. */
  readonly failing: readonly { readonly key: string; readonly retries: number; readonly error: string }[];
}

/** A running controller: keys go in, its state can be looked at. */
export interface Controller {
  enqueue(key: string, trigger: Trigger): void;
  enqueueAfter(key: string, delayMs: number, trigger: Trigger): void;
  inspect(): ControllerState;
}

/** At most this many failing keys keep their last error; further ones are only counted. */
const FAILURES_MAX = 1000;
const SYNC_LOG_LEVEL = 4;

/** Starts a controller: a queue of keys and workers that sync them, until the scope closes. */
export function runController(options: ControllerOptions): Controller {
  const loop = new Loop(options);
  loop.start();
  return loop;
}

/** Enqueues `keysOf` every object that is added, changed or removed. Returns how to stop. */
export function enqueueOn<T extends KubeObject>(
  informer: Informer<T>,
  controller: Pick<Controller, 'enqueue'>,
  keysOf: (object: T) => Iterable<string>,
): () => void {
  const tell = (event: string, object: T): void => {
    for (const key of keysOf(object)) controller.enqueue(key, triggerOf(event, object));
  };
  return informer.subscribe({
    add: (object) => tell('ADDED', object),
    update: (_before, after) => tell('MODIFIED', after),
    remove: (object) => tell('DELETED', object),
  });
}

/** The trigger that a watch event is. */
export function triggerOf(event: string, object: KubeObject): Trigger {
  const { namespace, name, resourceVersion } = object.metadata;
  const what = `${event} ${object.kind ?? 'object'} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`;
  return resourceVersion === undefined ? { what } : { what, revision: resourceVersion };
}

/** What made this sync due makes a further key due. */
export function sameTrigger({ cause: { request, revision } }: Pick<SyncContext, 'cause'>): Trigger {
  return revision === undefined ? { what: request } : { what: request, revision };
}

const NOT_TOLD = (): void => undefined;
const RETRY = 'retry: ';

class Loop implements Controller {
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #triggers = new Map<string, Trigger>();
  /** Why keys come later by themselves; something newer may be synced in between. */
  readonly #later = new Map<string, Trigger>();
  readonly #running = new Set<string>();
  readonly #errors = new Map<string, string>();
  readonly #trace: Trace;
  readonly #gate: Gate;
  /** Since when a key waits, by the trace's time; empty where nobody is told. */
  readonly #since = new Map<string, number>();
  #syncs = 0;
  #failures = 0;
  #broken: string | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#trace = options.world.trace ?? silentTrace;
    this.#gate = options.world.gate ?? openGate;
    this.#gate.join(options.name);
    const { name, world, rate } = options;
    const meter = world.queues?.queue(name);
    this.#queue = createWorkQueue({ name, clock: world.clock, ...rate, ...(meter === undefined ? {} : { meter }) });
  }

  start(): void {
    const { scope, caches, workers = 5, name } = this.#options;
    scope.run(`controller ${name}`, async (signal) => {
      signal.addEventListener('abort', () => this.#queue.shutDown(), { once: true });
      await Promise.all(caches.map((cache) => cache.whenSynced(signal)));
      await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
    });
  }

  enqueue(key: string, trigger: Trigger): void {
    this.#remember(this.#triggers, key, trigger);
    this.#queue.add(key);
  }

  enqueueAfter(key: string, delayMs: number, trigger: Trigger): void {
    if (delayMs <= 0) return this.enqueue(key, trigger);
    this.#remember(this.#later, key, trigger);
    this.#queue.addAfter(key, delayMs);
  }

  inspect(): ControllerState {
    const failing = [...this.#errors].map(([key, error]) => ({ key, error, retries: this.#queue.retries(key) }));
    return {
      name: this.#options.name,
      waiting: this.#queue.length,
      running: [...this.#running],
      syncs: this.#syncs,
      failures: this.#failures,
      ...(this.#broken === undefined ? {} : { broken: this.#broken }),
      failing,
    };
  }

  #remember(place: Map<string, Trigger>, key: string, trigger: Trigger): void {
    if (this.#options.scope.closing) return;
    place.set(key, trigger);
    if (this.#trace.on && !this.#since.has(key)) this.#since.set(key, this.#trace.now());
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.next(); key !== undefined; key = await this.#queue.next()) {
      const held = this.#held(key, signal);
      if (held !== undefined) await held;
      if (signal.aborted) return;
      this.#running.add(key);
      await this.#syncOnce(key, signal);
      this.#running.delete(key);
      this.#queue.done(key);
    }
  }

  /** Undefined: nobody holds the controller. */
  #held(key: string, signal: AbortSignal): Promise<void> | undefined {
    const because = this.#triggerOf(key)?.what;
    const intent = { what: `sync ${key}`, ...(because === undefined ? {} : { because }) };
    return this.#gate.pass(this.#options.name, intent, signal);
  }

  async #syncOnce(key: string, signal: AbortSignal): Promise<void> {
    this.#syncs++;
    const cause = this.#causeOf(key);
    const requeueAfter = (ms: number): void => this.#queue.addAfter(key, ms);
    const postpone = (ms: number): void => {
      this.#later.set(key, sameTrigger({ cause }));
      requeueAfter(ms);
    };
    const context = { signal, cause, requeueAfter, postpone };
    const { clock, log } = this.#options.world;
    const started = clock.monotonic();
    const recorded = this.#begin(key, context.cause);
    try {
      await this.#options.sync(key, context);
      this.#errors.delete(key);
      this.#queue.forget(key);
      recorded({});
      if (log.enabled(SYNC_LOG_LEVEL)) {
        const milliseconds = Math.round(clock.monotonic() - started);
        const { request: because } = context.cause;
        log.info(SYNC_LOG_LEVEL, 'Finished syncing', { controller: this.#options.name, key, because, milliseconds });
      }
    } catch (error) {
      if (signal.aborted) return;
      recorded({ error: messageOf(error) });
      this.#again(key, context.cause);
      this.#failures++;
      this.#noteFailure(key, error);
      if (error instanceof AssertionError) this.#stop(key, error);
      else this.#queue.addRateLimited(key);
    }
  }

  /** The function that comes back is told how the sync ended. */
  #begin(key: string, { id, revision, request }: Cause): (end: Pick<Hop, 'error'>) => void {
    const trace = this.#trace;
    if (!trace.on) return NOT_TOLD;
    const startedAt = trace.now();
    const waited = startedAt - (this.#since.get(key) ?? startedAt);
    this.#since.delete(key);
    const { name, about } = this.#options;
    const [namespace, object] = key.includes('/') ? key.split('/') : [undefined, key];
    const place = namespace === undefined ? {} : { namespace };
    return (end) =>
      trace.record({
        id,
        kind: 'reconcile',
        component: name,
        name: `sync ${key}`,
        startedAt,
        durationMs: trace.now() - startedAt,
        ...(about === undefined ? {} : { object: { ...about, ...place, name: object ?? '' } }),
        ...(revision === undefined ? { cause: { id: '', component: name, request } } : { revision }),
        ...end,
        waitedMs: Math.max(0, waited),
        detail: { key, because: request },
      });
  }

  /** What made a sync due that failed makes the retry due. */
  #again(key: string, { request, revision }: Cause): void {
    const what = request.startsWith(RETRY) ? request : `${RETRY}${request}`;
    this.#later.set(key, revision === undefined ? { what } : { what, revision });
  }

  #triggerOf(key: string): Trigger | undefined {
    return this.#triggers.get(key) ?? this.#later.get(key);
  }

  #causeOf(key: string): Cause {
    const { name } = this.#options;
    const trigger = this.#triggerOf(key);
    this.#triggers.delete(key);
    if (!this.#queue.isDelayed(key)) this.#later.delete(key);
    const id = `${name}/${key}@${trigger?.revision ?? this.#syncs}`;
    return {
      id,
      component: name,
      request: trigger?.what ?? `retry of ${key}`,
      ...(trigger?.revision === undefined ? {} : { revision: trigger.revision }),
    };
  }

  /** Our own bug: going on would act on what cannot be true, again and again. */
  #stop(key: string, error: AssertionError): void {
    const { world, name } = this.#options;
    this.#broken = `${key}: ${error.message}`;
    this.#queue.shutDown();
    world.log.error(error, 'controller stopped', { controller: name, key, ...error.facts });
  }

  #noteFailure(key: string, error: unknown): void {
    const { world, name } = this.#options;
    const facts = { controller: name, key, retries: this.#queue.retries(key) };
    if (status.isConflict(error)) world.log.info(4, 'sync met a conflict', facts);
    else world.log.error(error, 'sync failed', facts);
    if (this.#errors.size < FAILURES_MAX || this.#errors.has(key)) this.#errors.set(key, messageOf(error));
  }
}
