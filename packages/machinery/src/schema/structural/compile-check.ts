import type { Walk } from '@binnacle/base';
import { exactDigits } from '../../int64.ts';
import type { FieldPath } from '../../validation/field.ts';
import { combinationCheck } from './combinations.ts';
import { enumCheck } from './enum-check.ts';
import type { Check, Findings, Place } from './findings.ts';
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
  const combination = combinationCheck(props, checkOf);
  const text = textCheck(props);
  const number = numberCheck(props);
  const list = listCheck(props, checkOf);
  const allowed = enumCheck(props);
  const map = mapCheck(props, checkOf);
  const leaf = (value: unknown, path: FieldPath, found: Findings): void => {
    if (typeof value === 'string') text?.(value, path, found);
    else if (isNumber(value)) number?.(value, path, found);
  };
  const walkOf = function* (value: unknown, path: FieldPath, found: Findings): Walk {
    const known = found.errors.length;
    type?.(value, path, found);
    const alternatives = combination?.(value, path, found);
    if (alternatives !== undefined) yield alternatives;
    leaf(value, path, found);
    const items = Array.isArray(value) ? list(value, path, found) : undefined;
    if (items !== undefined) yield items;
    allowed?.(value, path, found);
    const members = isMap(value) && exactDigits(value) === undefined ? map(value, path, found) : undefined;
    if (members !== undefined) yield members;
    found.forgiveUnchanged(value, known);
  };
  const leafLater = function* (walk: Walk, value: unknown, { path, found, known }: Place & { known: number }): Walk {
    yield walk;
    leaf(value, path, found);
    allowed?.(value, path, found);
    found.forgiveUnchanged(value, known);
  };
  return (value, path, found) => {
    if (found.isFull) return undefined;
    found.work.look();
    if (typeof value === 'object' && value !== null) return walkOf(value, path, found);
    const known = found.errors.length;
    if (value === null || value === undefined) {
      type?.(value, path, found);
      if (props.nullable !== true) allowed?.(value, path, found);
    } else {
      type?.(value, path, found);
      const alternatives = combination?.(value, path, found);
      if (alternatives !== undefined) return leafLater(alternatives, value, { path, found, known });
      leaf(value, path, found);
      allowed?.(value, path, found);
    }
    found.forgiveUnchanged(value, known);
    return undefined;
  };
}
