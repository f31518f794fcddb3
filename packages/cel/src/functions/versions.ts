/** Versions by the rules of semver.org. */
import { walk } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { LibraryValue } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const TYPE = 'kubernetes.Semver';
const NUMBER = '(0|[1-9]\\d*)';
const SHAPE = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`);
const UINT_MAX = 2n ** 64n - 1n;
const LENGTH_MAX = 256;

class SemverValue extends LibraryValue {
  override readonly typeName = TYPE;
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly before: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], before: readonly string[]) {
    super();
    this.numbers = numbers;
    this.before = before;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

/** A version as an expression sees it. Throws EvaluationError. */
export function versionValue(text: string): Value {
  return read(text);
}

function read(text: string): SemverValue {
  const [, major, minor, patch, before, build] = (text.length > LENGTH_MAX ? null : SHAPE.exec(text)) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) {
    throw new EvaluationError(text === '' ? 'Version string empty' : 'No Major.Minor.Patch elements found');
  }
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  const parts = before?.split('.') ?? [];
  const isWrong = parts.some((part) => part === '' || /^0\d+$/.test(part)) || build?.split('.').includes('') === true;
  if (isWrong || numbers.some((number) => number > UINT_MAX))
    throw new EvaluationError(`Invalid version ${JSON.stringify(text)}`);
  return new SemverValue(numbers, parts);
}

/** Without a `v` before it, without leading zeros, and with what is missing filled in. */
function normalised(text: string): string {
  const [first = '0', second, ...rest] = text
    .slice(0, LENGTH_MAX + 1)
    .replace(/^v/, '')
    .split('.');
  const third = rest.length === 0 ? undefined : rest.join('.');
  const last = third ?? second ?? first;
  if (third === undefined && /[-+]/.test(last)) {
    throw new EvaluationError('short version cannot contain PreRelease/Build meta data');
  }
  return [first, second ?? '0', third ?? '0'].map((part) => part.replace(/^0+(?=\d)/, '')).join('.');
}

function compare(a: SemverValue, b: SemverValue): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.before.length === 0 || b.before.length === 0) return Math.sign(b.before.length - a.before.length);
  for (const [i, part] of a.before.entries()) {
    const other = b.before[i];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.before.length < b.before.length ? -1 : 0;
}

function compareParts(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  const [x, y] = isNumber ? [BigInt(a), BigInt(b)] : [a, b];
  return x < y ? -1 : x > y ? 1 : 0;
}

function isSemver(text: string, isNormalised: boolean): boolean {
  try {
    read(isNormalised ? normalised(text) : text);
    return true;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return false;
  }
}

const order = (a: Value | undefined, b: Value | undefined): number => compare(a as SemverValue, b as SemverValue);
const number = (a: Value | undefined, at: 0 | 1 | 2): bigint => (a as SemverValue).numbers[at];

export const VERSIONS: readonly Overload[] = [
  overload(`semver(string): ${TYPE}`, ([text]) => read(text as string), walk()),
  overload(
    `semver(string, bool): ${TYPE}`,
    ([text, isLoose]) => read(isLoose === true ? normalised(text as string) : (text as string)),
    walk(),
  ),
  overload('isSemver(string): bool', ([text]) => isSemver(text as string, false), walk()),
  overload('isSemver(string, bool): bool', ([text, isLoose]) => isSemver(text as string, isLoose === true), walk()),
  overload(`[${TYPE}].isGreaterThan(${TYPE}): bool`, ([a, b]) => order(a, b) > 0),
  overload(`[${TYPE}].isLessThan(${TYPE}): bool`, ([a, b]) => order(a, b) < 0),
  overload(`[${TYPE}].compareTo(${TYPE}): int`, ([a, b]) => BigInt(order(a, b))),
  overload(`[${TYPE}].major(): int`, ([a]) => number(a, 0)),
  overload(`[${TYPE}].minor(): int`, ([a]) => number(a, 1)),
  overload(`[${TYPE}].patch(): int`, ([a]) => number(a, 2)),
];
