import type { Key, KeyValue, StoreEvent } from '../ports.ts';

/** A live key, or an old value of it. */
export interface Entry extends KeyValue {
  /** Where the put stands in the journal; never given twice. */
  readonly position: number;
}

/** What happened to one key in one revision. `prevKv` is always there when the key existed. */
export interface Change extends StoreEvent {
  readonly kv: Entry;
  readonly prevKv?: Entry;
}

const NOTHING = new Uint8Array(0);

/** Stands in the place of a value that failed its checksum; known by its identity. */
export const DAMAGED = new Uint8Array(0);

/** The event of a delete carries the key and the revision, nothing else. */
export function tombstone(key: Key, revision: number, position: number): Entry {
  return { key, value: NOTHING, createRevision: 0, modRevision: revision, version: 0, lease: 0, position };
}

/** Bytes that one value costs, roughly: its key, its bytes, the objects around it. */
export function entrySize(entry: KeyValue): number {
  return entry.key.length + entry.value.byteLength + 160;
}
