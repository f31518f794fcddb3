import type { Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { Entry } from './entry.ts';
import type { CacheEvent } from './event.ts';
import type { Subscriber } from './subscribers.ts';
import type { Core } from '../core.ts';
import type { Selection } from '../verbs/selection.ts';
import type { ServedResource } from '../catalogue/resource.ts';
import { itemOf } from './transition.ts';
import type { OpenWatch, WatchItem, WatchOutput } from './watch-source.ts';

/** A watcher so far behind is cut off; it can resume from the last event it took. */
const BACKLOG_BOUND = 16_384;
/** Initial events are handed over in pieces of this size, as fast as the output takes them. */
const INITIAL_BATCH = 512;

export interface WatcherOptions {
  readonly core: Core;
  readonly served: ServedResource;
  readonly selection: Selection;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** What comes before live events. */
  readonly initial: Iterator<WatchItem> | undefined;
  /** Events up to this revision are in `initial` already. */
  readonly since: number;
  readonly output: WatchOutput;
}

/** One open watch: gathers what concerns it, hands it to its output in batches, ends itself in time. */
export class Watcher implements OpenWatch, Subscriber {
  readonly scope: Subscriber['scope'];
  readonly #options: WatcherOptions;
  #initial: Iterator<WatchItem> | undefined;
  #pending: WatchItem[] = [];
  #marked = false;
  #over = false;
  readonly #releases: (() => void)[] = [];
  readonly #timer: Timer;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#initial = options.initial;
    this.scope = scopeOf(options);
    const { core, served } = options;
    this.#timer = core.clock.after(options.timeoutMs, () => this.#timeOut(), { background: true });
    this.#releases.push(served.stored.cache.subscribers.add(this));
    if (options.bookmarks) this.#releases.push(core.bookmarks.add(this));
    core.metrics.watches.add(1);
    this.#mark();
  }

  notify(event: CacheEvent): void {
    if (event.revision <= this.#options.since) return;
    const item = itemOf(event, this.#options.selection);
    if (item === undefined) return;
    this.#pending.push(item);
    if (this.#pending.length > BACKLOG_BOUND) {
      this.#finish(status.tooManyRequests('the watch is too slow and was cut off; resume it', 1));
      return;
    }
    this.#mark();
  }

  bookmark(): void {
    if (this.#initial !== undefined || this.#over) return;
    this.#pending.push({ type: 'BOOKMARK', revision: this.#options.core.feed.revision, initialEnd: false });
    this.#mark();
  }

  flush(): void {
    this.#marked = false;
    if (this.#over || !this.#options.output.ready) return;
    if (this.#initial !== undefined) {
      const batch = this.#nextInitial(this.#initial);
      if (batch.length > 0) this.#options.output.items(batch);
      this.#mark();
      return;
    }
    if (this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    this.#options.output.items(batch);
  }

  resume(): void {
    if (this.#pending.length > 0 || this.#initial !== undefined) this.#mark();
  }

  stop(): void {
    this.#finish(undefined, true);
  }

  /** The cache was read anew: the client has to resume. */
  end(): void {
    this.#finish(undefined);
  }

  #nextInitial(initial: Iterator<WatchItem>): WatchItem[] {
    const batch: WatchItem[] = [];
    while (batch.length < INITIAL_BATCH) {
      const next = initial.next();
      if (next.done === true) {
        this.#initial = undefined;
        break;
      }
      batch.push(next.value);
    }
    return batch;
  }

  #mark(): void {
    if (this.#marked || this.#over) return;
    this.#marked = true;
    if (this.#options.output.immediate) queueMicrotask(() => this.flush());
    else this.#options.core.flusher.mark(this);
  }

  #timeOut(): void {
    if (this.#options.bookmarks) this.bookmark();
    this.flush();
    this.#finish(undefined);
  }

  #finish(error: StatusError | undefined, silently = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer.cancel();
    for (const release of this.#releases) release();
    this.#pending = [];
    this.#options.core.metrics.watches.add(-1);
    if (!silently) this.#options.output.end(error);
  }
}

function scopeOf({ selection, served }: WatcherOptions): Subscriber['scope'] {
  const { namespace, name, indexed } = selection;
  if (name !== undefined && (namespace !== '' || !served.info.namespaced)) {
    return { key: namespace === '' ? name : `${namespace}/${name}` };
  }
  if (indexed !== undefined) return { indexed };
  return namespace === '' ? {} : { namespace };
}

/** The initial ADDED of an entry. */
export function added(entry: Entry): WatchItem {
  return { type: 'ADDED', entry, revision: entry.revision, event: undefined };
}
