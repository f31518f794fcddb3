import { exactDigits, wholeDigits } from '../../int64.ts';
import type { JsonObject } from '../shape.ts';

/** A text that two values of JSON share when they are equal, whatever the order of their members. Linear, but for sorting. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const digits = exactDigits(value);
  if (digits !== undefined) return wholeDigits(digits);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(object[key])}`);
  return `{${members.join(',')}}`;
}
