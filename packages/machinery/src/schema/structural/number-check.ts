import { exactDigits, parseInt64 } from '../../int64.ts';
import { goDouble } from '../../go-text.ts';
import { invalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { LeafCheck, Place } from './findings.ts';
import type { SchemaProps } from './props.ts';

/** A number as decoders give it: a double, or the digits of one that no double holds. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'object' && value !== null && exactDigits(value) !== undefined);
}

/** A number to be compared: with all its digits where it is an integer of 64 bits. */
type Exact = number | bigint;

/** From here on no integer has 64 bits. */
const LIMIT = 2 ** 63;

/** Whether a double is an integer of 64 bits. */
export function isLong(value: number): boolean {
  return Number.isInteger(value) && value >= -LIMIT && value < LIMIT;
}

/** Size, bounds and steps of a number; undefined: the schema says nothing of them. */
export function numberCheck(props: SchemaProps): LeafCheck | undefined {
  const { minimum, maximum, multipleOf, type, format } = props;
  const isBounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  if (!isBounded && type !== 'integer' && format !== 'float') return undefined;
  return (value, path, found) => {
    const { number, isInteger } = exactOf(value);
    const look: Look = { value, number, isInteger, props, path, found };
    tellSize(look, 'Checked', number);
    if (multipleOf !== undefined) checkSteps(look, Number(multipleOf));
    if (minimum !== undefined) {
      const { bound, shown } = boundOf(look, 'Minimum boundary', Number(minimum));
      const isExclusive = props.exclusiveMinimum === true;
      const how = isExclusive ? 'greater than' : 'greater than or equal to';
      if (isExclusive ? number <= bound : number < bound) tell(look, `should be ${how} ${shown}`);
    }
    if (maximum !== undefined) {
      const { bound, shown } = boundOf(look, 'Maximum boundary', Number(maximum));
      const isExclusive = props.exclusiveMaximum === true;
      const how = isExclusive ? 'less than' : 'less than or equal to';
      if (isExclusive ? number >= bound : number > bound) tell(look, `should be ${how} ${shown}`);
    }
  };
}

interface Look extends Place {
  readonly value: unknown;
  readonly number: Exact;
  /** It is one of 64 bits; upstream has a double for any other, whole or not. */
  readonly isInteger: boolean;
  readonly props: SchemaProps;
}

function tell({ value, path, found }: Look, why: string): void {
  found.add(invalid(path, value, `${inBody(path)} ${why}`));
}

function exactOf(value: unknown): Pick<Look, 'number' | 'isInteger'> {
  if (typeof value === 'number') return { number: value, isInteger: isLong(value) };
  const digits = exactDigits(value as object) ?? '';
  const isInteger = parseInt64(digits) !== undefined;
  return { number: isInteger ? BigInt(digits) : Number(digits), isInteger };
}

/** An integer is compared with the whole part of what the schema says, as upstream has it; a double with all of it. */
function boundOf(look: Look, what: string, given: number): { readonly bound: number; readonly shown: string } {
  const fits = tellSize(look, what, given);
  if (!fits || !look.isInteger || Math.abs(given) >= LIMIT) return { bound: given, shown: goDouble(given) };
  return { bound: Math.trunc(given), shown: String(BigInt(Math.trunc(given))) };
}

function checkSteps(look: Look, given: number): void {
  const { path, found } = look;
  const { bound: step, shown } = boundOf(look, 'MultipleOf', given);
  if (step <= 0) {
    found.add(invalid(path, step, `factor MultipleOf declared for ${path} must be positive: ${shown}`));
  } else if (!isMultiple(look, step)) tell(look, `should be a multiple of ${shown}`);
}

function isMultiple({ number, isInteger }: Look, step: number): boolean {
  if (isInteger && Number.isInteger(step)) return BigInt(number) % BigInt(step) === 0n;
  const near = Number(number);
  return isWholeDouble(step < 1 ? (1 / step) * near : near / step);
}

/** How far from an integer a double may be, in proportion, to count as one. */
const EPSILON = 1e-9;

/** Whether a double is an integer to upstream's checks: not beyond 2^53, and as near to one as no calculation matters. */
export function isWholeDouble(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const below = Math.floor(value);
  return value > 1 && (value - below) / (value + below) < EPSILON;
}

/** Says of a number, or of what the schema says of it, that it is none of the type and format of its place. */
function tellSize({ props, path, found }: Look, what: string, number: Exact): boolean {
  if (isOfSize(number, props)) return true;
  const { type = '', format } = props;
  const how = isSized(props) ? `with format ${format}` : '(default format)';
  found.add(invalid('<nil>', '', `${what} value must be of type ${type} ${how} in ${path}`));
  return false;
}

/** Whether the format of a place says how large its numbers are. */
function isSized({ type, format }: SchemaProps): boolean {
  return type === 'integer' ? format === 'int32' || format === 'int64' : format === 'float' || format === 'double';
}

function isOfSize(number: Exact, { type, format }: SchemaProps): boolean {
  if (type === 'number') return format !== 'float' || Number.isFinite(Math.fround(Number(number)));
  if (type !== 'integer') return true;
  if (typeof number === 'number' && !Number.isInteger(number)) return false;
  return format === 'int32' ? number === (Number(number) | 0) : number >= -LIMIT && number < LIMIT;
}
