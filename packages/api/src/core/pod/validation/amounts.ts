import { parseQuantity } from '@binnacle/machinery';

const NANO = 1_000_000_000n;

/** A whole number of units. */
export function isWholeAmount(amount: string): boolean {
  return /^[0-9]+$/.test(amount) || parseQuantity(amount).nano % NANO === 0n;
}

/** Is the amount a multiple of the page size that the resource's name carries (`hugepages-2Mi`)? */
export function isWholePages(name: string, amount: string): boolean {
  try {
    const page = parseQuantity(name.slice('hugepages-'.length)).nano;
    return page > 0n && parseQuantity(amount).nano % page === 0n;
  } catch {
    return false;
  }
}
