/** What names mean where an expression stands. */
import type { Library } from '../functions/overload.ts';
import type { Macros } from '../syntax/macros.ts';
import type { ObjectType, Type } from '../types.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types.ts';

/** What an expression is compiled in. */
export interface Environment {
  readonly functions: Library;
  readonly macros: Macros;
  /** Variables by name. */
  readonly variables: ReadonlyMap<string, Type>;
  /** Objects that an expression may write, by name: `Object.spec`. */
  readonly objects: { get(name: string): ObjectType | undefined };
  /** Lists and maps that an expression writes hold one type of item; else anything. */
  readonly isHomogeneous: boolean;
}

/** Names that mean a type. */
export const TYPE_NAMES: ReadonlyMap<string, Type> = new Map([
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['optional_type', optionalOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
]);
