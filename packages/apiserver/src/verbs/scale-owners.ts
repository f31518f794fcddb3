/**
 * Owners of the number of replicas: of a Scale that number is all there is to own, of the object behind it it lies
 * somewhere among the rest.
 */
import { compareEntries } from '@binnacle/machinery';
import type { ManagedFieldsEntry } from '@binnacle/machinery';

type Entries = readonly ManagedFieldsEntry[] | undefined;
type Fields = { readonly [element: string]: Fields };

const SCALE = 'autoscaling/v1';
const REPLICAS = ['f:spec', 'f:replicas'];

/** The owners of an object that own its number at `path`, as owners of its Scale. */
export function ownersOfScale(entries: Entries, path: readonly string[]): Entries {
  const owners = (entries ?? []).filter(({ fieldsV1 }) => has(fieldsV1, path));
  if (owners.length === 0) return entries === undefined ? undefined : [];
  return owners.map((entry) => ({ ...entry, apiVersion: SCALE, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }));
}

/** Where an object of that version has its number. */
export interface Counted {
  readonly path: readonly string[];
  readonly apiVersion: string;
}

/** The owners of an object after a write to its Scale, whose owners are these: who lost the number has the rest. */
export function ownersBehindScale(entries: Entries, scale: Entries, { path, apiVersion }: Counted): Entries {
  const counting = new Map(
    (scale ?? []).flatMap((entry) => (has(entry.fieldsV1, REPLICAS) ? [[idOf(entry), entry]] : [])),
  );
  const next: ManagedFieldsEntry[] = [];
  for (const entry of entries ?? []) {
    const { fieldsV1 } = entry;
    if (!has(fieldsV1, path)) next.push(entry);
    else if (counting.delete(idOf(entry))) next.push(entry);
    else {
      const left = without(fieldsV1 as Fields, path);
      if (left !== undefined) next.push({ ...entry, fieldsV1: left });
    }
  }
  const at = path.reduceRight<Fields>((inner, element) => ({ [element]: inner }), {});
  for (const entry of counting.values()) next.push({ ...entry, apiVersion, fieldsV1: at });
  return next.length === 0 ? undefined : next.toSorted(compareEntries);
}

/** The same owner, whichever version either speaks of. */
function idOf({ manager = '', operation = '', subresource = '' }: ManagedFieldsEntry): string {
  return JSON.stringify([manager, operation, subresource]);
}

function has(fields: object | undefined, path: readonly string[]): boolean {
  let at = fields as Fields | undefined;
  for (const element of path) at = at !== undefined && Object.hasOwn(at, element) ? at[element] : undefined;
  return at !== undefined;
}

/** Undefined: nothing is left. */
function without(fields: Fields, [element = '', ...rest]: readonly string[]): Fields | undefined {
  const { [element]: inner, ...others } = fields;
  const left = inner === undefined || rest.length === 0 ? undefined : without(inner, rest);
  if (left !== undefined) return { ...others, [element]: left };
  return Object.keys(others).length === 0 ? undefined : others;
}
