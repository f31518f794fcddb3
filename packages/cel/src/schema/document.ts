import { base64ToBytes } from '@binnacle/base';
/** Documents as values: by their schema, or as what JSON says that they are. */
import { exactDigits, readInt64 } from '@binnacle/machinery';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { EvaluationError } from '../errors.ts';
import { readDuration, readTimestamp } from '../functions/time-text.ts';
import { KeyedList } from '../keyed-list.ts';
import { DocumentMap } from '../values.ts';
import type { Value } from '../values.ts';
import { withResourceFields } from './declared.ts';
import { escapeName } from './escape.ts';

interface Members {
  readonly [name: string]: unknown;
}

/** A document of which nothing is known: whole numbers are integers, others doubles. */
export function documentValue(given: unknown): Value {
  if (given === null || given === undefined) return null;
  if (typeof given === 'string' || typeof given === 'boolean') return given;
  if (typeof given === 'number') return Number.isInteger(given) && Math.abs(given) < 2 ** 63 ? BigInt(given) : given;
  if (Array.isArray(given)) return given.map(documentValue);
  const digits = exactDigits(given);
  if (digits !== undefined) return numberOf(digits);
  return new DocumentMap(given as Members, (_, member) => documentValue(member));
}

function numberOf(digits: string): Value {
  return readInt64(digits) ?? Number(digits);
}

/** A document by its schema; its fields are under the names that expressions write. */
export function valueBySchema(given: unknown, props: SchemaProps): Value {
  if (given === null || given === undefined) return null;
  if (props['x-kubernetes-int-or-string'] === true) return documentValue(given);
  switch (props.type) {
    case 'object':
      return objectValue(given, props);
    case 'array':
      return listValue(given, props);
    case 'string':
      return textValue(given, props.format);
    case 'number':
      return Number(typeof given === 'object' ? (exactDigits(given) ?? given) : given);
    default:
      return documentValue(given);
  }
}

function listValue(given: unknown, props: SchemaProps): Value {
  if (!Array.isArray(given))
    throw new EvaluationError('invalid data, expected an array for the provided schema with type=array');
  const items = given.map((item) => valueBySchema(item, (props.items ?? {}) as SchemaProps));
  switch (props['x-kubernetes-list-type']) {
    case 'set':
      return KeyedList.keyed(items, []);
    case 'map':
      return KeyedList.keyed(
        items,
        (props['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key),
      );
    default:
      return items;
  }
}

function objectValue(given: unknown, props: SchemaProps): Value {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new EvaluationError('invalid data, expected a map for the provided schema with type=object');
  }
  const schema = props['x-kubernetes-embedded-resource'] === true ? withResourceFields(props) : props;
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object' && additionalProperties !== null) {
    return new DocumentMap(given as Members, (_, member) => valueBySchema(member, additionalProperties as SchemaProps));
  }
  return declaredMembers(given as Members, schema.properties ?? {});
}

/** The members that the schema names, each under the name that expressions write; others are not seen, but count. */
function declaredMembers(given: Members, properties: { readonly [name: string]: SchemaProps }): Value {
  const members: { [name: string]: unknown } = Object.create(null) as object as { [name: string]: unknown };
  const schemas = new Map<string, SchemaProps>();
  for (const [name, member] of Object.entries(given)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const written = (own === undefined ? undefined : escapeName(name)) ?? name;
    members[written] = member;
    if (own !== undefined) schemas.set(written, own);
  }
  return new DocumentMap(
    members,
    (name, member) => {
      const schema = schemas.get(name);
      return schema === undefined ? documentValue(member) : valueBySchema(member, schema);
    },
    'object',
  );
}

function textValue(given: unknown, format: string | undefined): Value {
  if (typeof given !== 'string') throw new EvaluationError('invalid data, expected string');
  switch (format) {
    case 'duration':
      return readDuration(given);
    case 'date':
      return readTimestamp(`${given}T00:00:00Z`);
    case 'date-time':
      return readTimestamp(given.replace(/^(\S{10})[ t]/, '$1T').replace(/z$/, 'Z'));
    case 'byte':
      return bytesOf(given);
    default:
      return given;
  }
}

function bytesOf(text: string): Uint8Array {
  try {
    return base64ToBytes(text);
  } catch {
    throw new EvaluationError(`Invalid byte formatted string ${text.slice(0, 100)}`);
  }
}
