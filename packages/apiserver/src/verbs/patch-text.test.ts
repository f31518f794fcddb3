import assert from 'node:assert/strict';
import test from 'node:test';
import { restoreMistake } from './patch-text.ts';

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
