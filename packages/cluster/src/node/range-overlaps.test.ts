import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf, overlapsOf, sayNeighbours, sayOverlaps, takenRanges } from './range-overlaps.ts';

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

test('with further nodes behind the machine, another cluster that has the same for its own is said', () => {
  const routes = [
    { dst: '10.245.0.0/24', dev: 'bnabcdef0123n' },
    { dst: '10.245.0.0/24', dev: 'bn0123456789n' },
    { dst: '10.244.2.0/24', dev: 'bnabcdef0123' },
    { dst: '10.244.1.0/24', dev: 'bn0123456789n' },
  ];
  const asked = { podCidrs: ['10.244.0.0/24'], clusterRanges: ['10.244.0.0/22'], nodeRanges: ['10.245.0.0/24'] };
  const own = linksOf('bn0123456789');
  assert.deepEqual(overlapsOf(routes, takenRanges({ ...asked, isGateway: true }, ['10.96.0.0/16']), own), [
    "the range of pods, 10.244.0.0/22, overlaps the machine's route to 10.244.2.0/24 over bnabcdef0123",
    "the range of nodes, 10.245.0.0/24, overlaps the machine's route to 10.245.0.0/24 over bnabcdef0123n",
  ]);
  const apart = [{ dst: '10.245.0.0/24', dev: 'eth0' }];
  assert.deepEqual(overlapsOf(apart, takenRanges(asked, []), own), [], 'the way of a node to its neighbours');
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
