/** Reads an applied configuration: what is wrong with it, and which fields it lists. */
import { DecodeError } from '../errors.ts';
import { isObject } from '../schema/member.ts';
import { tooManyValues, VALUES_MAX } from '../schema/value-limit.ts';
import { elementText, LEAF, NO_FIELDS, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { isAbsent, isEmptyValue, isTakenApart, partsOf } from './value.ts';
import type { Part } from './value.ts';

/**
 * The fields that a configuration lists. Throws DecodeError, naming the field, for one that does not fit the shape, and 413
 * for one that lists so many that no object can hold them and who owns them.
 */
export function fieldsListed(shape: Shape, configuration: unknown): FieldSet {
  const set = list({ path: [], listed: 0 }, shape, configuration);
  return set === undefined || set === LEAF ? NO_FIELDS : set;
}

/** An object has a value for each of them, and another one in its owner's entry. */
const LISTED_MAX = VALUES_MAX / 2;

interface Walk {
  readonly path: string[];
  listed: number;
}

type Draft = { [element: string]: FieldSet };

/** What is listed at a place and below it, made from below; undefined: nothing. Only the caller knows whether the place itself is. */
function list(walk: Walk, shape: Shape, value: unknown): FieldSet | undefined {
  if (shape.kind === 'leaf' || isAbsent(value)) return leafAt(walk);
  const { path } = walk;
  if (!isTakenApart(shape, value)) {
    if (shape.kind === 'open') return leafAt(walk);
    throw wrong(path, `expected ${shape.kind === 'record' ? 'map' : 'list'}, got ${typeName(value)}`);
  }
  if (shape.kind === 'record') checkNames(path, shape, value as object);
  // Names of members are different ones; items may be the same.
  const seen = Array.isArray(value) ? new Set<string>() : undefined;
  let set: Draft | undefined;
  for (const [at, part] of partsOf(shape, value).entries()) {
    if (shape.kind === 'keyed') checkItem(path, part.value, at);
    if (seen?.has(part.element) === true) throw wrong(path, `duplicate entries for key ${elementText(part.element)}`);
    seen?.add(part.element);
    path.push(part.element);
    const inner = listPart(walk, part);
    path.pop();
    if (inner !== undefined) (set ??= {})[part.element] = inner;
  }
  return set;
}

/** Items and keys are listed themselves, not only what they hold; so is what holds nothing. */
function listPart(walk: Walk, { shape, value, isField }: Part): FieldSet | undefined {
  const below = list(walk, shape, value);
  const isListed = !isField || isAbsent(value) || (isObject(value) && isEmptyValue(value));
  if (!isListed || below === LEAF) return below;
  if (below === undefined) return leafAt(walk);
  // Nobody else has it yet.
  (below as Draft)[SELF] = NO_FIELDS;
  return below;
}

function leafAt(walk: Walk): FieldSet {
  if (++walk.listed > LISTED_MAX) throw tooManyValues();
  return LEAF;
}

function checkNames(path: readonly string[], shape: Extract<Shape, { kind: 'record' }>, value: object): void {
  for (const name of Object.keys(value)) {
    if (shape.member(name) === undefined) throw wrong([...path, `f:${name}`], 'field not declared in schema');
  }
}

function checkItem(path: readonly string[], item: unknown, at: number): void {
  if (isObject(item)) return;
  const what = isAbsent(item) ? 'a null element' : 'non-map elements';
  throw wrong(path, `element ${at}: associative list with keys may not have ${what}`);
}

function wrong(path: readonly string[], what: string): DecodeError {
  return new DecodeError(`${path.map(elementText).join('')}: ${what}`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return isObject(value)
    ? 'map'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'string'
        ? 'string'
        : 'number';
}
