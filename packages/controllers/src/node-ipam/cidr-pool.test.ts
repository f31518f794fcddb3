import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { NodeCidrError } from '../errors.ts';
import { CidrPool } from './cidr-pool.ts';

const takeAll = (pool: CidrPool): string[] => {
  const all: string[] = [];
  for (let one = pool.take(); one !== undefined && all.length < 10; one = pool.take()) all.push(one);
  return all;
};

for (const [name, cidr, mask, expected] of [
  ['four of IPv4', '10.244.0.0/22', 24, ['10.244.0.0/24', '10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24']],
  ['one', '192.0.2.0/24', 24, ['192.0.2.0/24']],
  ['the network of an address in it', '10.1.2.3/23', 24, ['10.1.2.0/24', '10.1.3.0/24']],
  ['two of IPv6', '2001:db8:1234::/63', 64, ['2001:db8:1234::/64', '2001:db8:1234:1::/64']],
  ['the longest run of zeros is left out', '2001:0:0:1::/64', 64, ['2001:0:0:1::/64']],
] as const) {
  test(`parts of a network: ${name}`, () => assert.deepEqual(takeAll(new CidrPool(cidr, mask)), expected));
}

test('what is occupied is not given out; what is given back is, last of all', () => {
  const pool = new CidrPool('10.244.0.0/22', 24);
  pool.occupy('10.244.1.128/25');
  pool.occupy('10.0.0.0/24');
  pool.occupy('2001:db8::/32');
  assert.equal(pool.take(), '10.244.0.0/24');
  assert.equal(pool.take(), '10.244.2.0/24');
  pool.release('10.244.0.0/24');
  assert.equal(pool.take(), '10.244.3.0/24');
  assert.equal(pool.take(), '10.244.0.0/24');
  assert.equal(pool.take(), undefined);
});

for (const [name, preferred, expected] of [
  ['that is free', '10.244.2.0/24', '10.244.2.0/24'],
  ['that is taken', '10.244.1.0/24', '10.244.0.0/24'],
  ['that is half of one', '10.244.2.128/25', '10.244.0.0/24'],
  ['that is two', '10.244.2.0/23', '10.244.0.0/24'],
  ['of another place', '10.9.0.0/24', '10.244.0.0/24'],
  ['of another family', 'fd00::/64', '10.244.0.0/24'],
] as const) {
  test(`a part by name, one ${name}`, () => {
    const pool = new CidrPool('10.244.0.0/22', 24);
    pool.occupy('10.244.1.0/24');
    assert.equal(pool.take(preferred), expected);
    assert.notEqual(pool.take(preferred), expected, 'once');
  });
}

test('a network around it takes all', () => {
  const pool = new CidrPool('10.244.0.0/22', 24);
  pool.occupy('10.0.0.0/8');
  assert.equal(pool.take(), undefined);
});

for (const [name, cidr, mask] of [
  ['a mask that is larger than the network', '10.244.0.0/24', 16],
  ['a mask of too many bits', '10.244.0.0/24', 33],
  ['no mask', '10.244.0.0/16', Number.NaN],
  ['too many parts', '10.0.0.0/7', 24],
  ['no address', 'constructor/8', 24],
  ['no prefix', '10.0.0.0', 24],
  ['a prefix of too many bits', '10.0.0.0/33', 24],
] as const) {
  test(`what cannot be parted is refused: ${name}`, () => {
    assert.throws(() => new CidrPool(cidr, mask), NodeCidrError);
  });
}
