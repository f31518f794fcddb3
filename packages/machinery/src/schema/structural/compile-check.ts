import { exactDigits } from '../../int64.ts';
import { combinationCheck } from './combinations.ts';
import { enumCheck } from './enum-check.ts';
import type { Check } from './findings.ts';
import { listCheck } from './list-check.ts';
import { mapCheck } from './map-check.ts';
import { isMap } from './node.ts';
import { isNumber, numberCheck } from './number-check.ts';
import type { SchemaProps } from './props.ts';
import { textCheck } from './text-check.ts';
import { typeCheck } from './type-check.ts';

const checks = new WeakMap<SchemaProps, Check>();

/** All of a schema's checks as one; made once for each schema. */
export function checkOf(props: SchemaProps): Check {
  let check = checks.get(props);
  if (check === undefined) {
    check = compileCheck(props);
    checks.set(props, check);
  }
  return check;
}

/** All of a schema's checks, in the order in which upstream has them. */
function compileCheck(props: SchemaProps): Check {
  const type = typeCheck(props);
  const always = [type, combinationCheck(props, checkOf)].filter((check) => check !== undefined);
  const text = textCheck(props);
  const number = numberCheck(props);
  const list = listCheck(props, checkOf);
  const allowed = enumCheck(props);
  const map = mapCheck(props, checkOf);
  return (value, path, found) => {
    if (found.isFull) return;
    const known = found.errors.length;
    if (value === null || value === undefined) {
      type?.(value, path, found);
      if (props.nullable !== true) allowed?.(value, path, found);
      return found.forgiveUnchanged(value, known);
    }
    for (const check of always) check(value, path, found);
    if (typeof value === 'string') text?.(value, path, found);
    else if (isNumber(value)) number?.(value, path, found);
    else if (Array.isArray(value)) list(value, path, found);
    allowed?.(value, path, found);
    if (isMap(value) && exactDigits(value) === undefined) map(value, path, found);
    return found.forgiveUnchanged(value, known);
  };
}
