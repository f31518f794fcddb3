import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressText, cidrContains, firstAddress, isLoopback, parseAddress, parseCidr } from './address.ts';

describe('canonical text', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.01', undefined],
    ['10.0.0.256', undefined],
    ['10.0.0', undefined],
    ['FD00:0:0::1', 'fd00::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7', undefined],
    ['1:2:3:4:5:6:7:8:9', undefined],
    ['g::', undefined],
  ];
  for (const [text, expected] of rows) {
    test(text, () => {
      const address = parseAddress(text);
      assert.equal(address === undefined ? undefined : addressText(address), expected);
    });
  }
});

test('ranges', () => {
  const range = parseCidr('10.96.3.7/16');
  assert.equal(addressText(firstAddress(range)), '10.96.0.1');
  assert.ok(cidrContains(range, parseAddress('10.96.255.255')!));
  assert.ok(!cidrContains(range, parseAddress('10.97.0.0')!));
  assert.equal(addressText(firstAddress(parseCidr('fd00:1::/108'))), 'fd00:1::1');
  for (const bad of ['10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/8/8']) assert.throws(() => parseCidr(bad));
});

test('loopback', () => {
  assert.deepEqual(['127.0.0.1', '127.9.9.9', '::1', '10.0.0.1', 'x'].map(isLoopback), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
