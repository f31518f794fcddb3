/** The types of custom kinds, and how large their values can be at most in one request. */
import type { SchemaProps } from '@binnacle/machinery/structural';
import type { Range } from '../cost/range.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from '../types.ts';
import type { ObjectType, Type } from '../types.ts';
import { escapeName } from './escape.ts';

/** The largest body that a request has. */
export const REQUEST_BYTES_MAX = 3 * 1024 * 1024;

/** What an expression can know of a place in a schema. */
export interface Declared {
  readonly type: Type;
  /** The most characters, bytes, items or entries. */
  readonly sizeMax: number;
  /** The fewest bytes of JSON. */
  readonly bytesMin: number;
  readonly key?: Declared;
  /** Of items, or of values. */
  readonly element?: Declared;
  /** By the name that expressions write. */
  readonly fields?: ReadonlyMap<string, Declared>;
}

/** Quotation marks around the longest texts of formats, and the shortest. */
const DURATION_BYTES = { least: 3, most: 32 };
const MOMENT_BYTES = { least: 21, most: 32 };
const DATE_BYTES = 12;

const TEXT: SchemaProps = { type: 'string' };
const META: SchemaProps = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/** What expressions see of a resource whatever its schema says. */
export function withResourceFields(props: SchemaProps): SchemaProps {
  return {
    ...props,
    type: 'object',
    properties: { ...props.properties, kind: TEXT, apiVersion: TEXT, metadata: META },
  };
}

/**
 * The declaration of a schema; undefined: expressions cannot see it. `name` is that of the type where it is an
 * object; what is in it is called `name.field`.
 */
export function declare(given: SchemaProps, name: string, isResource = false): Declared | undefined {
  if (given['x-kubernetes-int-or-string'] === true) {
    const { maxLength } = given;
    return simple(DYN, 1, maxLength === undefined ? REQUEST_BYTES_MAX - 2 : atLeastZero(maxLength) * 4);
  }
  const props = isResource ? withResourceFields(given) : given;
  switch (props.type) {
    case 'array':
      return declareList(props, name);
    case 'object':
      return declareMap(props, name);
    case 'string':
      return declareText(props);
    case 'boolean':
      return simple(BOOL, 4, 0);
    case 'number':
      return simple(DOUBLE, 1, 0);
    case 'integer':
      return simple(INT, 1, 0);
    default:
      return undefined;
  }
}

function simple(type: Type, bytesMin: number, sizeMax: number): Declared {
  return { type, bytesMin, sizeMax };
}

function atLeastZero(value: number): number {
  return Math.max(0, Number(value));
}

function schemaIn(value: unknown): SchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaProps) : undefined;
}

function isEmbedded(props: SchemaProps): boolean {
  return props['x-kubernetes-embedded-resource'] === true;
}

function declareList(props: SchemaProps, name: string): Declared | undefined {
  const items = schemaIn(props.items);
  const element = items === undefined ? undefined : declare(items, `${name}.@idx`, isEmbedded(items));
  if (element === undefined) return undefined;
  const most = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 1));
  const sizeMax = props.maxItems === undefined ? most : atLeastZero(props.maxItems);
  return { type: listOf(element.type), bytesMin: 2, sizeMax, element };
}

function declareMap(props: SchemaProps, name: string): Declared | undefined {
  const additional = schemaIn(props.additionalProperties);
  if (additional === undefined) return declareObject(props, name);
  const element = declare(additional, `${name}.@elem`, isEmbedded(additional));
  if (element === undefined) return undefined;
  const most = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 6));
  const sizeMax = props.maxProperties === undefined ? most : atLeastZero(props.maxProperties);
  return { type: mapOf(STRING, element.type), bytesMin: 2, sizeMax, key: simple(STRING, 2, 0), element };
}

function declareObject(props: SchemaProps, name: string): Declared {
  const fields = new Map<string, Declared>();
  const required = new Set(props.required ?? []);
  let bytesMin = 2;
  for (const [field, inner] of Object.entries(props.properties ?? {})) {
    const escaped = escapeName(field);
    const declared = declare(inner, `${name}.${escaped ?? field}`, isEmbedded(inner));
    if (declared === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, declared);
    if (required.has(field) && inner.default === undefined) bytesMin += field.length + declared.bytesMin + 4;
  }
  const type: ObjectType = { kind: 'object', name, field: (field) => fields.get(field)?.type };
  return { type, bytesMin, sizeMax: 0, fields };
}

function declareText(props: SchemaProps): Declared {
  const most = props.maxLength === undefined ? undefined : atLeastZero(props.maxLength);
  switch (props.format) {
    case 'byte':
      return simple(BYTES, 2, most ?? REQUEST_BYTES_MAX - 2);
    case 'duration':
      return simple(DURATION, DURATION_BYTES.least, DURATION_BYTES.most);
    case 'date':
      return simple(TIMESTAMP, DATE_BYTES, DATE_BYTES);
    case 'date-time':
      return simple(TIMESTAMP, MOMENT_BYTES.least, MOMENT_BYTES.most);
    default:
      // A character is up to four bytes.
      return simple(STRING, 2, most === undefined ? longestOf(props) : most * 4);
  }
}

function longestOf({ enum: allowed }: SchemaProps): number {
  if (!Array.isArray(allowed) || allowed.length === 0) return REQUEST_BYTES_MAX - 2;
  return Math.max(0, ...allowed.map((one: unknown) => (typeof one === 'string' ? one.length : 0)));
}

/** How large what is at a path can be; paths begin with a variable that holds what is declared. */
export function sizeAt(root: Declared, path: readonly string[]): Range | undefined {
  let at: Declared | undefined = root;
  for (const step of path.slice(1)) {
    if (step === '@items' || step === '@values') at = at.element;
    else at = step === '@keys' ? at.key : at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.sizeMax };
}

/** How often data of a declaration can be in one request at most, where nothing around it says less. */
export function occurrencesMax({ bytesMin }: Declared): number {
  return Math.floor(REQUEST_BYTES_MAX / (bytesMin + 1));
}
