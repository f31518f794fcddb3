import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deepEqual } from './deep-equal.ts';
import { exactDigits, Int64, int64Of, parseInt64, readInt64 } from './int64.ts';
import { rawJson } from './raw-json.ts';

const MAX = 9223372036854775807n;

it('is a plain number where a double holds it', () => {
  assert.equal(int64Of(9007199254740991n), 9007199254740991);
  assert.equal(parseInt64('-12'), -12);
});

it('keeps every digit beyond, and calculates as the nearest double', () => {
  const value = int64Of(MAX);
  assert.ok(value instanceof Int64);
  assert.equal(JSON.stringify({ value, list: [value] }), `{"value":${MAX},"list":[${MAX}]}`);
  assert.equal(String(value), '9223372036854775807');
  const asTyped = value as unknown as number;
  assert.ok(asTyped > 2 ** 62 && !(asTyped < 0) && asTyped >= 5);
  assert.equal(Number(value) + 1, 2 ** 63);
});

it('refuses what 64 bits do not hold', () => {
  for (const text of ['9223372036854775808', '-9223372036854775809', '1.5', '1e3', '', '9'.repeat(1_000_000)]) {
    assert.equal(parseInt64(text), undefined);
  }
});

it('is the same as another with its digits, typed or not', () => {
  assert.ok(deepEqual({ a: int64Of(MAX) }, { a: int64Of(MAX) }));
  assert.ok(deepEqual({ a: int64Of(MAX) }, { a: rawJson(String(MAX)) }));
  assert.ok(!deepEqual({ a: int64Of(MAX) }, { a: int64Of(MAX - 1n) }));
  assert.ok(!deepEqual({ a: int64Of(MAX) }, { a: {} }));
  assert.equal(exactDigits({}), undefined);
});

// As Go's strconv.ParseInt(text, 10, 64).
const READ: readonly [name: string, text: string, value: bigint | undefined][] = [
  ['zero', '0', 0n],
  ['minus zero', '-0', 0n],
  ['a plus', '+7', 7n],
  ['zeros before it', '-007', -7n],
  ['more zeros than a number has digits', `${'0'.repeat(40)}5`, 5n],
  ['zeros alone', '0'.repeat(40), 0n],
  ['the most', '9223372036854775807', MAX],
  ['one more', '9223372036854775808', undefined],
  ['the least', '-9223372036854775808', -MAX - 1n],
  ['one less', '-9223372036854775809', undefined],
  ['nothing', '', undefined],
  ['a sign alone', '-', undefined],
  ['two signs', '+-1', undefined],
  ['a blank', ' 1', undefined],
  ['a line behind it', '1\n', undefined],
  ['a fraction', '1.0', undefined],
  ['an exponent', '1e3', undefined],
  ['another base', '0x10', undefined],
  ['digits of another script', '١', undefined],
  ['Go takes underscores in base 0 only', '1_0', undefined],
  ['a million digits', '9'.repeat(1_000_000), undefined],
  ['a million zeros and a letter', `${'0'.repeat(1_000_000)}x`, undefined],
];
for (const [name, text, value] of READ)
  it(`a text as a 64-bit integer: ${name}`, () => assert.equal(readInt64(text), value));
