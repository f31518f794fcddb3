/** The most and the least that an expression can cost, from what the schema says of the sizes of what it looks at. */
import type { Checked } from './check/checker.ts';
import { ACCUMULATOR } from './syntax/tree.ts';
import type { BindNode, CallNode, FoldNode, ListNode, MapNode, Node, SelectNode } from './syntax/tree.ts';
import { DYN } from './types.ts';
import type { Type } from './types.ts';
import { codePoints } from './values.ts';
import { add, ANY_SIZE, exactly, multiply, NOTHING, union } from './cost/range.ts';
import type { Range } from './cost/range.ts';
import { eitherEstimate, LIST_COST, MAP_COST, STRUCT_COST } from './cost/rules.ts';
import type { Estimate, Operand } from './cost/rules.ts';

/**
 * How large what is at a path can be; undefined: nobody says. A path begins with a variable; `@items`, `@keys` and
 * `@values` stand for what is in lists and maps.
 */
export type SizeOf = (path: readonly string[]) => Range | undefined;

/** The sizes of what is in a list or a map. */
interface Entries {
  readonly isMap: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

const ONE = exactly(1);
const SCALARS = new Set(['bool', 'double', 'int', 'uint', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);

/** Estimates a checked expression. */
export function estimateCost(checked: Checked, sizeOf: SizeOf): Range {
  return new Estimator(checked, sizeOf).cost(checked.root);
}

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<Node, readonly string[]>();
  readonly #sizes = new Map<Node, Range>();
  readonly #entries = new Map<Node, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return NOTHING;
      case 'name':
        this.#paths.set(node, this.#local(node.name)?.path ?? [node.name]);
        return ONE;
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return add(exactly(STRUCT_COST), ...node.fields.map(({ value }) => this.cost(value)));
      case 'fold':
        return this.#fold(node);
      default:
        return this.#bind(node);
    }
  }

  #select(node: SelectNode): Range {
    if (this.#checked.references.has(node)) return ONE;
    const operand = this.cost(node.operand);
    if (node.isTest) return operand;
    this.#paths.set(node, [...this.#path(node.operand), node.field]);
    const { kind } = this.#type(node.operand);
    return kind === 'map' || kind === 'object' ? add(operand, ONE) : operand;
  }

  #call(node: CallNode): Range {
    const isQualified = this.#checked.qualified.has(node);
    const operands = node.target === undefined || isQualified ? node.args : [node.target, ...node.args];
    const costs = operands.map((operand) => this.cost(operand));
    const all = add(...costs);
    switch (node.name) {
      case '_&&_':
      case '_||_':
        return { min: costs[0]?.min ?? 0, max: all.max };
      case '_?_:_':
        return this.#conditional(node, costs);
      case 'dyn':
        this.#copy(node, operands[0]);
        return add(all, ONE);
      default:
        return add(all, this.#function(node, operands));
    }
  }

  #conditional(node: CallNode, [test = NOTHING, yes = NOTHING, no = NOTHING]: readonly Range[]): Range {
    const [, one, other] = node.args;
    if (one !== undefined && other !== undefined) {
      this.#sizes.set(node, union(this.#size(one) ?? ANY_SIZE, this.#size(other) ?? ANY_SIZE));
      this.#join(node, one, other);
    }
    return add(test, union(yes, no));
  }

  #function(node: CallNode, operands: readonly Node[]): Range {
    const estimate = this.#estimate(node, operands);
    const [first, second] = operands;
    let size = estimate.size;
    if (node.name === '_+_' && first !== undefined && second !== undefined) this.#join(node, first, second);
    if (node.name === '_[_]' && first !== undefined) {
      size = this.#entriesOf(first)?.value;
      const { kind } = this.#type(first);
      if (kind === 'list') this.#paths.set(node, [...this.#path(first), '@items']);
      if (kind === 'map') this.#paths.set(node, [...this.#path(first), '@values']);
    }
    size ??= this.#size(node);
    if (size !== undefined) this.#sizes.set(node, size);
    return estimate.cost;
  }

  #estimate(node: CallNode, operands: readonly Node[]): Estimate {
    const overloads = this.#checked.overloads.get(node) ?? [];
    if (overloads.length === 0) return { cost: ONE };
    const given = operands.map((operand) => this.#operand(operand));
    return eitherEstimate(overloads.map(({ cost }) => cost.estimate(given)));
  }

  #operand(node: Node): Operand {
    const path = this.#path(node);
    const isKnown = path.length > 0 && path[0] !== ACCUMULATOR;
    return {
      node,
      type: this.#type(node),
      size: this.#size(node) ?? ANY_SIZE,
      itemSize: (isKnown ? this.#sizeOf([...path, '@items']) : undefined) ?? ANY_SIZE,
    };
  }

  #list(node: ListNode): Range {
    const costs = node.items.map((item) => this.cost(item));
    this.#entries.set(node, { isMap: false, key: ONE, value: this.#together(node.items) });
    return add(exactly(LIST_COST), ...costs);
  }

  #map(node: MapNode): Range {
    const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = this.#together(node.entries.map((entry) => entry.key));
    const value = this.#together(node.entries.map((entry) => entry.value));
    this.#entries.set(node, { isMap: true, key, value });
    return add(exactly(MAP_COST), ...costs);
  }

  #together(nodes: readonly Node[]): Range {
    const [first, ...rest] = nodes.map((node) => this.#size(node) ?? ANY_SIZE);
    return first === undefined ? NOTHING : rest.reduce(union, first);
  }

  #fold(node: FoldNode): Range {
    const before = add(this.cost(node.range), this.cost(node.start));
    this.#push(ACCUMULATOR, this.#localOf(node.start));
    const names = this.#pushRange(node);
    const each = add(this.cost(node.condition), this.cost(node.step));
    for (const name of names) this.#locals.get(name)?.pop();
    const result = this.cost(node.result);
    this.#locals.get(ACCUMULATOR)?.pop();
    const count = this.#size(node.range) ?? ANY_SIZE;
    this.#sizeFold(node, count);
    return add(before, result, multiply(count, each));
  }

  #sizeFold(node: FoldNode, count: Range): void {
    if (node.start.kind === 'literal') {
      const size = this.#size(node.start);
      if (size !== undefined) this.#sizes.set(node, size);
      return;
    }
    this.#sizes.set(node, count);
    const entries = this.#entriesOf(node.step);
    if (entries !== undefined) this.#entries.set(node, entries);
  }

  #pushRange({ range, first, second }: FoldNode): readonly string[] {
    const entries = this.#entriesOf(range);
    const isMap = entries?.isMap ?? this.#type(range).kind !== 'list';
    const path = this.#path(range);
    const item = { path: [...path, isMap ? '@values' : '@items'], size: entries?.value, entries: undefined };
    const key = { path: [...path, isMap ? '@keys' : '@indices'], size: entries?.key, entries: undefined };
    this.#push(first, second === undefined && !isMap ? item : key);
    if (second === undefined) return [first];
    this.#push(second, item);
    return [first, second];
  }

  #bind(node: BindNode): Range {
    const value = this.cost(node.value);
    this.#push(node.name, this.#localOf(node.value));
    const body = this.cost(node.body);
    this.#locals.get(node.name)?.pop();
    this.#copy(node, node.body);
    return add(value, body, node.name.startsWith('@') ? NOTHING : exactly(LIST_COST));
  }

  #localOf(node: Node): Local {
    return { path: this.#path(node), size: this.#size(node), entries: this.#entriesOf(node) };
  }

  #push(name: string, local: Local): void {
    const known = this.#locals.get(name);
    if (known === undefined) this.#locals.set(name, [local]);
    else known.push(local);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #type(node: Node): Type {
    return this.#checked.types.get(node) ?? DYN;
  }

  #path(node: Node): readonly string[] {
    const local = node.kind === 'name' ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #size(node: Node): Range | undefined {
    const known = this.#sizes.get(node) ?? spelledOut(node);
    if (known !== undefined) return known;
    const path = this.#path(node);
    const said = path.length === 0 ? undefined : this.#sizeOf(path);
    if (said !== undefined) return said;
    if (isScalar(this.#type(node))) return ONE;
    return node.kind === 'name' ? this.#local(node.name)?.size : undefined;
  }

  #entriesOf(node: Node): Entries | undefined {
    return this.#entries.get(node) ?? (node.kind === 'name' ? this.#local(node.name)?.entries : undefined);
  }

  #copy(node: Node, from: Node | undefined): void {
    if (from === undefined) return;
    const size = this.#size(from);
    const entries = this.#entriesOf(from);
    if (size !== undefined) this.#sizes.set(node, size);
    if (entries !== undefined) this.#entries.set(node, entries);
  }

  #join(node: Node, one: Node, other: Node): void {
    const [a, b] = [this.#entriesOf(one), this.#entriesOf(other)];
    if (a === undefined || b === undefined) return;
    this.#entries.set(node, { isMap: a.isMap, key: union(a.key, b.key), value: union(a.value, b.value) });
  }
}

/** The size of what a literal, a list or a map spells out. */
function spelledOut(node: Node): Range | undefined {
  if (node.kind === 'list') return exactly(node.items.length);
  if (node.kind === 'map') return exactly(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  if (typeof node.value === 'string') return exactly(codePoints(node.value));
  return exactly(node.value instanceof Uint8Array ? node.value.length : 1);
}

function isScalar(type: Type): boolean {
  if (type.kind === 'optional') return isScalar(type.of);
  return type.kind === 'plain' && SCALARS.has(type.name);
}
