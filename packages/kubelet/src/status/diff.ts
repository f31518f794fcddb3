import { deepEqual } from '@binnacle/machinery';
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
  const old = { ...before } as { readonly [field: string]: unknown };
  const wanted = { ...after } as { readonly [field: string]: unknown };
  const patch: { [field: string]: unknown } = {};
  for (const field of new Set([...Object.keys(old), ...Object.keys(wanted)])) {
    if (FOREIGN.has(field) || deepEqual(normalize(old[field]), normalize(wanted[field]))) continue;
    const key = MERGED[field];
    patch[field] = key === undefined ? (wanted[field] ?? null) : mergedList(old[field], wanted[field], key);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What the server writes for the zero value of a status: `{}` and absent states are the same. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalize);
  if (typeof value !== 'object' || value === null) return value === '' || value === null ? undefined : value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, normalize(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function mergedList(before: unknown, after: unknown, key: string): unknown[] {
  const old = (Array.isArray(before) ? before : []) as { readonly [field: string]: unknown }[];
  const wanted = (Array.isArray(after) ? after : []) as { readonly [field: string]: unknown }[];
  const changed: unknown[] = [];
  for (const item of wanted) {
    const same = old.find((o) => o[key] === item[key]);
    if (same === undefined) changed.push(item);
    else if (!deepEqual(normalize(same), normalize(item))) changed.push(withNulls(same, item));
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
