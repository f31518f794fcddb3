import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** Judges an item at its place. */
export type Check<T> = (item: T, path: FieldPath) => void;

interface Bounded<T> {
  /** Null and absent are none. */
  readonly items: readonly T[] | null | undefined;
  /** So many at the most; more are told by their number, and none of them is looked at. */
  readonly most: number;
  readonly path: FieldPath;
}

/** A list of bounded length, each item judged. Whether it was looked at. */
export function validateList<T>({ items: given, most, path }: Bounded<T>, report: Report, check: Check<T>): boolean {
  const items = given ?? [];
  if (items.length > most) {
    report.tooMany(path, items.length, most);
    return false;
  }
  for (const [at, item] of items.entries()) check(item, path.index(at));
  return true;
}

/** The same where no two items may be the same one. */
export function validateSet<T>(
  given: Bounded<T> & { readonly keyOf: (item: T) => string },
  report: Report,
  check: Check<T>,
): void {
  if (!validateList(given, report, check)) return;
  const seen = new Set<string>();
  for (const [at, item] of (given.items ?? []).entries()) {
    const key = given.keyOf(item);
    if (seen.has(key)) report.duplicate(given.path.index(at), key);
    seen.add(key);
  }
}

interface BoundedMap<T> {
  readonly map: { readonly [key: string]: T } | undefined;
  readonly most: number;
  readonly path: FieldPath;
  readonly checkKey: Check<string>;
}

/** A map of bounded size, keys and values judged. */
export function validateMap<T>(
  { map = {}, most, path, checkKey }: BoundedMap<T>,
  report: Report,
  check: Check<T>,
): void {
  const entries = Object.entries(map);
  if (entries.length > most) return report.tooMany(path, entries.length, most);
  for (const [key, value] of entries) {
    checkKey(key, path);
    check(value, path.key(shortened(key)));
  }
  return undefined;
}

const KEY_SHOWN_MAX = 96;

/** What is too long to be shown loses its middle. */
function shortened(key: string): string {
  if (key.length <= KEY_SHOWN_MAX) return key;
  const rest = KEY_SHOWN_MAX - 3;
  return `${key.slice(0, Math.ceil(rest / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}
