import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapsOf, sayNeighbours, sayOverlaps } from './range-overlaps.ts';

const ROUTES = [
  { dst: 'default', dev: 'eth0' },
  { dst: '192.168.1.0/24', dev: 'eth0' },
  { dst: '10.0.0.0/8', dev: 'tun0' },
  { dst: '10.244.0.0/24', dev: 'bn0' },
  { dst: 'fd00::/64', dev: 'tun0' },
];

test('a VPN with the same addresses is said, our own bridge and the default route are not', () => {
  const said = overlapsOf(ROUTES, { pods: ['10.244.0.0/24', 'fd00::/48'], Services: ['172.20.0.0/16'] }, ['bn0']);
  assert.deepEqual(said, [
    "the range of pods, 10.244.0.0/24, overlaps the machine's route to 10.0.0.0/8 over tun0",
    "the range of pods, fd00::/48, overlaps the machine's route to fd00::/64 over tun0",
  ]);
});

test('asked of the machine', async () => {
  const run = async (command: readonly string[]): Promise<string> =>
    command.includes('-4') ? JSON.stringify(ROUTES) : '';
  assert.equal((await sayOverlaps(run, { pods: ['10.244.0.0/24'] }, [])).length, 2);
});

test('another cluster of this machine is said, by the link of its pods', async () => {
  const links = ['bn0123456789', 'bnabcdef0123', 'bnabcdef0123n', 'br0', 'bnxt0'].map((ifname) => ({ ifname }));
  const said = await sayNeighbours(async () => JSON.stringify(links), ['10.96.0.0/16'], 'bn0123456789');
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /link bnabcdef0123\) .* 10\.96\.0\.0\/16/);
  assert.deepEqual(await sayNeighbours(async () => '', ['10.96.0.0/16'], 'bn0123456789'), []);
});
