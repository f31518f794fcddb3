import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBytes } from './ip-address.ts';

test('addresses in text', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['10.96.0.1', '0a600001'],
    ['::1', '00000000000000000000000000000001'],
    ['::', '00000000000000000000000000000000'],
    ['fd00:99::a', 'fd00009900000000000000000000000a'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
    ['1::', '00010000000000000000000000000000'],
  ];
  for (const [address, wanted] of rows)
    assert.equal(Buffer.from(addressBytes(address) ?? []).toString('hex'), wanted, address);
});

test('what is no address', () => {
  for (const address of [
    '',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7:8::',
  ])
    assert.equal(addressBytes(address), undefined, address);
});
