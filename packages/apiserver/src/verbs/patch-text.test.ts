import assert from 'node:assert/strict';
import test from 'node:test';
import { goText, restoreMistake } from './patch-text.ts';

const TEXTS: readonly (readonly [document: unknown, text: string])[] = [
  [{ spec: { replicas: 'x' } }, 'map[spec:map[replicas:x]]'],
  [{ b: [1, { c: null }, []], a: true }, 'map[a:true b:[1 map[c:<nil>] []]]'],
  [JSON.parse('{"__proto__":{"constructor":1.5}}'), 'map[__proto__:map[constructor:1.5]]'],
  [null, '<nil>'],
];
for (const [document, text] of TEXTS) {
  test(`as Go prints it: ${text}`, () => assert.equal(goText(document), text));
}

test('no more is written than anybody shows', () => {
  const large = goText(Array.from({ length: 100_000 }, (_, n) => ({ [`key-${n}`]: 'x' })));
  assert.ok(large.length < 20_000);
});

const field = (what: string, type: string): string =>
  `json: cannot unmarshal ${what} into Go struct field DeploymentSpec.spec.x of type ${type}`;
const MISTAKES: readonly (readonly [why: string, told: string])[] = [
  [field('string', 'int32'), 'unrecognized type: int32'],
  [field('bool', 'string'), 'unrecognized type: string'],
  [field('number', 'bool'), 'unrecognized type: bool'],
  [field('number 1.5', 'int32'), 'cannot convert float64 to int32'],
  [field('number 99999999999', 'int32'), field('number 99999999999', 'int32')],
  [field('object', '[]v1.Container'), 'cannot restore slice from map'],
  [field('string', 'map[string]string'), 'cannot restore map from string'],
  [field('string', 'v1.PodSpec'), 'cannot restore struct from: string'],
  [field('array', 'v1.PullPolicy'), field('array', 'v1.PullPolicy')],
  ['strict decoding error: unknown field "spec.foo"', 'strict decoding error: unknown field "spec.foo"'],
  ['constructor', 'constructor'],
];
for (const [why, told] of MISTAKES) {
  test(`a mistake in a strategic patch: ${told}`, () => assert.equal(restoreMistake(why), told));
}
