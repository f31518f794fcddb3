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
import { DONE, goOn } from './steps.ts';
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
  const steps = (look: Look, from: number): number => {
    const { value, path, found } = look;
    if (from === AT_TYPE) {
      type?.(value, path, found);
      const alternatives = combination?.(value, path, found);
      if (alternatives !== undefined) return found.waitFor(alternatives, AT_ITEMS);
    }
    if (from <= AT_ITEMS) {
      leaf(value, path, found);
      const items = Array.isArray(value) ? list(value, path, found) : undefined;
      if (items !== undefined) return found.waitFor(items, AT_MEMBERS);
    }
    if (from <= AT_MEMBERS) {
      allowed?.(value, path, found);
      const members = isMap(value) && exactDigits(value) === undefined ? map(value, path, found) : undefined;
      if (members !== undefined) return found.waitFor(members, AT_END);
    }
    found.forgiveUnchanged(value, look.known);
    return DONE;
  };
  const inside = (look: Look): Walk | undefined => {
    const { found } = look;
    const step = (from: number): number => {
      found.work.depth++;
      const next = steps(look, from);
      found.work.depth--;
      return next;
    };
    // Deeper it begins anew, when those that are around it wait.
    const next = found.work.depth < DEPTH_AT_ONCE ? step(AT_TYPE) : found.waitFor(undefined, AT_TYPE);
    return next === DONE ? undefined : goOn(step, next, found);
  };
  return (value, path, found) => {
    if (found.isFull) return undefined;
    found.work.look();
    const known = found.errors.length;
    if (typeof value === 'object' && value !== null) return inside({ value, path, found, known });
    type?.(value, path, found);
    if (value === null || value === undefined) {
      if (props.nullable !== true) allowed?.(value, path, found);
    } else {
      const alternatives = combination?.(value, path, found);
      if (alternatives !== undefined) {
        const look = { value, path, found, known };
        return goOn((from) => steps(look, from), found.waitFor(alternatives, AT_ITEMS), found);
      }
      leaf(value, path, found);
      allowed?.(value, path, found);
    }
    found.forgiveUnchanged(value, known);
    return undefined;
  };
}

/** The steps of looking at one value: by its type, then at what is inside of it. */
const AT_TYPE = 0;
const AT_ITEMS = 1;
const AT_MEMBERS = 2;
const AT_END = 3;
/** Far above what objects have, and far below what the stack holds. */
const DEPTH_AT_ONCE = 64;

interface Look extends Place {
  readonly value: unknown;
  /** Mistakes that there were before. */
  readonly known: number;
}
