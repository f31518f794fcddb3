import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '@binnacle/network';
import { ensureLoneBridge, ensurePodBridge, gatewayOf } from './pod-bridge.ts';

const ROWS: readonly (readonly [string, string])[] = [
  ['10.244.0.0/24', '10.244.0.1'],
  ['10.244.3.128/25', '10.244.3.129'],
  ['10.244.7.9/16', '10.244.0.1'],
  ['10.0.0.0/8', '10.0.0.1'],
  ['fd00:10:244::/64', 'fd00:10:244::1'],
  ['fd00:10:244:0:8000::/80', 'fd00:10:244:0:8000::1'],
];

for (const [range, gateway] of ROWS) test(`${range}: ${gateway}`, () => assert.equal(gatewayOf(range), gateway));

test('what is no range is refused', () => assert.throws(() => gatewayOf('ten'), { code: 'bad-range' }));

test('a bridge that is there is kept, another fault is told', async () => {
  const asked: string[] = [];
  const say = (fault: string) => async (command: readonly string[]) => {
    asked.push(command.join(' '));
    if (command[2] === 'add') throw new NetworkError(fault);
    return '';
  };
  const both = ['10.1.0.0/24', 'fd00:1::/64'];
  assert.deepEqual(await ensurePodBridge(say('RTNETLINK answers: File exists'), 'bn0', both), [
    '10.1.0.1',
    'fd00:1::1',
  ]);
  assert.match(asked[1] ?? '', /^sh -c .* sh bn0\/accept_ra=0 bn0\/disable_ipv6=0$/);
  assert.deepEqual(asked.slice(2), [
    'ip addr flush dev bn0 scope global noprefixroute',
    'ip addr replace 10.1.0.1/24 dev bn0',
    'ip addr replace fd00:1::1/64 dev bn0 nodad',
    'ip link set bn0 up',
  ]);
  asked.length = 0;
  await ensureLoneBridge(say('RTNETLINK answers: File exists'), 'bn0', both);
  assert.deepEqual(asked.slice(2, 5), [
    'ip addr flush dev bn0 scope global -noprefixroute',
    'ip addr replace 10.1.0.1/24 dev bn0 noprefixroute',
    'ip addr replace fd00:1::1/64 dev bn0 nodad noprefixroute',
  ]);
  asked.length = 0;
  const isNew = async (command: readonly string[]): Promise<string> => (asked.push(command.join(' ')), '');
  await ensurePodBridge(isNew, 'bn0', both);
  assert.deepEqual(
    asked.filter((command) => command.includes('flush')),
    [],
    'a new one has nothing of the other sort',
  );
  await assert.rejects(ensurePodBridge(say('Operation not permitted'), 'bn0', both), { code: 'network' });
});
