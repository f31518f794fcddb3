import assert from 'node:assert/strict';
import test from 'node:test';
import { parseJsonPath } from './json-path.ts';

const OBJECT = {
  spec: { replicas: 3, 'a.b': 'dotted', list: [1, 2, 3, 4], map: { x: 1, y: 2 } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', age: 5 },
      { type: 'Synced', status: 'False', age: 9 },
    ],
  },
};

for (const [path, found] of [
  ['.spec.replicas', [3]],
  ['{.spec.replicas}', [3]],
  ['$.spec.replicas', [3]],
  [".spec['a.b']", ['dotted']],
  ['.spec.a\\.b', ['dotted']],
  ['.spec.none', []],
  ['.spec.none.deeper', []],
  ['.spec.constructor', []],
  ['.spec.list[0]', [1]],
  ['.spec.list[-1]', [4]],
  ['.spec.list[9]', []],
  ['.spec.list[1:3]', [2, 3]],
  ['.spec.list[::2]', [1, 3]],
  ['.spec.list[0,3]', [1, 4]],
  ['.spec.list[*]', [1, 2, 3, 4]],
  ['.spec.map.*', [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type != 'Ready')].status", ['False']],
  ['.status.conditions[?(@.age > 6)].type', ['Synced']],
  ['.status.conditions[?(@.none)].type', []],
  ['..age', [5, 9]],
  ['.', [OBJECT]],
] as const) {
  test(`finds ${path}`, () => assert.deepEqual(parseJsonPath(path)?.find(OBJECT), found));
}

for (const path of ['.spec[', '.spec[?(@.a==)]', '.a b', '.spec["a]', `.${'a'.repeat(5000)}`]) {
  test(`cannot read ${path.slice(0, 20)}`, () => assert.equal(parseJsonPath(path), undefined));
}

test('looks at no more than is bounded', () => {
  const wide = { list: Array.from({ length: 100_000 }, () => ({ list: [1, 2, 3] })) };
  const found = parseJsonPath('..list[*]..*')?.find(wide);
  assert.ok(found !== undefined && found.length <= 100_000);
});

test('a path of very many slices looks at no more either', () => {
  const list = Array.from({ length: 5000 }, (_, i) => i);
  const found = parseJsonPath(`.list[${Array.from({ length: 1000 }, () => ':').join(',')}]`)?.find({ list });
  assert.ok(found !== undefined && found.length <= 20_000);
});
