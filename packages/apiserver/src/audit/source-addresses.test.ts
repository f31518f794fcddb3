import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../request/api-request.ts';
import { sourceAddresses } from './source-addresses.ts';

interface Given {
  readonly forwarded?: string;
  readonly real?: string;
  readonly remote?: string | undefined;
}

function addressesOf({ forwarded = '', real = '', remote }: Given): readonly string[] {
  const headers = new Map([
    ['x-forwarded-for', forwarded],
    ['x-real-ip', real],
  ]);
  const request = { header: (name: string) => headers.get(name) ?? '', remoteAddress: () => remote };
  return sourceAddresses(request as unknown as ApiRequest);
}

describe('where a request comes from', () => {
  const rows: readonly (readonly [name: string, given: Given, wanted: readonly string[]])[] = [
    ['who connected', { remote: '10.0.0.1' }, ['10.0.0.1']],
    ['nobody did', {}, []],
    ['over proxies', { forwarded: '1.1.1.1, 2.2.2.2', remote: '10.0.0.1' }, ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
    ['the last proxy connected', { forwarded: '1.1.1.1,10.0.0.1', remote: '10.0.0.1' }, ['1.1.1.1', '10.0.0.1']],
    [
      'a proxy that stands further ahead is told again',
      { forwarded: '10.0.0.1,1.1.1.1', remote: '10.0.0.1' },
      ['10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ],
    ['as another header says', { real: '3.3.3.3', remote: '10.0.0.1' }, ['3.3.3.3', '10.0.0.1']],
    ['what both headers say', { forwarded: '3.3.3.3,4.4.4.4', real: '3.3.3.3' }, ['3.3.3.3', '4.4.4.4']],
    ['what is no address', { forwarded: 'unknown, ,300.1.1.1,1.1.1.1:80', real: 'me', remote: 'x' }, []],
    ['an address of one interface', { forwarded: 'fe80::1%eth0' }, []],
    ['IPv4 on a socket of both', { remote: '::ffff:10.0.0.1' }, ['10.0.0.1']],
    ['the same as a proxy has it', { forwarded: '::ffff:10.0.0.1', remote: '10.0.0.1' }, ['10.0.0.1']],
    ['one way to write it', { forwarded: '2001:DB8:0:0::1', real: '2001:db8::1' }, ['2001:db8::1']],
    ['leading zeros are let pass', { forwarded: '010.0.0.001' }, ['10.0.0.1']],
    [
      'a flood is cut',
      { forwarded: Array.from({ length: 100_000 }, () => '1.1.1.1').join(','), remote: '10.0.0.1' },
      [...Array.from({ length: 32 }, () => '1.1.1.1'), '10.0.0.1'],
    ],
  ];
  for (const [name, given, wanted] of rows) test(name, () => assert.deepEqual(addressesOf(given), wanted));

  test('a caller in the process has no address', () => {
    assert.deepEqual(sourceAddresses({ header: () => '' } as unknown as ApiRequest), []);
  });
});
