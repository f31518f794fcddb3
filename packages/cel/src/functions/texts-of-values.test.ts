import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaint } from '../testing/environment.ts';
import { CelMap, Duration, Optional, Timestamp, typeNameOf, TypeValue, Uint } from '../values.ts';
import type { Value } from '../values.ts';
import { formatText } from './format-text.ts';
import {
  parseDuration,
  parseTimestamp,
  readDuration,
  readTimestamp,
  writeDuration,
  writeTimestamp,
} from './time-text.ts';

const FREE = { work: (): void => undefined, lengthOf: (text: string): number => text.length };
const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const map = new CelMap([
  ['b', 1n],
  ['a', 'x'],
]);

// cel-go's ext.Strings, version 1.36 of Kubernetes has.
const FORMATS: readonly [template: string, args: readonly Value[], text: string][] = [
  ['no clause', [], 'no clause'],
  ['%%', [], '%'],
  ['%s and %s', ['a', 'b'], 'a and b'],
  ['$& $1 %s', ['$&'], '$& $1 $&'],
  ['%s', [true], 'true'],
  ['%s', [null], 'null'],
  ['%s', [new Uint(7n)], '7'],
  ['%s', [1.5], '1.5'],
  ['%s', [Number.NaN], 'NaN'],
  ['%s', [-Infinity], '-Infinity'],
  ['%s', [bytes(97, 98)], 'ab'],
  ['%s', [new TypeValue('int')], 'int'],
  ['%s', [new Duration(1_500_000_000n)], '1.5s'],
  ['%s', [new Timestamp(0n)], '1970-01-01T00:00:00Z'],
  ['%s', [['a', 1n, [true]]], '["a", 1, [true]]'],
  ['%s', [map], '{"a":"x", "b":1}'],
  ['%d', [-5n], '-5'],
  ['%d', [new Uint(2n ** 64n - 1n)], '18446744073709551615'],
  ['%f', [1.5], '1.500000'],
  ['%.2f', [2.345], '2.35'],
  ['%.0f', [0.5], '0'],
  ['%.0f', [1.5], '2'],
  ['%.1f', [0.25], '0.2'],
  ['%f', [Infinity], 'Infinity'],
  ['%f', ['NaN'], 'NaN'],
  ['%e', [1234.5], '1.234500e+03'],
  ['%.1e', [0.00015], '1.5e-04'],
  ['%b', [5n], '101'],
  ['%b', [true], '1'],
  ['%b', [-5n], '-101'],
  ['%o', [8n], '10'],
  ['%x', [255n], 'ff'],
  ['%X', [255n], 'FF'],
  ['%x', ['az'], '617a'],
  ['%X', [bytes(171)], 'AB'],
];
for (const [template, args, text] of FORMATS)
  test(`${template} of ${args.map(typeNameOf).join(', ')} is ${text}`, () =>
    assert.equal(formatText(template, args, FREE), text));

const MISMATCHES: readonly [template: string, args: readonly Value[], message: string][] = [
  ['%', [], 'unexpected end of string'],
  ['a%', ['x'], 'unexpected end of string'],
  ['%s', [], 'index 0 out of range'],
  ['%s%s', ['a'], 'index 1 out of range'],
  ['%q', ['a'], 'could not parse formatting clause: unrecognized formatting clause "q"'],
  ['%d', ['a'], 'error during formatting: decimal clause can only be used on integers, was given string'],
  ['%f', [1n], 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
  ['%b', ['a'], 'error during formatting: binary clause can only be used on integers and bools, was given string'],
  ['%o', [1.5], 'error during formatting: octal clause can only be used on integers, was given double'],
  [
    '%x',
    [null],
    'error during formatting: hex clause can only be used on integers, byte buffers, and strings, was given null_type',
  ],
  [
    '%s',
    [new Optional()],
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type',
  ],
];
for (const [template, args, message] of MISMATCHES)
  test(`${template}: ${message}`, () => assert.throws(() => formatText(template, args, FREE), { message }));

test('what is written is counted before it is kept', () => {
  let units = 0;
  const meter = {
    ...FREE,
    work(more: number): void {
      units += more;
      if (units > 1000) throw new Error('enough');
    },
  };
  assert.throws(
    () =>
      formatText(
        '%s'.repeat(1000),
        Array.from({ length: 1000 }, () => 'x'.repeat(100)),
        meter,
      ),
    /enough/,
  );
  assert.ok(formatText('%.99999f', [1], FREE).length < 200, 'digits have a bound');
});

const SECOND = 1_000_000_000n;
// Go's time.ParseDuration, and CEL's own way of writing.
for (const [text, nanos, written] of [
  ['0', 0n, '0s'],
  ['-0', 0n, '0s'],
  ['0s', 0n, '0s'],
  ['1h30m', 5400n * SECOND, '5400s'],
  ['-1.5s', -1_500_000_000n, '-1.5s'],
  ['+1s', SECOND, '1s'],
  ['.5s', 500_000_000n, '0.5s'],
  ['1.s', SECOND, '1s'],
  ['1ms1us1ns', 1_001_001n, '0.001001001s'],
  ['1µs', 1000n, '0.000001s'],
  ['1μs', 1000n, '0.000001s'],
  ['0.1ns', 0n, '0s'],
  ['1s1s', 2n * SECOND, '2s'],
  ['9223372036854775807ns', 2n ** 63n - 1n, '9223372036.854775807s'],
  ['-9223372036854775808ns', -(2n ** 63n), '-9223372036.854775808s'],
] as const)
  test(`a span of time: ${text}`, () => {
    assert.equal(readDuration(text).nanos, nanos);
    assert.equal(writeDuration(new Duration(nanos)), written);
  });
for (const text of [
  '',
  '-',
  '1',
  's',
  '.s',
  '1 s',
  '1d',
  '1S',
  's1',
  '--1s',
  '1h-1m',
  '9223372036854775808ns',
  '1s\n',
  '9'.repeat(300),
])
  test(`no span of time: ${JSON.stringify(text.slice(0, 30))}`, () =>
    assert.throws(() => readDuration(text), {
      message: `time: invalid duration ${JSON.stringify(text.slice(0, 200))}`,
    }));

for (const [text, written] of [
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  ['2024-02-29T12:00:00.5+01:00', '2024-02-29T11:00:00.5Z'],
  ['2023-12-31T23:59:59.999999999-00:30', '2024-01-01T00:29:59.999999999Z'],
  ['2023-01-01T00:00:00.1234567891Z', '2023-01-01T00:00:00.123456789Z'],
  ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
  ['2023-01-01T00:00:00+24:00', '2022-12-31T00:00:00Z'],
] as const)
  test(`a moment: ${text}`, () => assert.equal(writeTimestamp(readTimestamp(text)), written));
for (const text of [
  '',
  '2023-01-01',
  '2023-01-01 00:00:00Z',
  '2023-01-01T00:00:00',
  '2023-01-01T00:00:00z',
  '2023-02-29T00:00:00Z',
  '2023-13-01T00:00:00Z',
  '2023-01-01T24:00:00Z',
  '2023-01-01T00:60:00Z',
  '2023-01-01T00:00:60Z',
  '2023-01-01T00:00:00.Z',
  '2023-01-01T00:00:00+0100',
  '2023-01-01T00:00:00+25:00',
  '2023-01-01T00:00:00-00:61',
  '12023-01-01T00:00:00Z',
  '2023-01-01T00:00:00Z\n',
  `2023-01-01T00:00:00.${'1'.repeat(300)}Z`,
])
  test(`no moment: ${JSON.stringify(text.slice(0, 40))}`, () =>
    assert.throws(() => readTimestamp(text), {
      message: `parsing time ${JSON.stringify(text.slice(0, 200))} as RFC 3339: cannot parse`,
    }));
for (const text of ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00Z'])
  test(`a moment beyond the years: ${text}`, () =>
    assert.throws(() => readTimestamp(text), { message: 'timestamp overflow' }));

for (const [source, type] of [
  ["int('x')", 'int'],
  ["int('9223372036854775808')", 'int'],
  ["int('1.0')", 'int'],
  ["uint('-1')", 'uint'],
  ["double('x')", 'double'],
  ["double('1e400')", 'double'],
  ["bool('yes')", 'bool'],
  ["duration('1' + 'x')", 'google.protobuf.Duration'],
  ["timestamp('no' + 'w')", 'google.protobuf.Timestamp'],
] as const)
  test(`${source} is none`, () =>
    assert.equal(complaint(`${source} == ${source}`), `type conversion error from 'string' to '${type}'`));

test('what is none can be asked for without a failure', () => {
  assert.deepEqual([parseDuration('1x'), parseDuration('9'.repeat(300))], [undefined, undefined]);
  assert.deepEqual([parseTimestamp('now'), parseTimestamp('2023-02-29T00:00:00Z')], [undefined, undefined]);
  assert.equal(parseDuration('1m')?.nanos, 60n * SECOND);
  assert.equal(parseTimestamp('1970-01-01T00:00:01Z')?.nanos, SECOND);
});
