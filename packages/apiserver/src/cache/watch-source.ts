import type { StatusError } from '@binnacle/machinery';
import type { Entry } from './entry.ts';
import type { CacheEvent } from './event.ts';

/** One event as one watcher is to see it. */
export type WatchItem =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly entry: Entry;
      /** The resourceVersion to show: a DELETED object carries that of its deletion. */
      readonly revision: number;
      /** The change it is made of, whose encoded forms all watchers share; absent for initial events. */
      readonly event: CacheEvent | undefined;
    }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEnd: boolean };

/** Where a watch goes: an HTTP stream, or an in-process caller. */
export interface WatchOutput {
  /** Whether it can take more now; after a no it calls `resume` of the watch when it can. */
  readonly ready: boolean;
  /** Whether the batch should be handed over at once (a microtask), or in the next turn together with others. */
  readonly immediate: boolean;
  items(batch: readonly WatchItem[]): void;
  /** All that was there when the watch began has been handed out. */
  initialised?(): void;
  /** The last call. An error is sent as an ERROR event. */
  end(error: StatusError | undefined): void;
}

export interface OpenWatch {
  stop(): void;
  /** The output can take more. */
  resume(): void;
}

/** A watch that was asked for and authorised, not open yet. */
export interface WatchSource {
  open(output: WatchOutput): OpenWatch;
}
