/**
 * Sets of fields of an object, as `fieldsV1` of a managed fields entry says them: a tree of path elements.
 *
 *     f:name          a field or a key of a map        k:{"name":"a"}   an item of a list by its keys
 *     v:"x"           an item of a set                 .                the place itself is in the set
 *
 * In memory every place that is in the set has its `.`; on the wire a leaf goes without.
 */
import { DecodeError } from '../errors.ts';

/** Read only; parts are shared between sets. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

type Draft = { [element: string]: FieldSet };

/** Holds nothing. */
export const NO_FIELDS: FieldSet = Object.freeze({});
/** That the place itself is in the set. */
export const SELF = '.';
/** Fields have any name, items any place; keys and values are JSON. */
const ELEMENT = /^(?:f:|k:\{|v:|i:[+-]?\d+$)/;
const DEPTH_MAX = 1000;

/** A set that holds just its own place: what a leaf is. */
export const LEAF: FieldSet = Object.freeze({ [SELF]: NO_FIELDS });

export function isEmptySet(set: FieldSet): boolean {
  for (const _element in set) return false;
  return true;
}

/** Reads `fieldsV1`. Throws DecodeError for what is none. */
export function readFieldSet(fields: unknown, depth = 0): FieldSet {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new DecodeError('fields must be an object');
  if (depth > DEPTH_MAX) throw new DecodeError('exceeded max depth');
  const out: Draft = {};
  for (const element in fields) {
    const inner = (fields as { readonly [element: string]: unknown })[element];
    if (element === SELF) {
      out[SELF] = NO_FIELDS;
      continue;
    }
    if (!isElement(element)) throw new DecodeError(`unknown path element ${JSON.stringify(element)}`);
    const read = readFieldSet(inner, depth + 1);
    out[element] = isEmptySet(read) ? LEAF : read;
  }
  return out;
}

function isElement(element: string): boolean {
  if (!ELEMENT.test(element)) return false;
  if (!element.startsWith('k:') && !element.startsWith('v:')) return true;
  try {
    JSON.parse(element.slice(2));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** What is in either; `a` itself where it holds all. */
export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(a)) return b;
  let out: Draft | undefined;
  for (const element in b) {
    const [known, inner = NO_FIELDS] = [a[element], b[element]];
    const both = known === undefined ? inner : unionOf(known, inner);
    if (both !== known) (out ??= { ...a })[element] = both;
  }
  return out ?? a;
}

/** What is in any of them, in time that grows with what they hold together; the only one itself. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  const [first = NO_FIELDS] = sets;
  if (sets.length <= 1) return first;
  const inners = new Map<string, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      const known = inners.get(element);
      const inner = set[element] ?? NO_FIELDS;
      if (known === undefined) inners.set(element, [inner]);
      else known.push(inner);
    }
  }
  const out: Draft = {};
  for (const [element, parts] of inners) out[element] = unionOfAll(parts);
  return out;
}

/** Whether the two have an element in common; looks at each of `other`. */
function touches(set: FieldSet, other: FieldSet): boolean {
  for (const element in other) if (set[element] !== undefined) return true;
  return false;
}

/** What is in `a` and not in `b`; `a` itself where that is all of it. For a `b` of few elements, as most changes are. */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  return touches(a, b) ? difference(a, b, differenceOf) : a;
}

/** The same for one `b` that many are held against: costs what `a` holds, however large `b` is. */
export function differenceFromLarge(a: FieldSet, b: FieldSet): FieldSet {
  return touches(b, a) ? difference(a, b, differenceFromLarge) : a;
}

function difference(a: FieldSet, b: FieldSet, inside: typeof differenceOf): FieldSet {
  const out: Draft = {};
  for (const [element, inner] of Object.entries(a)) {
    const other = b[element];
    const left = other === undefined ? inner : inside(inner, other);
    if (other === undefined || !isEmptySet(left)) out[element] = left;
  }
  return out;
}

/** What is in both. */
export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  const out: Draft = {};
  for (const [element, inner] of Object.entries(a)) {
    const other = b[element];
    if (other === undefined) continue;
    if (element === SELF) out[SELF] = NO_FIELDS;
    else {
      const shared = intersectionOf(inner, other);
      if (!isEmptySet(shared)) out[element] = shared;
    }
  }
  return out;
}

/** The set without whole branches: whatever lies at or below a place of `branches`. */
export function withoutBranches(set: FieldSet, branches: FieldSet): FieldSet {
  if (!touches(set, branches)) return set;
  const out: Draft = {};
  for (const [element, inner] of Object.entries(set)) {
    const branch = branches[element];
    if (branch === undefined) out[element] = inner;
    else if (branch[SELF] === undefined) {
      const left = withoutBranches(inner, branch);
      if (!isEmptySet(left)) out[element] = left;
    }
  }
  return out;
}

/** With every named field on the way to a member a member itself. */
export function withNamedParents(set: FieldSet): FieldSet {
  const out: Draft = {};
  for (const [element, inner] of Object.entries(set)) {
    if (element === SELF) out[SELF] = NO_FIELDS;
    else {
      const whole = withNamedParents(inner);
      out[element] = element.startsWith('f:') && whole[SELF] === undefined ? { ...whole, [SELF]: NO_FIELDS } : whole;
    }
  }
  return out;
}

export function sameFields(a: FieldSet, b: FieldSet): boolean {
  const elements = Object.keys(a);
  if (elements.length !== Object.keys(b).length) return false;
  return elements.every((element) => {
    const [left, right] = [a[element], b[element]];
    return left !== undefined && right !== undefined && sameFields(left, right);
  });
}

/** Its places as messages name them, `.spec.containers[name="a"].image`; those of one place before what is below it. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const elements = Object.keys(set)
    .filter((element) => element !== SELF)
    .sort();
  const members = elements.filter((element) => set[element]?.[SELF] !== undefined);
  return [
    ...members.map((element) => prefix + elementText(element)),
    ...elements.flatMap((element) => pathsOf(set[element] ?? NO_FIELDS, prefix + elementText(element))),
  ];
}

/** One element of a path as messages show it. */
export function elementText(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('i:')) return `[${text}]`;
  if (element.startsWith('v:')) return `[=${text}]`;
  const keys = Object.entries(JSON.parse(text) as { [key: string]: unknown });
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}

/** A set that is made place by place. */
export class FieldSetDraft {
  #root: Draft | undefined;

  /** Adds the place at the end of a path; the root itself is no place. */
  add(path: readonly string[]): void {
    let at = (this.#root ??= {});
    for (const element of path) at = (at[element] ??= {}) as Draft;
    if (path.length > 0) at[SELF] = NO_FIELDS;
  }

  get set(): FieldSet {
    return this.#root ?? NO_FIELDS;
  }
}
