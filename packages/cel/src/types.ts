/** The types of CEL, as the checker reasons about them. */
export type Type = PlainType | DynType | ErrorType | ContainerType | MapType | ParameterType | ObjectType;

/** `int`, `string`, `null_type`, `google.protobuf.Duration` and what libraries add. */
export interface PlainType {
  readonly kind: 'plain';
  readonly name: string;
}

/** Anything: looked at while the expression runs. */
export interface DynType {
  readonly kind: 'dyn';
}

/** The type of what has a mistake already: nothing more is said about it. */
export interface ErrorType {
  readonly kind: 'error';
}

export interface ContainerType {
  readonly kind: 'list' | 'optional' | 'type';
  readonly of: Type;
}

export interface MapType {
  readonly kind: 'map';
  readonly key: Type;
  readonly of: Type;
}

export interface ParameterType {
  readonly kind: 'parameter';
  readonly name: string;
}

/** Declares fields by name. */
export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** Undefined: it has none of that name. */
  field(name: string): Type | undefined;
}

/** Looked at while the expression runs. */
export const DYN: Type = { kind: 'dyn' };
export const ERROR: Type = { kind: 'error' };

/** A type that has only a name. */
export function plain(name: string): PlainType {
  return { kind: 'plain', name };
}

/** True or false. */
export const BOOL: Type = plain('bool');
/** Integers of 64 bits. */
export const INT: Type = plain('int');
export const UINT: Type = plain('uint');
/** Floating point of 64 bits. */
export const DOUBLE: Type = plain('double');
/** Texts. */
export const STRING: Type = plain('string');
/** Rows of bytes. */
export const BYTES: Type = plain('bytes');
/** Null alone. */
export const NULL: Type = plain('null_type');
/** Moments of the years 1 to 9999, to the nanosecond. */
export const TIMESTAMP: Type = plain('google.protobuf.Timestamp');
/** Spans of time, to the nanosecond. */
export const DURATION: Type = plain('google.protobuf.Duration');

/** Names in signatures that stand for longer ones. */
const SHORT: { readonly [name: string]: Type } = { timestamp: TIMESTAMP, duration: DURATION, null: NULL };

/** The type of lists of one type. */
export function listOf(of: Type): Type {
  return { kind: 'list', of };
}

/** The type of maps of one type of key and one of value. */
export function mapOf(key: Type, of: Type): Type {
  return { kind: 'map', key, of };
}

/** The type of values that may be missing. */
export function optionalOf(of: Type): Type {
  return { kind: 'optional', of };
}

export function typeOf(of: Type): Type {
  return { kind: 'type', of };
}

const SHOWN: { readonly [name: string]: string } = {
  null_type: 'null',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

/** As cel-go writes types in messages. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'dyn':
      return 'dyn';
    case 'error':
      return '!error!';
    case 'list':
      return `list(${formatType(type.of)})`;
    case 'type':
      return `type(${formatType(type.of)})`;
    case 'optional':
      return `optional_type(${formatType(type.of)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.of)})`;
    default:
      return SHOWN[type.name] ?? type.name;
  }
}

/** Reads `list(A)`, `map(string, dyn)`, `int`; single capital letters are parameters. */
export function readType(text: string): Type {
  const outer = /^(list|optional|type)\((.*)\)$/.exec(text);
  if (outer !== null) return { kind: outer[1] as 'list' | 'optional' | 'type', of: readType(outer[2] ?? '') };
  const map = /^map\((\w+), (.*)\)$/.exec(text);
  if (map !== null) return mapOf(readType(map[1] ?? ''), readType(map[2] ?? ''));
  if (text === 'dyn') return DYN;
  if (/^[A-Z]$/.test(text)) return { kind: 'parameter', name: text };
  return SHORT[text] ?? plain(text);
}

/** Whether two types are the same in every part. */
export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'list':
    case 'optional':
    case 'type':
      return b.kind === a.kind && isSameType(a.of, b.of);
    case 'map':
      return b.kind === 'map' && isSameType(a.key, b.key) && isSameType(a.of, b.of);
    case 'plain':
    case 'parameter':
    case 'object':
      return b.kind === a.kind && a.name === b.name;
    default:
      return a.kind === b.kind;
  }
}

/** Whether a type says no more than another does; null says less than what it may stand for. */
export function isAsGeneral(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'parameter') return true;
  if (b.kind === 'dyn' || b.kind === 'parameter') return false;
  if (b.kind === 'plain' && b.name === 'null_type') return true;
  if (a.kind === 'map') return b.kind === 'map' && isAsGeneral(a.key, b.key) && isAsGeneral(a.of, b.of);
  if (a.kind === 'list' || a.kind === 'optional') return b.kind === a.kind && isAsGeneral(a.of, b.of);
  return a.kind === 'type' ? b.kind === 'type' : isSameType(a, b);
}
