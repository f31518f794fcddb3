/** Looking into values while an expression runs. */
import { EvaluationError } from '../errors.ts';
import { keyOf, MapValue, Optional, typeNameOf } from '../values.ts';
import type { Value } from '../values.ts';

/** Throws where a value is neither true nor false. */
export function toTruth(value: Value): boolean {
  if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
  return value;
}

/** A member by name; undefined where there is none. What an optional has is looked for in its value. */
export function memberOf(value: Value, name: string): Value | undefined {
  if (value instanceof MapValue) return value.field(name);
  if (!(value instanceof Optional)) throw new EvaluationError('no such overload');
  return value.value === undefined ? undefined : memberOf(value.value, name);
}

/** What is at an index or under a key. Undefined where nothing is and nothing need be, else throws. */
export function itemAt(container: Value, key: Value, isOptional: boolean): Value | undefined {
  if (container instanceof Optional) {
    return container.value === undefined ? undefined : itemAt(container.value, key, isOptional);
  }
  if (Array.isArray(container)) return listItem(container as readonly Value[], key, isOptional);
  if (!(container instanceof MapValue)) throw new EvaluationError('no such overload');
  const found = container.get(key);
  if (found === undefined && !isOptional) throw new EvaluationError(`no such key: ${shownKey(key)}`);
  return found;
}

function listItem(list: readonly Value[], key: Value, isOptional: boolean): Value | undefined {
  const at = keyOf(key);
  if (typeof key === 'number' && at === undefined) throw new EvaluationError(`unsupported index value ${key} in list`);
  if (typeof at !== 'bigint') throw new EvaluationError(`unsupported index type '${shownType(key)}' in list`);
  const found = at < 0n || at >= BigInt(list.length) ? undefined : (list[Number(at)] as Value);
  if (found === undefined && !isOptional) throw new EvaluationError(`index out of bounds: ${at}`);
  return found;
}

/** A key as messages show it, also what is none: a half, null. */
export function shownKey(key: Value): string {
  return String(keyOf(key) ?? (typeof key === 'number' || key === null ? key : typeNameOf(key)));
}

/** A type as cel-go writes that of a value: what is in lists and maps is anything. */
function shownType(value: Value): string {
  const name = typeNameOf(value);
  return name === 'list' ? 'list(dyn)' : name === 'map' ? 'map(dyn, dyn)' : name;
}
