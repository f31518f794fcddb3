import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MutatingAdmissionPolicy } from '@binnacle/api/admissionregistration/v1';
import { ExpressionCompiler } from '@binnacle/cel';
import type { CompiledExpression } from '@binnacle/cel';
import { compileMutatingPolicy } from './policy-expressions.ts';

const compiler = new ExpressionCompiler();

function compiled(spec: object): ReturnType<typeof compileMutatingPolicy> {
  return compileMutatingPolicy({ metadata: {}, spec } as unknown as MutatingAdmissionPolicy, compiler);
}

function problem({ error }: CompiledExpression): string | undefined {
  return error?.split('\n')[0];
}

const patch = (expression?: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const laid = (expression?: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});

describe('what a mutation may evaluate to', () => {
  const rows: readonly (readonly [name: string, mutation: object, problem: RegExp | undefined])[] = [
    ['patches', patch('[JSONPatch{op: "remove", path: "/spec/a"}]'), undefined],
    ['no patches', patch('[]'), /must evaluate to list\(JSONPatch\) but got list\(dyn\)/],
    ['one patch', patch('JSONPatch{op: "remove", path: "/a"}'), /must evaluate to list\(JSONPatch\) but got JSONPatch/],
    ['a configuration', laid('Object{spec: Object.spec{replicas: 3}}'), undefined],
    ['a configuration of another sort', laid('{"spec": {}}'), /must evaluate to Object but got map/],
    [
      'a patch where a configuration is wanted',
      laid('[JSONPatch{op: "remove", path: "/a"}]'),
      /must evaluate to Object/,
    ],
    ['nothing', { patchType: 'JSONPatch' }, /compilation failed/],
    [
      'an expression of the other sort',
      { patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } },
      /compilation failed/,
    ],
    ['what nobody can read', laid('Object{'), /compilation failed/],
    ['a name that nobody declared', laid('params'), /undeclared reference to 'params'/],
  ];
  for (const [name, mutation, wanted] of rows) {
    test(name, () => {
      const [one] = compiled({ mutations: [mutation] }).mutations;
      assert(one !== undefined);
      if (wanted === undefined) assert.equal(problem(one), undefined);
      else assert.match(one.error ?? '', wanted);
    });
  }
});

describe('the parts of a policy', () => {
  test('none at all', () => {
    const { conditions, variables, mutations } = compiled({});
    assert.deepEqual([conditions.length, variables.size, mutations.length], [0, 0, 0]);
  });

  test('variables know those before them, mutations all of them, conditions none', () => {
    const { conditions, variables, mutations } = compiled({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [
        { name: 'a', expression: 'params != null' },
        { name: 'b', expression: 'variables.first == 1' },
      ],
      variables: [
        { name: 'first', expression: '1' },
        { name: 'second', expression: 'variables.first + 1' },
        { name: 'early', expression: 'variables.late' },
        { name: 'late', expression: '1' },
        { name: 'constructor', expression: '2' },
      ],
      mutations: [laid('Object{spec: Object.spec{replicas: variables.second + variables.constructor}}')],
    });
    assert.deepEqual(
      conditions.map((one) => one.error !== undefined),
      [false, true],
    );
    assert.deepEqual(
      [...variables].map(([name, one]) => [name, one.error !== undefined]),
      [
        ['first', false],
        ['second', false],
        ['early', true],
        ['late', false],
        ['constructor', false],
      ],
    );
    assert.deepEqual(mutations.map(problem), [undefined]);
  });
});
