import type { JsonObject } from './shape.ts';

/** Sets a member whose name a client chose: `__proto__` must become a member like any other. */
export function putMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
