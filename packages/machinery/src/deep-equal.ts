import { exactDigits } from './int64.ts';

/**
 * Whether two values of JSON are the same, whatever the order of their members. An absent member equals one that
 * is undefined; null does not.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (Array.isArray(b)) return false;
  const digits = exactDigits(a);
  if (digits !== exactDigits(b)) return false;
  if (digits !== undefined) return true;
  return equalMembers(a as JsonObject, b as JsonObject);
}

type JsonObject = { readonly [key: string]: unknown };

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (!deepEqual(a[i], b[i])) return false;
  }
  return true;
}

function equalMembers(a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key in a) {
    const left = a[key];
    if (left === undefined) continue;
    count++;
    // What a prototype has is no value of JSON, so that it is never the same.
    if (left !== b[key] && !(Object.hasOwn(b, key) && deepEqual(left, b[key]))) return false;
  }
  for (const key in b) if (b[key] !== undefined) count--;
  return count === 0;
}
