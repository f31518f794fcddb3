import { messageOf } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import { Backlog, WATCHER_BOUND } from './backlog.ts';
import type { Lagging } from './backlog.ts';
import { Bookmarks } from './bookmarks.ts';
import type { Entry } from './entry.ts';
import type { CacheEvent } from './event.ts';
import type { Feed } from './feed.ts';
import { Flusher } from './flusher.ts';
import { wholeSelection } from './selection.ts';
import type { Selection } from './selection.ts';
import type { Subscriber } from './subscribers.ts';
import { itemOf } from './transition.ts';
import type { WatchRecord } from '../recording/record.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { WatchCache } from './watch-cache.ts';
import type { OpenWatch, WatchItem, WatchOutput } from './watch-source.ts';

/** Events are handed over in pieces of at most so many and about so many bytes, as fast as the output takes them. */
const BATCH = { items: 512, bytes: 1 << 20 };

export interface WatcherOptions {
  readonly cache: WatchCache;
  readonly selection: Selection;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** What comes before live events. */
  readonly initial: Iterator<WatchItem> | undefined;
  /** Events up to this revision are in `initial` already. */
  readonly since: number;
  /** Makes ready what the output is about to show, where that is not the objects themselves; undefined: it is. */
  readonly prepare: ((entries: readonly Entry[]) => Promise<void> | undefined) | undefined;
  /** As which its deliveries are recorded; absent: they are not. */
  readonly traced?: WatchRecord | undefined;
  /** Called when it opens; what comes back when it ends, once. Absent: nobody counts it. */
  readonly onOpen?: (() => () => void) | undefined;
  readonly output: WatchOutput;
}

/** What all watches share: the timer of bookmarks, the turns in which events are handed out, what waits for that. */
export class Watchers {
  readonly clock: Clock;
  readonly feed: Pick<Feed, 'revision'>;
  readonly flusher: Flusher;
  readonly bookmarks: Bookmarks;
  readonly backlog = new Backlog();
  readonly recorder: Pick<Recorder, 'delivered'> | undefined;
  /** How many are open. */
  count = 0;

  constructor(clock: Clock, feed: Pick<Feed, 'revision'>, recorder?: Pick<Recorder, 'delivered'>) {
    this.recorder = recorder;
    this.clock = clock;
    this.feed = feed;
    this.flusher = new Flusher(clock);
    this.bookmarks = new Bookmarks(clock);
  }

  open(options: WatcherOptions): OpenWatch {
    return new Watcher(this, options);
  }

  stop(): void {
    this.bookmarks.stop();
  }
}

/** One open watch: gathers what concerns it, hands it to its output in batches, ends itself in time. */
class Watcher implements OpenWatch, Subscriber, Lagging {
  readonly scope: Subscriber['scope'];
  readonly #options: WatcherOptions;
  readonly #watchers: Watchers;
  readonly #whole: Selection;
  #initial: Iterator<WatchItem> | undefined;
  #pending: WatchItem[] = [];
  #pendingBytes = 0;
  #marked = false;
  /** What was taken last is made ready before more is taken. */
  #preparing = false;
  #over = false;
  readonly #releases: (() => void)[] = [];
  readonly #timer: Timer;

  constructor(watchers: Watchers, options: WatcherOptions) {
    this.#watchers = watchers;
    this.#options = options;
    this.#initial = options.initial;
    this.scope = scopeOf(options.selection);
    this.#whole = wholeSelection(options.selection);
    this.#timer = watchers.clock.after(options.timeoutMs, () => this.#timeOut(), { background: true });
    this.#releases.push(options.cache.subscribers.add(this));
    if (options.bookmarks) this.#releases.push(watchers.bookmarks.add(this));
    if (options.onOpen !== undefined) this.#releases.push(options.onOpen());
    watchers.count++;
    this.#mark();
  }

  notify(event: CacheEvent): void {
    if (event.revision <= this.#options.since) return;
    const item = itemOf(event, this.#options.selection);
    if (item === undefined) return;
    this.#pending.push(item);
    this.#pendingBytes += sizeOf(item);
    this.#watchers.backlog.hold(event, this);
    if (this.#pending.length > WATCHER_BOUND.events || this.#pendingBytes > WATCHER_BOUND.bytes) this.cutOff();
    else this.#mark();
  }

  get waitingBytes(): number {
    return this.#pendingBytes;
  }

  /** So far behind that it costs others: it can resume from the last event it took. */
  cutOff(): void {
    if (!this.#over) this.#options.cache.counts.cutOff++;
    this.#finish(status.tooManyRequests('the watch is too slow and was cut off; resume it', 1));
  }

  bookmark(): void {
    if (this.#initial !== undefined || this.#over) return;
    this.#pending.push({ type: 'BOOKMARK', revision: this.#watchers.feed.revision, initialEnd: false });
    this.#mark();
  }

  flush(): void {
    this.#marked = false;
    if (this.#over || this.#preparing || !this.#options.output.ready) return;
    if (this.#initial !== undefined) {
      const batch = this.#nextInitial(this.#initial);
      if (batch.length > 0) this.#hand(batch);
      if (this.#initial === undefined) this.#options.output.initialised?.();
      this.#mark();
      return;
    }
    if (this.#pending.length === 0) return;
    this.#hand(this.#nextPending());
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
    const { counts } = this.#options.cache;
    let bytes = 0;
    while (batch.length < BATCH.items && bytes < BATCH.bytes) {
      const next = initial.next();
      if (next.done === true) {
        this.#initial = undefined;
        break;
      }
      batch.push(next.value);
      if (next.value.type !== 'BOOKMARK') counts.initial++;
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
    const { backlog } = this.#watchers;
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

  #hand(batch: readonly WatchItem[]): void {
    const { prepare, selection } = this.#options;
    const waiting = prepare?.(selection.shown === undefined ? entriesOf(batch) : batch.flatMap(entriesAround));
    if (waiting === undefined) return this.#give(batch);
    this.#preparing = true;
    waiting.then(
      () => {
        this.#preparing = false;
        if (this.#over) return;
        this.#give(batch);
        this.resume();
      },
      (error: unknown) => this.#finish(failureOf(error)),
    );
  }

  /** What is ready to be shown, without what is not selected in that form. */
  #give(batch: readonly WatchItem[]): void {
    const { output, selection, traced } = this.#options;
    const isWhole = selection.shown === undefined;
    const selected = isWhole ? batch : batch.flatMap((item) => asShown(item, this.#whole) ?? []);
    if (selected.length === 0) return;
    if (traced !== undefined) this.#watchers.recorder?.delivered(traced, selected);
    output.items(selected);
  }

  #mark(): void {
    if (this.#marked || this.#over || this.#preparing) return;
    this.#marked = true;
    if (this.#options.output.immediate) queueMicrotask(() => this.flush());
    else this.#watchers.flusher.mark(this);
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
    this.#watchers.count--;
    if (!silently) this.#options.output.end(error);
  }
}

function scopeOf({ namespace, key, indexed }: Selection): Subscriber['scope'] {
  if (key !== undefined) return { key };
  if (indexed !== undefined) return { indexed };
  return namespace === '' ? {} : { namespace };
}

function failureOf(error: unknown): StatusError {
  return error instanceof StatusError ? error : status.internalError(messageOf(error));
}

function entriesOf(batch: readonly WatchItem[]): Entry[] {
  const entries: Entry[] = [];
  for (const item of batch) if (item.type !== 'BOOKMARK') entries.push(item.entry);
  return entries;
}

/** Both sides of a change: whether it is one for the selection depends on both. */
function entriesAround(item: WatchItem): Entry[] {
  if (item.type === 'BOOKMARK') return [];
  const { before, after } = item.event ?? {};
  return [...new Set([item.entry, before, after])].filter((entry) => entry !== undefined);
}

/** What an item is once the form is known in which its object is shown; undefined: nothing. */
function asShown(item: WatchItem, whole: Selection): WatchItem | undefined {
  if (item.type === 'BOOKMARK') return item;
  if (item.event === undefined) return whole.matches(item.entry) ? item : undefined;
  return itemOf(item.event, whole);
}

function sizeOf(item: WatchItem | undefined): number {
  return item === undefined || item.type === 'BOOKMARK' ? 0 : item.entry.value.length;
}

/** The initial ADDED of an entry. */
export function added(entry: Entry): WatchItem {
  return { type: 'ADDED', entry, revision: entry.revision, event: undefined };
}
