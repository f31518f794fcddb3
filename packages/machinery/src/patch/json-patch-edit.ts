/**
 * A document under a JSON patch. The document that came in is never changed: a container is copied before its first
 * change, once, and after that changed in place, so that ten thousand operations on a large list do not copy it ten
 * thousand times.
 */
import { CatalogueError } from '@binnacle/base';
import { DEPTH_MAX } from '../schema/json-text.ts';
import { isObject, putMember } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import { requestEntityTooLarge, unprocessable } from '../status-error.ts';

/** The steps of a JSON pointer. */
export type Pointer = readonly string[];

/** What all copies of a patch may add: the largest body of a request. Doubling thirty times must not fill the memory. */
const COPIED_MAX = 3 * 1024 * 1024;
/** Items that may move because others come or go before them: a second's work of any machine, and far above any use. */
const MOVED_MAX = 200_000_000;

const MISSING = 'missing value';
const NUMBER = /^[+-]?\d+$/;
const IMPROPER = (token: string): string => `value was not a proper array index: '${token}': `;

/** A place that a document has not; in upstream's words, from where whoever edits goes on. */
export class PlaceError extends CatalogueError {
  /** What is missing: a container on the way, or what the last one should have. */
  readonly what: 'path' | 'key';

  constructor(what: 'path' | 'key', message: string) {
    super('place', message);
    this.what = what;
  }
}

/** One document, edited step by step. Every step throws PlaceError where it does not apply, and StatusError for too much. */
export class PatchedDocument {
  #root: unknown;
  /** Containers that are nobody else's. */
  readonly #own = new Set<object>();
  #copied = 0;
  #moved = 0;

  constructor(document: unknown) {
    this.#root = document;
  }

  get root(): unknown {
    return this.#root;
  }

  /** What stands at a place; undefined for a member that its object has not. Throws PlaceError where no place is. */
  lookUp(path: Pointer): unknown {
    const last = path.at(-1);
    if (last === undefined) throw noPlace();
    let current = this.#root;
    for (const token of path.slice(0, -1)) {
      const at = Array.isArray(current) ? indexIn(current, token) : token;
      if (at === undefined || !isContainer(current) || !Object.hasOwn(current, at)) throw noPlace();
      current = (current as JsonObject)[at];
    }
    if (Array.isArray(current)) return current[inside(current, last)];
    if (!isObject(current)) throw noPlace();
    return Object.hasOwn(current, last) ? current[last] : undefined;
  }

  add(path: Pointer, value: unknown): void {
    const { parent, last } = this.#place(path);
    if (!Array.isArray(parent)) return putMember(parent, last, value);
    // Negative numbers count from behind what is added: -1 is the end.
    const i = last === '-' ? parent.length : readIndex(last, parent.length + 1, IMPROPER);
    this.#count(parent.length - i);
    parent.splice(i, 0, value);
  }

  replace(path: Pointer, value: unknown): void {
    const { parent, last } = this.#place(path);
    if (Array.isArray(parent)) parent[inside(parent, last)] = value;
    // RFC 6902 wants it to be there; upstream does not.
    else putMember(parent, last, value);
  }

  replaceAll(value: unknown): void {
    if (!isContainer(value)) throw unprocessable('replace operation value must be object or array');
    this.#root = value;
  }

  remove(path: Pointer): void {
    const { parent, last } = this.#place(path);
    if (Array.isArray(parent)) {
      const i = inside(parent, last);
      this.#count(parent.length - i);
      parent.splice(i, 1);
    } else if (Object.hasOwn(parent, last)) delete parent[last];
    else throw new PlaceError('key', `Unable to remove nonexistent key: ${last}: ${MISSING}`);
  }

  /** A copy of what stands at a place, that shares nothing with it; null where nothing does. */
  copyOf(path: Pointer): unknown {
    return this.#copy(this.lookUp(path) ?? null, path.length);
  }

  #copy(value: unknown, depth: number): unknown {
    this.#copied += typeof value === 'string' ? value.length + 2 : 2;
    if (this.#copied > COPIED_MAX) throw unprocessable(`the copies add more than ${COPIED_MAX} characters`);
    if (depth > DEPTH_MAX) throw unprocessable('the document is nested too deep');
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, depth + 1));
    if (!isObject(value)) return value;
    const members: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.#copied += key.length + 2;
      putMember(members, key, this.#copy(value[key], depth + 1));
    }
    return members;
  }

  /** The container of a place, made our own together with all above it. */
  #place(path: Pointer): { readonly parent: unknown[] | JsonObject; readonly last: string } {
    const last = path.at(-1);
    let parent = this.#owned(this.#root);
    if (last === undefined || parent === undefined) throw noPlace();
    this.#root = parent;
    for (const token of path.slice(0, -1)) {
      const at = Array.isArray(parent) ? indexIn(parent, token) : token;
      if (at === undefined || !Object.hasOwn(parent, at)) throw noPlace();
      const below: unknown[] | JsonObject | undefined = this.#owned((parent as JsonObject)[at]);
      if (below === undefined) throw noPlace();
      if (Array.isArray(parent)) parent[at as number] = below;
      else putMember(parent, token, below);
      parent = below;
    }
    return { parent, last };
  }

  #owned(value: unknown): unknown[] | JsonObject | undefined {
    if (!Array.isArray(value) && !isObject(value)) return undefined;
    if (this.#own.has(value)) return value;
    const own: unknown[] | JsonObject = Array.isArray(value)
      ? [...(value as unknown[])]
      : Object.fromEntries(Object.entries(value));
    this.#own.add(own);
    return own;
  }

  #count(moved: number): void {
    this.#moved += moved;
    if (this.#moved > MOVED_MAX)
      throw requestEntityTooLarge('the operations of the patch move too many items of a list');
  }
}

function isContainer(value: unknown): value is unknown[] | JsonObject {
  return Array.isArray(value) || isObject(value);
}

function noPlace(): PlaceError {
  return new PlaceError('path', MISSING);
}

/** The number of an item that is there. */
function inside(list: readonly unknown[], token: string): number {
  return readIndex(token, list.length);
}

/** As `inside`, of a container on the way: undefined where there is none. */
function indexIn(list: readonly unknown[], token: string): number | undefined {
  const i = NUMBER.test(token) ? countedFrom(Number(token), list.length) : -1;
  return i >= 0 && i < list.length ? i : undefined;
}

/** Below `length`; upstream counts negative numbers from there. */
function readIndex(token: string, length: number, improper: (token: string) => string = () => ''): number {
  if (!NUMBER.test(token))
    throw new PlaceError('key', `${improper(token)}strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`);
  const i = countedFrom(Number(token), length);
  if (i < 0 || i >= length)
    throw new PlaceError('key', `Unable to access invalid index: ${Number(token)}: invalid index referenced`);
  return i;
}

function countedFrom(i: number, length: number): number {
  return i < 0 ? i + length : i;
}
