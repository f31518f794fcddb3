import type { Entry } from '../cache/entry.ts';
import type { ServedResource } from '../catalogue/definition.ts';
import type { Allocate } from '../storage/object-bytes.ts';

/**
 * One way to write what is shown. Two axes meet here: render/ decides what is shown (the object, its metadata, a
 * Table), an encoding how it is written. Bytes of plain objects are shared: a frame is made once per event, served
 * version and encoding; what an encoding wants to keep of an entry it keeps there (`keptBytes`).
 */
export interface Encoding {
  /** Under which shared bytes are kept: `json`. */
  readonly name: string;
  /** Of a reply that is answered whole. */
  readonly contentType: string;
  /** Of the stream of a watch. */
  readonly streamType: string;
  /** Whether its bytes are text. */
  readonly isText: boolean;
  /** At the front of each frame on a stream of bytes: what says where it ends. Messages that have bounds leave it out. */
  readonly frameHeadBytes: number;
  /** The body of one object in its served version, as it is at `entry.revision`. */
  object(served: ServedResource, entry: Entry, allocate: Allocate): Uint8Array;
  /** The body of a list in pieces of some 64 KiB, never joined; `metadata` is that of the list. */
  list(served: ServedResource, list: EncodableList, allocate: Allocate): Iterable<Uint8Array>;
  /** One watch event of a plain object; `revision` is the resourceVersion to show. Kept and shared by the caller. */
  frame(served: ServedResource, event: EncodableEvent): Uint8Array;
  /** The body of anything else: a Status, a Scale, a Table, a dry run. */
  value(value: object, options: { readonly pretty: boolean }): Uint8Array;
  /** One watch event of anything else: a bookmark, an error, a row of a Table. */
  valueFrame(type: string, value: object): Uint8Array;
  /** Whether it can write such a value; absent: it writes any. What it cannot is answered as JSON. */
  writes?(value: object): boolean;
}

/** What a list shows, and what it says of itself. */
export interface EncodableList {
  readonly items: readonly Entry[];
  readonly metadata: object;
}

/** One change as one encoding is to write it. */
export interface EncodableEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
  readonly revision: number;
}

/** The bytes of an entry that an encoding keeps by `key` (its name and the served version), made on first need. */
export function keptBytes(entry: Entry, key: string, make: () => Uint8Array): Uint8Array {
  const kept = (entry.kept ??= new Map<string, Uint8Array>());
  let bytes = kept.get(key);
  if (bytes === undefined) kept.set(key, (bytes = make()));
  return bytes;
}
