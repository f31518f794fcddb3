import { exactDigits } from '../../int64.ts';
import { putMember } from '../member.ts';
import type { JsonObject } from '../shape.ts';
import { isMap } from './node.ts';
import type { StructuralNode } from './node.ts';

/**
 * Fills defaults in place on an object that was just decoded. A null where the schema allows none counts as absent:
 * it gives way to the default, or goes. Twice is as good as once.
 */
export function applyDefaults(value: unknown, node: StructuralNode): void {
  if (Array.isArray(value)) {
    if (node.items !== undefined) defaultItems(value as unknown[], node.items);
  } else if (isMap(value) && exactDigits(value) === undefined) {
    defaultMembers(value, node);
  }
}

function defaultItems(items: unknown[], node: StructuralNode): void {
  for (let i = 0; i < items.length; i++) {
    if (items[i] === null && !node.isNullable && node.default !== undefined) items[i] = structuredClone(node.default);
    applyDefaults(items[i], node);
  }
}

function defaultMembers(object: JsonObject, node: StructuralNode): void {
  for (const [name, inner] of node.properties) {
    const isAbsent = !Object.hasOwn(object, name) || (object[name] === null && !inner.isNullable);
    if (!isAbsent) continue;
    if (inner.default !== undefined) putMember(object, name, structuredClone(inner.default));
    else if (Object.hasOwn(object, name)) delete object[name];
  }
  for (const key of Object.keys(object)) {
    const inner = node.properties.get(key) ?? node.additional;
    if (inner === undefined) continue;
    if (object[key] === null && !inner.isNullable && inner.default !== undefined) {
      putMember(object, key, structuredClone(inner.default));
    }
    applyDefaults(object[key], inner);
  }
}
