import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRemoval } from './port-chains.ts';

const IDLE = [
  '-P PREROUTING ACCEPT',
  '-N CNI-HOSTPORT-DNAT',
  '-N CNI-HOSTPORT-MASQ',
  '-N OTHER',
  '-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT',
  '-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
  '-A POSTROUTING -j OTHER',
  '-A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE',
];

test('idle chains and the jumps to them go, others stay', () => {
  assert.deepEqual(planRemoval(IDLE), [
    '-D PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT',
    '-D POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
    '-F CNI-HOSTPORT-DNAT',
    '-F CNI-HOSTPORT-MASQ',
    '-X CNI-HOSTPORT-DNAT',
    '-X CNI-HOSTPORT-MASQ',
  ]);
});

test('nothing goes while a host port is in use, and nothing is done without chains', () => {
  assert.deepEqual(planRemoval([...IDLE, '-A CNI-HOSTPORT-DNAT -p tcp -j CNI-DN-1']), []);
  assert.deepEqual(planRemoval(['-P PREROUTING ACCEPT', '-A POSTROUTING -j OTHER']), []);
});
