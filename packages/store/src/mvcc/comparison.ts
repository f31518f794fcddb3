import { unreachable } from '@binnacle/base';
import type { Compare, CompareResult, Operation } from '../ports.ts';
import { DuplicateKeyError } from '../errors.ts';
import type { Entry } from './entry.ts';
import { isInSpan, spanOf } from './span.ts';

/** Whether one comparison holds for the key as it is. A value comparison never holds for a key that does not exist. */
export function holds(compare: Compare, entry: Entry | undefined): boolean {
  if (compare.target === 'value') {
    return entry !== undefined && isOrdered(compareBytes(entry.value, compare.value), compare.result);
  }
  return isOrdered((entry?.[compare.target] ?? 0) - compare.value, compare.result);
}

function isOrdered(difference: number, result: CompareResult): boolean {
  switch (result) {
    case 'equal':
      return difference === 0;
    case 'notEqual':
      return difference !== 0;
    case 'greater':
      return difference > 0;
    case 'less':
      return difference < 0;
    default:
      return unreachable(result);
  }
}

/** The order of bytes: below 0, 0, above 0. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Throws `DuplicateKeyError` when a key is put twice, or put and deleted, in one branch. */
export function refuseDuplicates(operations: readonly Operation[]): void {
  if (operations.length < 2) return;
  const puts = new Set<string>();
  for (const op of operations) {
    if (op.type !== 'put') continue;
    if (puts.has(op.key)) throw new DuplicateKeyError(op.key);
    puts.add(op.key);
  }
  for (const op of operations) {
    if (op.type !== 'delete') continue;
    const span = spanOf(op.key, op.end);
    for (const key of puts) if (isInSpan(span, key)) throw new DuplicateKeyError(key);
  }
}
