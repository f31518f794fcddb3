import { deepCopy } from '../../deep-copy.ts';
import { exactDigits } from '../../int64.ts';
import { requestEntityTooLarge } from '../../status-error.ts';
import { putMember } from '../member.ts';
import type { JsonObject } from '../shape.ts';
import { tooManyValues, VALUES_MAX } from '../value-limit.ts';
import { isMap } from './node.ts';
import type { StructuralNode } from './node.ts';

/** Characters of what is filled into one object: twice those that a request may have. */
const FILLED_MAX = 6 * 1024 * 1024;

/**
 * Fills defaults in place on an object that was just decoded. A null where the schema allows none counts as absent:
 * it gives way to the default, or goes. Twice is as good as once. Throws 413 for an object that would have more of them than
 * an object may hold: each of its items may ask for a large one.
 */
export function applyDefaults(value: unknown, node: StructuralNode): void {
  fill(value, node, { values: VALUES_MAX, characters: FILLED_MAX });
}

/** What may still be filled in. */
interface Room {
  values: number;
  characters: number;
}

function fill(value: unknown, node: StructuralNode, room: Room): void {
  if (Array.isArray(value)) {
    if (node.items !== undefined) fillItems(value as unknown[], node.items, room);
  } else if (isMap(value) && exactDigits(value) === undefined) {
    fillMembers(value, node, room);
  }
}

function fillItems(items: unknown[], node: StructuralNode, room: Room): void {
  for (let i = 0; i < items.length; i++) {
    if (items[i] === null && !node.isNullable && node.default !== undefined) items[i] = defaultOf(node, room);
    fill(items[i], node, room);
  }
}

function fillMembers(object: JsonObject, node: StructuralNode, room: Room): void {
  for (const [name, inner] of node.properties) {
    const isAbsent = !Object.hasOwn(object, name) || (object[name] === null && !inner.isNullable);
    if (!isAbsent) continue;
    if (inner.default !== undefined) putMember(object, name, defaultOf(inner, room));
    else if (Object.hasOwn(object, name)) delete object[name];
  }
  for (const key of Object.keys(object)) {
    const inner = node.properties.get(key) ?? node.additional;
    if (inner === undefined) continue;
    if (object[key] === null && !inner.isNullable && inner.default !== undefined) {
      putMember(object, key, defaultOf(inner, room));
    }
    fill(object[key], inner, room);
  }
}

const sizes = new WeakMap<StructuralNode, Room>();

/** The default of a place, nobody else's. */
function defaultOf(node: StructuralNode, room: Room): unknown {
  const { default: given } = node;
  let size = sizes.get(node);
  if (size === undefined) sizes.set(node, (size = sizeOf(given)));
  room.values -= size.values;
  room.characters -= size.characters;
  if (room.values < 0) throw tooManyValues();
  if (room.characters < 0) throw requestEntityTooLarge(`limit is ${FILLED_MAX} characters of defaults`);
  return deepCopy(given);
}

function sizeOf(value: unknown): Room {
  if (typeof value === 'string') return { values: 1, characters: value.length };
  const size = { values: 1, characters: 1 };
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return size;
  for (const [key, member] of Object.entries(value)) {
    const inner = sizeOf(member);
    size.values += inner.values;
    size.characters += inner.characters + (Array.isArray(value) ? 0 : key.length);
  }
  return size;
}
