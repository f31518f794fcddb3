/** Amounts as Kubernetes writes them, `1500m`, `2Gi`. */
import { addQuantities, parseQuantity, QuantityError, subtractQuantities } from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';
import { walk } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { LibraryValue } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const NANO = 1_000_000_000n;
const MAX = 2n ** 63n - 1n;
const TYPE = 'kubernetes.Quantity';

export class QuantityValue extends LibraryValue {
  override readonly typeName = TYPE;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof QuantityValue && other.quantity.nano === this.quantity.nano;
  }
}

/** An amount as an expression sees it. Throws EvaluationError. */
export function quantityValue(text: string): Value {
  return read(text);
}

function read(text: Value | undefined): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text as string));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new EvaluationError(error.message);
  }
}

function isQuantity(text: Value | undefined): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return false;
  }
}

const amount = (value: Value | undefined): Quantity => (value as QuantityValue).quantity;
const whole = (value: Value | undefined): Quantity => ({ nano: (value as bigint) * NANO, format: 'DecimalExponent' });

function compare(a: Value | undefined, b: Value | undefined): number {
  const [x, y] = [amount(a).nano, amount(b).nano];
  return x < y ? -1 : x > y ? 1 : 0;
}

function isInteger({ nano }: Quantity): boolean {
  return nano % NANO === 0n && nano / NANO <= MAX && nano / NANO >= -MAX - 1n;
}

function sign({ nano }: Quantity): bigint {
  return nano > 0n ? 1n : nano < 0n ? -1n : 0n;
}

export const QUANTITIES: readonly Overload[] = [
  overload(`quantity(string): ${TYPE}`, ([text]) => read(text), walk()),
  overload('isQuantity(string): bool', ([text]) => isQuantity(text), walk()),
  overload(`sign(${TYPE}): int`, ([a]) => sign(amount(a))),
  overload(`[${TYPE}].sign(): int`, ([a]) => sign(amount(a))),
  overload(`[${TYPE}].isGreaterThan(${TYPE}): bool`, ([a, b]) => compare(a, b) > 0),
  overload(`[${TYPE}].isLessThan(${TYPE}): bool`, ([a, b]) => compare(a, b) < 0),
  overload(`[${TYPE}].compareTo(${TYPE}): int`, ([a, b]) => BigInt(compare(a, b))),
  overload(`[${TYPE}].add(${TYPE}): ${TYPE}`, ([a, b]) => new QuantityValue(addQuantities(amount(a), amount(b)))),
  overload(`[${TYPE}].add(int): ${TYPE}`, ([a, b]) => new QuantityValue(addQuantities(amount(a), whole(b)))),
  overload(`[${TYPE}].sub(${TYPE}): ${TYPE}`, ([a, b]) => new QuantityValue(subtractQuantities(amount(a), amount(b)))),
  overload(`[${TYPE}].sub(int): ${TYPE}`, ([a, b]) => new QuantityValue(subtractQuantities(amount(a), whole(b)))),
  overload(`[${TYPE}].isInteger(): bool`, ([a]) => isInteger(amount(a))),
  overload(`[${TYPE}].asInteger(): int`, ([a]) => {
    if (!isInteger(amount(a))) throw new EvaluationError('cannot convert value to integer');
    return amount(a).nano / NANO;
  }),
  overload(`[${TYPE}].asApproximateFloat(): double`, ([a]) => Number(amount(a).nano) / 1e9),
];
