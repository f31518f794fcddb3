import type { Device, DeviceCapacity } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';

/** Amounts by the name of a capacity, as a device spells it. */
export type Amounts = ReadonlyMap<string, Quantity>;

const UNIT = 1_000_000_000n;

/**
 * What a request takes of a device's capacities; undefined: the device lacks one that is asked for, or gives no such part of
 * it. A capacity that nobody asks for is taken as its policy says by default, and as a whole where none says so. What is asked
 * for is rounded up to the next part that the policy has.
 */
export function shareOf({ capacity = {} }: Device, asked: Amounts): Amounts | undefined {
  for (const [name, { nano }] of asked) if (!Object.hasOwn(capacity, name) || nano < 0n) return undefined;
  const share = new Map<string, Quantity>();
  for (const [name, one] of Object.entries(capacity)) {
    const part = partOf(one, asked.get(name));
    if (part === undefined) return undefined;
    share.set(name, part);
  }
  return share;
}

function partOf({ value, requestPolicy }: DeviceCapacity, asked: Quantity | undefined): Quantity | undefined {
  const { default: usual, validValues = [], validRange } = requestPolicy ?? {};
  const fallback = usual === undefined ? undefined : parseQuantity(usual);
  const wanted = asked ?? fallback ?? parseQuantity(value);
  if (validRange !== undefined) {
    const part = asked === undefined ? wanted : roundedToSteps(wanted, validRange);
    return part.nano === fallback?.nano || isInRange(part, validRange) ? part : undefined;
  }
  if (validValues.length === 0 || (asked === undefined && fallback !== undefined)) return wanted;
  // Sorted, by validation.
  const values = validValues.map((one) => parseQuantity(one));
  return asked === undefined
    ? values.find(({ nano }) => nano === wanted.nano)
    : values.find(({ nano }) => nano >= wanted.nano);
}

interface Range {
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
}

function roundedToSteps(wanted: Quantity, { min, step }: Range): Quantity {
  if (min === undefined) return wanted;
  const least = parseQuantity(min);
  if (wanted.nano <= least.nano) return least;
  const width = step === undefined ? 0n : units(parseQuantity(step));
  if (width <= 0n) return wanted;
  const steps = (units(wanted) - units(least) + width - 1n) / width;
  return { nano: (units(least) + steps * width) * UNIT, format: 'BinarySI' };
}

function isInRange(part: Quantity, { min, max, step }: Range): boolean {
  if (max !== undefined && part.nano > parseQuantity(max).nano) return false;
  const width = step === undefined ? 0n : units(parseQuantity(step));
  return width <= 0n || (units(part) - units(parseQuantity(min ?? '0'))) % width === 0n;
}

/** Whole units, rounded up, as steps are counted. */
function units({ nano }: Quantity): bigint {
  return nano > 0n ? (nano + UNIT - 1n) / UNIT : nano / UNIT;
}

/** Whether a share fits into a device beside what these have taken of it already, in nanos. */
export function hasRoom(
  { capacity = {} }: Device,
  share: Amounts,
  ...taken: readonly (ReadonlyMap<string, bigint> | undefined)[]
): boolean {
  for (const [name, { nano }] of share) {
    const all = capacity[name]?.value;
    const sum = taken.reduce((total, one) => total + (one?.get(name) ?? 0n), nano);
    if (all === undefined || sum > parseQuantity(all).nano) return false;
  }
  return true;
}
