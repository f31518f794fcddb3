import type { Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { WATCHER_BOUND } from './backlog.ts';
import type { Lagging } from './backlog.ts';
import type { Entry } from './entry.ts';
import type { CacheEvent } from './event.ts';
import type { Subscriber } from './subscribers.ts';
import type { Core } from '../core.ts';
import type { Selection } from '../verbs/selection.ts';
import type { ServedResource } from '../catalogue/resource.ts';
import { itemOf } from './transition.ts';
import type { OpenWatch, WatchItem, WatchOutput } from './watch-source.ts';

/** Events are handed over in pieces of at most so many and about so many bytes, as fast as the output takes them. */
const BATCH = { items: 512, bytes: 1 << 20 };

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
export class Watcher implements OpenWatch, Subscriber, Lagging {
  readonly scope: Subscriber['scope'];
  readonly #options: WatcherOptions;
  #initial: Iterator<WatchItem> | undefined;
  #pending: WatchItem[] = [];
  #pendingBytes = 0;
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
    this.#pendingBytes += sizeOf(item);
    this.#options.core.flusher.backlog.hold(event, this);
    if (this.#pending.length > WATCHER_BOUND.events || this.#pendingBytes > WATCHER_BOUND.bytes) this.cutOff();
    else this.#mark();
  }

  get waitingBytes(): number {
    return this.#pendingBytes;
  }

  /** So far behind that it costs others: it can resume from the last event it took. */
  cutOff(): void {
    this.#finish(status.tooManyRequests('the watch is too slow and was cut off; resume it', 1));
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
    this.#options.output.items(this.#nextPending());
    if (this.#pending.length > 0) this.#mark();
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
    let bytes = 0;
    while (batch.length < BATCH.items && bytes < BATCH.bytes) {
      const next = initial.next();
      if (next.done === true) {
        this.#initial = undefined;
        break;
      }
      batch.push(next.value);
      bytes += sizeOf(next.value);
    }
    return batch;
  }

  #nextPending(): WatchItem[] {
    const pending = this.#pending;
    let end = pending.length;
    if (this.#pendingBytes > BATCH.bytes) {
      let bytes = 0;
      for (end = 0; end < pending.length && bytes < BATCH.bytes; end++) bytes += sizeOf(pending[end]);
    }
    this.#release(end);
    return end === pending.length ? pending : pending.slice(0, end);
  }

  /** The first `count` of what waits is handed out, or dropped. */
  #release(count: number): void {
    const { backlog } = this.#options.core.flusher;
    const pending = this.#pending;
    for (let i = 0; i < count; i++) {
      const item = pending[i];
      if (item === undefined || item.type === 'BOOKMARK') continue;
      this.#pendingBytes -= sizeOf(item);
      if (item.event !== undefined) backlog.release(item.event);
    }
    this.#pending = count === pending.length ? [] : pending.slice(count);
    if (this.#pending.length === 0) backlog.caughtUp(this);
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
    this.#release(this.#pending.length);
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

function sizeOf(item: WatchItem | undefined): number {
  return item === undefined || item.type === 'BOOKMARK' ? 0 : item.entry.value.length;
}

/** The initial ADDED of an entry. */
export function added(entry: Entry): WatchItem {
  return { type: 'ADDED', entry, revision: entry.revision, event: undefined };
}
