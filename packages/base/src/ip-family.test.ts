import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ipFamily, ofFamily } from './ip-family.ts';

void test('an address and a range tell their family', () => {
  equal(ipFamily('10.0.0.1'), 'IPv4');
  equal(ipFamily('fd00::/64'), 'IPv6');
});

void test('those of one family are picked in their order', () => {
  const all = ['10.1.0.0/16', 'fd00::1', '10.0.0.1'];
  deepEqual(ofFamily(all, 'IPv4'), ['10.1.0.0/16', '10.0.0.1']);
  deepEqual(ofFamily(all, 'IPv6'), ['fd00::1']);
});
