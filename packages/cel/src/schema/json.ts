/** Values as JSON: what an expression wrote of an object. */
import { int64Of } from '@binnacle/machinery';
import { EvaluationError } from '../errors.ts';
import { writeDuration, writeTimestamp } from '../functions/time-text.ts';
import { Duration, MapValue, Optional, StructValue, Timestamp, typeNameOf, Uint } from '../values.ts';
import type { Value } from '../values.ts';

/**
 * A value as JSON has it. An object that the expression wrote has the type that its place calls for: `Object.spec`
 * below `spec` of an `Object`. Throws EvaluationError.
 */
export function toJson(value: Value): unknown {
  return value instanceof StructValue ? structToJson(value, value.typeName) : plainToJson(value);
}

function structToJson(value: StructValue, wanted: string): unknown {
  if (value.typeName !== wanted) {
    const names = `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(wanted)}`;
    throw new EvaluationError(`type mismatch: ${names}, which matches field name path from root Object type`);
  }
  const members = Object.create(null) as { [name: string]: unknown };
  for (const [name, field] of value.fields) members[name] = fieldToJson(field, `${wanted}.${name}`);
  return { ...members };
}

function fieldToJson(field: Value, wanted: string): unknown {
  if (field instanceof StructValue) return structToJson(field, wanted);
  return Array.isArray(field)
    ? (field as readonly Value[]).map((item) => fieldToJson(item, wanted))
    : plainToJson(field);
}

function plainToJson(value: Value): unknown {
  if (typeof value === 'bigint') return int64Of(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint) return int64Of(value.value);
  if (Array.isArray(value)) return (value as readonly Value[]).map(toJson);
  if (value instanceof MapValue) return mapToJson(value);
  if (value instanceof Timestamp) return writeTimestamp(value);
  if (value instanceof Duration) return writeDuration(value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value);
  throw new EvaluationError(`a value of type ${typeNameOf(value)} could not marshal to JSON`);
}

function mapToJson(map: MapValue): unknown {
  const entries: [string, unknown][] = [];
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw new EvaluationError('keys of JSON objects are strings');
    entries.push([key, toJson(map.get(key) ?? null)]);
  }
  return Object.fromEntries(entries);
}
