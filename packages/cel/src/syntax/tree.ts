/** Expressions as trees. Macros are opened while the tree is made: `all`, `exists`, `map` are folds here. */
import type { Uint } from '../values.ts';

/** What a literal can be. */
export type Literal = bigint | number | string | boolean | null | Uint8Array | Uint;

interface Placed {
  /** Where in the source messages point to, in UTF-16 units. */
  readonly at: number;
  /** How many nodes are on the longest way down. */
  readonly depth: number;
}

export interface LiteralNode extends Placed {
  readonly kind: 'literal';
  readonly value: Literal;
}

export interface NameNode extends Placed {
  readonly kind: 'name';
  readonly name: string;
}

export interface SelectNode extends Placed {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** `has(a.b)`: whether it is there, not what it is. */
  readonly isTest: boolean;
}

export interface CallNode extends Placed {
  readonly kind: 'call';
  /** Operators have cel-go's names, `_+_`. */
  readonly name: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly items: readonly Node[];
  /** Positions of items written `?item`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  readonly isOptional: boolean;
}

export interface MapNode extends Placed {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Node;
  readonly isOptional: boolean;
}

export interface StructNode extends Placed {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** Goes through a range, carrying one value along. */
export interface FoldNode extends Placed {
  readonly kind: 'fold';
  readonly range: Node;
  /** The item of a list or the key of a map; with `second`, the index or the key. */
  readonly first: string;
  /** The item or the value. */
  readonly second: string | undefined;
  readonly start: Node;
  /** Goes on while this holds. */
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

/** One value under a name; it is worked out when the name is first asked for. */
export interface BindNode extends Placed {
  readonly kind: 'bind';
  readonly name: string;
  readonly value: Node;
  readonly body: Node;
}

export type Node =
  | LiteralNode
  | NameNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | FoldNode
  | BindNode;

/** The name that a fold carries its value under; no source can write it. */
export const ACCUMULATOR = '@result';

/** The nodes right below one. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'fold':
      return [node.range, node.start, node.condition, node.step, node.result];
    case 'bind':
      return [node.value, node.body];
    default:
      return [];
  }
}

type WithoutDepth<T> = T extends Node ? Omit<T, 'depth'> : never;

/** Makes a node, its depth worked out. */
export function grow(bare: WithoutDepth<Node>): Node {
  const node = { ...bare, depth: 1 } as Node;
  let deepest = 0;
  for (const child of childrenOf(node)) deepest = Math.max(deepest, child.depth);
  return { ...node, depth: deepest + 1 };
}

/** A call of a function or an operator. */
export function callNode(at: number, name: string, args: readonly Node[]): Node {
  return grow({ kind: 'call', at, name, target: undefined, args });
}

export function literalNode(at: number, value: Literal): Node {
  return grow({ kind: 'literal', at, value });
}

export function nameNode(at: number, name: string): Node {
  return grow({ kind: 'name', at, name });
}

export function listNode(at: number, items: readonly Node[]): Node {
  return grow({ kind: 'list', at, items, optional: new Set() });
}
