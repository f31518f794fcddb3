/**
 * Nodes that follow structural-schema rules: what custom kinds are made of. Compiled once per schema; the walkers of
 * the table prune by them, `applyDefaults` fills by them. Built-in kinds follow Go's rules instead (see table.ts).
 */
import type { JsonObject } from '../shape.ts';
import { additionalOf, itemsOf } from './props.ts';
import type { SchemaProps } from './props.ts';

/** One place of a structural schema. */
export interface StructuralNode {
  readonly properties: ReadonlyMap<string, StructuralNode>;
  /** Of the members that no property names; undefined: they are unknown. */
  readonly additional: StructuralNode | undefined;
  /** Of the items of a list; undefined: whatever is in there is unknown. */
  readonly items: StructuralNode | undefined;
  readonly preservesUnknown: boolean;
  /** An object with `apiVersion`, `kind` and `metadata` of its own. */
  readonly isResource: boolean;
  readonly isNullable: boolean;
  readonly isIntOrString: boolean;
  /** What stands for a value that is missing; undefined where nothing does. */
  readonly default: unknown;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  readonly mapType: 'granular' | 'atomic';
  /** The schema that it comes from, for validation and rules. */
  readonly props: SchemaProps;
}

/** The nodes of the schemas that tables hold, made on first use. */
const topNodes = new WeakMap<SchemaProps, StructuralNode>();

/** The node of a custom kind's whole object, made once per schema. */
export function topNode(props: SchemaProps): StructuralNode {
  let node = topNodes.get(props);
  if (node === undefined) {
    node = compileNode(props, true);
    topNodes.set(props, node);
  }
  return node;
}

const NOTHING: SchemaProps = {};
const NO_NODES: ReadonlyMap<string, StructuralNode> = new Map();

/** Compiles a schema; the top of a custom kind is a resource. Time and memory grow with the schema. */
export function compileNode(props: SchemaProps, isTop = false): StructuralNode {
  const entries = Object.entries(props.properties ?? {});
  const properties =
    entries.length === 0 ? NO_NODES : new Map(entries.map(([name, inner]) => [name, compileNode(inner)]));
  const additional = additionalNode(props);
  const inner = itemsOf(props);
  const items = inner === undefined ? undefined : compileNode(inner);
  const listType = props['x-kubernetes-list-type'];
  return {
    properties,
    additional,
    items,
    preservesUnknown: props['x-kubernetes-preserve-unknown-fields'] === true,
    isResource: isTop || props['x-kubernetes-embedded-resource'] === true,
    isNullable: props.nullable === true,
    isIntOrString: props['x-kubernetes-int-or-string'] === true,
    default: props.default,
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listKeys: props['x-kubernetes-list-map-keys'] ?? [],
    mapType: props['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    props,
  };
}

/** `additionalProperties: true` lets any member be; what is inside of it is unknown all the same. */
function additionalNode(props: SchemaProps): StructuralNode | undefined {
  const schema = additionalOf(props);
  if (schema !== undefined) return compileNode(schema);
  return props.additionalProperties === true ? compileNode(NOTHING) : undefined;
}

/** The node of a member; undefined where the schema knows none. */
export function memberNode(node: StructuralNode | undefined, key: string): StructuralNode | undefined {
  return node === undefined ? undefined : (node.properties.get(key) ?? node.additional);
}

/** Whether a member belongs to every resource, whatever its schema says. */
export function isResourceField(key: string): boolean {
  return key === 'apiVersion' || key === 'kind' || key === 'metadata';
}

/** Whether unknown members of a value at this node stay. */
export function keepsMember(node: StructuralNode | undefined, key: string): boolean {
  if (node === undefined) return false;
  return node.preservesUnknown || (node.isResource && isResourceField(key)) || memberNode(node, key) !== undefined;
}

/** An object, as against a list, a null and a scalar. */
export function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
