import type { PodStatus } from '@binnacle/api/core/v1';

/** Lists that a strategic merge patch merges by key, and their keys. */
const MERGED: { readonly [field: string]: string } = { conditions: 'type', podIPs: 'ip' };

/** Fields of a pod's status that are not the kubelet's. */
const FOREIGN = new Set([
  'qosClass',
  'nominatedNodeName',
  'resize',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
]);

/** The strategic merge patch that turns one status into the other; undefined where nothing differs. */
export function statusPatch(before: PodStatus | undefined, after: PodStatus): { [field: string]: unknown } | undefined {
  const old = (before ?? {}) as Fields;
  const wanted = after as Fields;
  const patch: { [field: string]: unknown } = {};
  for (const field of fieldsOf(old, wanted)) {
    if (FOREIGN.has(field) || sameMeaning(own(old, field), own(wanted, field))) continue;
    const key = MERGED[field];
    if (key === undefined) {
      patch[field] = wanted[field] ?? null;
      continue;
    }
    // Items are told apart by their key: another order, as after somebody else's write, is no difference.
    const changed = mergedList(old[field], wanted[field], key);
    if (changed.length > 0) patch[field] = changed;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

interface Fields {
  readonly [field: string]: unknown;
}

/** Of both, each once. */
function fieldsOf(old: Fields, wanted: Fields): readonly string[] {
  return [...Object.keys(old), ...Object.keys(wanted).filter((field) => !Object.hasOwn(old, field))];
}

/**
 * Whether two values mean the same to an API server, which writes nothing for zero values: `{}`, `[]`, '' and absent
 * are one. Looks at each part once and builds nothing.
 */
export function sameMeaning(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return isNothing(a) && isNothing(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => sameMeaning(x, b[i]));
  for (const key of Object.keys(a)) if (!sameMeaning(a[key], own(b, key))) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && !isNothing(b[key])) return false;
  return true;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isNothing);
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function own(of: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function mergedList(before: unknown, after: unknown, key: string): unknown[] {
  const old = (Array.isArray(before) ? before : []) as { readonly [field: string]: unknown }[];
  const wanted = (Array.isArray(after) ? after : []) as { readonly [field: string]: unknown }[];
  const changed: unknown[] = [];
  for (const item of wanted) {
    const same = old.find((o) => o[key] === item[key]);
    if (same === undefined) changed.push(item);
    else if (!sameMeaning(same, item)) changed.push(withNulls(same, item));
  }
  for (const item of old) {
    if (!wanted.some((w) => w[key] === item[key])) changed.push({ $patch: 'delete', [key]: item[key] });
  }
  return changed;
}

/** A merged item's fields that are gone have to be named as null. */
function withNulls(before: { readonly [f: string]: unknown }, after: { readonly [f: string]: unknown }): unknown {
  const gone = Object.keys(before).filter((field) => before[field] !== null && after[field] === undefined);
  return { ...after, ...Object.fromEntries(gone.map((field) => [field, null])) };
}
