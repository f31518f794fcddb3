/** RFC 6902, as strict as upstream: a path that is missing, or a test that fails, refuses the whole patch. */
import { deepEqual } from '../deep-equal.ts';
import { exactDigits } from '../int64.ts';
import { PatchedDocument, PlaceError } from './json-patch-edit.ts';
import type { Pointer } from './json-patch-edit.ts';
import { badRequest, requestEntityTooLarge, unprocessable } from '../status-error.ts';

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

const OPERATIONS_MAX = 10_000;

/**
 * The document after the patch; the input is not changed, untouched parts are shared. Throws StatusError: 400 for
 * a patch that is none, 413 for too many operations, 422 for one that does not apply.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (patch === null) return document;
  if (!Array.isArray(patch)) {
    throw badRequest(unmarshal(patch, 'value of type jsonpatch.Patch'));
  }
  if (patch.length > OPERATIONS_MAX) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${patch.length}`,
    );
  }
  const patched = new PatchedDocument(document);
  for (const operation of patch) applyOne(patched, readOperation(operation));
  return patched.root;
}

/** What an operation says in words. */
const WORDS = ['op', 'path', 'from'] as const;
const MEMBERS: ReadonlySet<string> = new Set([...WORDS, 'value']);
/** Upstream stops counting here. */
const UNKNOWN_MAX = 100;

/** `unknown field "[0].valu"` for each member of an operation that says nothing. */
export function unknownMembers(patch: unknown): readonly string[] {
  const found: string[] = [];
  if (!Array.isArray(patch)) return found;
  for (const [at, operation] of patch.entries()) {
    if (typeof operation !== 'object' || operation === null) continue;
    for (const name of Object.keys(operation)) {
      if (!MEMBERS.has(name)) found.push(`unknown field ${JSON.stringify(`[${at}].${name}`)}`);
      if (found.length === UNKNOWN_MAX) return found;
    }
  }
  return found;
}

/**
 * Why a document is no list of operations, as who reads them strictly says it; undefined: it is one, or whoever applies
 * it will tell.
 */
export function patchMistake(patch: unknown): string | undefined {
  if (patch === null) return undefined;
  if (!Array.isArray(patch)) return unmarshal(patch, 'value of type []handlers.jsonPatchOp');
  for (const operation of patch as readonly unknown[]) {
    if (operation === null) continue;
    if (typeof operation !== 'object' || Array.isArray(operation))
      return unmarshal(operation, 'value of type handlers.jsonPatchOp');
    for (const name of WORDS) {
      const word: unknown = Object.hasOwn(operation, name) ? (operation as { [name: string]: unknown })[name] : null;
      if (word !== undefined && word !== null && typeof word !== 'string')
        return unmarshal(word, `struct field jsonPatchOp.${name} of type string`);
    }
  }
  return undefined;
}

/** As Go says that a value is none of a type. */
function unmarshal(value: unknown, type: string): string {
  return `json: cannot unmarshal ${goKind(value)} into Go ${type}`;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object' && value !== null && exactDigits(value) !== undefined) return 'number';
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function readOperation(value: unknown): Operation {
  if (value === null) throw unprocessable('Unexpected kind: unknown');
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(unmarshal(value, 'value of type jsonpatch.Operation'));
  }
  const { op, path, from, value: content } = value as { [key: string]: unknown };
  if (typeof op !== 'string') throw unprocessable('Unexpected kind: unknown');
  if (typeof path !== 'string') throw unprocessable(`${op} operation failed to decode path: missing value`);
  return { op, path, value: content ?? null, ...(typeof from === 'string' ? { from } : {}) };
}

function applyOne(document: PatchedDocument, operation: Operation): void {
  const { op, path, value } = operation;
  const at = readPointer(path);
  switch (op) {
    case 'add':
      return worded(() => document.add(at, value), wordsOf(op, `path: "${path}"`, path));
    case 'remove':
      return worded(() => document.remove(at), wordsOf(op, `path: "${path}"`, path));
    case 'replace':
      if (path === '') return document.replaceAll(value);
      return worded(() => document.replace(at, value), {
        path: () => `replace operation does not apply: doc is missing path: ${path}: missing value`,
        key: () => `replace operation does not apply: doc is missing key: ${path}: missing value`,
      });
    case 'test':
      return test(document, operation);
    case 'copy':
      return copy(document, operation);
    case 'move':
      return move(document, operation);
    default:
      throw unprocessable(`Unexpected kind: ${op}`);
  }
}

/** How upstream's library tells what a document has not, by what it is and why. */
type Words = { readonly [what in PlaceError['what']]: (why: string) => string };

function wordsOf(op: string, missing: string, path: string): Words {
  return {
    path: (why) => `${op} operation does not apply: doc is missing ${missing}: ${why}`,
    key: (why) => `error in ${op} for path: '${path}': ${why}`,
  };
}

function worded<T>(step: () => T, words: Words): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    throw unprocessable(words[error.what](error.message));
  }
}

function copy(document: PatchedDocument, operation: Operation): void {
  const { path } = operation;
  const { from, pointer } = source(operation);
  const value = worded(() => document.copyOf(pointer), {
    ...wordsOf('copy', `from path: ${from}`, path),
    key: (why) => `error in copy for from: '${from}': ${why}`,
  });
  worded(() => document.add(readPointer(path), value), {
    ...wordsOf('copy', `destination path: ${path}`, path),
    key: (why) => `error while adding value during copy: ${why}`,
  });
}

function move(document: PatchedDocument, operation: Operation): void {
  const { path } = operation;
  const { from, pointer } = source(operation);
  const value = worded(
    () => {
      const found = document.lookUp(pointer);
      document.remove(pointer);
      return found;
    },
    wordsOf('move', `from path: ${from}`, pointer.at(-1) ?? ''),
  );
  worded(() => document.add(readPointer(path), value), wordsOf('move', `destination path: ${path}`, path));
}

function source({ op, from }: Operation): { readonly from: string; readonly pointer: Pointer } {
  if (from === undefined)
    throw unprocessable(`${op} operation failed to decode from: operation, missing from field: missing value`);
  return { from, pointer: readPointer(from) };
}

/** Upstream passes over what stands before the first slash; a pointer without one has no place. */
function readPointer(pointer: string): Pointer {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function test(document: PatchedDocument, { path, value }: Operation): void {
  const look = (): unknown => (path === '' ? document.root : document.lookUp(readPointer(path)));
  const found = worded(look, {
    ...wordsOf('test', '', path),
    path: (why) => `test operation does not apply: is missing path: ${path}: ${why}`,
  });
  if (!deepEqual(found ?? null, value)) throw unprocessable(`testing value ${path} failed: test failed`);
}
