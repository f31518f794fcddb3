/**
 * Reads an input a second time, slowly and in the order of the document, to find the words for what is wrong with
 * it: Go's type errors, unknown and repeated fields, as upstream's strict decoder reports them.
 */
import { DecodeError, QuantityError } from '../errors.ts';
import { parseInt64 } from '../int64.ts';
import { parseQuantity } from '../quantity.ts';
import { isFraction } from './json-text.ts';
import type { JsonNode } from './json-text.ts';
import { plainGoType } from './go-type.ts';
import { isBeyondYears, readTime } from './leaves.ts';
import { asInMaps, repeatedIn } from './repeated-members.ts';
import { isResourceField, keepsMember, memberNode, topNode } from './structural/node.ts';
import type { StructuralNode } from './structural/node.ts';
import { ANYTHING } from './structural/prune.ts';
import type { FieldSchema, SchemaTable, StructSchema, Union } from './table.ts';

/** Upstream stops counting here. */
const PROBLEMS_MAX = 100;

/** Where the walk stands. */
interface Place {
  /** `spec.containers[0].name` */
  readonly path: string;
  /** Innermost struct and the fields on the way to here, for type errors. */
  readonly struct: string;
  readonly fields: string;
}

/** The same in a custom kind. */
interface StructuralPlace extends Place {
  /** The kind's struct, for the fields that every resource has. */
  readonly schema: StructSchema;
}

/**
 * Unknown and repeated fields, each once: in document order; of a custom kind as upstream's decoders come to them, one
 * after the other (repeated ones, metadata's, those that the schema has not, those of metadata inside). Throws
 * DecodeError at the first value of the wrong type.
 */
export function audit(table: SchemaTable, type: string, root: JsonNode): string[] {
  const isCustom = table[type]?.structural !== undefined;
  const { problems, pruned, embedded } = new Auditor(table).read(type, isCustom ? asInMaps(root) : root);
  if (!isCustom) return [...problems];
  const all = [...repeatedIn(root), ...problems, ...[...pruned].toSorted(), ...[...embedded].toSorted()];
  return all.slice(0, PROBLEMS_MAX);
}

class Auditor {
  readonly problems = new Set<string>();
  /** Of a custom kind: what its schema does not know, and what metadata inside of it does not. */
  readonly pruned = new Set<string>();
  readonly embedded = new Set<string>();
  #told = this.problems;
  readonly #table: SchemaTable;
  /** In how many values that read themselves the walk is. */
  #silent = 0;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  read(type: string, root: JsonNode): this {
    this.value({ type: `#${type}` }, root, { path: '', struct: '', fields: '' });
    return this;
  }

  value(field: FieldSchema, node: JsonNode, place: Place): void {
    if (node.kind === 'null') return;
    const { type } = field;
    if (type.startsWith('#')) this.#struct(field, node, place);
    else if (type.startsWith('[]')) this.#list(field, node, place);
    else if (type.startsWith('{}')) this.#map(field, node, place);
    else if (type === 'JSON') checkNumbers(node);
    else checkLeaf(field, node, place);
  }

  #struct(field: FieldSchema, node: JsonNode, place: Place): void {
    const name = field.type.slice(1);
    const { union } = this.#table[name] as StructSchema;
    if (union !== undefined) return this.#union(union, field, node);
    if (node.kind !== 'object') failType(node.kind, place, goType(field));
    const schema = this.#table[name] as StructSchema;
    if (schema.structural !== undefined)
      return this.#structural(topNode(schema.structural), node, { ...place, schema });
    const seen = new Set<string>();
    const struct = name.slice(name.lastIndexOf('.') + 1);
    for (const [key, value] of node.members) {
      const inner = schema.fields[key];
      const path = join(place.path, key);
      if (inner === undefined || !Object.hasOwn(schema.fields, key)) {
        this.#report(`unknown field "${path}"`);
        continue;
      }
      if (seen.has(key)) this.#report(`duplicate field "${path}"`);
      seen.add(key);
      this.value(inner, value, { path, struct, fields: join(place.fields, key) });
    }
  }

  /** Go's types of this sort read themselves, without a strict decoder: nothing inside is unknown or repeated. */
  #union({ bool, object, list }: Union, field: FieldSchema, node: JsonNode): void {
    const form =
      node.kind === 'bool' ? bool : node.kind === 'array' ? list : node.kind === 'object' ? object : undefined;
    if (form === undefined && bool !== undefined) throw new DecodeError('boolean or JSON schema expected');
    if (form === undefined) return failOwn(node.kind, goType(field));
    this.#silent++;
    this.value({ type: form.type }, node, { path: '', struct: '', fields: '' });
    this.#silent--;
  }

  /** A value of a custom kind: which of its members nobody knows. Whether the others fit is validation's question. */
  #structural(known: StructuralNode | undefined, node: JsonNode, place: StructuralPlace): void {
    if (node.kind === 'number') checkDouble(node, (what) => failOwn(what, 'float64'));
    if (node.kind === 'array') {
      const inner = known?.items ?? (known?.preservesUnknown === true ? ANYTHING : undefined);
      node.items.forEach((item, i) => this.#structural(inner, item, { ...place, path: `${place.path}[${i}]` }));
    }
    if (node.kind !== 'object') return;
    for (const [key, value] of node.members) {
      const path = join(place.path, key);
      if (!keepsMember(known, key)) this.#report(`unknown field "${path}"`, this.pruned);
      else if (known?.isResource === true && isResourceField(key)) this.#resourceField(key, value, { ...place, path });
      else this.#structural(memberNode(known, key) ?? ANYTHING, value, { ...place, path });
    }
  }

  #resourceField(key: string, node: JsonNode, { schema, path }: StructuralPlace): void {
    const field = schema.fields[key];
    if (field === undefined) return;
    this.#told = path === key ? this.problems : this.embedded;
    this.value(field, node, { path, struct: '', fields: key });
  }

  #list(field: FieldSchema, node: JsonNode, place: Place): void {
    if (node.kind !== 'array') failType(node.kind, place, goType(field));
    const element = elementOf(field);
    node.items.forEach((item, i) => this.value(element, item, { ...place, path: `${place.path}[${i}]` }));
  }

  #map(field: FieldSchema, node: JsonNode, place: Place): void {
    if (node.kind !== 'object') failType(node.kind, place, goType(field));
    const element = elementOf(field);
    const seen = new Set<string>();
    for (const [key, value] of node.members) {
      const path = join(place.path, key);
      if (seen.has(key)) this.#report(`duplicate field "${path}"`);
      seen.add(key);
      this.value(element, value, { ...place, path });
    }
  }

  #report(problem: string, told = this.#told): void {
    if (this.#silent === 0 && told.size < PROBLEMS_MAX) told.add(problem);
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function elementOf(field: FieldSchema): FieldSchema {
  const type = field.type.slice(2);
  const go = field.go === undefined ? undefined : field.go.replace(/^(\[\]|map\[[^\]]*\])\*?/, '');
  return go === undefined ? { type } : { type, go };
}

/** The type as Go prints it: `[]v1.Container`, `map[string]string`, `int32`. */
function goType(field: FieldSchema): string {
  return field.go ?? plainGoType(field.type);
}

function failType(what: string, place: Place, type: string): never {
  if (place.struct === '') throw new DecodeError(`json: cannot unmarshal ${what} into Go value of type ${type}`);
  throw new DecodeError(
    `json: cannot unmarshal ${what} into Go struct field ${place.struct}.${place.fields} of type ${type}`,
  );
}

/** Fails without naming a field: so do the types of Go that decode themselves. */
function failOwn(what: string, type: string): never {
  throw new DecodeError(`json: cannot unmarshal ${what} into Go value of type ${type}`);
}

function checkLeaf(field: FieldSchema, node: JsonNode, place: Place): void {
  switch (field.type) {
    case 'string':
      return void (node.kind === 'string' || failType(node.kind, place, goType(field)));
    case 'bool':
      return void (node.kind === 'bool' || failType(node.kind, place, goType(field)));
    case 'int32':
    case 'int64':
    case 'double':
      return checkNumber(field, node, place);
    case 'bytes':
      return checkBytes(field, node, place);
    case 'Time':
    case 'MicroTime':
      return checkTime(field.type, node);
    case 'Quantity':
      return checkQuantity(node);
    case 'IntOrString':
      if (node.kind !== 'string') checkInteger(node, (what) => failOwn(what, 'int32'), isInt32);
  }
}

const INT32_MAX = 2 ** 31 - 1;

function checkNumber(field: FieldSchema, node: JsonNode, place: Place): void {
  const fail = (what: string): never => failType(what, place, goType(field));
  if (field.type === 'double') return checkDouble(node, fail);
  if (field.type === 'int32') checkInteger(node, fail, isInt32);
  else checkInteger(node, fail, isInt64);
}

function checkInteger(node: JsonNode, fail: (what: string) => never, fits: (digits: string) => boolean): void {
  if (node.kind !== 'number') return fail(node.kind);
  // 1.0 and 1e3 are no integers to Go, whole as they are; what comes parsed has lost its form, and passes.
  if (!fits(node.text)) fail(`number ${node.text}`);
}

function checkDouble(node: JsonNode, fail: (what: string) => never): void {
  if (node.kind !== 'number') return fail(node.kind);
  if (!Number.isFinite(Number(node.text))) fail(`number ${node.text}`);
}

/** The numbers of any value are doubles where they are no integers, and there is no room for larger ones. */
function checkNumbers(node: JsonNode): void {
  if (node.kind === 'array') for (const item of node.items) checkNumbers(item);
  else if (node.kind === 'object') for (const [, member] of node.members) checkNumbers(member);
  else if (node.kind === 'number') checkDouble(node, (what) => failOwn(what, 'float64'));
}

function isInt32(digits: string): boolean {
  const value = Number(digits);
  return !isFraction(digits) && value <= INT32_MAX && value >= -INT32_MAX - 1;
}

function isInt64(digits: string): boolean {
  return parseInt64(digits) !== undefined;
}

function checkBytes(field: FieldSchema, node: JsonNode, place: Place): void {
  if (node.kind !== 'string') failType(node.kind, place, goType(field));
  const at = badBase64(node.text);
  if (at !== undefined) throw new DecodeError(`illegal base64 data at input byte ${at}`);
}

/** The first byte where Go's decoder of padded base64 gives up; undefined when all is well. */
function badBase64(text: string): number | undefined {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '\n' || char === '\r') continue;
    if (/[A-Za-z0-9+/]/.test(char)) digits++;
    else return char === '=' ? badPadding(text, i, digits % 4) : i;
  }
  return digits % 4 === 0 ? undefined : text.length - (digits % 4);
}

function badPadding(text: string, at: number, digits: number): number | undefined {
  if (digits < 2) return at;
  const rest = text.slice(at).replace(/[\r\n]/g, '');
  const wanted = '='.repeat(4 - digits);
  if (rest === wanted) return undefined;
  return rest.startsWith(wanted) ? at + wanted.length : text.length;
}

const LAYOUTS: { readonly [type: string]: string } = {
  Time: '2006-01-02T15:04:05Z07:00',
  MicroTime: '2006-01-02T15:04:05.000000Z07:00',
};

function checkTime(type: 'Time' | 'MicroTime', node: JsonNode): void {
  if (node.kind !== 'string') failOwn(node.kind, 'string');
  const read = readTime(node.text);
  if (read !== undefined && (type === 'Time' || read.fraction.length === 6)) return;
  throw new DecodeError(`parsing time ${JSON.stringify(node.text)}${timeFault(node.text, type)}`);
}

/** The parts of a time in their order, with the text that Go's layout has for each. */
const TIME_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d\d/, '01'],
  [/^-/, '-'],
  [/^\d\d/, '02'],
  [/^T/, 'T'],
  [/^\d\d?/, '15'],
  [/^:/, ':'],
  [/^\d\d/, '04'],
  [/^:/, ':'],
  [/^\d\d/, '05'],
];

function timeFault(whole: string, type: 'Time' | 'MicroTime'): string {
  const cannot = (rest: string, part: string): string =>
    ` as "${LAYOUTS[type] ?? ''}": cannot parse ${JSON.stringify(rest)} as "${part}"`;
  const parts = type === 'Time' ? TIME_PARTS : [...TIME_PARTS, [/^[.,]\d{6}(?!\d)/, '.000000'] as const];
  let rest = whole;
  for (const [shape, layout] of parts) {
    const found = shape.exec(rest)?.[0];
    if (found === undefined) return cannot(rest, layout);
    rest = rest.slice(found.length);
  }
  rest = rest.replace(/^[.,]\d+/, '');
  const zone = /^(Z|[+-]\d\d:\d\d)/.exec(rest)?.[0];
  if (zone === undefined) return cannot(rest, 'Z07:00');
  if (rest.length > zone.length) return `: extra text: ${JSON.stringify(rest.slice(zone.length))}`;
  return `: ${rangeFault(whole)} out of range`;
}

function rangeFault(text: string): string {
  const [month, , , hour, minute, second] = [5, 8, 8, 11, 14, 17].map((at) => Number(text.slice(at, at + 2)));
  if (month === undefined || month < 1 || month > 12) return 'month';
  if (hour !== undefined && hour > 23) return 'hour';
  if (minute !== undefined && minute > 59) return 'minute';
  if (second !== undefined && second > 59) return 'second';
  return isBeyondYears(Date.parse(text.replace(/[.,]\d+/, ''))) ? 'year' : 'day';
}

function checkQuantity(node: JsonNode): void {
  // Go hands the raw text of whatever stands there to the parser.
  const text = node.kind === 'string' ? node.text.trim() : node.kind === 'number' ? node.text : '{';
  try {
    parseQuantity(text);
  } catch (error) {
    throw error instanceof QuantityError ? new DecodeError(error.message) : error;
  }
}
