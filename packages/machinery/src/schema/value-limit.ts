/**
 * How many values one document may have. Time and memory of whatever reads, compares or checks a document go by its
 * values rather than by its bytes: three megabytes are a string, or a million lists. Counted before anything is built.
 */
import * as status from '../status-error.ts';

/**
 * More than twice what an object of the largest size that can be stored has where its values take 25 bytes each, as
 * definitions and workflows do.
 */
export const VALUES_MAX = 131_072;
/** No value but the first takes fewer: itself and what stands before it. */
const VALUE_BYTES_MIN = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

/** Throws 413 for JSON (UTF-8) that has more than so many values; what is no JSON is counted alike. */
export function limitValues(json: Uint8Array, max = VALUES_MAX): void {
  if (json.length <= max * VALUE_BYTES_MIN) return;
  if (countValues(json) > max) throw tooManyValues(max);
}

/** The refusal itself: 413. */
export function tooManyValues(max = VALUES_MAX): Error {
  return status.requestEntityTooLarge(`limit is ${max} values`);
}

/** Values of a JSON text, each list and map and what they hold: a comma divides two, a bracket has a first one. */
export function countValues(json: Uint8Array): number {
  let count = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA) count++;
    else if (byte === OPEN_MAP) count += json[at + 1] === CLOSE_MAP ? 0 : 1;
    else if (byte === OPEN_LIST) count += json[at + 1] === CLOSE_LIST ? 0 : 1;
  }
  return count;
}

/** Where the quotation mark stands that ends the string begun at `start`; the end of the text where none does. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
