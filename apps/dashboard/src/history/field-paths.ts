import { distinctKeys } from '../object/distinct-keys.ts';

/** One step into an object: the name of a field, or an item of a list by what tells it from the others. */
export interface FieldStep {
  readonly key: string;
  /** The item itself; absent: a field. */
  readonly item?: unknown;
}

/** A plain value in an object, and the way to it. */
export interface Leaf {
  /** `spec.containers[c].image`. */
  readonly path: string;
  readonly steps: readonly FieldStep[];
  /** As it is shown: cut. */
  readonly value: string;
  /** Two are alike where these are: whole, and of its sort. */
  readonly exact: string;
}

const LEAVES_MAX = 3000;
const TEXT_MAX = 120;
/** What lists of objects are told apart by, where an item has it. */
const KEYS = ['name', 'type', 'key', 'containerPort', 'port', 'ip', 'mountPath', 'topologyKey', 'uid'] as const;
/** Written by the server itself with every change, or told in another place. */
const LEFT_OUT = new Set(['metadata.managedFields', 'metadata.resourceVersion']);

/** All plain values of an object, in its order; the first three thousand. */
export function leavesOf(object: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  collect(object, { path: '', steps: [] }, leaves);
  return leaves;
}

interface Way {
  readonly path: string;
  readonly steps: readonly FieldStep[];
}

function collect(value: unknown, way: Way, leaves: Leaf[]): void {
  if (leaves.length >= LEAVES_MAX || LEFT_OUT.has(way.path)) return;
  if (Array.isArray(value) && value.length > 0) {
    const keys = distinctKeys(value.map(itemName));
    for (const [at, item] of value.entries()) {
      const key = keys[at] ?? '';
      collect(item, { path: `${way.path}[${key}]`, steps: [...way.steps, { key, item }] }, leaves);
    }
    return;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) {
      const path = way.path === '' ? key : `${way.path}.${key}`;
      collect(inner, { path, steps: [...way.steps, { key }] }, leaves);
    }
    return;
  }
  const exact = typeof value === 'string' ? `"${value}` : JSON.stringify(value);
  leaves.push({ ...way, value: textOf(value), exact });
}

function itemName(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  for (const key of KEYS) {
    if (!Object.hasOwn(item, key)) continue;
    const value = (item as { readonly [field: string]: unknown })[key];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
