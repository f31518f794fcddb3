import type { HopDetail } from '@binnacle/base';

/** What a detail has under a name where it is a list, of that the objects. */
export function recordsIn(detail: HopDetail, name: string): readonly HopDetail[] {
  const value = detail[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Of a list the texts. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function isRecord(value: unknown): value is HopDetail {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
