/**
 * What calls cost: estimated from sizes that the schema bounds, and counted from the values while an expression runs.
 * The factors and formulas are those by which upstream accepts and refuses rules of custom kinds.
 */
import type { LiteralNode, Node } from '../syntax/tree.ts';
import type { Type } from '../types.ts';
import { MapValue, sizeOf } from '../values.ts';
import type { Value } from '../values.ts';
import { add, ANY_SIZE, exactly, multiply, NOTHING, scale, union } from './range.ts';
import type { Range } from './range.ts';

/** Walking over one code point, byte or item. */
const STEP = 0.1;
/** A character of a pattern. */
const PATTERN_STEP = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;

/** An argument, before anything ran. */
export interface Operand {
  readonly node: Node | undefined;
  readonly type: Type;
  readonly size: Range;
  /** The size of one item, where it is a list. */
  readonly itemSize: Range;
}

export interface Estimate {
  readonly cost: Range;
  /** The size of the answer; undefined: unknown. */
  readonly size?: Range;
}

export interface CostRule {
  readonly estimate: (operands: readonly Operand[]) => Estimate;
  readonly count: (args: readonly Value[], result: Value) => number;
  /** It is counted from the answer, so after the call; else before, so that nothing is done that may not be paid for. */
  readonly isOfAnswer?: boolean;
}

/** Costs the same whatever it is given. */
export function fixed(amount: number): CostRule {
  const estimate: Estimate = { cost: exactly(amount) };
  return { estimate: () => estimate, count: () => amount };
}

export const UNIT: CostRule = fixed(1);

function operand(operands: readonly Operand[], at: number): Range {
  return operands[at]?.size ?? ANY_SIZE;
}

function size(args: readonly Value[], at: number): number {
  return sizeOf(args[at] ?? null);
}

interface Walked {
  /** Which argument is walked over when it is estimated; and when it is counted, where that differs. */
  readonly at?: number;
  readonly countedAt?: number;
  readonly times?: number;
  /** The answer is about as long as what was walked over. */
  readonly size?: (size: Range) => Range;
}

/** Walks once, or `times` times, over one argument. */
export function walk({ at = 0, countedAt = at, times = 1, size: resized }: Walked = {}): CostRule {
  return {
    estimate(operands) {
      const given = operand(operands, at);
      const cost = scale(given, times * STEP);
      return resized === undefined ? { cost } : { cost, size: resized(given) };
    },
    count: (args) => Math.ceil(size(args, countedAt) * times * STEP),
  };
}

export const SAME_SIZE = (given: Range): Range => given;

/** A search through a list, item by item. */
export const SEARCH: CostRule = {
  estimate: (operands) => ({ cost: operand(operands, 1) }),
  count: (args) => size(args, 1),
};

/** Of two sizes the smaller one; a text that is far longer than the other is not counted, which would cost more than is paid. */
function shorterSize([a = null, b = null]: readonly Value[]): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Math.min(sizeOf(a), sizeOf(b));
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  // A character takes two units at most.
  return long.length >= 2 * short.length ? sizeOf(short) : Math.min(sizeOf(short), sizeOf(long));
}

/** The shorter of two is walked over. */
export const COMPARISON: CostRule = {
  estimate(operands) {
    const most = Math.min(operand(operands, 0).max, operand(operands, 1).max);
    return { cost: scale({ min: most > 0 ? 1 : 0, max: most }, STEP) };
  },
  count: (args) => Math.ceil(shorterSize(args) * STEP),
};

/** Texts or bytes are put together; `isList`: lists, whose items nobody walks over. */
export function concatenation(isList: boolean): CostRule {
  return {
    estimate(operands) {
      const together = add(operand(operands, 0), operand(operands, 1));
      return { cost: isList ? exactly(1) : scale(together, STEP), size: together };
    },
    count: (args) => (isList ? 1 : Math.ceil((size(args, 0) + size(args, 1)) * STEP)),
  };
}

/** A text is searched for another. */
export const CONTAINS: CostRule = {
  estimate: (operands) => ({ cost: multiply(scale(operand(operands, 0), STEP), scale(operand(operands, 1), STEP)) }),
  count: (args) => Math.ceil(size(args, 0) * STEP) * Math.ceil(size(args, 1) * STEP),
};

/** A text, and one character more so that an empty one is not free, is matched with a pattern. */
export function match(isFound: boolean): CostRule {
  return {
    estimate(operands) {
      const text = operand(operands, 0);
      const cost = multiply(scale(add(text, exactly(1)), STEP), scale(operand(operands, 1), PATTERN_STEP));
      return isFound ? { cost, size: { min: 0, max: text.max } } : { cost };
    },
    count: (args) => Math.ceil((1 + size(args, 0)) * STEP) * Math.ceil(size(args, 1) * PATTERN_STEP),
  };
}

/** Every item of a list is looked at; texts among them are walked over. */
export const EACH_ITEM: CostRule = {
  estimate([list]) {
    if (list === undefined || list.type.kind !== 'list') return { cost: scale(list?.size ?? ANY_SIZE, STEP) };
    const item = isWalkable(list.type.of) ? add(exactly(1), scale(list.itemSize, STEP)) : exactly(1);
    return { cost: multiply(list.size, item) };
  },
  count: ([list]) => traversal(list ?? null),
};

function isWalkable(type: Type): boolean {
  return type.kind === 'plain' && (type.name === 'string' || type.name === 'bytes');
}

function traversal(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.trunc(value.length * STEP);
  if (Array.isArray(value)) {
    return (value as readonly Value[]).reduce((sum: number, item) => sum + traversal(item), 0);
  }
  if (!(value instanceof MapValue)) return 1;
  let cost = 0;
  for (const key of value.keys()) cost += traversal(key) + traversal(value.get(key) ?? null);
  return cost;
}

/** The text is walked over twice, and grows by what is put in the place of what is found. */
export const REPLACE: CostRule = {
  estimate(operands) {
    const [text, found, put] = [operand(operands, 0), operand(operands, 1), operand(operands, 2)];
    const most = replaced({ text: text.max, found: found.min, put: put.max, isChanged: put.max > found.min });
    const least = replaced({ text: text.min, found: found.max, put: put.min, isChanged: found.max > put.min });
    return { cost: scale(text, 2 * STEP), size: { min: least, max: most } };
  },
  count: (args) => Math.ceil(size(args, 0) * 2 * STEP),
};

function replaced(sizes: { text: number; found: number; put: number; isChanged: boolean }): number {
  const { text, found, put, isChanged } = sizes;
  if (found === 0) return Math.min(ANY_SIZE.max, (text + 1) * put + text);
  return isChanged ? Math.min(ANY_SIZE.max, Math.ceil(text / found) * put) : text;
}

export const SPLIT: CostRule = {
  estimate(operands) {
    const text = operand(operands, 0);
    const count = wholeOf(operands[2]?.node) ?? text.max;
    return { cost: scale(text, 2 * STEP), size: { min: 0, max: count } };
  },
  count: (args) => Math.ceil(size(args, 0) * 2 * STEP),
};

export const JOIN: CostRule = {
  estimate([list, between]) {
    const count = list?.size ?? ANY_SIZE;
    const gaps = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    const items = multiply(count, list?.itemSize ?? ANY_SIZE);
    const all = between === undefined ? items : add(items, multiply(between.size, gaps));
    return { cost: scale(all, STEP), size: all };
  },
  isOfAnswer: true,
  count: (_, result) => Math.ceil(sizeOf(result) * 2 * STEP),
};

/** Two lists, each item with each. */
export function crossing(times: number): CostRule {
  return {
    estimate: (operands) => ({
      cost: add(exactly(1), scale(multiply(operand(operands, 0), operand(operands, 1)), times)),
    }),
    count: (args) => 1 + Math.trunc(size(args, 0) * size(args, 1) * times),
  };
}

/** A list is made whose length is known from the operands. */
export function makeList(lengthOf: (operands: readonly Operand[]) => Range, times = 1): CostRule {
  return {
    estimate(operands) {
      const length = lengthOf(operands);
      return { cost: add(scale(length, times), exactly(1 + LIST_COST)), size: length };
    },
    isOfAnswer: true,
    count: (_, result) => size([result], 0) * times + 1 + LIST_COST,
  };
}

/** Each item of a list is compared with each other one. */
export function selfComparison(at: number): CostRule {
  return {
    estimate(operands) {
      const given = operands[at];
      const length = given?.size ?? ANY_SIZE;
      const isText = given?.type.kind === 'list' && isWalkable(given.type.of);
      const pairs = multiply(length, length);
      return { cost: add(scale(pairs, isText ? 2 + STEP : 2), exactly(1 + LIST_COST)), size: pairs };
    },
    count(args) {
      const list = args[at];
      const [first] = Array.isArray(list) ? (list as readonly Value[]) : [];
      const isText = typeof first === 'string' || first instanceof Uint8Array;
      return Math.trunc(size(args, at) ** 2 * (isText ? 2 + STEP : 2)) + 1 + LIST_COST;
    },
  };
}

/** The whole number that a node spells out. */
export function wholeOf(node: Node | undefined): number | undefined {
  const value = node?.kind === 'literal' ? (node as LiteralNode).value : undefined;
  return typeof value === 'bigint' ? Math.max(0, Number(value)) : undefined;
}

/** Blocks of addresses compared with an address or a block, given as a value or as a text that is read first. */
export function blockComparison(of: { isText: boolean; isBlock: boolean }): CostRule {
  const bytes: Range = { min: 4, max: 16 };
  return {
    estimate(operands) {
      const compared = scale(add(bytes, bytes), STEP);
      const masked = of.isBlock ? add(scale(bytes, STEP), exactly(1)) : NOTHING;
      return { cost: add(compared, masked, of.isText ? scale(operand(operands, 1), STEP) : NOTHING) };
    },
    count(args) {
      const own = size(args, 0);
      const masked = of.isBlock ? Math.ceil(own * STEP) + 1 : 0;
      return Math.ceil(2 * own * STEP) + masked + (of.isText ? Math.ceil(size(args, 1) * STEP) : 0);
    },
  };
}

/** A text is checked by a named format, whose pattern is taken to be of a given length. */
export function formatCheck(patternLength: number): CostRule {
  return {
    estimate: (operands) => ({ cost: scale(scale(operand(operands, 1), STEP), patternLength * PATTERN_STEP) }),
    count: (args) => Math.ceil((1 + size(args, 1)) * STEP) * Math.ceil(patternLength * PATTERN_STEP),
  };
}

/** A selector is read: a requirement for every two characters. */
export const SELECTOR: CostRule = {
  estimate: (operands) => ({ cost: selectorCost(operand(operands, 1)) }),
  count: (args) => selectorCost(exactly(size(args, 1))).max,
};

function selectorCost(length: Range): Range {
  return add(exactly(LIST_COST), scale(length, STEP), scale(scale(length, 0.5), LIST_COST + STRUCT_COST));
}

/** What holds the ranges of several estimates. */
export function eitherEstimate(estimates: readonly Estimate[]): Estimate {
  const [first, ...rest] = estimates;
  if (first === undefined) return { cost: NOTHING };
  const cost = rest.reduce((whole, { cost: one }) => union(whole, one), first.cost);
  const sizes = estimates.flatMap(({ size: one }) => (one === undefined ? [] : [one]));
  const [start, ...more] = sizes;
  return start === undefined ? { cost } : { cost, size: more.reduce(union, start) };
}
