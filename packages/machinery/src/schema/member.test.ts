import assert from 'node:assert/strict';
import { it } from 'node:test';
import { int64Of } from '../int64.ts';
import { rawJson } from '../raw-json.ts';
import { isObject, memberOf, putMember } from './member.ts';

for (const [name, value, expected] of [
  ['an object', { a: 1 }, true],
  ['an empty one', {}, true],
  ['one without a prototype', Object.create(null), true],
  ['one with a member __proto__', JSON.parse('{"__proto__":null}'), true],
  ['a list', [], false],
  ['null', null, false],
  ['nothing', undefined, false],
  ['a text', '{}', false],
  ['a number', 1, false],
  ['an integer beyond a double', int64Of(9_007_199_254_740_993n), false],
  ['a number that is kept as its digits', rawJson('1.10'), false],
] as const)
  it(`an object of JSON: ${name}`, () => assert.equal(isObject(value), expected));

it('members are an object’s own', () => {
  const object: { [key: string]: number } = { a: 1 };
  for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    assert.equal(memberOf(object, key), undefined);
  for (const key of ['constructor', '__proto__']) putMember(object, key, 2);
  assert.deepEqual([memberOf(object, 'a'), memberOf(object, 'constructor'), memberOf(object, '__proto__')], [1, 2, 2]);
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.equal(JSON.stringify(object), '{"a":1,"constructor":2,"__proto__":2}');
  putMember(object, '__proto__', 3);
  assert.equal(memberOf(object, '__proto__'), 3, 'set again');
});
