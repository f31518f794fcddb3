import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGlobalUnicast } from './global-unicast.ts';

// As Go's net.IP.IsGlobalUnicast answers.
for (const [address, expected] of [
  ['10.0.0.1', true],
  ['192.168.1.1', true],
  ['8.8.8.8', true],
  ['0.0.0.0', false],
  ['127.0.0.1', false],
  ['127.1.2.3', false],
  ['169.254.169.254', false],
  ['224.0.0.1', false],
  ['239.255.255.255', false],
  ['240.0.0.1', true],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::2', true],
  ['fe80::1', false],
  ['febf::1', false],
  ['fec0::1', true],
  ['ff02::1', false],
  ['fd00::1', true],
  ['2001:db8::1', true],
  ['::ffff:127.0.0.1', false],
  ['::ffff:10.0.0.1', true],
  ['', false],
  ['localhost', false],
] as const) {
  test(`${address || 'nothing'}: ${expected}`, () => assert.equal(isGlobalUnicast(address), expected));
}
