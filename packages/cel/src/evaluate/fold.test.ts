import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostError, EvaluationError } from '../errors.ts';
import { grow, literalNode, nameNode } from '../syntax/tree.ts';
import type { FoldNode, Node } from '../syntax/tree.ts';
import { CelMap } from '../values.ts';
import type { Value } from '../values.ts';
import type { Plan, Run } from './closure.ts';
import { planFold } from './fold.ts';
import { Failure, Frame } from './frame.ts';

/** Slots as `within` gives them out: the accumulator, then the names of the loop. */
const [ACCUMULATOR, FIRST, SECOND] = [0, 1, 2];

interface Parts {
  readonly range: Value;
  readonly second?: boolean;
  /** A call: what fails in a step may be made harmless by a later one. */
  readonly forgiving?: boolean;
  readonly condition?: Run;
  readonly step: Run;
}

/** What is carried along at the end, with how many steps were taken. */
function fold({
  range,
  second = false,
  forgiving = false,
  condition = () => true,
  step,
}: Parts): readonly [Value, number] {
  let steps = 0;
  const call = grow({ kind: 'call', at: 0, name: '_&&_', target: undefined, args: [] });
  const parts = {
    range: nameNode(0, 'range'),
    start: literalNode(0, ''),
    condition: forgiving ? call : nameNode(0, 'condition'),
    step: nameNode(0, 'step'),
    result: nameNode(0, 'result'),
  };
  const runs = new Map<Node, Run>([
    [parts.range, () => range],
    [parts.start, () => ''],
    [parts.condition, condition],
    [parts.step, (frame) => ((steps += 1), step(frame))],
    [parts.result, (frame) => carried(frame)],
  ]);
  const node = grow({ kind: 'fold', at: 0, first: 'a', second: second ? 'b' : undefined, ...parts }) as FoldNode;
  let slots = 0;
  const plan: Plan = {
    checked: { root: node, types: new Map(), references: new Map(), overloads: new Map() } as never,
    plan: (part) => runs.get(part) ?? assert.fail('a part that no fold has'),
    within: (names, make) => make(names.map(() => slots++)),
  };
  return [planFold(node, plan)(new Frame([], 1000)), steps];
}

const carried = (frame: Frame): Value => {
  const value = frame.slots[ACCUMULATOR];
  return value instanceof Failure ? `failed: ${value.error.message}` : (value as Value);
};
const shown = (value: unknown): string => (typeof value === 'string' ? value : String(value));
const together: Run = (frame) => `${shown(frame.slots[ACCUMULATOR])}${shown(frame.slots[FIRST])}`;
const pairs: Run = (frame) =>
  `${shown(frame.slots[ACCUMULATOR])}${shown(frame.slots[FIRST])}=${shown(frame.slots[SECOND])};`;
const map = new CelMap([
  ['constructor', 1n],
  [2n, 'two'],
]);

for (const [name, parts, value, steps] of [
  ['a list', { range: ['a', 'b'], step: together }, 'ab', 2],
  ['an empty list', { range: [], step: together }, '', 0],
  ['a list with its places', { range: ['a', 'b'], second: true, step: pairs }, '0=a;1=b;', 2],
  ['the keys of a map', { range: map, step: together }, 'constructor2', 2],
  ['a map with its values', { range: map, second: true, step: pairs }, 'constructor=1;2=two;', 2],
  [
    'until a condition is false',
    { range: ['a', 'b', 'c'], condition: (frame: Frame) => frame.slots[FIRST] !== 'b', step: together },
    'a',
    1,
  ],
] as const)
  test(`a fold over ${name}`, () => assert.deepEqual(fold(parts), [value, steps]));

const failing: Run = (frame) => {
  if (frame.slots[FIRST] === 'bad') throw new EvaluationError('bad');
  const before = frame.slots[ACCUMULATOR];
  return `${before instanceof Failure ? '!' : shown(before)}${shown(frame.slots[FIRST])}`;
};
test('a failed step is carried along where a later one may make it harmless', () => {
  assert.deepEqual(fold({ range: ['a', 'bad'], forgiving: true, step: failing }), ['failed: bad', 2]);
  assert.deepEqual(fold({ range: ['bad', 'b'], forgiving: true, step: failing }), ['!b', 2]);
  assert.throws(() => fold({ range: ['bad', 'b'], step: failing }), { message: 'bad' });
});

test('what is no failure of the expression is never forgiven', () => {
  const step: Run = () => {
    throw new CostError();
  };
  assert.throws(() => fold({ range: ['a'], forgiving: true, step }), CostError);
});

test('what cannot be gone through, and what is no truth', () => {
  for (const range of [1n, 'text', null])
    assert.throws(() => fold({ range, step: together }), { message: 'no such overload' });
  assert.throws(() => fold({ range: ['a'], condition: () => 1n, step: together }), { message: 'no such overload' });
});
