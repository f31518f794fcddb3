import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { test } from 'node:test';
import {
  certifiedAddresses,
  firstOwnAddress,
  isLoopbackHost,
  isWildcard,
  ownAddresses,
  reachableHost,
} from './own-addresses.ts';

for (const [host, wildcard, loopback, reachable] of [
  ['0.0.0.0', true, false, '127.0.0.1'],
  ['::', true, false, '127.0.0.1'],
  ['127.0.0.1', false, true, '127.0.0.1'],
  ['127.9.9.9', false, true, '127.9.9.9'],
  ['::1', false, true, '::1'],
  ['localhost', false, true, 'localhost'],
  ['192.0.2.1', false, false, '192.0.2.1'],
] as const) {
  test(`who reaches ${host}`, () => {
    assert.deepEqual([isWildcard(host), isLoopbackHost(host), reachableHost(host)], [wildcard, loopback, reachable]);
  });
}

test('the address of the node is one of its own, and no loopback address', () => {
  const own = firstOwnAddress();
  assert.ok(own === undefined || (isIPv4(own) && ownAddresses().includes(own) && !isLoopbackHost(own)));
});

test('a server is certified for where it listens, what it advertises and the first address of each range of Services', () => {
  const ranges = { serviceCidrs: ['10.77.0.0/16', 'fd00:77::/112'] };
  assert.deepEqual(certifiedAddresses('192.0.2.1', { ...ranges, advertised: ['192.0.2.9'] }), [
    '192.0.2.1',
    '192.0.2.9',
    '10.77.0.1',
    'fd00:77::1',
  ]);
  assert.deepEqual(certifiedAddresses('192.0.2.1', { advertised: ['192.0.2.1'] }), ['192.0.2.1']);
  assert.deepEqual(certifiedAddresses(undefined, {}), []);
  assert.deepEqual(certifiedAddresses('0.0.0.0', {}).toSorted(), [...new Set(ownAddresses())].toSorted());
});
