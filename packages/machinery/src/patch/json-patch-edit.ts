/**
 * A document under a JSON patch. The document that came in is never changed: a container is copied before its first
 * change, once, and after that changed in place, so that ten thousand operations on a large list do not copy it ten
 * thousand times.
 */
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

/** One document, edited step by step. Every step throws StatusError: 422 where it does not apply. */
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

  /** What stands at a place; undefined where nothing does. */
  lookUp(path: Pointer): unknown {
    let current = this.#root;
    for (const token of path) {
      if (Array.isArray(current)) current = current[readIndex(token, current.length)];
      else if (isObject(current)) current = Object.hasOwn(current, token) ? current[token] : undefined;
      else return undefined;
    }
    return current;
  }

  /** As `lookUp`, of a place that must have something. */
  find(path: Pointer): unknown {
    const found = this.lookUp(path);
    if (found === undefined) throw missing(path);
    return found;
  }

  add(path: Pointer, value: unknown): void {
    const last = path.at(-1);
    if (last === undefined) {
      this.#root = value;
      return;
    }
    const parent = this.#parent(path);
    if (Array.isArray(parent)) {
      const i = readIndex(last, parent.length);
      if (i > parent.length) throw badIndex(i);
      this.#count(parent.length - i);
      parent.splice(i, 0, value);
    } else putMember(parent, last, value);
  }

  replace(path: Pointer, value: unknown): void {
    const last = path.at(-1);
    if (last === undefined) {
      this.#root = value;
      return;
    }
    const parent = this.#parent(path);
    if (Array.isArray(parent)) parent[inside(parent, last)] = value;
    // RFC 6902 wants it to be there; upstream does not.
    else putMember(parent, last, value);
  }

  remove(path: Pointer): void {
    const last = path.at(-1);
    if (last === undefined) throw missing(path);
    const parent = this.#parent(path);
    if (Array.isArray(parent)) {
      const i = inside(parent, last);
      this.#count(parent.length - i);
      parent.splice(i, 1);
    } else if (Object.hasOwn(parent, last)) delete parent[last];
    else throw missing(path);
  }

  /** A copy of what stands at a place, that shares nothing with it. */
  copyOf(path: Pointer): unknown {
    return this.#copy(this.find(path), path.length);
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
  #parent(path: Pointer): unknown[] | JsonObject {
    let current = this.#owned(this.#root);
    this.#root = current;
    if (current === undefined) throw missing(path);
    for (const token of path.slice(0, -1)) {
      const key = Array.isArray(current) ? inside(current, token) : token;
      if (!Object.hasOwn(current, key)) throw missing(path);
      const below: unknown[] | JsonObject | undefined = this.#owned((current as JsonObject)[key]);
      if (below === undefined) throw missing(path);
      if (Array.isArray(current)) current[key as number] = below;
      else putMember(current, token, below);
      current = below;
    }
    return current;
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

function missing(path: Pointer): Error {
  return unprocessable(`the document has nothing at /${path.join('/')}`);
}

function badIndex(i: number | string): Error {
  return unprocessable(`Unable to access invalid index: ${i}`);
}

function inside(list: readonly unknown[], token: string): number {
  const i = readIndex(token, list.length);
  if (i >= list.length) throw badIndex(i);
  return i;
}

/** `-` is the end; upstream counts negative numbers from there. */
function readIndex(token: string, length: number): number {
  if (token === '-') return length;
  const i = /^-?\d+$/.test(token) ? Number(token) : Number.NaN;
  if (Number.isNaN(i) || i < -length) throw badIndex(token);
  return i < 0 ? i + length : i;
}
