import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { WatchSource } from '../cache/watch-source.ts';
import type { ServedResource } from './resource.ts';

/** The items of a list: entries of a snapshot, in order. */
export interface ListReply {
  readonly kind: 'list';
  readonly served: ServedResource;
  readonly items: readonly Entry[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Bytes as they come, such as a log that is followed. */
export interface StreamReply {
  readonly kind: 'stream';
  readonly code: number;
  readonly contentType: string;
  /** Read once; throws when its source breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The reader has gone; ends the source, also one that is never read. */
  cancel(): void;
}

/** What a verb answers, before it is a form that somebody asked for. */
export type Reply =
  | { readonly kind: 'entry'; readonly code: number; readonly served: ServedResource; readonly entry: Entry }
  /** An object that is not (or not in this form) in the cache: dry runs, Status, Scale, reviews. */
  | { readonly kind: 'object'; readonly code: number; readonly object: KubeObject | object }
  | ListReply
  | StreamReply
  | { readonly kind: 'watch'; readonly served: ServedResource; readonly source: WatchSource }
  /** Not JSON of the API: metrics, health, openapi. */
  | {
      readonly kind: 'text';
      readonly code: number;
      readonly contentType: string;
      readonly body: string | Uint8Array;
      readonly headers?: { readonly [name: string]: string };
    };

/** What can be answered whole: all but watches and streams. */
export type WholeReply = Exclude<Reply, { readonly kind: 'watch' | 'stream' }>;
