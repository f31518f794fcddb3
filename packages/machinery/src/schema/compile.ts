/**
 * The fast walkers: one closure per struct, made on first use. They know no paths and no messages; where an input
 * does not fit they give up (Mismatch) or raise a flag, and the audit reads it again to say what is wrong.
 */
import { assert } from '@binnacle/base';
import type { FieldSchema, SchemaTable, StructSchema, TypeRef, Union, UnionForm } from './table.ts';
import { exactDigits } from '../int64.ts';
import { DEPTH_MAX } from './json-text.ts';
import { LEAVES, Mismatch, resource } from './leaves.ts';
import { putMember } from './member.ts';
import { ShapeCache } from './shape.ts';
import { topNode } from './structural/node.ts';
import type { StructuralNode } from './structural/node.ts';
import { plainNumber, Pruner } from './structural/prune.ts';
import type { JsonObject } from './shape.ts';

/** What one walk gathers. */
export interface Walk {
  /** Members of all objects seen. A text with more of them repeats a key somewhere. */
  members: number;
  /** How deep the walk is. */
  depth: number;
  /** Met a field that the table does not know. */
  unknown: boolean;
  /** The input is nobody else's: parts that are as they should be are taken over instead of copied. */
  readonly owned: boolean;
  /** Met a number that may have lost digits, where they matter. */
  inexact: boolean;
  /** The walk is in a custom kind. */
  anySpelling?: boolean;
}

export type Decoder = (value: unknown, walk: Walk) => unknown;

interface FieldPlan {
  readonly name: string;
  readonly decode: Decoder;
  /** Says of a decoded value that Go's encoder leaves it out. */
  readonly isEmpty: ((value: unknown) => boolean) | undefined;
  /** What stands for an absent field; undefined: nothing. */
  readonly absent: ((walk: Walk) => unknown) | undefined;
}

interface StructPlan {
  readonly fields: readonly FieldPlan[];
  readonly index: ReadonlyMap<string, number>;
  /** Bits of the fields that are written even when absent: fields 0–29 and 30–59. Without use in a wide struct. */
  readonly alwaysLow: number;
  readonly alwaysHigh: number;
  readonly shapes: ShapeCache;
}

const NOTHING: JsonObject = {};
const BITS = 30;

/** Compiles the structs of one table as they are asked for; those of a table below it are compiled there, once. */
export class Compiler {
  readonly #table: SchemaTable;
  readonly #below: Compiler | undefined;
  readonly #structs = new Map<string, Decoder>();

  constructor(table: SchemaTable, below?: Compiler) {
    this.#table = table;
    this.#below = below;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#table, name) || this.#below?.has(name) === true;
  }

  /** The walker of a struct of the table. */
  struct(name: string): Decoder {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    if (!Object.hasOwn(this.#table, name) && this.#below?.has(name) === true) return this.#below.struct(name);
    const schema = this.#table[name];
    assert(schema !== undefined, 'no such struct in the schema table', { name });
    let plan: StructPlan | undefined;
    const { structural, union } = schema;
    if (union !== undefined) {
      const decode = this.#union(union);
      this.#structs.set(name, decode);
      return decode;
    }
    if (structural !== undefined) {
      const decode: Decoder = (value, walk) =>
        decodeStructural({ node: topNode(structural), plan: (plan ??= this.#plan(schema)) }, value, walk);
      this.#structs.set(name, decode);
      return decode;
    }
    const decodeFields = Object.keys(schema.fields).length > 2 * BITS ? decodeWideStruct : decodeStruct;
    const decode: Decoder = (value, walk) => decodeFields((plan ??= this.#plan(schema)), value, walk);
    this.#structs.set(name, decode);
    return decode;
  }

  /** By the form that a value has; made on first use, as the forms may hold the union again. */
  #union({ bool, object, list }: Union): Decoder {
    const read = (form: UnionForm | undefined, value: unknown, walk: Walk): unknown => {
      if (form === undefined) throw new Mismatch();
      return this.#type(form.type)(value, walk);
    };
    return (value, walk) => {
      if (typeof value === 'boolean') return read(bool, value, walk);
      return Array.isArray(value) ? read(list, value, walk) : read(object, value, walk);
    };
  }

  #plan(schema: StructSchema): StructPlan {
    const fields = Object.entries(schema.fields).map(([name, field]) => this.#field(name, field));
    let alwaysLow = 0;
    let alwaysHigh = 0;
    fields.forEach((field, i) => {
      if (field.absent === undefined) return;
      if (i < BITS) alwaysLow |= 1 << i;
      else if (i < 2 * BITS) alwaysHigh |= 1 << (i - BITS);
    });
    return {
      fields,
      index: new Map(fields.map((field, i) => [field.name, i])),
      alwaysLow,
      alwaysHigh,
      shapes: new ShapeCache(),
    };
  }

  #field(name: string, field: FieldSchema): FieldPlan {
    const decode = this.#type(field.type);
    return {
      name,
      decode,
      isEmpty: emptiness(field),
      absent: absentValue(field, decode),
    };
  }

  #type(type: TypeRef): Decoder {
    if (type.startsWith('#')) return this.struct(type.slice(1));
    if (type.startsWith('[]')) return listDecoder(this.#type(type.slice(2)), zeroElement(type.slice(2), this));
    if (type === '{}Quantity') return mapDecoder(resource, () => '0');
    if (type.startsWith('{}')) return mapDecoder(this.#type(type.slice(2)), zeroElement(type.slice(2), this));
    return LEAVES[type]?.decode ?? (type === 'JSON' ? copyJson : copyOpaque);
  }
}

function absentValue(field: FieldSchema, decode: Decoder): FieldPlan['absent'] {
  if (field.pointer === true) return field.omitEmpty === true ? undefined : () => null;
  if (field.omitZero === true) return undefined;
  if (field.type.startsWith('#')) return (walk) => decode(NOTHING, walk);
  const leaf = LEAVES[field.type];
  const canBeEmpty = leaf?.canBeEmpty ?? (field.type.startsWith('[]') || field.type.startsWith('{}'));
  if (canBeEmpty && field.omitEmpty === true) return undefined;
  const zero = leaf?.zero ?? null;
  return () => zero;
}

/** What a null among the elements of a list or map becomes. */
function zeroElement(type: TypeRef, compiler: Compiler): (walk: Walk) => unknown {
  if (type.startsWith('#')) return (walk) => compiler.struct(type.slice(1))(NOTHING, walk);
  const zero = LEAVES[type]?.zero ?? null;
  return () => zero;
}

function decodeStruct(plan: StructPlan, value: unknown, walk: Walk): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch();
  if (++walk.depth > DEPTH_MAX) throw new Mismatch();
  const input = value as JsonObject;
  let low = plan.alwaysLow;
  let high = plan.alwaysHigh;
  for (const key in input) {
    walk.members++;
    const i = plan.index.get(key);
    if (i === undefined) walk.unknown = true;
    else if (i < BITS) low |= 1 << i;
    else high |= 1 << (i - BITS);
  }
  const job = { plan, input, out: plan.shapes.create(low, high), walk };
  writeFields(job, low, 31);
  if (high !== 0) writeFields(job, high, 31 + BITS);
  walk.depth--;
  return job.out;
}

/** Of a struct with more fields than the masks have bits: looks at every field, given or not. */
function decodeWideStruct(plan: StructPlan, value: unknown, walk: Walk): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch();
  if (++walk.depth > DEPTH_MAX) throw new Mismatch();
  const input = value as JsonObject;
  const job = { plan, input, out: {}, walk };
  for (const key in input) {
    walk.members++;
    if (!plan.index.has(key)) walk.unknown = true;
  }
  for (const field of plan.fields) {
    writeField(field, Object.hasOwn(input, field.name) ? input[field.name] : undefined, job);
  }
  walk.depth--;
  return job.out;
}

/** Of a custom kind: what its own schema describes is pruned, what every resource has is read as in any struct. */
function decodeStructural(
  { node, plan }: { readonly node: StructuralNode; readonly plan: StructPlan },
  value: unknown,
  walk: Walk,
): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch();
  const read = (key: string, given: unknown): unknown => {
    const field = plan.fields[plan.index.get(key) ?? -1];
    assert(field !== undefined, 'a custom kind has the fields of every resource', { key });
    return given === null ? (field.absent?.(walk) ?? null) : field.decode(given, walk);
  };
  walk.anySpelling = true;
  return new Pruner(walk, read).prune(value, node) as JsonObject;
}

interface Job {
  readonly plan: StructPlan;
  readonly input: JsonObject;
  readonly out: JsonObject;
  readonly walk: Walk;
}

/** Writes the fields of a mask in the table's order, so that objects of one shape share one hidden class. */
function writeFields(job: Job, mask: number, base: number): void {
  for (let bits = mask; bits !== 0; bits &= bits - 1) {
    const field = job.plan.fields[base - Math.clz32(bits & -bits)] as FieldPlan;
    writeField(field, job.input[field.name], job);
  }
}

function writeField(field: FieldPlan, given: unknown, { out, walk }: Job): void {
  if (given === undefined || given === null) {
    if (field.absent !== undefined) out[field.name] = field.absent(walk);
    return;
  }
  const decoded = field.decode(given, walk);
  if (field.isEmpty?.(decoded) !== true) out[field.name] = decoded;
}

/** The question of Go's `omitempty` for one field; structs and pointers are never empty. */
function emptiness(field: FieldSchema): FieldPlan['isEmpty'] {
  if (field.omitZero === true) return (value) => value === null;
  if (field.omitEmpty !== true || field.pointer === true || field.readEmpty === true) return undefined;
  if (field.type.startsWith('[]')) return (value) => (value as readonly unknown[]).length === 0;
  if (field.type.startsWith('{}')) return hasNoMembers;
  return LEAVES[field.type]?.canBeEmpty === true ? isZeroScalar : undefined;
}

function isZeroScalar(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function hasNoMembers(value: unknown): boolean {
  for (const _ in value as object) return false;
  return true;
}

function listDecoder(decode: Decoder, zero: (walk: Walk) => unknown): Decoder {
  return (value, walk) => {
    if (!Array.isArray(value)) throw new Mismatch();
    const input = value as readonly unknown[];
    const out: unknown[] = walk.owned ? value : input.slice();
    for (let i = 0; i < input.length; i++) {
      const item = input[i];
      out[i] = item === null || item === undefined ? zero(walk) : decode(item, walk);
    }
    return out;
  };
}

function mapDecoder(decode: Decoder, zero: (walk: Walk) => unknown): Decoder {
  return (value, walk) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch();
    const input = value as JsonObject;
    const out: JsonObject = walk.owned ? input : {};
    for (const key in input) {
      walk.members++;
      const item = input[key];
      const decoded = item === null || item === undefined ? zero(walk) : decode(item, walk);
      if (decoded !== item || out !== input) putMember(out, key, decoded);
    }
    return out;
  };
}

/** Rebuilds a value without a schema of its own (FieldsV1, RawExtension), so that no caller keeps a handle. */
export function copyOpaque(value: unknown, walk: Walk): unknown {
  return copyValue(value, walk, (number) => number);
}

/** The same of a value that upstream reads (what a schema fills in or allows): its numbers are not kept as written. */
function copyJson(value: unknown, walk: Walk): unknown {
  return copyValue(value, walk, plainNumber);
}

/** What becomes of a number that is kept as its digits. */
type DigitsReader = (number: object, digits: string) => unknown;

function copyValue(value: unknown, walk: Walk, read: DigitsReader): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) walk.inexact = true;
  if (typeof value !== 'object' || value === null) return value;
  const digits = exactDigits(value);
  if (digits !== undefined) return read(value, digits);
  if (++walk.depth > DEPTH_MAX) throw new Mismatch();
  const copy = Array.isArray(value) ? copyItems(value, walk, read) : copyMembers(value as JsonObject, walk, read);
  walk.depth--;
  return copy;
}

function copyItems(input: unknown[], walk: Walk, read: DigitsReader): unknown[] {
  const out = walk.owned ? input : input.slice();
  for (let i = 0; i < input.length; i++) out[i] = copyValue(input[i], walk, read);
  return out;
}

function copyMembers(input: JsonObject, walk: Walk, read: DigitsReader): JsonObject {
  const out: JsonObject = walk.owned ? input : {};
  for (const key in input) {
    walk.members++;
    const copy = copyValue(input[key], walk, read);
    if (out !== input) putMember(out, key, copy);
  }
  return out;
}
