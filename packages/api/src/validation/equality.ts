import { memberOf } from '@binnacle/machinery';

/**
 * Equal as upstream's semantic comparison has it: absent, null and empty lists and maps are the same.
 * Quantities and times compare as text, which is exact in normal form.
 */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  return areEqual(a, b, '');
}

/** Members that say something by being there: an empty selector is for all, none is for nothing or for what is meant else. */
const TELLING: ReadonlySet<string> = new Set([
  'emptyDir',
  'labelSelector',
  'namespaceSelector',
  'nodeTopology',
  'podSelector',
  'selector',
]);

/** `name`: of the members that they are; empty for items and the whole. */
function areEqual(a: unknown, b: unknown, name: string): boolean {
  if (a === b) return true;
  if (isEmpty(a, name)) return isEmpty(b, name);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && areListsEqual(a, b);
  return areMapsEqual(a as Fields, b as Fields);
}

/** Where two values differ, one line per place: what was (`-`) and what came (`+`). */
export function describeDifference(before: unknown, after: unknown, path = ''): string {
  const lines: string[] = [];
  collectDifferences({ before, after, path, name: '' }, lines);
  return lines.join('\n');
}

interface Fields {
  readonly [key: string]: unknown;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
  /** The last step of the path; empty for an item. */
  readonly name: string;
}

function isEmpty(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (TELLING.has(name)) return false;
  for (const key in value) if (!isEmpty((value as Fields)[key], key)) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function areListsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => areEqual(item, b[at], ''));
}

function areMapsEqual(a: Fields, b: Fields): boolean {
  for (const key in a) if (!areEqual(a[key], memberOf(b, key), key)) return false;
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmpty(b[key], key)) return false;
  return true;
}

function collectDifferences(pair: Pair, lines: string[]): void {
  const { before, after, path, name } = pair;
  if (areEqual(before, after, name)) return;
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (!isAbsent(before)) lines.push(`- ${path}: ${JSON.stringify(before)}`);
    if (!isAbsent(after)) lines.push(`+ ${path}: ${JSON.stringify(after)}`);
    return;
  }
  const list = Array.isArray(before);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const next = list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const members = { before: memberOf(before, key), after: memberOf(after, key) };
    collectDifferences({ ...members, path: next, name: list ? '' : key }, lines);
  }
}

function isNested(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
