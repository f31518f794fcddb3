import { exactDigits } from '../../int64.ts';
import { invalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { LeafCheck } from './findings.ts';
import type { SchemaProps } from './props.ts';

/** A number as decoders give it: a double, or the digits of one that no double holds. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'object' && value !== null && exactDigits(value) !== undefined);
}

/** Size, bounds and steps of a number; undefined: the schema says nothing of them. */
export function numberCheck(props: SchemaProps): LeafCheck | undefined {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum, type, format } = props;
  const isBounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  if (!isBounded && type !== 'integer' && format !== 'float') return undefined;
  return (value, path, found) => {
    const number = typeof value === 'number' ? value : Number(exactDigits(value as object));
    if (!isOfSize(number, props)) {
      const how = format ? `with format ${format}` : '(default format)';
      found.add(invalid('<nil>', '', `Checked value must be of type ${type} ${how} in ${path}`));
    }
    if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(number, multipleOf)) {
      found.add(invalid(path, value, `${inBody(path)} should be a multiple of ${multipleOf}`));
    }
    if (maximum !== undefined && (exclusiveMaximum === true ? number >= maximum : number > maximum)) {
      const how = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
      found.add(invalid(path, value, `${inBody(path)} should be ${how} ${maximum}`));
    }
    if (minimum !== undefined && (exclusiveMinimum === true ? number <= minimum : number < minimum)) {
      const how = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
      found.add(invalid(path, value, `${inBody(path)} should be ${how} ${minimum}`));
    }
  };
}

/** Whether a number is one of the type and format of its place; the digits of long integers are the decoder's matter. */
function isOfSize(number: number, { type, format }: SchemaProps): boolean {
  if (type === 'number') return format !== 'float' || Math.fround(number) !== Infinity;
  if (type !== 'integer') return true;
  if (format === 'int32') return number === (number | 0);
  if (format === 'uint32') return number === number >>> 0;
  if (format === 'uint64') return Number.isInteger(number) && number >= 0 && number < 2 ** 64;
  return Number.isInteger(number) && Math.abs(number) <= 2 ** 63;
}

function isMultiple(number: number, of: number): boolean {
  return Number.isInteger(number) && Number.isInteger(of) ? number % of === 0 : Number.isInteger(number / of);
}
