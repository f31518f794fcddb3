/** How values merge, read from the schema table or the schema of a custom kind: the list types and map types of each. */
import { memberOf } from '../schema/member.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import { additionalOf, itemsOf } from '../schema/structural/props.ts';
import type { SchemaProps } from '../schema/structural/props.ts';
import type { FieldSchema, StructSchema, TypeRef } from '../schema/table.ts';

/** One place of an object. */
export type Shape =
  | LeafShape
  | RecordShape
  | SetShape
  | KeyedShape
  /** Nothing is said of it: maps are merged, everything else is a whole. */
  | { readonly kind: 'open' };

/** A scalar, or a value that is owned and replaced as a whole. */
export interface LeafShape {
  readonly kind: 'leaf';
  /** What may be said here, which is nobody's one by one; absent: the reader of the object knows. */
  readonly holds?: ScalarKind | RecordShape | ItemsShape;
}

/** What a schema says of a scalar; `any` is one of them, whichever. */
export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'any';

/** The items of a list that is a whole. */
export interface ItemsShape {
  readonly kind: 'items';
  readonly item: Shape;
}

/** A list of scalars, each at most once, owned one by one. */
export interface SetShape {
  readonly kind: 'set';
  readonly item: Shape;
}

/** A struct or a map. */
export interface RecordShape {
  readonly kind: 'record';
  /** The shape of a member; undefined: no such field is declared. */
  member(name: string): Shape | undefined;
  /** Whether the member is a declared field, not a key that a client made up. */
  isField(name: string): boolean;
  /** The path element of a member; those of declared fields are made once. */
  element(name: string): string;
  /** Both, of a declared field, made once; undefined: no such field is declared, or nobody kept it. */
  field(name: string): FieldPlace | undefined;
}

/** A declared field: its path element, and its shape. */
export interface FieldPlace {
  readonly element: string;
  readonly shape: Shape;
  /** What an object has there of which nothing was said, as Go writes it; undefined: it has no such member. */
  readonly atFirst: 'null' | 'zero' | undefined;
}

/** A list whose items are known by some of their fields. */
export interface KeyedShape {
  readonly kind: 'keyed';
  readonly keys: readonly string[];
  readonly defaults: { readonly [key: string]: unknown };
  readonly item: Shape;
}

export const LEAF_SHAPE: Shape = { kind: 'leaf' };
const STRING = scalarShape('string');
const NUMERIC = scalarShape('numeric');
const BOOLEAN = scalarShape('boolean');
const ANY_SCALAR = scalarShape('any');
/** Types of the table that say of themselves what JSON has there; the others take several forms. */
const SCALAR_SHAPES: { readonly [type: string]: Shape } = {
  string: STRING,
  bytes: STRING,
  Duration: STRING,
  bool: BOOLEAN,
  int32: NUMERIC,
  int64: NUMERIC,
  double: NUMERIC,
};
export const OPEN_SHAPE: Shape = { kind: 'open' };

/** Defaults of keys as the published schema has them: the only optional key of a built-in list is a port's protocol. */
const KEY_DEFAULTS: { readonly [key: string]: unknown } = { protocol: 'TCP' };

const shapesOf = new WeakMap<SchemaRegistry, Map<string, Shape>>();

/** The shape of a struct of a registry, made once. */
export function shapeOfStruct(schemas: SchemaRegistry, struct: string): Shape {
  let shapes = shapesOf.get(schemas);
  if (shapes === undefined) shapesOf.set(schemas, (shapes = new Map()));
  const known = shapes.get(struct);
  if (known !== undefined) return known;
  const schema = schemas.struct(struct);
  if (schema === undefined) return OPEN_SHAPE;
  const shape = schema.union === undefined ? structShape(schemas, schema) : LEAF_SHAPE;
  shapes.set(struct, shape);
  return shape;
}

/** The fields of a struct; those of a custom kind are what every resource has, and its schema says the rest. */
function structShape(schemas: SchemaRegistry, { fields, structural, atomic }: StructSchema): Shape {
  const made = new Map<string, FieldPlace>();
  const isField = (name: string): boolean => Object.hasOwn(fields, name);
  const place = (name: string): FieldPlace | undefined => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const field = isField(name) ? fields[name] : undefined;
    if (field === undefined) return undefined;
    const found = { element: fieldElement(name), shape: shapeOfField(schemas, field), atFirst: valueAtFirst(field) };
    made.set(name, found);
    return found;
  };
  const declared: RecordShape = {
    kind: 'record',
    member: (name) => place(name)?.shape,
    isField,
    element: (name) => place(name)?.element ?? fieldElement(name),
    field: place,
  };
  if (structural !== undefined) return recordOfProps(structural, { resource: declared, isResource: true });
  return atomic === true ? wholeOf(declared) : declared;
}

/** A place that is owned as a whole, and holds what is owned one by one elsewhere. */
function wholeOf(shape: Shape): Shape {
  return shape.kind === 'record' ? { kind: 'leaf', holds: shape } : shape;
}

function scalarShape(holds: ScalarKind): Shape {
  return { kind: 'leaf', holds };
}

function valueAtFirst({ type, pointer, omitEmpty, omitZero }: FieldSchema): FieldPlace['atFirst'] {
  const isStruct = type.startsWith('#') && pointer !== true;
  if (omitZero === true || (omitEmpty === true && !isStruct)) return undefined;
  return isStruct || (pointer !== true && SCALARS.has(type)) ? 'zero' : 'null';
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'double']);

function shapeOfField(schemas: SchemaRegistry, field: FieldSchema): Shape {
  const shape = shapeOfType(schemas, field.type);
  if (field.atomic === true) return wholeOf(shape);
  if (!field.type.startsWith('[]')) return shape;
  if (field.listType !== 'set' && field.listType !== 'map') return shape;
  const item = shapeOfType(schemas, field.type.slice(2));
  if (field.listType === 'set') return { kind: 'set', item };
  return { kind: 'keyed', keys: [...(field.listKeys ?? [])].sort(), defaults: KEY_DEFAULTS, item };
}

function shapeOfType(schemas: SchemaRegistry, type: TypeRef): Shape {
  if (type.startsWith('#')) return shapeOfStruct(schemas, type.slice(1));
  if (type.startsWith('{}')) return mapShape(shapeOfType(schemas, type.slice(2)));
  if (!type.startsWith('[]')) return SCALAR_SHAPES[type] ?? LEAF_SHAPE;
  return { kind: 'leaf', holds: { kind: 'items', item: shapeOfType(schemas, type.slice(2)) } };
}

function fieldElement(name: string): string {
  return `f:${name}`;
}

/** Elements by name; only those of declared names are kept, which clients cannot make up. */
function elementsOf(isDeclared: (name: string) => boolean): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let element = known.get(name);
    if (element === undefined) {
      element = fieldElement(name);
      if (isDeclared(name)) known.set(name, element);
    }
    return element;
  };
}

function mapShape(value: Shape): RecordShape {
  return {
    kind: 'record',
    member: () => value,
    isField: () => false,
    element: fieldElement,
    field: () => undefined,
  };
}

/** Where a schema stands: what every resource has, for the places that are resources themselves. */
interface Place {
  readonly resource: RecordShape;
  readonly isResource: boolean;
}

function shapeOfProps(props: SchemaProps, resource: RecordShape): Shape {
  if (props.type === 'array') return listOfProps(props, resource);
  if (props['x-kubernetes-int-or-string'] === true) return LEAF_SHAPE;
  if (props.type !== undefined && props.type !== 'object') return scalarOfProps(props);
  const isWhole = props['x-kubernetes-map-type'] === 'atomic';
  if (props.type === undefined) return isWhole ? LEAF_SHAPE : OPEN_SHAPE;
  const record = recordOfProps(props, { resource, isResource: props['x-kubernetes-embedded-resource'] === true });
  return isWhole ? wholeOf(record) : record;
}

function scalarOfProps({ type, format = '' }: SchemaProps): Shape {
  if (type === 'boolean') return BOOLEAN;
  if (type === 'integer' || type === 'number') return NUMERIC;
  // Of a text with a form of its own upstream does not say that it is one.
  return format === '' || format === 'byte' ? STRING : ANY_SCALAR;
}

function listOfProps(props: SchemaProps, resource: RecordShape): Shape {
  const type = props['x-kubernetes-list-type'];
  const items = itemsOf(props);
  if (items === undefined) return LEAF_SHAPE;
  const item = shapeOfProps(items, resource);
  if (type === 'set') return { kind: 'set', item };
  if (type !== 'map') return { kind: 'leaf', holds: { kind: 'items', item } };
  const keys = [...(props['x-kubernetes-list-map-keys'] ?? [])].sort();
  const defaults = Object.fromEntries(
    keys.flatMap((key) => {
      const value = memberOf(items.properties ?? {}, key)?.default;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return { kind: 'keyed', keys, defaults, item };
}

function recordOfProps(props: SchemaProps, { resource, isResource }: Place): RecordShape {
  const made = new Map<string, Shape>();
  const additional = additionalOf(props);
  // Of an object of which nothing at all is said anything may be applied; that it is pruned then is another matter.
  const isUnsaid = !isResource && additional === undefined && Object.keys(props.properties ?? {}).length === 0;
  const isOpen =
    isUnsaid || props['x-kubernetes-preserve-unknown-fields'] === true || props.additionalProperties === true;
  const other = additional === undefined ? (isOpen ? OPEN_SHAPE : undefined) : shapeOfProps(additional, resource);
  const own = (name: string): SchemaProps | undefined => memberOf(props.properties ?? {}, name);
  const ofResource = (name: string): boolean => isResource && resource.isField(name);
  const isField = (name: string): boolean => ofResource(name) || own(name) !== undefined;
  return {
    kind: 'record',
    member(name) {
      // What every resource has is read as such, whatever the schema says of it.
      if (ofResource(name)) return resource.member(name);
      const known = made.get(name);
      if (known !== undefined) return known;
      const declared = own(name);
      if (declared === undefined) return other;
      const shape = shapeOfProps(declared, resource);
      made.set(name, shape);
      return shape;
    },
    isField,
    element: elementsOf(isField),
    field: (name) => (ofResource(name) ? resource.field(name) : undefined),
  };
}
