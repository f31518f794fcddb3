/** The walker of values that follow structural-schema rules: copies what the schema knows, and leaves the rest out. */
import { exactDigits } from '../../int64.ts';
import { DEPTH_MAX, isFraction } from '../json-text.ts';
import { Mismatch } from '../leaves.ts';
import { putMember } from '../member.ts';
import type { JsonObject } from '../shape.ts';
import { isResourceField, keepsMember, memberNode } from './node.ts';
import type { StructuralNode } from './node.ts';

/** What one walk gathers; the walk of the table's structs has all of it. */
export interface PruneWalk {
  members: number;
  depth: number;
  unknown: boolean;
  inexact: boolean;
}

/** How the members are read that every resource has: they follow Go's rules. */
export type ResourceFieldReader = (key: string, value: unknown) => unknown;

/**
 * A value with the members that its node knows; a node that preserves unknown ones keeps them. Builds anew. Scalars
 * pass as they are: whether they fit is validation's question. Throws Mismatch where the value is nested too deep, or
 * a resource's own field does not fit.
 */
export class Pruner {
  readonly #walk: PruneWalk;
  readonly #readField: ResourceFieldReader;

  constructor(walk: PruneWalk, readField: ResourceFieldReader) {
    this.#walk = walk;
    this.#readField = readField;
  }

  prune(value: unknown, node: StructuralNode | undefined): unknown {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) this.#walk.inexact = true;
    if (typeof value !== 'object' || value === null) return value;
    const digits = exactDigits(value);
    if (digits !== undefined) return plainNumber(value, digits);
    if (++this.#walk.depth > DEPTH_MAX) throw new Mismatch();
    const out = Array.isArray(value) ? this.#items(value, node) : this.#members(value as JsonObject, node);
    this.#walk.depth--;
    return out;
  }

  #items(items: readonly unknown[], node: StructuralNode | undefined): unknown[] {
    if (node?.preservesUnknown === true && node.items === undefined) return items.map((item) => this.#whole(item));
    return items.map((item) => this.prune(item, node?.items));
  }

  #members(object: JsonObject, node: StructuralNode | undefined): JsonObject {
    const out: JsonObject = {};
    for (const key in object) {
      this.#walk.members++;
      if (!keepsMember(node, key)) {
        this.#walk.unknown = true;
        continue;
      }
      const given = object[key];
      if (given === undefined) continue;
      putMember(out, key, this.#member(key, given, node));
    }
    return out;
  }

  #member(key: string, value: unknown, node: StructuralNode | undefined): unknown {
    if (node?.isResource === true && isResourceField(key)) return this.#readField(key, value);
    const inner = memberNode(node, key);
    return inner === undefined ? this.#whole(value) : this.prune(value, inner);
  }

  /** A value that nobody describes, and that stays. */
  #whole(value: unknown): unknown {
    return this.prune(value, ANYTHING);
  }
}

/**
 * A number that is kept as its digits, as Go's reader of any value has it: with a point or an exponent it is a double, and
 * no double is larger than there is room for.
 */
export function plainNumber(value: object, digits: string): unknown {
  if (!isFraction(digits)) return value;
  const near = Number(digits);
  if (!Number.isFinite(near)) throw new Mismatch();
  return Number.isSafeInteger(near) || !Number.isInteger(near) ? near : value;
}

/** A place that nobody describes, and where everything stays. */
export const ANYTHING: StructuralNode = {
  properties: new Map(),
  additional: undefined,
  items: undefined,
  preservesUnknown: true,
  isResource: false,
  isNullable: true,
  isIntOrString: false,
  default: undefined,
  listType: 'atomic',
  listKeys: [],
  mapType: 'granular',
  props: {},
};
