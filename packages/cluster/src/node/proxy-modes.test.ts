import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portsOfDoors } from './proxy-modes.ts';

test('a port is taken whichever family has it', () => {
  const holder = { rules: 'table bn0123456789', isFirst: true };
  const doors = new Map(['IPv4/tcp/80', 'IPv6/tcp/80', 'IPv6/udp/53'].map((door) => [door, holder] as const));
  assert.deepEqual([...portsOfDoors(doors)], ['tcp/80', 'udp/53']);
});
