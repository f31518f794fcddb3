import { parsedJson } from '@binnacle/machinery';
import type { FieldStep } from './field-paths.ts';

/** An entry of an object's `metadata.managedFields`. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

interface FieldSet {
  readonly [member: string]: unknown;
}

/** The managers of a field, by the managed fields of its object: several where they agree. */
export function ownersOf(
  managedFields: readonly ManagedFields[],
  steps: readonly FieldStep[],
): readonly ManagedFields[] {
  return managedFields.filter(({ fieldsV1 }) => isSet(fieldsV1) && owns(fieldsV1, steps));
}

/** Who owns a whole (a set with nothing in it) owns all that is below. */
function owns(set: FieldSet, steps: readonly FieldStep[]): boolean {
  let at = set;
  for (const [depth, step] of steps.entries()) {
    const inner = memberOf(at, step);
    if (inner === undefined) return depth > 0 && Object.keys(at).length === 0;
    at = inner;
  }
  return true;
}

function memberOf(set: FieldSet, { key, item }: FieldStep): FieldSet | undefined {
  if (item === undefined) return setAt(set, `f:${key}`);
  for (const member of Object.keys(set)) {
    const mark = member.slice(0, 2);
    if (mark === 'k:' && matches(item, parsedJson(member.slice(2)))) return setAt(set, member);
    if (mark === 'v:' && JSON.stringify(item) === member.slice(2)) return setAt(set, member);
  }
  return undefined;
}

function setAt(set: FieldSet, member: string): FieldSet | undefined {
  const inner = Object.hasOwn(set, member) ? set[member] : undefined;
  return isSet(inner) ? inner : undefined;
}

function isSet(value: unknown): value is FieldSet {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matches(item: unknown, keys: unknown): boolean {
  if (!isSet(item) || !isSet(keys)) return false;
  return Object.entries(keys).every(([key, value]) => item[key] === value);
}
