import { messageOf, sleep } from '@binnacle/base';
import type { Timer } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import type { KubeObject, WatchEvent, WatchHandle } from '@binnacle/machinery';
import { Backoff } from './backoff.ts';
import { isTransportError } from './errors.ts';
import type { ClientWorld, ResourceClient, WatchQuery } from './ports.ts';

/** Where a reflector puts what it sees. Called synchronously, in the order of the server's history. */
export interface ReflectorSink<T extends KubeObject> {
  /** The whole state at a version: after the first listing and after every gap. */
  replace(items: readonly T[], resourceVersion: string): void;
  apply(event: WatchEvent<T>, resourceVersion: string): void;
  /** Nothing changed up to this version. */
  progress(resourceVersion: string): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly name: string;
  readonly source: ResourceClient<T>;
  readonly world: ClientWorld;
  readonly sink: ReflectorSink<T>;
  readonly selectors: { readonly labelSelector?: string; readonly fieldSelector?: string };
}

// As upstream's reflector: 0.8 s doubling to 30 s, up to as much again by jitter.
const BACKOFF_BASE_MS = 800;
const BACKOFF_MAX_MS = 30_000;
/** A stream that lived this long counts as a success: the next one starts without delay. */
const HEALTHY_MS = 1000;
/** A server that does not know `sendInitialEvents` never closes them; after this long without any event we list. */
const INITIAL_EVENTS_IDLE_MS = 10_000;
const PAGE = 500;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Follows one resource: streams the initial state (or lists, where the server cannot), then watches, resuming
 * after cut connections from the last version seen and starting over when that version is gone.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  #position = '';
  #filled = false;
  #streamInitial = true;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff({
      random: options.world.random,
      baseMs: BACKOFF_BASE_MS,
      maxMs: BACKOFF_MAX_MS,
      jitterFactor: 1,
    });
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    while (!signal.aborted) {
      const started = clock.monotonic();
      const error = await this.#round(signal);
      if (signal.aborted) return;
      const delay = this.#delayAfter(error, clock.monotonic() - started);
      // After a failure only.
      if (delay > 0) await sleep(clock, delay, signal);
    }
  }

  /** One listing, when needed, and one watch; answers why it ended. */
  async #round(signal: AbortSignal): Promise<unknown> {
    try {
      if (!this.#filled && !this.#streamInitial) await this.#list(signal);
      return await this.#stream(signal);
    } catch (error) {
      return error;
    }
  }

  #delayAfter(error: unknown, livedMs: number): number {
    const { log } = this.#options.world;
    if (error !== undefined) log.info(4, 'watch ended', { reflector: this.#options.name, reason: messageOf(error) });
    if (status.isExpired(error)) {
      this.#filled = false;
      this.#position = '';
      return this.#backoff.nextMs();
    }
    if (!this.#filled && this.#streamInitial && isRefusalOfParameter(error)) {
      this.#streamInitial = false;
      return 0;
    }
    if (livedMs >= HEALTHY_MS && this.#filled && (error === undefined || isTransportError(error))) {
      this.#backoff.reset();
      return 0;
    }
    if (error !== undefined && !isTransportError(error)) {
      log.warn('list or watch failed', { reflector: this.#options.name, reason: messageOf(error) });
    }
    return this.#backoff.nextMs();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, selectors, sink } = this.#options;
    const items: T[] = [];
    let next: string | undefined;
    do {
      const page = await source.list(
        { ...selectors, limit: PAGE, ...(next === undefined ? {} : { continue: next }) },
        { signal },
      );
      for (const item of page.items) items.push(item);
      next = page.continue;
      if (next === undefined) this.#settle(() => sink.replace(items, page.resourceVersion), page.resourceVersion);
    } while (next !== undefined);
  }

  #settle(deliver: () => void, resourceVersion: string): void {
    deliver();
    this.#filled = true;
    this.#position = resourceVersion;
  }

  /** Resolves with the error, if any, when the stream is over. */
  #stream(signal: AbortSignal): Promise<Error | undefined> {
    const { source } = this.#options;
    let initial: Map<string, T> | undefined = this.#filled ? undefined : new Map<string, T>();
    return new Promise((resolve) => {
      let over = false;
      const stop = (): void => handle.stop();
      const idle = initial === undefined ? undefined : this.#idleTimer(stop);
      signal.addEventListener('abort', stop, { once: true });
      const handle: WatchHandle = source.watch(this.#query(), {
        events: (batch) => {
          if (over) return;
          idle?.restart();
          for (const event of batch) {
            if (initial === undefined) this.#follow(event);
            else if (this.#gather(event, initial)) {
              initial = undefined;
              idle?.cancel();
            }
          }
        },
        end: (error) => {
          over = true;
          idle?.cancel();
          signal.removeEventListener('abort', stop);
          resolve(error);
        },
      });
      if (signal.aborted) stop();
    });
  }

  #query(): WatchQuery {
    const { selectors } = this.#options;
    if (this.#filled) return { ...selectors, resourceVersion: this.#position, allowWatchBookmarks: true };
    return { ...selectors, sendInitialEvents: true, allowWatchBookmarks: true };
  }

  #follow(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    const version = event.object.metadata.resourceVersion ?? '';
    this.#position = version;
    if (event.type === 'BOOKMARK') sink.progress(version);
    else sink.apply(event, version);
  }

  /** Whether the initial events are complete. */
  #gather(event: WatchEvent<T>, initial: Map<string, T>): boolean {
    const meta = event.object.metadata;
    const key = `${meta.namespace ?? ''}/${meta.name ?? ''}`;
    if (event.type === 'DELETED') initial.delete(key);
    else if (event.type !== 'BOOKMARK') initial.set(key, event.object);
    else if (meta.annotations?.[INITIAL_EVENTS_END] === 'true') {
      const version = meta.resourceVersion ?? '';
      this.#settle(() => this.#options.sink.replace([...initial.values()], version), version);
      return true;
    }
    return false;
  }

  #idleTimer(stop: () => void): { restart(): void; cancel(): void } {
    const { clock } = this.#options.world;
    let timer: Timer;
    const expire = (): void => {
      this.#streamInitial = false;
      stop();
    };
    const arm = (): void => {
      timer = clock.after(INITIAL_EVENTS_IDLE_MS, expire, { background: true });
    };
    arm();
    let live = true;
    return {
      restart: () => {
        timer.cancel();
        if (live) arm();
      },
      cancel: () => {
        live = false;
        timer.cancel();
      },
    };
  }
}

/** A server that refuses the parameter itself answers 4xx; rights and missing kinds are not about the parameter. */
function isRefusalOfParameter(error: unknown): boolean {
  return error instanceof StatusError && [400, 405, 406, 415, 422].includes(error.httpCode);
}
