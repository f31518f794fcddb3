import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineRoutes, overlapsSlot, takeTestRanges } from './test-ranges.ts';

const TABLE = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
bn0123456789\t0000DB0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
tun0\t0000C00A\t00000000\t0001\t0\t0\t0\t0000C0FF\t0\t0\t0
`;

test('the routes of the machine, but the default one', () => {
  assert.deepEqual(machineRoutes(TABLE), [
    { link: 'bn0123456789', range: '10.219.0.0/24' },
    { link: 'tun0', range: '10.192.0.0/10' },
  ]);
  assert.deepEqual(machineRoutes(''), []);
});

for (const [name, range, n, expected] of [
  ['the same network', '10.219.0.0/24', 219, true],
  ['a part of it', '10.219.3.128/25', 219, true],
  ['all of it and more', '10.192.0.0/10', 219, true],
  ['its neighbour', '10.21.0.0/24', 219, false],
  ['another one', '192.0.2.0/24', 219, false],
] as const) {
  test(`a route overlaps: ${name}`, () => assert.equal(overlapsSlot({ link: 'x', range }, n), expected));
}

test(
  'two holders never have the same; what is given back is free again',
  { skip: process.platform !== 'linux' },
  async () => {
    const held = await Promise.all(Array.from({ length: 8 }, () => takeTestRanges()));
    assert.equal(new Set(held.map(({ pods }) => pods)).size, held.length);
    assert.equal(new Set(held.map(({ name }) => name)).size, held.length);
    for (const { release } of held) release();
    const again = await takeTestRanges();
    assert.ok(
      held.some(({ pods }) => pods === again.pods),
      again.pods,
    );
    again.release();
  },
);
