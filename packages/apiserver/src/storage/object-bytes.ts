import { limitValues } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Draft } from './draft.ts';

const encoder = new TextEncoder();
const FIRST = ['kind', 'apiVersion', 'metadata'];
const desk = new Uint8Array(64 * 1024);

/** One version of one stored object: its bytes as stored, and what they decode to. */
export interface StoredObject {
  readonly value: Uint8Array;
  readonly revision: number;
  readonly object: KubeObject;
}

/**
 * Between objects of one kind and version and their bytes. Stored bytes all begin alike and hold no
 * resourceVersion, so a reply is the stored bytes with the revision spliced in:
 *
 *     {"kind":"Pod","apiVersion":"v1","metadata":{  "resourceVersion":"42",  "name":"a",…
 *     └────────────── head ─────────────────────┘
 */
export class ObjectBytes {
  readonly #open: string;
  readonly #head: Uint8Array;

  constructor(apiVersion: string, kind: string) {
    this.#open = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":`;
    this.#head = encoder.encode(`${this.#open}{`);
  }

  /**
   * The bytes to store; the draft's resourceVersion must be undefined. Throws 413 for more values than a body may have:
   * whoever reads the object can send it back.
   */
  encode(draft: Draft): Uint8Array {
    const whole = isInOrder(draft) ? JSON.stringify(draft) : '';
    const bytes = bytesOf(whole.startsWith(this.#open) ? whole : this.#inOrder(draft));
    limitValues(bytes);
    return bytes;
  }

  /** Objects that were not decoded by the walker may have their fields in another order. */
  #inOrder(draft: Draft): string {
    let text = this.#open + JSON.stringify(draft.metadata);
    for (const field in draft) {
      if (field === 'kind' || field === 'apiVersion' || field === 'metadata') continue;
      const value = JSON.stringify(draft[field]);
      if (value !== undefined) text += `,"${field}":${value}`;
    }
    return `${text}}`;
  }

  /** Whether the value is one of this version, as it is written here. */
  isOwn(value: Uint8Array): boolean {
    return startsWith(value, this.#head);
  }

  /** The bytes to send, between `before` and `after` (ASCII), with `revision` as resourceVersion. */
  served(entry: StoredObject, revision: number, wrap: Wrap): Uint8Array {
    const { value } = entry;
    if (!startsWith(value, this.#head)) return encodeWrapped(entry.object, revision, wrap);
    return splice(value, this.#head, { head: this.#head, revision, wrap });
  }

  /** The same as an item of a list, which has no kind and apiVersion of its own. */
  item(entry: StoredObject, wrap: Wrap): Uint8Array {
    const { value, revision } = entry;
    if (startsWith(value, this.#head)) return splice(value, this.#head, { head: ITEM_HEAD, revision, wrap });
    const { kind: _kind, apiVersion: _apiVersion, ...item } = entry.object;
    return encodeWrapped(item, revision, wrap);
  }
}

/** Whether it begins as what is stored does: a large object is not made a text twice to find that out. */
function isInOrder(draft: Draft): boolean {
  let at = 0;
  for (const field in draft) {
    if (field !== FIRST[at]) return false;
    if (++at === FIRST.length) return true;
  }
  return false;
}

/** UTF-8 in memory of its own: written once, where the plain way counts the bytes before. */
function bytesOf(text: string): Uint8Array {
  if (text.length * 3 > desk.length) return encoder.encode(text);
  return desk.slice(0, encoder.encodeInto(text, desk).written);
}

export interface Wrap {
  readonly before: string;
  readonly after: string;
  /** Where the bytes go: absent, into memory of their own, for what is kept. */
  readonly allocate?: Allocate;
}

/** Memory of `size` bytes, all of which are written before anybody reads. */
export type Allocate = (size: number) => Uint8Array;

/** Memory that is nobody else's. */
export const allocateOwn: Allocate = (size) => new Uint8Array(size);

/** JSON of any object with the given revision, between `before` and `after`. */
export function encodeWrapped(object: KubeObject, revision: number, wrap: Wrap): Uint8Array {
  return encoder.encode(wrap.before + JSON.stringify(withRevision(object, revision)) + wrap.after);
}

/** The same object with another revision: DELETED events carry the last state with the revision of the deletion. */
export function withRevision(object: KubeObject, revision: number): KubeObject {
  const resourceVersion = String(revision);
  if (object.metadata.resourceVersion === resourceVersion) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

const ITEM_HEAD = encoder.encode('{"metadata":{');

/** Puts `head` in the place of the stored head, the resourceVersion behind it, and all of it between the wrap. */
function splice(
  value: Uint8Array,
  stored: Uint8Array,
  { head, revision, wrap }: { readonly head: Uint8Array; readonly revision: number; readonly wrap: Wrap },
): Uint8Array {
  const version = `"resourceVersion":"${revision}",`;
  const tail = value.length - stored.length;
  const size = wrap.before.length + head.length + version.length + tail + wrap.after.length;
  const out = (wrap.allocate ?? allocateOwn)(size);
  let at = putAscii(out, 0, wrap.before);
  out.set(head, at);
  at = putAscii(out, at + head.length, version);
  out.set(value.subarray(stored.length), at);
  putAscii(out, at + tail, wrap.after);
  return out;
}

function putAscii(out: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  return at + text.length;
}

function startsWith(value: Uint8Array, head: Uint8Array): boolean {
  if (value.length < head.length) return false;
  for (let i = head.length - 1; i >= 0; i--) if (value[i] !== head[i]) return false;
  return true;
}
