import { exactDigits } from './int64.ts';
import { putMember } from './schema/member.ts';
import type { JsonObject } from './schema/shape.ts';

/** A copy of a value of JSON that shares no list and no map with it. The platform's own one knows no exact numbers. */
export function deepCopy<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  // Nobody can write into such a number.
  if (exactDigits(value) !== undefined) return value;
  const members: JsonObject = {};
  for (const key of Object.keys(value)) putMember(members, key, copied((value as JsonObject)[key]));
  return members;
}
