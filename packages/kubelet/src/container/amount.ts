import { quantityMilliValue, quantityValue } from '@binnacle/machinery';

/** Whole units of a quantity (`1.5Gi` → bytes), rounded up; 0 for none. */
export function wholeValue(quantity: string | undefined): number {
  return quantity === undefined || quantity === '' ? 0 : quantityValue(quantity);
}

/** Thousandths of a quantity (`250m` → 250), rounded up; 0 for none. */
export function milliValue(quantity: string | undefined): number {
  return quantity === undefined || quantity === '' ? 0 : quantityMilliValue(quantity);
}
