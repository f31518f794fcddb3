import { FieldError, status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';

/** What a client may ask for at most: 64 bits. */
const REVISION_MAX = 2n ** 64n - 1n;
const DIGITS_MAX = 20;

/**
 * A resourceVersion that a client asks for, as a number. Throws what `refuse` makes of upstream's words for what is none:
 * 500 without a reason unless it is said, as upstream answers gets and watches. Above what a number holds exactly all are
 * the same: later than anything that is stored.
 */
export function parseRevision(text: string, refuse: (words: string) => StatusError = status.internalFailure): number {
  const digits = /^\d*/.exec(text)?.[0] ?? '';
  // Go stops at the first digit that is too much, whatever comes behind it.
  if (isTooLarge(digits)) throw refuse(words(text, 'value out of range'));
  if (text === '' || digits.length < text.length) throw refuse(words(text, 'invalid syntax'));
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

function isTooLarge(digits: string): boolean {
  const significant = digits.replace(/^0+/, '');
  if (significant.length !== DIGITS_MAX) return significant.length > DIGITS_MAX;
  return BigInt(significant) > REVISION_MAX;
}

function words(text: string, why: string): string {
  const detail = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  return new FieldError('FieldValueInvalid', 'resourceVersion', text, detail).toString();
}
