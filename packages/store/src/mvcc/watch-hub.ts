import type { Clock, Logger, Timer } from '@binnacle/base';
import { messageOf } from '@binnacle/base';
import type { StoreEvent, WatchHandle, WatchRequest, WatchSink } from '../ports.ts';
import { CompactedError, DamagedValueError, StoreClosedError } from '../errors.ts';
import type { Change } from './entry.ts';
import { DAMAGED } from './entry.ts';
import type { Span } from './span.ts';
import { isInSpan, spanOf } from './span.ts';
import { WatchIndex } from './watch-index.ts';

/** What the hub has to know of the store. */
export interface WatchSource {
  /** The newest visible revision. */
  revision(): number;
  compactRevision(): number;
  /** The revision before the first change that `recent` can give. */
  floor(): number;
  /** The changes after `after`, up to and including `upTo`; `after` is not below the floor. */
  recent(after: number, upTo: number): readonly Change[];
  /** Older ones, some whole revisions of them at a time: none when there are none up to the floor. */
  archived(after: number, upTo: number): Promise<readonly Change[]>;
}

export interface WatchHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly progressIntervalMs: number;
}

interface Watcher {
  readonly sink: WatchSink;
  readonly request: WatchRequest;
  readonly span: Span;
  /** The first revision not yet reported. */
  next: number;
  /** In the index, hears of every batch. */
  synced: boolean;
  ended: boolean;
  /** Asked for while it was still catching up. */
  progressAsked: boolean;
  /** Heard something since the last progress round. */
  busy: boolean;
  due: StoreEvent[];
}

/**
 * Watchers and who hears what. A new one first catches up from the history (from the archive where memory does not go
 * back that far) and then joins the index. Sinks neither throw nor wait, so there is no backlog to bound.
 */
export class WatchHub {
  readonly #source: WatchSource;
  readonly #options: WatchHubOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #index = new WatchIndex<Watcher>();
  #progressTimer: Timer | undefined;
  #closed = false;

  constructor(source: WatchSource, options: WatchHubOptions) {
    this.#source = source;
    this.#options = options;
  }

  watch(request: WatchRequest, sink: WatchSink): WatchHandle {
    const start = request.startRevision ?? 0;
    const watcher: Watcher = {
      sink,
      request,
      span: spanOf(request.key, request.end),
      next: start > 0 ? start : this.#source.revision() + 1,
      synced: false,
      ended: false,
      progressAsked: false,
      busy: false,
      due: [],
    };
    this.#watchers.add(watcher);
    queueMicrotask(() => this.#start(watcher));
    return {
      cancel: () => this.#end(watcher, undefined),
      requestProgress: () => this.#askProgress(watcher),
    };
  }

  /** Tells everybody concerned: whole revisions, one call per watcher. */
  dispatch(changes: readonly Change[], revision: number): void {
    const touched: Watcher[] = [];
    for (const change of changes) {
      for (const watcher of this.#index.rangesAround(change.kv.key)) addDue(watcher, change, touched);
      const only = this.#index.onlyKey(change.kv.key);
      if (only !== undefined) for (const watcher of only) addDue(watcher, change, touched);
    }
    for (const watcher of touched) {
      const due = watcher.due;
      watcher.due = [];
      this.#deliver(watcher, due, revision);
    }
  }

  close(): void {
    this.#closed = true;
    this.#progressTimer?.cancel();
    for (const watcher of this.#watchers) this.#end(watcher, new StoreClosedError());
  }

  #start(watcher: Watcher): void {
    if (watcher.ended) return;
    if (this.#closed) {
      this.#end(watcher, new StoreClosedError());
      return;
    }
    if (watcher.request.progress === true) this.#armProgress();
    if (watcher.next >= this.#source.compactRevision()) {
      this.#guard(watcher, () => watcher.sink.created?.(this.#source.revision()));
    }
    if (watcher.next - 1 >= this.#source.floor()) this.#join(watcher);
    // Never rejects: what the archive cannot give ends the watch with its error.
    else void this.#catchUp(watcher);
  }

  /** Reads from the archive until memory can take over. */
  async #catchUp(watcher: Watcher): Promise<void> {
    try {
      while (!watcher.ended && watcher.next - 1 < this.#source.floor()) {
        if (this.#refuseCompacted(watcher)) return;
        const floor = this.#source.floor();
        const changes = await this.#source.archived(watcher.next - 1, floor);
        const last = changes.at(-1);
        this.#deliver(watcher, eventsFor(watcher, changes), last?.kv.modRevision ?? floor);
        watcher.next = (last?.kv.modRevision ?? floor) + 1;
      }
      this.#join(watcher);
    } catch (error) {
      this.#end(watcher, error instanceof Error ? error : new StoreClosedError());
    }
  }

  #join(watcher: Watcher): void {
    if (watcher.ended || this.#refuseCompacted(watcher)) return;
    const revision = this.#source.revision();
    if (watcher.next <= revision) {
      const events = eventsFor(watcher, this.#source.recent(watcher.next - 1, revision));
      this.#deliver(watcher, events, revision);
      watcher.next = revision + 1;
    }
    if (watcher.ended) return;
    watcher.synced = true;
    if (watcher.request.end === undefined) this.#index.addKey(watcher.request.key, watcher);
    else this.#index.addRange(watcher.span, watcher);
    if (watcher.progressAsked) this.#progress(watcher);
  }

  #refuseCompacted(watcher: Watcher): boolean {
    const compactRevision = this.#source.compactRevision();
    if (watcher.next >= compactRevision) return false;
    this.#end(watcher, new CompactedError(compactRevision));
    return true;
  }

  #askProgress(watcher: Watcher): void {
    watcher.progressAsked = true;
    if (watcher.synced) queueMicrotask(() => this.#progress(watcher));
  }

  #progress(watcher: Watcher): void {
    if (watcher.ended || !watcher.progressAsked) return;
    watcher.progressAsked = false;
    this.#guard(watcher, () => watcher.sink.progress?.(this.#source.revision()));
  }

  #armProgress(): void {
    this.#progressTimer ??= this.#options.clock.after(this.#options.progressIntervalMs, () => this.#progressRound(), {
      background: true,
    });
  }

  #progressRound(): void {
    this.#progressTimer = undefined;
    let wanted = false;
    for (const watcher of this.#watchers) {
      if (watcher.request.progress !== true) continue;
      wanted = true;
      if (watcher.synced && !watcher.busy) {
        watcher.progressAsked = true;
        this.#progress(watcher);
      }
      watcher.busy = false;
    }
    if (wanted) this.#armProgress();
  }

  #deliver(watcher: Watcher, events: readonly StoreEvent[], revision: number): void {
    if (watcher.ended || events.length === 0) return;
    watcher.busy = true;
    this.#guard(watcher, () => watcher.sink.events(events, revision));
  }

  /** A sink that throws is a bug on its side; the others must not suffer from it. */
  #guard(watcher: Watcher, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.log.error(error, 'a watch sink threw; its watch is over', { reason: messageOf(error) });
      this.#drop(watcher);
    }
  }

  #end(watcher: Watcher, error: Error | undefined): void {
    if (watcher.ended) return;
    this.#drop(watcher);
    this.#guard(watcher, () => watcher.sink.end(error));
  }

  #drop(watcher: Watcher): void {
    watcher.ended = true;
    this.#watchers.delete(watcher);
    if (!watcher.synced) return;
    watcher.synced = false;
    if (watcher.request.end === undefined) this.#index.removeKey(watcher.request.key, watcher);
    else this.#index.removeRange(watcher);
  }
}

function addDue(watcher: Watcher, change: Change, touched: Watcher[]): void {
  if (change.kv.modRevision < watcher.next) return;
  if (watcher.due.length === 0) touched.push(watcher);
  watcher.due.push(eventFor(watcher, change));
}

function eventsFor(watcher: Watcher, changes: readonly Change[]): StoreEvent[] {
  const events: StoreEvent[] = [];
  for (const change of changes) {
    if (change.kv.modRevision >= watcher.next && isInSpan(watcher.span, change.kv.key)) {
      if (change.kv.value === DAMAGED) throw new DamagedValueError(change.kv.key);
      events.push(eventFor(watcher, change));
    }
  }
  return events;
}

/** The shared event for those who want the previous value, a lesser one for the others. */
function eventFor(watcher: Watcher, change: Change): StoreEvent {
  if (change.prevKv === undefined) return change;
  if (watcher.request.prevKv === true && change.prevKv.value !== DAMAGED) return change;
  return { type: change.type, kv: change.kv };
}
