import { canonicalQuantity, parseQuantity } from '@binnacle/machinery';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';

/** A step of a thousandth: what is finer is rounded up before it is looked at. */
const MILLI = 1_000_000n;
const WHOLE = 1_000_000_000n;
/** Only such texts can mean a part of a byte. */
const MAYBE_FRACTIONAL = /[.numeE]/;

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
