import { exactDigits, parseInt64 } from '../../int64.ts';
import { typeInvalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { LeafCheck } from './findings.ts';
import { isKnownFormat } from './formats.ts';
import { isLong, isWholeDouble } from './number-check.ts';
import type { SchemaProps } from './props.ts';

/** What a value is, in the words of JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') {
    const digits = exactDigits(value);
    return digits === undefined ? 'object' : parseInt64(digits) === undefined ? 'number' : 'integer';
  }
  if (typeof value === 'number') return isLong(value) ? 'integer' : 'number';
  return typeof value;
}

/** Of these the type is told, whatever the format of their place. */
function isText(type: string): boolean {
  return type === 'string' || type === 'array' || type === 'null';
}

/** What upstream calls the format of a value; most have none. */
function formatOf(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}

/** Whether a value is of the type of its place; undefined: the place takes any. */
export function typeCheck(props: SchemaProps): LeafCheck | undefined {
  const isIntOrString = props['x-kubernetes-int-or-string'] === true;
  const types = isIntOrString
    ? ['integer', 'string']
    : props.type === undefined || props.type === ''
      ? []
      : [props.type];
  if (types.length === 0) return undefined;
  const wanted = types.join(',');
  const format = isKnownFormat(props.format ?? '', props.type ?? '') ? props.format : undefined;
  return (value, path, found) => {
    const type = typeOf(value);
    const fits =
      types.includes(type) ||
      (type === 'integer' && props.type === 'number') ||
      (typeof value === 'number' && types.includes('integer') && isWholeDouble(value)) ||
      (type === 'null' && props.nullable === true);
    if (fits) found.passed++;
    else if (format !== undefined && !isText(type) && formatOf(type) !== format) {
      const is = formatOf(type);
      found.add(typeInvalid(path, is, `${inBody(path)} must be of type ${format}: ${JSON.stringify(is)}`));
    } else found.add(typeInvalid(path, type, `${inBody(path)} must be of type ${wanted}: ${JSON.stringify(type)}`));
  };
}
