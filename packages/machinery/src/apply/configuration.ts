/** Reads an applied configuration: what is wrong with it, and which fields it lists. */
import { DecodeError } from '../errors.ts';
import { isObject } from '../schema/member.ts';
import { elementText, FieldSetDraft } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { isAbsent, isEmptyValue, isTakenApart, partsOf } from './value.ts';

/** The fields that a configuration lists. Throws DecodeError, naming the field, for one that does not fit the shape. */
export function fieldsListed(shape: Shape, configuration: unknown): FieldSet {
  const draft = new FieldSetDraft();
  list({ draft, path: [] }, shape, configuration);
  return draft.set;
}

interface Walk {
  readonly draft: FieldSetDraft;
  readonly path: string[];
}

function list(walk: Walk, shape: Shape, value: unknown): void {
  const { draft, path } = walk;
  if (shape.kind === 'leaf' || isAbsent(value)) return draft.add(path);
  if (!isTakenApart(shape, value)) {
    if (shape.kind === 'open') return draft.add(path);
    throw wrong(path, `expected ${shape.kind === 'record' ? 'map' : 'list'}, got ${typeName(value)}`);
  }
  if (shape.kind === 'record') checkNames(path, shape, value as object);
  const seen = new Set<string>();
  for (const [at, part] of partsOf(shape, value).entries()) {
    if (shape.kind === 'keyed') checkItem(path, part.value, at);
    if (seen.has(part.element)) {
      throw wrong(path, `duplicate entries for key ${elementText(part.element)}`);
    }
    seen.add(part.element);
    path.push(part.element);
    list(walk, part.shape, part.value);
    // Items and keys are listed themselves, not only what they hold; so is what holds nothing.
    if (!part.isField || isAbsent(part.value) || (isObject(part.value) && isEmptyValue(part.value))) draft.add(path);
    path.pop();
  }
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
