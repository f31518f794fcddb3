import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addressFamily,
  cidrFamily,
  isStrictSubset,
  parseRange,
  validateCidr,
  validateIp,
  validateNonSpecialIp,
} from './address.ts';
import { fieldPath } from './path.ts';
import { Report } from './report.ts';

describe('addresses', () => {
  const addresses: [text: string, family: string | undefined][] = [
    ['10.0.0.1', 'IPv4'],
    ['010.0.0.1', 'IPv4'],
    ['10.0.0', undefined],
    ['10.0.0.256', undefined],
    ['::', 'IPv6'],
    ['::1', 'IPv6'],
    ['2001:db8::1:2', 'IPv6'],
    ['::ffff:1.2.3.4', 'IPv6'],
    ['1:2:3:4:5:6:7:8', 'IPv6'],
    ['1:2:3:4:5:6:7', undefined],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7::8', undefined],
    ['12345::', undefined],
    ['', undefined],
    ['a', undefined],
  ];
  for (const [text, family] of addresses) it(`address ${text}`, () => assert.equal(addressFamily(text), family));

  const ranges: [text: string, family: string | undefined][] = [
    ['10.0.0.0/8', 'IPv4'],
    ['10.0.0.0/33', undefined],
    ['fd00::/64', 'IPv6'],
    ['fd00::/129', undefined],
    ['10.0.0.0', undefined],
    ['10.0.0.0/x', undefined],
  ];
  for (const [text, family] of ranges) it(`range ${text}`, () => assert.equal(cidrFamily(text), family));

  // Messages: upstream ValidateNonSpecialIP.
  const special: [text: string, detail: string | undefined][] = [
    ['10.0.0.1', undefined],
    ['0.0.0.0', 'may not be unspecified (0.0.0.0)'],
    ['::', 'may not be unspecified (::)'],
    ['127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['169.254.1.1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ['fe80::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ['224.0.0.1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ['ff02::1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ['x', 'must be a valid IP address'],
  ];
  for (const [text, detail] of special) {
    it(`special ${text}`, () => {
      const report = new Report();
      validateNonSpecialIp(text, fieldPath('ip'), report);
      assert.equal(report.errors[0]?.detail, detail);
    });
  }
});

describe('spellings that others read as another address', () => {
  const rows: [text: string, check: typeof validateIp, detail: string | undefined][] = [
    ['10.0.0.1', validateIp, undefined],
    ['FD00::A', validateIp, undefined],
    ['010.0.0.1', validateIp, 'must not have leading 0s'],
    ['::ffff:10.0.0.1', validateIp, 'must not be an IPv4-mapped IPv6 address'],
    ['x', validateIp, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['10.0.0.0/8', validateCidr, undefined],
    ['FD00::/64', validateCidr, undefined],
    ['10.0.0.0/08', validateCidr, 'must not have leading 0s in IP or prefix length'],
    ['010.0.0.0/8', validateCidr, 'must not have leading 0s in IP or prefix length'],
    ['::ffff:10.0.0.0/104', validateCidr, 'must not have an IPv4-mapped IPv6 address'],
    ['10.0.0.1/8', validateCidr, 'must not have bits set beyond the prefix length'],
    ['10.0.0.0', validateCidr, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ];
  for (const [text, check, detail] of rows) {
    it(text, () => {
      const report = new Report();
      check(text, fieldPath('ip'), report);
      assert.equal(report.errors[0]?.detail, detail);
    });
  }

  it('a part of a range', () => {
    assert.equal(isStrictSubset('10.1.0.0/16', '10.0.0.0/8'), true);
    assert.equal(isStrictSubset('10.0.0.0/8', '10.0.0.0/8'), false);
    assert.equal(isStrictSubset('11.0.0.0/16', '10.0.0.0/8'), false);
    assert.equal(isStrictSubset('fd00:0:0:1::/64', 'fd00::/48'), true);
    assert.equal(isStrictSubset('fd00::/64', '0.0.0.0/0'), false);
  });
});

// As upstream's sloppy parser reads it; what is odd in it is told by validateCidr.
describe('ranges taken apart', () => {
  const ranges: readonly [text: string, length: number | undefined, bytes?: number][] = [
    ['10.0.0.0/8', 8, 4],
    ['10.0.0.1/0', 0, 4],
    ['10.0.0.0/32', 32, 4],
    ['10.0.0.0/33', undefined],
    ['::/128', 128, 16],
    ['::/129', undefined],
    ['::ffff:10.0.0.0/104', 104, 16],
    ['010.0.0.0/08', 8, 4],
    ['10.0.0.0/00000008', 8, 4],
    ['10.0.0.0', undefined],
    ['10.0.0.0/', undefined],
    ['/8', undefined],
    ['10.0.0.0/8/8', undefined],
    ['10.0.0.0/+8', undefined],
    ['10.0.0.0/-8', undefined],
    ['10.0.0.0/ 8', undefined],
    ['10.0.0.0/0x8', undefined],
    ['10.0.0.0/8\n', undefined],
    ['10.0.0/8', undefined],
    ['constructor/8', undefined],
    ['', undefined],
    [`10.0.0.0/${'9'.repeat(100_000)}`, undefined],
  ];
  for (const [text, length, bytes] of ranges)
    it(text.slice(0, 40), () => {
      const range = parseRange(text);
      assert.deepEqual([range?.length, range?.bytes.length], [length, bytes]);
      if (range !== undefined) assert.equal(`${range.text.address}/${range.text.length}`, text);
    });
});
