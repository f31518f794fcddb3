import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { followInsiders, InsiderGate } from './insiders.ts';
import { firstOwnAddress } from './own-addresses.ts';

const RANGES = ['10.244.0.0/24', '192.0.2.7', 'fd00:1::/64'];
const ROWS: readonly (readonly [address: string, insiders: readonly string[] | undefined, isIn: boolean])[] = [
  ['127.0.0.1', RANGES, true],
  ['::1', RANGES, true],
  ['10.244.0.9', RANGES, true],
  ['::ffff:10.244.0.9', RANGES, true],
  ['192.0.2.7', RANGES, true],
  ['fd00:1::5', RANGES, true],
  ['10.244.1.9', RANGES, false],
  ['198.51.100.1', RANGES, false],
  ['198.51.100.1', [], false],
  ['198.51.100.1', undefined, true],
  [firstOwnAddress() ?? '127.0.0.1', [], true],
  ['', RANGES, false],
];

for (const [address, insiders, isIn] of ROWS) {
  test(`${address || 'nobody'} among ${insiders?.length ?? 'all'}`, () =>
    assert.equal(new InsiderGate(() => insiders, new VirtualClock()).letsIn(address), isIn));
}

test('who is let in later is, and who is not any more is not; what is remembered of strangers is bounded', () => {
  const clock = new VirtualClock();
  let insiders = ['10.244.0.0/24'];
  const gate = new InsiderGate(() => insiders, clock);
  assert.equal(gate.letsIn('198.51.100.1'), false);
  for (let at = 0; at < 10_000; at++) gate.letsIn(`198.51.${at >> 8}.${at & 255}`);
  insiders = ['198.51.100.1'];
  assert.deepEqual([gate.letsIn('198.51.100.1'), gate.letsIn('10.244.0.9')], [true, false]);
});

test('addresses of nodes are let in as they come and go', async () => {
  const world = { clock: new VirtualClock(), random: createSeededRandom(1), log: silentLogger };
  const client = createClient(createMemoryApi(world).connect());
  const scope = new Scope('insiders', { log: silentLogger });
  const insiders = followInsiders(['10.244.0.0/16'], { client, world, scope });
  const node = { metadata: { name: 'n' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.2' }] } };
  const made = await client.resource(NODES).create(node as unknown as Node);
  await world.clock.advance(1000);
  assert.deepEqual(insiders(), ['10.244.0.0/16', '192.0.2.2']);
  assert.equal(insiders(), insiders(), 'the same array while nothing changes');
  await client.resource(NODES).delete(made.metadata.name ?? '');
  await world.clock.advance(1000);
  assert.deepEqual(insiders(), ['10.244.0.0/16']);
  await scope.close();
});
