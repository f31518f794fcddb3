import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';

// Provenance: the documented canonical form of upstream's resource.Quantity.
const CANONICAL: [string, string][] = [
  ['0', '0'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.5', '1500m'],
  ['1000', '1k'],
  ['1000m', '1'],
  ['100k', '100k'],
  ['1e3', '1e3'],
  ['1E6', '1e6'],
  ['12e1', '120'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1Ki', '1Ki'],
  ['0.5Ki', '512'],
  ['1500Mi', '1500Mi'],
  ['0.1n', '1n'],
  ['-1', '-1'],
  ['-1024Mi', '-1Gi'],
  ['16Ei', '9223372036854775807'],
  ['1000E', '1e21'],
  ['18446744073709551616', '18446744073709551616'],
  ['1.2345', '1234500u'],
];
for (const [text, canonical] of CANONICAL) {
  test(`${text} is written ${canonical}`, () => assert.equal(canonicalQuantity(text), canonical));
}

const REGEX = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
for (const [text, message] of [
  ['', REGEX],
  ['abc', REGEX],
  ['1 Gi', REGEX],
  ['1GiB', REGEX],
  ['1Mk', "unable to parse quantity's suffix"],
] as const) {
  test(`"${text}" is refused`, () => assert.throws(() => canonicalQuantity(text), { code: 'quantity', message }));
}

const VALUES: [string, number, number][] = [
  ['0', 0, 0],
  ['100m', 1, 100],
  ['1', 1, 1000],
  ['1.5', 2, 1500],
  ['1u', 1, 1],
  ['64Mi', 67108864, 67108864000],
  ['1k', 1000, 1000000],
  ['2e3', 2000, 2000000],
  ['-1500m', -2, -1500],
];
for (const [text, whole, milli] of VALUES) {
  test(`value and milli value of ${text}`, () => {
    assert.equal(quantityValue(text), whole);
    assert.equal(quantityMilliValue(text), milli);
  });
}

test('sums keep the format of the first, unless it is zero', () => {
  assert.equal(formatQuantity(addQuantities('1Gi', '1Gi')), '2Gi');
  assert.equal(formatQuantity(addQuantities('0', '1Gi')), '1Gi');
  assert.equal(formatQuantity(subtractQuantities('1', '250m')), '750m');
  assert.equal(compareQuantities('1Gi', '1G'), 1);
  assert.equal(compareQuantities('1000m', '1'), 0);
});

const text = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.nat(),
    fc.option(fc.nat({ max: 999_999 })),
    fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'e0'),
  )
  .map(([sign, whole, part, suffix]) => `${sign}${whole}${part === null ? '' : `.${part}`}${suffix}`);

test('the canonical text means the same and is canonical itself', () => {
  fc.assert(
    fc.property(text, (quantity) => {
      const canonical = canonicalQuantity(quantity);
      // A part of a Ki is written without a suffix, and read again as a decimal one.
      if (!quantity.endsWith('i') || canonical.endsWith('i')) assert.equal(canonicalQuantity(canonical), canonical);
      assert.equal(compareQuantities(canonical, quantity), 0, canonical);
      assert.match(canonical, /^(0|-?[1-9]\d*([numkMGTPE]|[KMGTPE]i|e-?\d+)?)$/);
    }),
    { seed: 36, numRuns: 1000 },
  );
});

test('the fast values are the exact ones', () => {
  fc.assert(
    fc.property(text, (quantity) => {
      const exact = parseQuantity(quantity);
      assert.equal(quantityValue(quantity), quantityValue(exact));
      assert.equal(quantityMilliValue(quantity), quantityMilliValue(exact));
    }),
    { seed: 36, numRuns: 1000 },
  );
});
