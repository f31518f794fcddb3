/** The types of Kubernetes' own kinds, read from the schema table as far as an expression looks at them. */
import type { StructSchema } from '@binnacle/machinery';
import { BOOL, BYTES, DOUBLE, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from '../types.ts';
import type { ObjectType, Type } from '../types.ts';
import { escapeName } from './escape.ts';

/** Finds a struct of the table by its name. */
export type FindStruct = (name: string) => StructSchema | undefined;

/** Anything else is looked at while the expression runs: quantities, whole-or-text, raw JSON. */
const SCALARS: ReadonlyMap<string, Type> = new Map([
  ['string', STRING],
  ['bool', BOOL],
  ['int32', INT],
  ['int64', INT],
  ['double', DOUBLE],
  ['bytes', BYTES],
  ['Time', TIMESTAMP],
  ['MicroTime', TIMESTAMP],
  ['Duration', STRING],
]);

/** The type of a struct; what is in it is called `name.field`. Its fields are read when they are asked for. */
export function structType(find: FindStruct, struct: string, name: string): Type {
  const schema = find(struct);
  if (schema === undefined || schema.union !== undefined) return DYN;
  let fields: ReadonlyMap<string, string> | undefined;
  const known = new Map<string, Type>();
  const type: ObjectType = {
    kind: 'object',
    name,
    field(written) {
      const made = known.get(written);
      if (made !== undefined) return made;
      fields ??= fieldsByWrittenName(schema);
      const reference = fields.get(written);
      if (reference === undefined) return undefined;
      const of = typeOf(find, reference, `${name}.${written}`);
      known.set(written, of);
      return of;
    },
  };
  return type;
}

function fieldsByWrittenName({ fields }: StructSchema): ReadonlyMap<string, string> {
  return new Map(Object.entries(fields).map(([name, { type }]) => [escapeName(name) ?? name, type]));
}

function typeOf(find: FindStruct, reference: string, name: string): Type {
  if (reference.startsWith('[]')) return listOf(typeOf(find, reference.slice(2), `${name}.@idx`));
  if (reference.startsWith('{}')) return mapOf(STRING, typeOf(find, reference.slice(2), `${name}.@elem`));
  if (reference.startsWith('#')) return structType(find, reference.slice(1), name);
  return SCALARS.get(reference) ?? DYN;
}
