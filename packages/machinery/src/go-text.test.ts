import assert from 'node:assert/strict';
import test from 'node:test';
import { goDouble, goSyntax, goText, goTypeName } from './go-text.ts';
import { Int64 } from './int64.ts';

const TEXTS: readonly (readonly [document: unknown, text: string])[] = [
  [{ spec: { replicas: 'x' } }, 'map[spec:map[replicas:x]]'],
  [{ b: [1, { c: null }, []], a: true }, 'map[a:true b:[1 map[c:<nil>] []]]'],
  [JSON.parse('{"__proto__":{"constructor":1.5}}'), 'map[__proto__:map[constructor:1.5]]'],
  [null, '<nil>'],
  [[new Int64(2n ** 62n)], '[4611686018427387904]'],
];
for (const [document, text] of TEXTS) {
  test(`as Go prints it: ${text}`, () => assert.equal(goText(document), text));
}

test('no more is written than anybody shows', () => {
  const large = goText(Array.from({ length: 100_000 }, (_, n) => ({ [`key-${n}`]: 'x' })));
  assert.ok(large.length < 20_000);
});

const SYNTAX: readonly (readonly [document: unknown, text: string, type: string])[] = [
  [1, '1', 'int64'],
  ['a', '"a"', 'string'],
  [true, 'true', 'bool'],
  [null, 'interface {}(nil)', '<nil>'],
  [1.5, '1.5', 'float64'],
  [[1, 'a'], '[]interface {}{1, "a"}', '[]interface {}'],
  [{ a: 1 }, 'map[string]interface {}{"a":1}', 'map[string]interface {}'],
];
for (const [document, text, type] of SYNTAX) {
  test(`with its type, as Go prints it: ${text}`, () =>
    assert.deepEqual([goSyntax(document), goTypeName(document)], [text, type]));
}

// Go's strconv.FormatFloat(value, 'g', -1, 64).
for (const [value, text] of [
  [0, '0'],
  [-0, '-0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [0.1 + 0.2, '0.30000000000000004'],
  [999_999, '999999'],
  [1_000_000, '1e+06'],
  [1_234_567, '1.234567e+06'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1e21, '1e+21'],
  [1e100, '1e+100'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [100_000.5, '100000.5'],
  [Number.NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
] as const)
  test(`a double as Go writes it: ${text}`, () => assert.equal(goDouble(value), text));
