/** Reads an applied configuration: what is wrong with it, and which fields it lists. */
import { DecodeError } from '../errors.ts';
import { goSyntax, goText, goTypeName } from '../go-text.ts';
import { exactDigits } from '../int64.ts';
import { isAbsent, isObject } from '../schema/member.ts';
import { tooManyValues, VALUES_MAX } from '../schema/value-limit.ts';
import { elementText, LEAF, NO_FIELDS, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { LeafShape, ScalarKind, Shape } from './shape.ts';
import { isEmptyValue, isTakenApart, partsOf } from './value.ts';
import type { Part } from './value.ts';

/**
 * The fields that a configuration lists. Throws DecodeError, naming the field, for what does not fit the shape, and 413
 * for one that lists so many that no object can hold them and who owns them.
 */
export function fieldsListed(shape: Shape, configuration: unknown): FieldSet {
  const walk: Walk = { path: [], listed: 0, told: { mistakes: [], room: TOLD_MAX } };
  const set = list(walk, shape, configuration);
  const { mistakes } = walk.told;
  if (mistakes.length > 0)
    throw new DecodeError(mistakes.length === 1 ? mistakes.join('') : ['errors:', ...mistakes].join('\n  '));
  return set === undefined || set === LEAF ? NO_FIELDS : set;
}

/** An object has a value for each of them, and another one in its owner's entry. */
const LISTED_MAX = VALUES_MAX / 2;

/** Characters: whoever has made very many mistakes is told the first of them. */
const TOLD_MAX = 16_384;

interface Walk {
  readonly path: string[];
  listed: number;
  /** The mistakes, each with its field, and room for more. */
  readonly told: { readonly mistakes: string[]; room: number };
}

type Draft = { [element: string]: FieldSet };

/** What is listed at a place and below it, made from below; undefined: nothing. Only the caller knows whether the place itself is. */
function list(walk: Walk, shape: Shape, value: unknown): FieldSet | undefined {
  if (isAbsent(value)) return leafAt(walk);
  if (shape.kind === 'leaf') {
    if (shape.holds !== undefined) checkWhole(walk, shape.holds, value);
    return leafAt(walk);
  }
  if (!isTakenApart(shape, value)) {
    if (shape.kind !== 'open') tellForm(walk, shape.kind === 'record' ? 'map' : 'list', value);
    return leafAt(walk);
  }
  return listParts(walk, shape, value);
}

function listParts(walk: Walk, shape: Shape, value: unknown): FieldSet | undefined {
  const { path } = walk;
  // Names of members are different ones; items may be the same.
  const seen = Array.isArray(value) ? new Set<string>() : undefined;
  let set: Draft | undefined;
  for (const [at, part] of partsOf(shape, value).entries()) {
    if (walk.told.room <= 0 || !isPart(walk, { shape, part, at })) break;
    if (seen?.has(part.element) === true) tell(walk, `duplicate entries for key ${elementText(part.element)}`);
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

/** What is owned as a whole has to fit its schema as everything else: what nobody declared would be lost without a word. */
function checkWhole(walk: Walk, holds: NonNullable<LeafShape['holds']>, value: unknown): void {
  if (typeof holds === 'string') return checkScalar(walk, holds, value);
  // Nothing of it is listed, and nothing counts.
  const within: Walk = { ...walk, listed: -Infinity };
  if (holds.kind === 'record') {
    list(within, holds, value);
    return undefined;
  }
  if (!Array.isArray(value)) return tellForm(walk, 'list', value);
  for (const [at, item] of value.entries()) {
    if (walk.told.room <= 0) return undefined;
    walk.path.push(`i:${at}`);
    list(within, holds.item, item);
    walk.path.pop();
  }
  return undefined;
}

function checkScalar(walk: Walk, wanted: ScalarKind, value: unknown): void {
  const found = typeof value;
  if (wanted === 'string' && found !== 'string')
    tell(walk, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  else if (wanted === 'numeric' && !isNumber(value))
    tell(walk, `expected numeric (int or float), got ${goTypeName(value)}`);
  else if (wanted === 'boolean' && found !== 'boolean') tellForm(walk, 'boolean', value);
  else if (wanted === 'any' && (Array.isArray(value) || isObject(value))) tellForm(walk, 'any scalar', value);
}

/** Numbers that no double holds are objects of their own. */
function isNumber(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? exactDigits(value) !== undefined : typeof value === 'number';
}

/** Whether the walk goes on with a part and what is behind it. */
function isPart(
  walk: Walk,
  { shape, part: { element, value }, at }: { readonly shape: Shape; readonly part: Part; readonly at: number },
): boolean {
  if (shape.kind === 'record') {
    if (shape.member(element.slice(2)) !== undefined) return true;
    walk.path.push(element);
    tell(walk, 'field not declared in schema');
    walk.path.pop();
    return false;
  }
  const why = shape.kind === 'keyed' ? noKeyedItem(value) : shape.kind === 'set' ? noSetItem(value) : undefined;
  if (why !== undefined) tell(walk, `element ${at}: ${why}`);
  return why === undefined;
}

function noKeyedItem(item: unknown): string | undefined {
  if (isObject(item)) return undefined;
  const what = isAbsent(item) ? 'a null element' : 'non-map elements';
  return `associative list with keys may not have ${what}`;
}

function noSetItem(item: unknown): string | undefined {
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  if (isAbsent(item)) return "associative list without keys has an element that's an explicit null";
  return isObject(item) ? "associative list without keys has an element that's a map type" : undefined;
}

function tellForm(walk: Walk, wanted: string, value: unknown): void {
  tell(walk, `expected ${wanted}, got &{${goText(value)}}`);
}

function tell({ path, told }: Walk, what: string): void {
  const text = `${path.map(elementText).join('')}: ${what}`.slice(0, TOLD_MAX);
  told.mistakes.push(text);
  told.room -= text.length;
}
