/** What is equal, what comes first, what is in what. */
import { compareValues, isEqual } from '../compare.ts';
import { COMPARISON, SEARCH, UNIT } from '../cost/rules.ts';
import type { CostRule } from '../cost/rules.ts';
import type { MapValue, Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const NUMBERS = ['int', 'uint', 'double'];
const WALKED = new Set(['string', 'bytes']);

/** What libraries make is small, whatever its size is said to be. */
const EQUALITY: CostRule = {
  ...COMPARISON,
  estimate(operands) {
    const isMade = operands.every(({ type }) => type.kind === 'plain' && /^(?:kubernetes|net)\./.test(type.name));
    return isMade ? UNIT.estimate(operands) : COMPARISON.estimate(operands);
  },
};

function comparison(operator: string, test: (order: number) => boolean): readonly Overload[] {
  const ordered = [...NUMBERS, 'string', 'bytes', 'bool', 'timestamp', 'duration'];
  const mixed = NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b): [string, string] => [a, b]));
  const pairs = [...ordered.map((type): [string, string] => [type, type]), ...mixed];
  return pairs.map(([a, b]) =>
    overload(
      `_${operator}_(${a}, ${b}): bool`,
      ([x = null, y = null]) => {
        const order = compareValues(x, y);
        return order !== undefined && test(order);
      },
      WALKED.has(a) ? COMPARISON : UNIT,
    ),
  );
}

export const RELATIONS: readonly Overload[] = [
  overload('_==_(A, A): bool', ([a = null, b = null], meter) => isEqual(a, b, meter), EQUALITY),
  overload('_!=_(A, A): bool', ([a = null, b = null], meter) => !isEqual(a, b, meter), COMPARISON),
  ...comparison('<', (order) => order < 0),
  ...comparison('<=', (order) => order <= 0),
  ...comparison('>', (order) => order > 0),
  ...comparison('>=', (order) => order >= 0),
  overload(
    '@in(A, list(A)): bool',
    ([item = null, list], meter) => (list as readonly Value[]).some((one) => isEqual(one, item, meter)),
    SEARCH,
  ),
  overload('@in(A, map(A, B)): bool', ([key = null, map]) => (map as MapValue).has(key)),
  overload('!_(bool): bool', ([a]) => a !== true),
  // These are run by how they are written; here is what they take.
  overload('_?_:_(bool, A, A): A', ([, yes = null]) => yes),
  overload('_[_](list(A), int): A', () => null),
  overload('_[_](map(A, B), A): B', () => null),
  overload('_[?_](list(A), int): optional(A)', () => null),
  overload('_[?_](map(A, B), A): optional(B)', () => null),
  overload('_[?_](optional(list(A)), int): optional(A)', () => null),
  overload('_[?_](optional(map(A, B)), A): optional(B)', () => null),
  overload('_[_](optional(list(A)), int): optional(A)', () => null),
  overload('_[_](optional(map(A, B)), A): optional(B)', () => null),
  overload('@not_strictly_false(bool): bool', () => null),
];
