import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError } from '../errors.ts';
import { AddressPool } from './address-pool.ts';

test('addresses are handed out in turn, without network, gateway and broadcast', () => {
  const pool = new AddressPool('10.1.2.9/29');
  const taken = [pool.take(), pool.take(), pool.take(), pool.take(), pool.take()];
  assert.deepEqual(taken, ['10.1.2.10', '10.1.2.11', '10.1.2.12', '10.1.2.13', '10.1.2.14']);
  assert.throws(() => pool.take(), RuntimeError);
  pool.release('10.1.2.12');
  assert.equal(pool.take(), '10.1.2.12');
});

test('a range high in the space', () => {
  assert.equal(new AddressPool('250.255.255.0/24').take(), '250.255.255.2');
});

test('bad ranges are refused', () => {
  for (const bad of ['', '10.0.0.0', '10.0.0.0/31', '10.0.0.256/24', 'fd00::/64']) {
    assert.throws(() => new AddressPool(bad), RuntimeError, bad);
  }
});
