import assert from 'node:assert/strict';
import test from 'node:test';
import { LEAVES, readMoment, readTime } from './leaves.ts';

const READ: [type: string, input: unknown, output: unknown][] = [
  ['int32', -0, 0],
  ['int32', 2147483647, 2147483647],
  ['int64', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['double', 0.5, 0.5],
  ['bytes', 'aGk=', 'aGk='],
  ['bytes', 'aG\nk=\r\n', 'aGk='],
  ['Time', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['Time', '2026-01-02T03:04:05.999+01:30', '2026-01-02T01:34:05Z'],
  ['Time', '0001-01-01T00:00:00Z', null],
  ['MicroTime', '2026-01-02T03:04:05.000001Z', '2026-01-02T03:04:05.000001Z'],
  ['Quantity', ' 1024Mi ', '1Gi'],
  ['Quantity', 0.25, '250m'],
  ['IntOrString', '25%', '25%'],
  ['IntOrString', 8080, 8080],
];
for (const [type, input, output] of READ) {
  test(`${type} reads ${JSON.stringify(input)}`, () => {
    assert.equal(LEAVES[type]?.decode(input, { inexact: false }), output);
  });
}

const REFUSED: [type: string, input: unknown][] = [
  ['string', 1],
  ['bool', 'true'],
  ['int32', 2147483648],
  ['int32', 1.5],
  ['int64', 2 ** 63],
  ['int64', 1.5],
  ['int64', '1'],
  ['bytes', 'a'],
  ['bytes', 'a==='],
  ['Time', '2026-13-01T00:00:00Z'],
  ['Time', '2026-02-29T00:00:00Z'],
  ['Time', '2026-01-01'],
  ['MicroTime', '2026-01-02T03:04:05Z'],
  ['IntOrString', 1.5],
  ['Quantity', true],
];
for (const [type, input] of REFUSED) {
  test(`${type} refuses ${JSON.stringify(input)}`, () => {
    assert.throws(() => LEAVES[type]?.decode(input, { inexact: false }), { code: 'decode' });
  });
}

test('a quantity too long for a double raises a doubt', () => {
  const walk = { inexact: false };
  LEAVES['Quantity']?.decode(1e20, walk);
  assert.equal(walk.inexact, true);
});

test('leap years', () => {
  assert.ok(readTime('2024-02-29T00:00:00Z'));
  assert.ok(readTime('2000-02-29T00:00:00Z'));
  assert.equal(readTime('1900-02-29T00:00:00Z'), undefined);
});

test('a time that UTC has in another year than four digits write is none: nobody could read it again', () => {
  for (const text of ['9999-12-31T23:59:59.000000-01:00', '0000-01-01T00:00:00.000000+01:00']) {
    assert.deepEqual([readTime(text), readMoment(text)], [undefined, undefined], text);
  }
  assert.equal(readTime('9999-12-31T22:59:59-01:00')?.seconds, '9999-12-31T23:59:59');
  assert.equal(readTime('0000-01-01T01:00:00+01:00')?.seconds, '0000-01-01T00:00:00');
});

test('moments, with as much of a fraction as milliseconds hold', () => {
  assert.deepEqual(
    ['2026-01-02T03:04:05.6789+01:30', '2026-01-02T03:04:05Z', '2026-02-30T00:00:00Z', '2026'].map(readMoment),
    [Date.UTC(2026, 0, 2, 1, 34, 5, 678), Date.UTC(2026, 0, 2, 3, 4, 5), undefined, undefined],
  );
});
