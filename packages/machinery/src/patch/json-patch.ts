/** RFC 6902, as strict as upstream: a path that is missing, or a test that fails, refuses the whole patch. */
import { deepEqual } from '../deep-equal.ts';
import { badRequest, requestEntityTooLarge, unprocessable } from '../status-error.ts';

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

const OPERATIONS_MAX = 10_000;
/** What all copies of a patch may add: the largest body of a request. Doubling thirty times must not fill the memory. */
const COPIED_MAX = 3 * 1024 * 1024;

/**
 * The document after the patch; the input is not changed, untouched parts are shared. Throws StatusError: 400 for
 * a patch that is none, 413 for too many operations, 422 for one that does not apply.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    throw badRequest(`json: cannot unmarshal ${goKind(patch)} into Go value of type jsonpatch.Patch`);
  }
  if (patch.length > OPERATIONS_MAX) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${patch.length}`,
    );
  }
  const copied = { characters: 0 };
  return patch.reduce(
    (current: unknown, operation: unknown) => applyOne(current, readOperation(operation), copied),
    document,
  );
}

function goKind(value: unknown): string {
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function readOperation(value: unknown): Operation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`json: cannot unmarshal ${goKind(value)} into Go value of type jsonpatch.Operation`);
  }
  const { op, path, from, value: content } = value as { [key: string]: unknown };
  if (typeof op !== 'string') throw unprocessable('Unexpected kind: unknown');
  if (typeof path !== 'string') throw unprocessable(`${op} operation: path is missing`);
  return { op, path, value: content ?? null, ...(typeof from === 'string' ? { from } : {}) };
}

function applyOne(document: unknown, operation: Operation, copied: Copied): unknown {
  const path = readPointer(operation.path);
  switch (operation.op) {
    case 'add':
      return edit(document, path, { kind: 'add', value: operation.value });
    case 'replace':
      return edit(document, path, { kind: 'replace', value: operation.value });
    case 'remove':
      return edit(document, path, { kind: 'remove' });
    case 'test':
      return test(document, path, operation);
    case 'copy':
      return edit(document, path, { kind: 'add', value: copy(find(document, source(operation)), copied) });
    case 'move': {
      const from = source(operation);
      const value = find(document, from);
      return edit(edit(document, from, { kind: 'remove' }), path, { kind: 'add', value });
    }
    default:
      throw unprocessable(`Unexpected kind: ${operation.op}`);
  }
}

interface Copied {
  characters: number;
}

/** The value itself, as nothing is ever changed in place; only its size is counted. */
function copy(value: unknown, copied: Copied): unknown {
  copied.characters += JSON.stringify(value).length;
  if (copied.characters > COPIED_MAX) {
    throw unprocessable(`the copies add ${copied.characters} characters, more than ${COPIED_MAX}`);
  }
  return value;
}

function source(operation: Operation): string[] {
  if (operation.from === undefined) throw unprocessable(`${operation.op} operation: from is missing`);
  return readPointer(operation.from);
}

function readPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw unprocessable(`the path ${JSON.stringify(pointer)} does not start with a slash`);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function test(document: unknown, path: readonly string[], operation: Operation): unknown {
  const found = lookUp(document, path) ?? null;
  if (deepEqual(found, operation.value)) return document;
  throw unprocessable(`testing value ${operation.path} failed`);
}

function find(document: unknown, path: readonly string[]): unknown {
  const found = lookUp(document, path);
  if (found === undefined) throw missing(path);
  return found;
}

function missing(path: readonly string[]): Error {
  return unprocessable(`the document has nothing at /${path.join('/')}`);
}

function lookUp(document: unknown, path: readonly string[]): unknown {
  let current = document;
  for (const token of path) {
    if (Array.isArray(current)) current = current[readIndex(token, current.length)];
    else if (isObject(current)) current = Object.hasOwn(current, token) ? current[token] : undefined;
    else return undefined;
  }
  return current;
}

type JsonObject = { readonly [key: string]: unknown };

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Edit = { readonly kind: 'add' | 'replace'; readonly value: unknown } | { readonly kind: 'remove' };

function edit(document: unknown, path: readonly string[], change: Edit): unknown {
  return editBelow(document, { path, depth: 0 }, change);
}

interface Place {
  readonly path: readonly string[];
  readonly depth: number;
}

/** Rebuilds the containers on the way to the place of the edit. */
function editBelow(document: unknown, { path, depth }: Place, change: Edit): unknown {
  const token = path[depth];
  if (token === undefined) {
    if (change.kind === 'remove') throw missing(path);
    return change.value;
  }
  const last = depth === path.length - 1;
  const below = { path, depth: depth + 1 };
  if (Array.isArray(document)) {
    const i = readIndex(token, document.length);
    return last
      ? editList(document, i, change)
      : document.with(inside(document, i), editBelow(document[i], below, change));
  }
  if (!isObject(document)) throw missing(path);
  const present = Object.hasOwn(document, token);
  if (!last) {
    if (!present) throw missing(path);
    return withMember(document, token, editBelow(document[token], below, change));
  }
  if (change.kind === 'add') return withMember(document, token, change.value);
  if (!present) throw missing(path);
  return change.kind === 'remove' ? withoutMember(document, token) : withMember(document, token, change.value);
}

function editList(list: readonly unknown[], i: number, change: Edit): unknown[] {
  if (change.kind === 'add') {
    if (i > list.length) throw unprocessable(`Unable to access invalid index: ${i}`);
    return list.toSpliced(i, 0, change.value);
  }
  return change.kind === 'remove' ? list.toSpliced(inside(list, i), 1) : list.with(inside(list, i), change.value);
}

function inside(list: readonly unknown[], i: number): number {
  if (i >= list.length) throw unprocessable(`Unable to access invalid index: ${i}`);
  return i;
}

/** `-` is the end; upstream counts negative numbers from there. */
function readIndex(token: string, length: number): number {
  if (token === '-') return length;
  const i = /^-?\d+$/.test(token) ? Number(token) : Number.NaN;
  if (Number.isNaN(i) || i < -length) throw unprocessable(`Unable to access invalid index: ${token}`);
  return i < 0 ? i + length : i;
}

/** Through entries, so that no key of a client touches a prototype. */
function withMember(object: JsonObject, key: string, value: unknown): JsonObject {
  const entries = Object.entries(object).filter(([name]) => name !== key);
  return Object.fromEntries([...entries, [key, value]]);
}

function withoutMember(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
