/** Lays a configuration over an object, and takes fields out of one; nothing is changed in place. */
import { memberOf, putMember } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import { SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { isTakenApart, partsOf } from './value.ts';
import type { Part } from './value.ts';

/** The live value with the configuration laid over it: the configuration's order, the live value's other members. */
export function mergeValues(shape: Shape, live: unknown, configuration: unknown): unknown {
  // Null says nothing of what has owners of its own: their fields are not for others to take away.
  if (configuration === undefined || (configuration === null && isTakenApart(shape, live))) return live;
  if (!isTakenApart(shape, configuration) || !isTakenApart(shape, live)) return configuration;
  if (!Array.isArray(live)) return mergeRecords(shape, live as JsonObject, configuration as JsonObject);
  return mergeLists(partsOf(shape, live), partsOf(shape, configuration));
}

function mergeRecords(shape: Shape, live: JsonObject, configuration: JsonObject): JsonObject {
  const merged = { ...live };
  for (const { element, value, shape: member } of partsOf(shape, configuration)) {
    const name = element.slice(2);
    putMember(merged, name, mergeValues(member, memberOf(live, name), value));
  }
  return merged;
}

/** Items that only the live list has stay where they are between the others. */
function mergeLists(live: readonly Part[], configuration: readonly Part[]): unknown[] {
  const lives = new Map(live.map((part) => [part.element, part]));
  const wanted = new Set(configuration.map(({ element }) => element));
  const merged: unknown[] = [];
  const done = new Set<string>();
  let next = 0;
  const take = (): string | undefined => {
    const part = configuration[next++];
    if (part === undefined) return undefined;
    done.add(part.element);
    merged.push(mergeValues(part.shape, lives.get(part.element)?.value, part.value));
    return part.element;
  };
  for (const { element, value } of live) {
    if (!wanted.has(element)) merged.push(value);
    else while (!done.has(element) && take() !== undefined);
  }
  while (next < configuration.length) take();
  return merged;
}

/** The value without the places of a set; a place goes with all that is below it. */
export function removeFields(shape: Shape, value: unknown, fields: FieldSet): unknown {
  if (!isTakenApart(shape, value)) return value;
  const kept: Part[] = [];
  for (const part of partsOf(shape, value)) {
    const gone = fields[part.element];
    const left =
      gone === undefined
        ? part.value
        : gone[SELF] === undefined
          ? removeFields(part.shape, part.value, gone)
          : undefined;
    if (left !== undefined) kept.push({ ...part, value: left });
  }
  // What loses all it had is gone too.
  if (kept.length === 0) return undefined;
  if (Array.isArray(value)) return kept.map((part) => part.value);
  const left: JsonObject = {};
  for (const part of kept) putMember(left, part.element.slice(2), part.value);
  return left;
}
