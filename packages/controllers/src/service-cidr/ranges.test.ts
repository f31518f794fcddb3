import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';
import { holdsRange, mayGo, overlap } from './ranges.ts';

const cidr = (name: string, ...cidrs: readonly string[]): ServiceCIDR => ({ metadata: { name }, spec: { cidrs } });

for (const [name, others, addresses, expected] of [
  ['nothing is given out', [], [], true],
  ['an address of it is given out', [], ['10.1.0.7'], false],
  ['an address of another one is', [], ['10.2.0.7', 'fd00::1'], true],
  ['a larger one is there', [cidr('b', '10.0.0.0/8')], ['10.1.0.7'], true],
  ['the same one is there', [cidr('b', '10.1.0.0/16')], ['10.1.0.7'], true],
  ['a part of it stays, with the address', [cidr('b', '10.1.0.0/24')], ['10.1.0.7'], true],
  ['a part of it stays, without the address', [cidr('b', '10.1.9.0/24')], ['10.1.0.7'], false],
] as const) {
  test(`a range of services may go: ${name}`, () => {
    const going = cidr('a', '10.1.0.0/16');
    assert.equal(mayGo(going, [going, ...others], addresses), expected);
  });
}

test('a range of two families goes when both may', () => {
  const going = cidr('a', '10.1.0.0/16', 'fd00::/108');
  const all = [going, cidr('b', '10.0.0.0/8')];
  assert.equal(mayGo(going, all, ['10.1.0.7']), true);
  assert.equal(mayGo(going, all, ['fd00::7']), false);
});

for (const [name, a, b, expected] of [
  ['one in the other', '10.0.0.0/8', '10.1.0.0/16', true],
  ['side by side', '10.0.0.0/16', '10.1.0.0/16', false],
  ['of two families', '0.0.0.0/0', '::/0', false],
] as const) {
  test(`ranges overlap: ${name}`, () => {
    assert.equal(overlap(cidr('a', a), cidr('b', b)), expected);
    assert.equal(overlap(cidr('b', b), cidr('a', a)), expected);
  });
}

for (const [name, outer, inner, expected] of [
  ['itself', ['10.0.0.0/16'], '10.0.0.0/16', true],
  ['a part', ['10.0.0.0/16'], '10.0.255.0/24', true],
  ['its last address', ['10.0.0.0/16'], '10.0.255.255/32', true],
  ['one before it', ['10.1.0.0/16'], '10.0.255.0/24', false],
  ['one around it', ['10.0.0.0/16'], '10.0.0.0/15', false],
  ['everything', ['0.0.0.0/0'], '255.255.255.255/32', true],
  ['everything of the other family', ['::/0'], '10.0.0.0/8', false],
  ['an IPv6 range cut within a byte', ['fd00::/108'], 'fd00::f:0/112', true],
  ['an IPv6 range past it', ['fd00::/108'], 'fd00::10:0/112', false],
  ['written another way', ['fd00:0:0::/48'], 'FD00::/64', true],
  ['the second of two', ['10.0.0.0/16', 'fd00::/48'], 'fd00::/64', true],
  ['no ranges', [], '10.0.0.0/8', false],
  ['what is no range', ['10.0.0.0/8'], 'constructor', false],
  ['in what is no range', ['10.0.0.0/33'], '10.0.0.0/33', false],
] as const)
  test(`a range is held: ${name}`, () => assert.equal(holdsRange(cidr('a', ...outer), inner), expected));
