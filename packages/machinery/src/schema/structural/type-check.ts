import { exactDigits } from '../../int64.ts';
import { typeInvalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { LeafCheck } from './findings.ts';
import type { SchemaProps } from './props.ts';

/** What a value is, in the words of JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') {
    const digits = exactDigits(value);
    return digits === undefined ? 'object' : /^-?\d+$/.test(digits) ? 'integer' : 'number';
  }
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
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
  return (value, path, found) => {
    const type = typeOf(value);
    const fits =
      types.includes(type) ||
      (type === 'integer' && props.type === 'number') ||
      (type === 'null' && props.nullable === true);
    if (fits) found.passed++;
    else found.add(typeInvalid(path, type, `${inBody(path)} must be of type ${wanted}: ${JSON.stringify(type)}`));
  };
}
