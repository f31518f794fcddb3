import type { Container, Pod, PodSpec } from '@binnacle/api/core/v1';

/** What a check of a row may look at. */
export interface Sight {
  readonly pod: Pod;
  /** Runs a command in a container of the pod; its output, both streams, whatever its exit code. */
  readonly exec: (container: string, command: string) => Promise<string>;
  /** Events' messages about the pod so far. */
  readonly messages: () => Promise<readonly string[]>;
}

/** A piece of a definition, and how it is seen that somebody acted on it. Pieces for one pod are put together. */
export interface Row {
  /** Which pod it is part of. */
  readonly pod: string;
  readonly spec?: Partial<PodSpec>;
  /** Of which container; absent: `main`. */
  readonly in?: string;
  readonly container?: Partial<Container>;
  readonly labels?: { readonly [key: string]: string };
  /** Run in the container: its output matches. */
  readonly run?: string;
  readonly wanted?: RegExp;
  /** Looked at from outside; for the page: what is looked at. */
  readonly look?: { readonly what: string; readonly at: (sight: Sight) => Promise<boolean> };
}

type Mutable = { [field: string]: unknown };

/** Puts the pieces of one pod together: lists one behind the other, named things of the same name into one. Throws where two say otherwise. */
export function composePod(rows: readonly Row[]): PodSpec {
  let spec: Mutable = {};
  for (const row of rows) {
    const container = row.container === undefined ? [] : [{ name: row.in ?? 'main', ...row.container }];
    spec = merge(
      spec,
      { ...row.spec, ...(container.length === 0 ? {} : { containers: container }) },
      'spec',
    ) as Mutable;
  }
  return spec as unknown as PodSpec;
}

function merge(a: unknown, b: unknown, path: string): unknown {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (Array.isArray(a) && Array.isArray(b)) return mergeLists(a, b, path);
  if (isFields(a) && isFields(b)) {
    const merged: Mutable = { ...a };
    for (const [key, value] of Object.entries(b)) merged[key] = merge(merged[key], value, `${path}.${key}`);
    return merged;
  }
  if (a === b) return a;
  throw new RangeError(`two rows want different things at ${path}: ${JSON.stringify(a)}, ${JSON.stringify(b)}`);
}

function mergeLists(a: readonly unknown[], b: readonly unknown[], path: string): unknown[] {
  const out = [...a];
  for (const item of b) {
    const at = isFields(item) ? out.findIndex((one) => isFields(one) && isSame(one, item)) : -1;
    if (at === -1) out.push(item);
    else out[at] = merge(out[at], item, `${path}[${at}]`);
  }
  return out;
}

function isSame(a: Mutable, b: Mutable): boolean {
  return a['name'] !== undefined && a['name'] === b['name'] && a['mountPath'] === b['mountPath'];
}

function isFields(value: unknown): value is Mutable {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Table {
  readonly [type: string]: { readonly fields?: { readonly [field: string]: { readonly type: string } } } | undefined;
}

/** The fields of a piece, as `Type.field`. */
export function fieldsOf(table: Table, type: string, value: object): Set<string> {
  const found = new Set<string>();
  const walk = (at: string, here: unknown): void => {
    for (const one of Array.isArray(here) ? here : [here]) {
      if (!isFields(one)) continue;
      for (const [field, inner] of Object.entries(one)) {
        const known = table[at]?.fields?.[field];
        if (known === undefined) continue;
        found.add(`${at.replace('core.v1.', '')}.${field}`);
        const next = /#([\w.]+)$/.exec(known.type)?.[1];
        if (next !== undefined) walk(next, inner);
      }
    }
  };
  walk(type, value);
  return found;
}

/** Every field that a definition of such a type can have, as `Type.field`; what `skip` says is not gone into. */
export function allFields(table: Table, type: string, skip: (field: string) => boolean): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = (at: string): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const [field, { type: inner }] of Object.entries(table[at]?.fields ?? {})) {
      const name = `${at.replace('core.v1.', '')}.${field}`;
      found.add(name);
      const next = /#([\w.]+)$/.exec(inner)?.[1];
      if (next !== undefined && !skip(name)) walk(next);
    }
  };
  walk(type);
  return found;
}
