import assert from 'node:assert/strict';
import test from 'node:test';
import type { Pieces } from '@binnacle/base';
import { ExpressionCompiler } from '@binnacle/cel';
import type { CompiledExpression } from '@binnacle/cel';
import { piecesOfMutatingPolicy, piecesOfValidatingPolicy } from './policy-expressions.ts';

/** How often the others have their turn, and what came of it. */
function counted<T>(pieces: Pieces<T>): { readonly rests: number; readonly made: T } {
  for (let rests = 0; ; rests++) {
    const piece = pieces.next();
    if (piece.done === true) return { rests, made: piece.value };
  }
}

const errorOf = (one: CompiledExpression | undefined): string | undefined => one?.error;
const JSON_PATCH = { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' } };
const CONFIGURATION = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };
const WRONG = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: '[]' } };

test('a policy that looks rests after each expression, and they may refer to variables before them', () => {
  const spec = {
    variables: [{ name: 'one', expression: '1' }],
    validations: [
      { expression: 'variables.one == 1', messageExpression: '"no"' },
      { expression: 'variables.two == 1' },
    ],
  };
  const policy = { metadata: {}, spec } as Parameters<typeof piecesOfValidatingPolicy>[0];
  const { rests, made } = counted(piecesOfValidatingPolicy(policy, new ExpressionCompiler()));
  assert.deepEqual([rests, made.validations.length, made.messages.map(errorOf)], [5, 2, [undefined, undefined]]);
  const [right, wrong] = made.validations;
  assert.equal(errorOf(right), undefined);
  assert.match(String(errorOf(wrong)), /undefined field 'two'/);
});

for (const [name, mutations, wrong] of [
  ['none', [], []],
  ['one of each sort', [JSON_PATCH, CONFIGURATION], [false, false]],
  ['a list where an object is wanted', [WRONG], [true]],
] as const) {
  test(`a policy that changes rests after each mutation: ${name}`, () => {
    const policy = { metadata: {}, spec: { mutations } } as unknown as Parameters<typeof piecesOfMutatingPolicy>[0];
    const { rests, made } = counted(piecesOfMutatingPolicy(policy, new ExpressionCompiler()));
    assert.equal(rests, mutations.length);
    assert.deepEqual(
      made.mutations.map((one) => errorOf(one) !== undefined),
      wrong,
    );
  });
}
