import assert from 'node:assert/strict';
import test from 'node:test';
import { deepCopy } from './deep-copy.ts';
import { int64Of } from './int64.ts';
import { parseDocument } from './schema/json-text.ts';

test('a copy has all digits of all numbers, and shares no list and no map', () => {
  const text = '{"a":[9007199254740993,{"b":null,"__proto__":{"c":1}}],"d":"e","f":12345678901234567890.5}';
  const value = parseDocument(text) as { a: unknown[] };
  const copy = deepCopy(value);
  assert.equal(JSON.stringify(copy), text);
  assert.notEqual(copy.a, value.a);
  assert.notEqual(copy.a[1], value.a[1]);
  assert.equal(Object.getPrototypeOf(copy.a[1]), Object.prototype);
  assert.equal(JSON.stringify(deepCopy({ n: int64Of(9007199254740993n) })), '{"n":9007199254740993}');
});
