import { memberOf } from '@binnacle/machinery';

/**
 * Equal as upstream's semantic comparison has it: absent, null and empty lists and maps are the same.
 * Quantities and times compare as text, which is exact in normal form.
 */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a)) return isEmpty(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && areListsEqual(a, b);
  return areMapsEqual(a as Fields, b as Fields);
}

/** Where two values differ, one line per place: what was (`-`) and what came (`+`). */
export function describeDifference(before: unknown, after: unknown, path = ''): string {
  const lines: string[] = [];
  collectDifferences({ before, after, path }, lines);
  return lines.join('\n');
}

interface Fields {
  readonly [key: string]: unknown;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (!isEmpty((value as Fields)[key])) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function areListsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => isSemanticallyEqual(item, b[at]));
}

function areMapsEqual(a: Fields, b: Fields): boolean {
  for (const key in a) if (!isSemanticallyEqual(a[key], memberOf(b, key))) return false;
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmpty(b[key])) return false;
  return true;
}

function collectDifferences(pair: Pair, lines: string[]): void {
  const { before, after, path } = pair;
  if (isSemanticallyEqual(before, after)) return;
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (!isAbsent(before)) lines.push(`- ${path}: ${JSON.stringify(before)}`);
    if (!isAbsent(after)) lines.push(`+ ${path}: ${JSON.stringify(after)}`);
    return;
  }
  const list = Array.isArray(before);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const next = list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    collectDifferences({ before: memberOf(before, key), after: memberOf(after, key), path: next }, lines);
  }
}

function isNested(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
