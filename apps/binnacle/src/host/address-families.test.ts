import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasIPv6, parseAddresses, parseRanges } from './address-families.ts';

for (const [text, ranges] of [
  ['10.244.0.0/24', ['10.244.0.0/24']],
  ['fd00::/64', ['fd00::/64']],
  ['10.244.0.0/24,fd00::/64', ['10.244.0.0/24', 'fd00::/64']],
  ['fd00::/64, 10.244.0.0/24', ['fd00::/64', '10.244.0.0/24']],
] as const) {
  test(`ranges: ${text}`, () => assert.deepEqual(parseRanges(text), ranges));
}

for (const text of [
  '',
  'pods',
  '10.244.0.1',
  '10.244.0.0/33',
  '10.0.0.0/24,10.1.0.0/24',
  'fd00::/64,',
  '10.0.0.0/8,fd00::/64,fd01::/64',
]) {
  test(`no ranges: '${text}'`, () => assert.throws(() => parseRanges(text), { code: 'commander.invalidArgument' }));
}

test('addresses, one of each family', () => {
  assert.deepEqual(parseAddresses('192.0.2.1,fd00::1'), ['192.0.2.1', 'fd00::1']);
  assert.deepEqual(parseAddresses('fd00::1'), ['fd00::1']);
  for (const text of ['', '192.0.2', '192.0.2.0/24', '192.0.2.1,192.0.2.2', 'constructor'])
    assert.throws(() => parseAddresses(text), { code: 'commander.invalidArgument' }, text);
});

test('whether there is IPv6 among them', () => {
  assert.equal(hasIPv6(['10.0.0.0/8']), false);
  assert.equal(hasIPv6(['10.0.0.0/8', 'fd00::/64']), true);
});
