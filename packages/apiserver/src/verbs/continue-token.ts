import { base64ToBytes } from '@binnacle/base';
import { DecodeError, parseDocument, status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';

/** Where a list that was cut off goes on: opaque to clients, upstream's form inside. */
export interface ContinueToken {
  /** The revision of the first page; -1: whatever is there now. */
  readonly revision: number;
  /** The first key not shown yet is the next after this one. */
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';

export function encodeToken(token: ContinueToken): string {
  const text = JSON.stringify({ v: VERSION, rv: token.revision, start: `${token.after}\0` });
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** Throws 400 in upstream's words for what is no token of a list. */
export function decodeToken(text: string): ContinueToken {
  const { rv, start, v } = parse(text);
  if (v !== VERSION) throw invalid(`server does not recognize this encoded version ${JSON.stringify(v ?? '')}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw invalid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalid(`encoded start key empty (version ${VERSION})`);
  }
  if (!isClean(start)) throw invalid(start);
  return { revision: rv, after: start.endsWith('\0') ? start.slice(0, -1) : start };
}

/** A key has no empty parts, and none that lead elsewhere. */
function isClean(key: string): boolean {
  return key
    .replace(/^\//, '')
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  const strange = /[^A-Za-z0-9_-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : -1);
  if (strange >= 0) throw invalid(`illegal base64 data at input byte ${strange}`);
  const bytes = base64ToBytes(text.replaceAll('-', '+').replaceAll('_', '/'));
  try {
    const value: unknown = parseDocument(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalid(error.message);
  }
}

function invalid(why: string): StatusError {
  return status.badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
