import { canonicalQuantity, memberOf, parseQuantity } from '@binnacle/machinery';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';

/** A step of a thousandth: what is finer is rounded up before it is looked at. */
const MILLI = 1_000_000n;
const WHOLE = 1_000_000_000n;
/** Only such texts can mean a part of a byte. */
const MAYBE_FRACTIONAL = /[.numeE]/;

/** Whether there is an amount of these resources that may be a part of a byte. */
export function hasFractions(amounts: object | undefined, resources: readonly string[]): boolean {
  if (!amounts) return false;
  for (const resource of resources) {
    const amount = memberOf(amounts as { readonly [resource: string]: string | number }, resource);
    if (amount !== undefined && MAYBE_FRACTIONAL.test(String(amount))) return true;
  }
  return false;
}

/** Of amounts of bytes that are not whole: they mean nothing that a node could give. */
export function warnOfFractions(
  amounts: object | undefined,
  {
    resources,
    path,
    warnings,
  }: { readonly resources: readonly string[]; readonly path: FieldPath; readonly warnings: Warnings },
): void {
  if (!amounts) return;
  for (const [resource, amount] of Object.entries(amounts)) {
    if (!resources.includes(resource)) continue;
    const text = String(amount);
    if (!MAYBE_FRACTIONAL.test(text) || isWhole(text)) continue;
    const shown = JSON.stringify(canonicalQuantity(text));
    warnings.add(path.key(resource), `fractional byte value ${shown} is invalid, must be an integer`);
  }
}

function isWhole(text: string): boolean {
  const { nano } = parseQuantity(text);
  const size = nano < 0n ? -nano : nano;
  const rounded = ((size + MILLI - 1n) / MILLI) * MILLI;
  return rounded % WHOLE === 0n;
}
