/** RFC 6902, as strict as upstream: a path that is missing, or a test that fails, refuses the whole patch. */
import { deepEqual } from '../deep-equal.ts';
import { PatchedDocument } from './json-patch-edit.ts';
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
    throw badRequest(`json: cannot unmarshal ${goKind(patch)} into Go value of type jsonpatch.Patch`);
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

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);
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

function goKind(value: unknown): string {
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function readOperation(value: unknown): Operation {
  if (value === null) throw unprocessable('Unexpected kind: unknown');
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(`json: cannot unmarshal ${goKind(value)} into Go value of type jsonpatch.Operation`);
  }
  const { op, path, from, value: content } = value as { [key: string]: unknown };
  for (const [name, text] of Object.entries({ op, path, from })) if (text !== null) refuseOther(name, text);
  if (typeof op !== 'string') throw unprocessable('Unexpected kind: unknown');
  if (typeof path !== 'string') throw unprocessable(`${op} operation: path is missing`);
  return { op, path, value: content ?? null, ...(typeof from === 'string' ? { from } : {}) };
}

/** What an operation says in words has to be a text, or be missing. */
function refuseOther(name: string, text: unknown): void {
  if (text === undefined || typeof text === 'string') return;
  const found = Array.isArray(text) ? 'array' : goKind(text);
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go struct field jsonPatchOp.${name} of type string`,
  );
}

function applyOne(document: PatchedDocument, operation: Operation): void {
  const path = readPointer(operation.path);
  switch (operation.op) {
    case 'add':
      return document.add(path, operation.value);
    case 'replace':
      return document.replace(path, operation.value);
    case 'remove':
      return document.remove(path);
    case 'test':
      return test(document, path, operation);
    case 'copy':
      return document.add(path, document.copyOf(source(operation)));
    case 'move': {
      const from = source(operation);
      const value = document.find(from);
      document.remove(from);
      return document.add(path, value);
    }
    default:
      throw unprocessable(`Unexpected kind: ${operation.op}`);
  }
}

function source(operation: Operation): Pointer {
  if (operation.from === undefined) throw unprocessable(`${operation.op} operation: from is missing`);
  return readPointer(operation.from);
}

function readPointer(pointer: string): Pointer {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw unprocessable(`the path ${JSON.stringify(pointer)} does not start with a slash`);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function test(document: PatchedDocument, path: Pointer, operation: Operation): void {
  const found = document.lookUp(path) ?? null;
  if (!deepEqual(found, operation.value)) throw unprocessable(`testing value ${operation.path} failed`);
}
