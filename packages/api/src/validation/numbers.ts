import { compareQuantities, names, quantityMilliValue } from '@binnacle/machinery';

/** Largest user and group id. */
const ID_MAX = 2_147_483_647;

export function idErrors(id: number): string[] {
  return id >= 0 && id <= ID_MAX ? [] : [names.inclusiveRangeError(0, ID_MAX)];
}

/** Compares two quantities given as text; quick for amounts that fit thousandths in a number. */
export function compareAmounts(a: string, b: string): number {
  if (a === b) return 0;
  const left = quantityMilliValue(a);
  const right = quantityMilliValue(b);
  if (left === right || !Number.isSafeInteger(left) || !Number.isSafeInteger(right)) return compareQuantities(a, b);
  return left < right ? -1 : 1;
}

/** Of a quantity in normal form, where only amounts below zero begin with a sign. */
export function isNegativeAmount(amount: string): boolean {
  return amount.charCodeAt(0) === 45 && compareQuantities(amount, '0') < 0;
}
