/**
 * Validation of custom objects by their schema, with the words that upstream's validator has. A schema is compiled to
 * closures once. Patterns are RE2's, which take time in proportion to the text whatever they are.
 *
 * A door of its own (`@binnacle/machinery/structural`), as the pattern engine is large and only custom kinds need it.
 */
import { RE2JS } from 're2js';
import { deepEqual } from '../../deep-equal.ts';
import { exactDigits } from '../../int64.ts';
import type { FieldError } from '../../status-error.ts';
import {
  child,
  FIELD_ERRORS_MAX,
  index,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import type { JsonObject } from '../shape.ts';
import { canonicalText } from './canonical.ts';
import { hasFormat } from './formats.ts';
import { listErrors } from './list-errors.ts';
import { embeddedErrors } from './embedded.ts';
import { compileNode, isMap, topNode } from './node.ts';
import { additionalOf, itemsOf } from './props.ts';
import type { SchemaProps } from './props.ts';
import { Pruner } from './prune.ts';

export { applyDefaults } from './defaults.ts';
export { compileNode, isMap, memberNode, topNode } from './node.ts';
export type { StructuralNode } from './node.ts';
export type { SchemaProps } from './props.ts';
export { hasFormat } from './formats.ts';

/** Nothing stood here before, or nobody can tell what. */
const UNKNOWN = Symbol('nothing known from before');

/** What a check found so far, and what stood before where it looks. */
class Findings {
  readonly errors: FieldError[] = [];
  /** Checks that passed: of several failed alternatives, the one that came furthest is told. */
  passed = 0;
  before: unknown;

  constructor(before: unknown = UNKNOWN) {
    this.before = before;
  }

  get isFull(): boolean {
    return this.errors.length >= FIELD_ERRORS_MAX;
  }

  add(error: FieldError): void {
    if (!this.isFull) this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.passed += other.passed;
  }

  /** What is as it was may stay: a schema that became stricter does not keep an object from being changed elsewhere. */
  forgiveUnchanged(value: unknown, known: number): void {
    if (this.errors.length === known || this.before === UNKNOWN) return;
    if (deepEqual(value, this.before)) this.errors.length = known;
  }
}

type Check = (value: unknown, path: FieldPath, found: Findings) => void;

const checks = new WeakMap<SchemaProps, Check>();

/**
 * Everything that is wrong with an object, by its schema and by the types of its lists; at most 1000 mistakes. Rules
 * in CEL are looked at elsewhere. The object was pruned and defaulted before.
 */
export function validateStructural(object: unknown, props: SchemaProps, path: FieldPath = ''): FieldError[] {
  const found = new Findings();
  checkOf(props)(object, path, found);
  const node = topNode(props);
  for (const error of embeddedErrors(object, node, path)) found.add(error);
  for (const error of listErrors(object, node, path)) found.add(error);
  return found.errors;
}

/**
 * Likewise of an object that changed: places that are as they were are let be, lists that were wrong already may stay
 * wrong. In a change of the status nobody looks at the objects inside of it.
 */
export function validateStructuralChange(
  object: unknown,
  before: unknown,
  { props, isOfStatus }: { readonly props: SchemaProps; readonly isOfStatus: boolean },
): FieldError[] {
  const found = new Findings(before);
  checkOf(props)(object, '', found);
  const node = topNode(props);
  if (!isOfStatus) for (const error of embeddedErrors(object, node, '')) found.add(error);
  const lists = listErrors(object, node);
  if (lists.length > 0 && listErrors(before, node).length === 0) for (const error of lists) found.add(error);
  return found.errors;
}

/**
 * What is wrong with what a schema fills in where its place is empty: it has to be known whole, and to be right. Paths
 * begin at the place. As upstream has it, the first sort of mistake hides the others, and sets may repeat themselves.
 */
export function validateDefault(value: unknown, props: SchemaProps): FieldError[] {
  const node = compileNode(props);
  const walk = { members: 0, depth: 0, unknown: false, inexact: false };
  new Pruner(walk, (_, given) => given).prune(value, node);
  const unknown = walk.unknown ? [invalid('', value, 'must not have unknown fields')] : [];
  const inner = embeddedErrors(value, node, '');
  if (inner.length > 0) return [...unknown, ...inner];
  const found = new Findings();
  checkOf(props)(value, '', found);
  return [...unknown, ...found.errors];
}

function checkOf(props: SchemaProps): Check {
  let check = checks.get(props);
  if (check === undefined) {
    check = compileCheck(props);
    checks.set(props, check);
  }
  return check;
}

/** All of a schema's checks, in the order in which upstream has them. */
function compileCheck(props: SchemaProps): Check {
  const type = typeCheck(props);
  const always = [type, combinationCheck(props)].filter((check) => check !== undefined);
  const text = textCheck(props);
  const number = numberCheck(props);
  const list = listCheck(props);
  const allowed = enumCheck(props);
  const map = mapCheck(props);
  return (value, path, found) => {
    if (found.isFull) return;
    const known = found.errors.length;
    if (value === null || value === undefined) {
      type?.(value, path, found);
      if (props.nullable !== true) allowed?.(value, path, found);
      return found.forgiveUnchanged(value, known);
    }
    for (const check of always) check(value, path, found);
    if (typeof value === 'string') text?.(value, path, found);
    else if (isNumber(value)) number?.(value, path, found);
    else if (Array.isArray(value)) list?.(value, path, found);
    allowed?.(value, path, found);
    if (isMap(value) && exactDigits(value) === undefined) map?.(value, path, found);
    return found.forgiveUnchanged(value, known);
  };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'object' && value !== null && exactDigits(value) !== undefined);
}

/** As the path stands in messages. */
function inBody(path: FieldPath): string {
  return `${path} in body`;
}

/** What a value is, in the words of JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') {
    const digits = exactDigits(value);
    return digits === undefined ? 'object' : /^-?\d+$/.test(digits) ? 'integer' : 'number';
  }
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeCheck(props: SchemaProps): Check | undefined {
  const isIntOrString = props['x-kubernetes-int-or-string'] === true;
  const types = isIntOrString
    ? ['integer', 'string']
    : props.type === undefined || props.type === ''
      ? []
      : [props.type];
  if (types.length === 0) return undefined;
  const wanted = types.join(',');
  return (value, path, found) => {
    const type = typeOf(value);
    const fits =
      types.includes(type) ||
      (type === 'integer' && props.type === 'number') ||
      (type === 'null' && props.nullable === true);
    if (fits) found.passed++;
    else found.add(typeInvalid(path, type, `${inBody(path)} must be of type ${wanted}: ${JSON.stringify(type)}`));
  };
}

/** A mistake that belongs to no one field. */
function ofWhole(path: FieldPath, what: string): FieldError {
  return invalid('<nil>', '', `${JSON.stringify(path)} ${what}`);
}

function combinationCheck(props: SchemaProps): Check | undefined {
  const all = [anyOfCheck(props), oneOfCheck(props), allOfCheck(props), notCheck(props)].filter(
    (check) => check !== undefined,
  );
  if (all.length === 0) return undefined;
  return (value, path, found) => {
    for (const check of all) check(value, path, found);
  };
}

/** Tries each alternative; the failed one that came furthest is kept. */
function attempt(
  schemas: readonly Check[],
  value: unknown,
  { path, found }: Place,
): { valid: number; best: Findings | undefined } {
  let valid = 0;
  let best: Findings | undefined;
  for (const check of schemas) {
    const own = new Findings(found.before);
    check(value, path, own);
    if (own.errors.length === 0) valid++;
    else if (best === undefined || own.passed > best.passed) best = own;
  }
  return { valid, best };
}

function anyOfCheck({ anyOf }: SchemaProps): Check | undefined {
  if (anyOf === undefined || anyOf.length === 0) return undefined;
  const alternatives = anyOf.map(checkOf);
  return (value, path, found) => {
    const { valid, best } = attempt(alternatives, value, { path, found });
    if (valid > 0) return;
    found.add(ofWhole(path, 'must validate at least one schema (anyOf)'));
    if (best !== undefined) found.merge(best);
  };
}

function oneOfCheck({ oneOf }: SchemaProps): Check | undefined {
  if (oneOf === undefined || oneOf.length === 0) return undefined;
  const alternatives = oneOf.map(checkOf);
  return (value, path, found) => {
    const { valid, best } = attempt(alternatives, value, { path, found });
    if (valid === 1) return;
    const why = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    found.add(ofWhole(path, `must validate one and only one schema (oneOf). ${why}`));
    if (best !== undefined) found.merge(best);
  };
}

function allOfCheck({ allOf }: SchemaProps): Check | undefined {
  if (allOf === undefined || allOf.length === 0) return undefined;
  const parts = allOf.map(checkOf);
  return (value, path, found) => {
    const together = new Findings();
    let valid = 0;
    for (const check of parts) {
      const own = new Findings(found.before);
      check(value, path, own);
      if (own.errors.length === 0) valid++;
      together.merge(own);
    }
    if (valid < parts.length) {
      found.add(ofWhole(path, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`));
    }
    found.merge(together);
  };
}

function notCheck({ not }: SchemaProps): Check | undefined {
  if (not === undefined || not === null) return undefined;
  const check = checkOf(not);
  return (value, path, found) => {
    const own = new Findings();
    check(value, path, own);
    if (own.errors.length === 0) found.add(ofWhole(path, 'must not validate the schema (not)'));
  };
}

function textCheck(props: SchemaProps): Check | undefined {
  const { maxLength, minLength, pattern, format } = props;
  const expression = pattern === undefined || pattern === '' ? undefined : compilePattern(pattern);
  if (maxLength === undefined && minLength === undefined && expression === undefined && !format) return undefined;
  return (value, path, found) => {
    const text = value as string;
    const length = lengthOf(text, Math.max(Number(maxLength ?? 0), Number(minLength ?? 0)));
    // As with upstream, the first of these hides the others.
    if (maxLength !== undefined && length > Number(maxLength)) found.add(tooLong(path, Number(maxLength)));
    else if (minLength !== undefined && length < Number(minLength)) {
      found.add(invalid(path, text, `${inBody(path)} should be at least ${minLength} chars long`));
    } else if (expression !== undefined && !expression(text)) {
      found.add(invalid(path, text, `${inBody(path)} should match '${pattern}'`));
    }
    if (format && !hasFormat(format, text)) {
      found.add(typeInvalid(path, text, `${inBody(path)} must be of type ${format}: ${JSON.stringify(text)}`));
    }
  };
}

/** Code points, counted as far as they matter. */
function lengthOf(text: string, enough: number): number {
  if (text.length <= enough / 2) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** A pattern that RE2 does not take matches nothing; definitions with such a one are refused (`patternProblem`). */
function compilePattern(pattern: string): (text: string) => boolean {
  let expression: RE2JS | undefined;
  return (text) => {
    if (expression === undefined && patternProblem(pattern) !== undefined) return false;
    expression ??= RE2JS.compile(pattern);
    return expression.matcher(text).find();
  };
}

/** What is wrong with a pattern; undefined when RE2 takes it. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'cannot be compiled';
  }
}

function numberCheck(props: SchemaProps): Check | undefined {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum, type, format } = props;
  const isBounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  if (!isBounded && type !== 'integer' && format !== 'float') return undefined;
  return (value, path, found) => {
    const number = typeof value === 'number' ? value : Number(exactDigits(value as object));
    if (!isOfSize(number, props)) {
      const how = format ? `with format ${format}` : '(default format)';
      found.add(invalid('<nil>', '', `Checked value must be of type ${type} ${how} in ${path}`));
    }
    if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(number, multipleOf)) {
      found.add(invalid(path, value, `${inBody(path)} should be a multiple of ${multipleOf}`));
    }
    if (maximum !== undefined && (exclusiveMaximum === true ? number >= maximum : number > maximum)) {
      const how = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
      found.add(invalid(path, value, `${inBody(path)} should be ${how} ${maximum}`));
    }
    if (minimum !== undefined && (exclusiveMinimum === true ? number <= minimum : number < minimum)) {
      const how = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
      found.add(invalid(path, value, `${inBody(path)} should be ${how} ${minimum}`));
    }
  };
}

/** Whether a number is one of the type and format of its place; the digits of long integers are the decoder's matter. */
function isOfSize(number: number, { type, format }: SchemaProps): boolean {
  if (type === 'number') return format !== 'float' || Math.fround(number) !== Infinity;
  if (type !== 'integer') return true;
  if (format === 'int32') return number === (number | 0);
  if (format === 'uint32') return number === number >>> 0;
  if (format === 'uint64') return Number.isInteger(number) && number >= 0 && number < 2 ** 64;
  return Number.isInteger(number) && Math.abs(number) <= 2 ** 63;
}

function isMultiple(number: number, of: number): boolean {
  return Number.isInteger(number) && Number.isInteger(of) ? number % of === 0 : Number.isInteger(number / of);
}

function listCheck(props: SchemaProps): Check | undefined {
  const { minItems, maxItems, uniqueItems } = props;
  const inner = itemsOf(props);
  const item = inner === undefined ? undefined : checkOf(inner);
  return (value, path, found) => {
    const list = value as readonly unknown[];
    if (item !== undefined) {
      const { before } = found;
      const find = itemsBefore(before, props);
      for (let i = 0; i < list.length && !found.isFull; i++) {
        found.before = find(list[i]);
        item(list[i], index(path, i), found);
      }
      found.before = before;
    }
    if (minItems !== undefined && list.length < Number(minItems)) {
      found.add(invalid(path, list.length, `${inBody(path)} should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > Number(maxItems))
      found.add(tooMany(path, list.length, Number(maxItems)));
    if (uniqueItems === true && new Set(list.map(canonicalText)).size < list.length) {
      found.add(invalid(path, list, `${inBody(path)} shouldn't contain duplicates`));
    }
  };
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

function enumCheck(props: SchemaProps): Check | undefined {
  const allowed = props.enum;
  if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
  const texts = new Set(allowed.map(canonicalText));
  const shown = allowed.map((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return (value, path, found) => {
    if (texts.has(canonicalText(value ?? null))) found.passed++;
    else found.add(notSupported(path, value ?? null, shown));
  };
}

function mapCheck(props: SchemaProps): Check | undefined {
  const properties = new Map(Object.entries(props.properties ?? {}).map(([name, inner]) => [name, checkOf(inner)]));
  const inner = additionalOf(props);
  const additional = inner === undefined ? undefined : checkOf(inner);
  return (value, path, found) => {
    const map = value as JsonObject;
    if (!checkCount(map, props, { path, found })) return;
    for (const name of props.required ?? []) {
      if (Object.hasOwn(map, name)) found.passed++;
      else found.add(required(child(path, name)));
    }
    if (properties.size === 0 && additional === undefined) return;
    const { before } = found;
    const known = isMap(before) ? before : undefined;
    for (const key in map) {
      if (found.isFull) break;
      const check = properties.get(key) ?? additional;
      if (check === undefined) continue;
      found.before = known !== undefined && Object.hasOwn(known, key) ? known[key] : UNKNOWN;
      check(map[key], child(path, key), found);
    }
    found.before = before;
  };
}

interface Place {
  readonly path: FieldPath;
  readonly found: Findings;
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
