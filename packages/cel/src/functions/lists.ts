/** What can be done with lists, and with lists as sets. */
import { compareValues, isEqual } from '../compare.ts';
import type { Meter } from '../compare.ts';
import { crossing, EACH_ITEM, makeList, selfComparison, wholeOf } from '../cost/rules.ts';
import { ANY_SIZE, exactly } from '../cost/range.ts';
import { EvaluationError } from '../errors.ts';
import { Duration, Uint } from '../values.ts';
import type { CelMap, MapValue, Value } from '../values.ts';
import { int } from './numbers.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

type List = readonly Value[];

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const SUMMABLE = ['int', 'uint', 'double', 'duration'];

/** Which of two comes first, where no cost says how long texts are. */
function orderOf(a: Value, b: Value, meter: Meter): number {
  if (typeof a === 'string' || a instanceof Uint8Array) meter.work(Math.min(a.length, (b as string).length));
  return compareValues(a, b) ?? 0;
}

function extreme(items: List, meter: Meter, { sign, name }: { readonly sign: number; readonly name: string }): Value {
  const [first, ...rest] = items;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  return rest.reduce((best, item) => (orderOf(item, best, meter) * sign > 0 ? item : best), first);
}

function isSorted(items: List, meter: Meter): boolean {
  return items.every((item, i) => i === 0 || orderOf(items[i - 1] ?? null, item, meter) <= 0);
}

/** Of nothing, it is `zero`. */
function sum(items: List, zero: Value): Value {
  return items.reduce(plus, zero);
}

function plus(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Duration && b instanceof Duration) return new Duration(int(a.nanos + b.nanos));
  if (a instanceof Uint && b instanceof Uint) return uintSum(a, b);
  throw new EvaluationError('no such overload');
}

function uintSum(a: Uint, b: Uint): Uint {
  const value = a.value + b.value;
  if (value >= 2n ** 64n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

const ZEROS: { readonly [type: string]: Value } = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
};

function position(items: List, what: Value, by: { isLast: boolean; meter: Meter }): bigint {
  const test = (item: Value): boolean => isEqual(item, what, by.meter);
  by.meter.work(items.length);
  return BigInt(by.isLast ? items.findLastIndex(test) : items.findIndex(test));
}

const LOOKED_THROUGH: readonly Overload[] = [
  ...COMPARABLE.flatMap((type) => [
    overload(`[list(${type})].isSorted(): bool`, ([items], meter) => isSorted(items as List, meter), EACH_ITEM),
    overload(
      `[list(${type})].min(): ${type}`,
      ([items], meter) => extreme(items as List, meter, { sign: -1, name: 'min' }),
      EACH_ITEM,
    ),
    overload(
      `[list(${type})].max(): ${type}`,
      ([items], meter) => extreme(items as List, meter, { sign: 1, name: 'max' }),
      EACH_ITEM,
    ),
  ]),
  ...SUMMABLE.map((type) =>
    overload(
      `[list(${type})].sum(): ${type}`,
      ([items]) => {
        const [first, ...rest] = items as List;
        return first === undefined ? (ZEROS[type] ?? 0n) : sum(rest, first);
      },
      EACH_ITEM,
    ),
  ),
  overload(
    '[list(A)].indexOf(A): int',
    ([items, what = null], meter) => position(items as List, what, { isLast: false, meter }),
    EACH_ITEM,
  ),
  overload(
    '[list(A)].lastIndexOf(A): int',
    ([items, what = null], meter) => position(items as List, what, { isLast: true, meter }),
    EACH_ITEM,
  ),
];

function slice(items: List, from: number, to: number): List {
  if (from < 0 || to < 0) throw new EvaluationError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new EvaluationError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > items.length) throw new EvaluationError(`cannot slice(${from}, ${to}), list is length ${items.length}`);
  return items.slice(from, to);
}

/** The longest list that a number makes. */
const RANGE_MAX = 1_000_000n;

function range(count: bigint): List {
  if (count < 0n) return [];
  if (count > RANGE_MAX) throw new EvaluationError('lists.range() size exceeds limit');
  return Array.from({ length: Number(count) }, (_, i) => BigInt(i));
}

function flatten(items: List, depth: bigint, meter: Meter): List {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  meter.work(items.length);
  if (depth === 0n) return items;
  return items.flatMap((item) => (Array.isArray(item) ? flatten(item as List, depth - 1n, meter) : [item]));
}

function distinct(items: List, meter: Meter): List {
  const kept: Value[] = [];
  for (const item of items) {
    meter.work(kept.length);
    if (!kept.some((one) => isEqual(one, item, meter))) kept.push(item);
  }
  return kept;
}

function sorted(items: List, keys: List, meter: Meter): List {
  if (keys.length !== items.length) throw new EvaluationError('sortBy: every item needs a key');
  const order = keys.map((_, i) => i);
  order.sort((a, b) => orderOf(keys[a] ?? null, keys[b] ?? null, meter));
  return order.map((i) => items[i] as Value);
}

const COPIED = makeList(([list]) => list?.size ?? ANY_SIZE);

const SLICE = makeList(([list, from, to]) => {
  const [start, end] = [wholeOf(from?.node) ?? 0, wholeOf(to?.node) ?? list?.size.max ?? ANY_SIZE.max];
  return exactly(Math.max(0, end - start));
});

const MADE: readonly Overload[] = [
  overload(
    '[list(A)].slice(int, int): list(A)',
    ([items, from, to]) => slice(items as List, Number(from as bigint), Number(to as bigint)),
    SLICE,
  ),
  overload('[list(list(A))].flatten(): list(A)', ([items], meter) => flatten(items as List, 1n, meter), COPIED),
  overload(
    '[list(dyn)].flatten(int): list(dyn)',
    ([items, depth], meter) => flatten(items as List, depth as bigint, meter),
    COPIED,
  ),
  overload(
    'lists.range(int): list(int)',
    ([count]) => range(count as bigint),
    makeList(([count]) => exactly(wholeOf(count?.node) ?? ANY_SIZE.max)),
  ),
  overload('[list(A)].reverse(): list(A)', ([items]) => (items as List).toReversed(), COPIED),
  overload('[list(A)].distinct(): list(A)', ([items], meter) => distinct(items as List, meter), selfComparison(0)),
  ...COMPARABLE.flatMap((type) => [
    overload(
      `[list(${type})].sort(): list(${type})`,
      ([items], meter) => sorted(items as List, items as List, meter),
      selfComparison(0),
    ),
    overload(
      `[list(A)].@sortByAssociatedKeys(list(${type})): list(A)`,
      ([items, keys], meter) => sorted(items as List, keys as List, meter),
      selfComparison(1),
    ),
  ]),
];

function holds(list: List, item: Value, meter: Meter): boolean {
  return list.some((one) => isEqual(one, item, meter));
}

function holdsAll(list: Value | undefined, items: Value | undefined, meter: Meter): boolean {
  meter.work((list as List).length);
  return (items as List).every((item) => holds(list as List, item, meter));
}

const SETS: readonly Overload[] = [
  overload('sets.contains(list(A), list(A)): bool', ([a, b], meter) => holdsAll(a, b, meter), crossing(1)),
  overload(
    'sets.equivalent(list(A), list(A)): bool',
    ([a, b], meter) => holdsAll(a, b, meter) && holdsAll(b, a, meter),
    crossing(2),
  ),
  overload(
    'sets.intersects(list(A), list(A)): bool',
    ([a, b], meter) => (a as List).some((item) => holds(b as List, item, meter)),
    crossing(1),
  ),
];

/** What a fold gathers into a map; the map is its own until it is done. */
function insert(into: Value | undefined, entries: Iterable<readonly [Value, Value]>): Value {
  const map = into as CelMap;
  for (const [key, value] of entries) {
    if (!map.insert(key, value)) throw new EvaluationError('insert failed: key already exists');
  }
  return map;
}

function* entriesOf(map: MapValue): Iterable<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, map.get(key) ?? null];
}

const GATHERED: readonly Overload[] = [
  overload('cel.@mapInsert(map(A, B), A, B): map(A, B)', ([map, key = null, value = null]) =>
    insert(map, [[key, value]]),
  ),
  overload('cel.@mapInsert(map(A, B), map(A, B)): map(A, B)', ([map, more]) =>
    insert(map, entriesOf(more as MapValue)),
  ),
];

export const LISTS: readonly Overload[] = [...LOOKED_THROUGH, ...MADE, ...SETS, ...GATHERED];
