import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { announceBalancers, forgetBalancers } from './announce-addresses.ts';

const balanced = (name: string, ip: string): Service =>
  ({
    metadata: { name, namespace: 'ns' },
    spec: { type: 'LoadBalancer' },
    status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } },
  }) as unknown as Service;

/** A link with its own addresses, and what an earlier time has left: of this pool, and of another one. */
const LISTED = JSON.stringify([
  {
    addr_info: [
      { local: '10.0.0.1', prefixlen: 24 },
      { local: 'fe80::1', prefixlen: 64 },
      { local: '198.51.100.9', prefixlen: 32 },
      { local: '203.0.113.9', prefixlen: 32 },
      { local: 'fd07::9', prefixlen: 128 },
    ],
  },
]);

test('without a pool nothing is left of one', async () => {
  const asked: string[] = [];
  const run = async (command: readonly string[]): Promise<string> => {
    if (command[1] === '-j') return LISTED;
    asked.push(command.slice(2).join(' '));
    return '';
  };
  await forgetBalancers(run, 'bn0');
  assert.deepEqual(asked, ['del 198.51.100.9/32 dev bn0', 'del 203.0.113.9/32 dev bn0', 'del fd07::9/128 dev bn0']);
});

test('addresses of the pool come to the link, and go with their Service; others are nobody’s business', async () => {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(SERVICES, balanced('a', '198.51.100.1'));
  wire.seed(SERVICES, balanced('b', '192.0.2.1'));
  const scope = new Scope('test', { log: silentLogger });
  const asked: string[] = [];
  const run = async (command: readonly string[]): Promise<string> => {
    if (command[1] === '-j') return LISTED;
    asked.push(command.slice(2).join(' '));
    return '';
  };
  const client = createClient(wire);
  await announceBalancers({ client, world, scope, run, link: 'bn0', pool: ['198.51.100.0/24', 'fd05::/64'] });
  await clock.advance(1000);
  assert.deepEqual(asked.splice(0), [
    'del 198.51.100.9/32 dev bn0',
    'del 203.0.113.9/32 dev bn0',
    'del fd07::9/128 dev bn0',
    'replace 198.51.100.1/32 dev bn0',
  ]);
  wire.seed(SERVICES, balanced('c', 'fd05::7'));
  await client.resource(SERVICES, 'ns').delete('a');
  await clock.advance(1000);
  assert.deepEqual(asked.splice(0).toSorted(), ['del 198.51.100.1/32 dev bn0', 'replace fd05::7/128 dev bn0']);
  await scope.close();
});

test('what the machine refuses is asked for again, later and later, until it takes it', async () => {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(SERVICES, balanced('a', '198.51.100.1'));
  const scope = new Scope('test', { log: silentLogger });
  const asked: string[] = [];
  let isDown = true;
  const run = async (command: readonly string[]): Promise<string> => {
    if (command[1] === '-j') return '[]';
    asked.push(command.slice(2).join(' '));
    if (isDown) throw new Error('Network is down');
    return '';
  };
  await announceBalancers({ client: createClient(wire), world, scope, run, link: 'bn0', pool: ['198.51.100.0/24'] });
  await clock.advance(60_000);
  assert.ok(asked.length >= 4 && asked.length <= 10, `${asked.length} times in a minute`);
  asked.splice(0);
  isDown = false;
  await clock.advance(60_000);
  assert.deepEqual(asked.splice(0), ['replace 198.51.100.1/32 dev bn0']);
  isDown = true;
  wire.seed(SERVICES, balanced('b', '198.51.100.2'));
  await clock.advance(500);
  assert.equal(asked.splice(0).length, 1, 'from the beginning again');
  await scope.close();
  await clock.advance(60_000);
  assert.deepEqual(asked, [], 'nobody asks any more');
});
