import type { Resource } from '../api/discovery.ts';
import type { ApiObject } from '../live/rows.ts';
import type { Route } from '../route/route.ts';
import { listOf } from '../route/route.ts';

/** One thing that can be gone to. */
export interface Found {
  readonly id: string;
  readonly label: string;
  /** What it is, beside it. */
  readonly note: string;
  readonly to: Route;
}

const SHOWN_MAX = 50;

/** Kinds by name, resource and short names: exact ones first, then those that begin so, then the rest. */
export function findKinds(kinds: readonly Resource[], query: string, namespace: string): readonly Found[] {
  const word = query.trim().toLowerCase();
  const ranked = kinds
    .map((kind) => ({ kind, rank: rankOf(kind, word) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .toSorted((a, b) => a.rank - b.rank || a.kind.kind.localeCompare(b.kind.kind));
  return ranked.slice(0, SHOWN_MAX).map(({ kind }) => ({
    id: `${kind.group}/${kind.resource}`,
    label: kind.kind,
    note: [kind.group, ...kind.shortNames].filter((part) => part !== '').join(' '),
    to: listOf(kind, kind.namespaced ? namespace : ''),
  }));
}

const NO_MATCH = 3;

function rankOf({ kind, resource, shortNames }: Resource, word: string): number {
  const names = [kind.toLowerCase(), resource, ...shortNames];
  if (names.includes(word)) return 0;
  if (names.some((name) => name.startsWith(word))) return 1;
  return names.some((name) => name.includes(word)) ? 2 : NO_MATCH;
}

/** An object with its kind. */
export interface KnownObject {
  readonly kind: Resource;
  readonly object: ApiObject;
}

/** Objects in whose kind, namespace and name every word is found. */
export function findObjects(objects: readonly KnownObject[], query: string): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: Found[] = [];
  for (const { kind, object } of objects) {
    const { name, namespace = '' } = object.metadata;
    const all = `${kind.kind} ${namespace}/${name}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    found.push({
      id: `${kind.group}/${kind.resource}/${namespace}/${name}`,
      label: name,
      note: `${kind.kind}${namespace === '' ? '' : ` · ${namespace}`}`,
      to: { page: 'object', gvr: kind, namespace, name, tab: 'summary' },
    });
    if (found.length === SHOWN_MAX) break;
  }
  return found;
}
