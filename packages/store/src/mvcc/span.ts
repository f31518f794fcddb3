import { assert } from '@binnacle/base';
import type { Key } from '../ports.ts';

/** Keys from `from` on and before `end`; no `end`: to the last. */
export interface Span {
  readonly from: Key;
  readonly end: Key | undefined;
}

/** The port's `key` and `end` as a span: no end is the one key, `'\0'` is everything from the key on. */
export function spanOf(key: Key, end: Key | undefined): Span {
  if (end === undefined) return { from: key, end: `${key}\0` };
  return { from: key, end: end === '\0' ? undefined : end };
}

export function isInSpan(span: Span, key: Key): boolean {
  return key >= span.from && (span.end === undefined || key < span.end);
}

/** Only the API server makes keys, so an empty one is a bug of ours, not an expected failure. */
export function assertKey(key: Key): void {
  assert(key.length > 0, 'a key has at least one byte');
}
