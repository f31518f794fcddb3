import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '../../generated/core-v1.ts';
import { internalAddresses } from './questions.ts';

test('the InternalIPs of a node: what is no address, or says more than one, is none', () => {
  const say = (type: string, address: string): object => ({ type, address });
  const node = {
    status: {
      addresses: [
        say('InternalIP', '192.0.2.1'),
        say('ExternalIP', '203.0.113.1'),
        say('Hostname', 'n'),
        say('InternalIP', 'FD00:0::1'),
        say('InternalIP', '192.0.2.2\nroute replace default via 192.0.2.66'),
        say('InternalIP', '192.0.2.3 }; flush ruleset; #'),
        say('InternalIP', '192.0.2.4/0'),
        say('InternalIP', 'fe80::1%eth0'),
        say('InternalIP', ''),
      ],
    },
  } as unknown as Node;
  assert.deepEqual(internalAddresses(node), ['192.0.2.1', 'fd00::1']);
  assert.deepEqual(internalAddresses({}), []);
});
