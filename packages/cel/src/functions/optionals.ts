/** Values that may be missing. */
import { EvaluationError } from '../errors.ts';
import { MapValue, Optional, sizeOf, Timestamp, Uint, Duration } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const NONE = new Optional();

/** What a type is when nobody said anything. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (Array.isArray(value) || value instanceof Uint8Array || value instanceof MapValue) return sizeOf(value) === 0;
  if (value instanceof Uint) return value.value === 0n;
  return (value instanceof Duration || value instanceof Timestamp) && value.nanos === 0n;
}

const given = (value: Value | undefined): Value | undefined => (value as Optional).value;

export const OPTIONALS: readonly Overload[] = [
  overload('optional.of(A): optional(A)', ([value = null]) => new Optional(value)),
  overload('optional.ofNonZeroValue(A): optional(A)', ([value = null]) => (isZero(value) ? NONE : new Optional(value))),
  overload('optional.none(): optional(A)', () => NONE),
  overload('[optional(A)].hasValue(): bool', ([one]) => given(one) !== undefined),
  overload('[optional(A)].value(): A', ([one]) => {
    const value = given(one);
    if (value === undefined) throw new EvaluationError('optional.none() dereference');
    return value;
  }),
  overload('[optional(A)].orValue(A): A', ([one, other = null]) => given(one) ?? other),
  overload('[optional(A)].or(optional(A)): optional(A)', ([one = null, other = null]) =>
    given(one) === undefined ? other : one,
  ),
  overload('optional.unwrap(list(optional(A))): list(A)', ([list]) => unwrap(list as readonly Optional[])),
  overload('[list(optional(A))].unwrapOpt(): list(A)', ([list]) => unwrap(list as readonly Optional[])),
];

function unwrap(list: readonly Optional[]): readonly Value[] {
  return list.flatMap(({ value }) => (value === undefined ? [] : [value as never]));
}
