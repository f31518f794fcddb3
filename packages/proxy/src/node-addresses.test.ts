import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '@binnacle/api/core/v1';
import { primaryAddresses } from './node-addresses.ts';

const ROWS: readonly (readonly [name: string, addresses: readonly string[], primary: readonly string[]])[] = [
  ['one', ['InternalIP 192.0.2.1'], ['192.0.2.1']],
  [
    'the first of each family',
    ['InternalIP fd00::1', 'InternalIP 192.0.2.1', 'InternalIP 192.0.2.2'],
    ['192.0.2.1', 'fd00::1'],
  ],
  ['internal ones first', ['ExternalIP 203.0.113.1', 'InternalIP 192.0.2.1'], ['192.0.2.1']],
  ['external ones where there is no other', ['Hostname n', 'ExternalIP 203.0.113.1'], ['203.0.113.1']],
  ['loopback is none', ['InternalIP 127.0.0.1', 'InternalIP ::1'], []],
  ['what is no address', ['InternalIP 192.0.2.1\nflush', 'InternalIP 2001:DB8:0::1'], ['2001:db8::1']],
  ['none', [], []],
];

for (const [name, told, primary] of ROWS)
  test(`primary addresses: ${name}`, () => {
    const addresses = told.map((text) => ({
      type: text.slice(0, text.indexOf(' ')),
      address: text.slice(text.indexOf(' ') + 1),
    }));
    assert.deepEqual(primaryAddresses({ status: { addresses } } as unknown as Node), primary);
  });
