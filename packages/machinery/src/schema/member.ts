import { exactDigits } from '../int64.ts';
import type { JsonObject } from './shape.ts';

/** An object of JSON, as against a list, a null, and a number that is kept as its digits. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && exactDigits(value) === undefined;
}

/** Whether there are no parts to be looked at: of what is not there, and of a null. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** A member whose name a client chose; undefined where the object itself has none, whatever its prototype has. */
export function memberOf<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member whose name a client chose: `__proto__` must become a member like any other. */
export function putMember<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
