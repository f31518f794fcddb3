import { child, invalid, required, tooMany } from '../../validation/field.ts';
import type { JsonObject } from '../shape.ts';
import { inBody, UNKNOWN } from './findings.ts';
import type { Check, CompileCheck, Place } from './findings.ts';
import { isMap } from './node.ts';
import { additionalOf } from './props.ts';
import type { SchemaProps } from './props.ts';
import { DONE, goOn } from './steps.ts';

/**
 * A map's members, how many there are, and those that it must have. What members are held against is compiled when the
 * first object has them: schemas have tens of thousands, of which objects use a few.
 */
export function mapCheck(props: SchemaProps, checkOf: CompileCheck): Check {
  const schemas = props.properties ?? {};
  const properties = new Map<string, Check>();
  const propertyCheck = (name: string): Check | undefined => {
    let check = properties.get(name);
    if (check !== undefined) return check;
    const inner = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (inner === undefined) return undefined;
    check = checkOf(inner);
    properties.set(name, check);
    return check;
  };
  const hasProperties = Object.keys(schemas).length > 0;
  const inner = additionalOf(props);
  const additional = inner === undefined ? undefined : checkOf(inner);
  const membersFrom = ({ map, names, before, path, found }: Members, from: number): number => {
    const known = isMap(before) ? before : undefined;
    for (let i = from; i < names.length && !found.isFull; i++) {
      const key = names[i] ?? '';
      const check = propertyCheck(key) ?? additional;
      if (check === undefined) continue;
      found.before = known !== undefined && Object.hasOwn(known, key) ? known[key] : UNKNOWN;
      const walk = check(map[key], child(path, key), found);
      if (walk !== undefined || found.work.shouldRest()) return found.waitFor(walk, i + 1);
    }
    found.before = before;
    return DONE;
  };
  return (value, path, found) => {
    const map = value as JsonObject;
    if (!checkCount(map, props, { path, found })) return undefined;
    for (const name of props.required ?? []) {
      if (Object.hasOwn(map, name)) found.passed++;
      else found.add(required(child(path, name)));
    }
    if (!hasProperties && additional === undefined) return undefined;
    const members = { map, names: Object.keys(map), before: found.before, path, found };
    const next = membersFrom(members, 0);
    return next === DONE ? undefined : goOn((from) => membersFrom(members, from), next, found);
  };
}

interface Members extends Place {
  readonly map: JsonObject;
  readonly names: readonly string[];
  /** What stood in place of the map. */
  readonly before: unknown;
}

/** A map with too few or too many members is looked at no further. */
function checkCount(map: JsonObject, { minProperties, maxProperties }: SchemaProps, { path, found }: Place): boolean {
  if (minProperties === undefined && maxProperties === undefined) return true;
  const count = Object.keys(map).length;
  if (minProperties !== undefined && count < Number(minProperties)) {
    found.add(invalid(path, count, `${inBody(path)} should have at least ${minProperties} properties`));
    return false;
  }
  if (maxProperties !== undefined && count > Number(maxProperties)) {
    found.add(tooMany(path, count, Number(maxProperties)));
    return false;
  }
  return true;
}
