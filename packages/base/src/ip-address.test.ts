import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBytes, addressText, canonicalAddress, isMappedIpv4, plainAddress, plainBytes } from './ip-address.ts';

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

test('an address has one canonical text (RFC 5952)', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['010.0.0.1', '10.0.0.1'],
    ['FD00:0:0:0:0:0:0:A', 'fd00::a'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::FFFF:a00:1', '::ffff:10.0.0.1'],
    ['::10.0.0.1', '::a00:1'],
  ];
  for (const [address, wanted] of rows) {
    assert.equal(addressText(addressBytes(address) ?? new Uint8Array(4)), wanted);
    assert.equal(canonicalAddress(address), wanted);
  }
  assert.equal(canonicalAddress('1.2.3'), undefined);
});

test('what is IPv4 in the dress of IPv6', () => {
  for (const [address, wanted] of [
    ['::ffff:1.2.3.4', true],
    ['1.2.3.4', false],
    ['::1.2.3.4', false],
    ['64:ff9b::1.2.3.4', false],
  ] as const)
    assert.equal(isMappedIpv4(addressBytes(address) ?? new Uint8Array(0)), wanted, address);
});

test('an address of a socket of both families', () => {
  for (const [address, wanted] of [
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
    ['fd00::1', 'fd00::1'],
    ['::1', '::1'],
    ['::ffff:a00:1', '::ffff:a00:1'],
    ['', ''],
  ] as const)
    assert.equal(plainAddress(address), wanted, address);
});

test('an IPv4 address is its 4 bytes, in the dress of IPv6 too', () => {
  for (const [address, wanted] of [
    ['::ffff:10.0.0.1', '0a000001'],
    ['::FFFF:a00:1', '0a000001'],
    ['10.0.0.1', '0a000001'],
    ['::10.0.0.1', '0000000000000000000000000a000001'],
  ] as const)
    assert.equal(Buffer.from(plainBytes(addressBytes(address) ?? new Uint8Array())).toString('hex'), wanted, address);
});
