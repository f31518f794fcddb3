import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
} from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';

/** Exact amounts by the name of a resource. */
export type QuotaAmounts = ReadonlyMap<string, Quantity>;

type Amounts = Map<string, Quantity>;

const NOTHING: Quantity = { nano: 0n, format: 'DecimalSI' };

/** Amounts as they stand in objects. */
export interface AmountTexts {
  readonly [name: string]: string;
}

/** Reads amounts as they stand in objects, which are valid. */
export function amountsFrom(texts: AmountTexts | undefined): Map<string, Quantity> {
  return new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

/** The same as objects have them. */
export function textsOf(amounts: QuotaAmounts): { [name: string]: string } {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** `cpu=1,pods=2`, in the order of the names, as messages show amounts. */
export function shownAmounts(amounts: QuotaAmounts): string {
  const texts = [...amounts].map(([name, amount]) => `${name}=${formatQuantity(amount)}`);
  return texts.sort().join(',');
}

/** Both together, by name. */
export function sumOf(a: QuotaAmounts, b: QuotaAmounts): QuotaAmounts {
  const sum = new Map(a);
  addTo(sum, b);
  return sum;
}

/** Adds to a sum in place. */
export function addTo(sum: Amounts, more: QuotaAmounts): void {
  for (const [name, amount] of more) sum.set(name, addQuantities(sum.get(name) ?? NOTHING, amount));
}

/** Raises in place whatever is smaller than the others. */
export function raiseTo(greatest: Amounts, others: QuotaAmounts): void {
  for (const [name, amount] of others) {
    const known = greatest.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) greatest.set(name, amount);
  }
}

/** How much more `now` is than `before`; nothing where it is less. */
export function growthOf(now: QuotaAmounts, before: QuotaAmounts): QuotaAmounts {
  const growth: Amounts = new Map();
  for (const [name, amount] of now) {
    const more = subtractQuantities(amount, before.get(name) ?? NOTHING);
    if (more.nano > 0n) growth.set(name, more);
  }
  return growth;
}

/** Only those of these names. */
export function onlyNamed(amounts: QuotaAmounts, names: { has(name: string): boolean }): QuotaAmounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

/** Without those that are zero. */
export function positiveAmounts(amounts: QuotaAmounts): QuotaAmounts {
  return new Map([...amounts].filter(([, { nano }]) => nano !== 0n));
}

/** The names of which there is more than allowed. */
export function exceeding(amounts: QuotaAmounts, allowed: QuotaAmounts): Set<string> {
  const over = [...amounts].filter(([name, amount]) => {
    const limit = allowed.get(name);
    return limit !== undefined && compareQuantities(amount, limit) > 0;
  });
  return new Set(over.map(([name]) => name));
}
