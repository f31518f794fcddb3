import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressText } from './ip-address.ts';
import { addressAt, doOverlap, formatRange, inRanges, ipRange, isInRange } from './ip-range.ts';

const ROWS: readonly (readonly [range: string, address: string, inside: boolean])[] = [
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.1.2.3/8', '10.9.9.9', true],
  ['192.168.4.0/22', '192.168.7.255', true],
  ['192.168.4.0/22', '192.168.8.0', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '::1', false],
  ['203.0.113.9', '203.0.113.9', true],
  ['203.0.113.9/32', '203.0.113.8', false],
  [' 203.0.113.0/24 ', '203.0.113.8', true],
  ['fd00::/64', 'fd00::ff', true],
  ['fd00::/64', 'fd00:0:0:1::', false],
  ['::/0', 'fd00::1', true],
  ['fd00::/64', 'nonsense', false],
];

for (const [range, address, inside] of ROWS) {
  test(`${range} ${inside ? 'has' : 'has not'} ${address}`, () => {
    assert.equal(isInRange(ipRange(range)!, address), inside);
  });
}

for (const text of ['', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0/8', 'fd00::/129', '10.0.0.0/x', '10.0.0.0/']) {
  test(`'${text}' is no range`, () => assert.equal(ipRange(text), undefined));
}

test('an address is in ranges where one has it; what is no range has nobody', () => {
  const isOurs = inRanges(['10.0.0.0/8', 'nonsense', 'fd00::/64']);
  assert.deepEqual(['10.1.2.3', 'fd00::1', '11.0.0.1', 'nonsense'].map(isOurs), [true, true, false, false]);
  assert.equal(inRanges([])('10.0.0.1'), false);
});

test('ranges overlap where one is in the other', () => {
  for (const [one, other, expected] of [
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.1.0.0/16', '10.2.0.0/16', false],
    ['0.0.0.0/0', '::/0', false],
  ] as const) {
    assert.equal(doOverlap(ipRange(one)!, ipRange(other)!), expected, `${one} ${other}`);
  }
});

test('a range to text has no bits beyond its prefix', () => {
  for (const [given, wanted] of [
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.255/25', '10.1.2.128/25'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['fd00:1::9/17', 'fd00::/17'],
  ] as const) {
    const range = ipRange(given);
    assert.equal(range && formatRange(range), wanted, given);
  }
});

test('addresses counted from the start of a range', () => {
  for (const [range, offset, wanted] of [
    ['10.0.0.9/24', 1n, '10.0.0.1'],
    ['10.0.0.0/8', 256n, '10.0.1.0'],
    ['10.0.0.0/24', 256n, '10.0.1.0'],
    ['fd00::/64', 2n ** 64n, 'fd00:0:0:1::'],
  ] as const) {
    const parsed = ipRange(range);
    assert.equal(parsed && addressText(addressAt(parsed, offset)), wanted, `${range} ${offset}`);
  }
});
