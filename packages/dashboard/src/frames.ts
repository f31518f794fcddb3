import { parsedJson } from '@binnacle/machinery';

/** From the page: opens a stream under a number of its choice, in a form of its choice, or closes it. */
export type Asked =
  | { readonly id: number; readonly open: string; readonly accept?: string }
  | { readonly id: number; readonly close: true };

/**
 * To the page. `status` comes first; then text as it comes, cut anywhere; `end` is the last of a stream, with why when
 * it broke off.
 */
export type Told =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly data: string }
  | { readonly id: number; readonly end: true; readonly error?: string };

/** Undefined for what is neither. */
export function readAsked(text: string): Asked | undefined {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, open, accept, close } = value as { readonly [field: string]: unknown };
  if (!Number.isSafeInteger(id)) return undefined;
  if (typeof open === 'string') {
    return { id: id as number, open, ...(typeof accept === 'string' ? { accept } : {}) };
  }
  return close === true ? { id: id as number, close } : undefined;
}
