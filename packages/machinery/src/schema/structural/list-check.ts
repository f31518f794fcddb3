import { index, invalid, tooMany } from '../../validation/field.ts';
import type { JsonObject } from '../shape.ts';
import { canonicalText } from './canonical.ts';
import { inBody, UNKNOWN } from './findings.ts';
import type { Check, CompileCheck, Place } from './findings.ts';
import { isMap } from './node.ts';
import { itemsOf } from './props.ts';
import type { SchemaProps } from './props.ts';
import { DONE, goOn } from './steps.ts';

/** A list's items, how many there are, and that none comes twice. */
export function listCheck(props: SchemaProps, checkOf: CompileCheck): Check {
  const { minItems, maxItems, uniqueItems } = props;
  const inner = itemsOf(props);
  const item = inner === undefined ? undefined : checkOf(inner);
  const itemsFrom = ({ list, find, before, path, found }: Items, check: Check, from: number): number => {
    for (let i = from; i < list.length && !found.isFull; i++) {
      found.before = find(list[i]);
      const walk = check(list[i], index(path, i), found);
      if (walk !== undefined || found.work.shouldRest()) return found.waitFor(walk, i + 1);
    }
    found.before = before;
    return DONE;
  };
  const checkWhole = (list: readonly unknown[], { path, found }: Place): void => {
    if (minItems !== undefined && list.length < Number(minItems)) {
      found.add(invalid(path, list.length, `${inBody(path)} should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > Number(maxItems))
      found.add(tooMany(path, list.length, Number(maxItems)));
    if (uniqueItems === true && new Set(list.map(canonicalText)).size < list.length) {
      found.add(invalid(path, list, `${inBody(path)} shouldn't contain duplicates`));
    }
  };
  return (value, path, found) => {
    const list = value as readonly unknown[];
    const { before } = found;
    const items = { list, find: itemsBefore(before, props), before, path, found };
    const steps = (from: number): number => {
      const next = item === undefined ? DONE : itemsFrom(items, item, from);
      if (next === DONE) checkWhole(list, items);
      return next;
    };
    const next = steps(0);
    return next === DONE ? undefined : goOn(steps, next, found);
  };
}

interface Items extends Place {
  readonly list: readonly unknown[];
  /** What stood in place of an item. */
  readonly find: (item: unknown) => unknown;
  /** What stood in place of the list. */
  readonly before: unknown;
}

const NONE_BEFORE = (): unknown => UNKNOWN;

/** What an item was before: only lists with keys know. */
function itemsBefore(before: unknown, props: SchemaProps): (item: unknown) => unknown {
  if (!Array.isArray(before) || props['x-kubernetes-list-type'] !== 'map') return NONE_BEFORE;
  const keys = props['x-kubernetes-list-map-keys'] ?? [];
  const known = new Map(before.filter(isMap).map((item) => [keyText(item, keys), item]));
  return (item) => (isMap(item) ? (known.get(keyText(item, keys)) ?? UNKNOWN) : UNKNOWN);
}

function keyText(item: JsonObject, keys: readonly string[]): string {
  return canonicalText(keys.map((key) => (Object.hasOwn(item, key) ? [item[key]] : [])));
}
