import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, ContainerPort, Pod } from '@binnacle/api/core/v1';
import { makePod } from '../testing/objects.ts';
import { demandOf, hostPortsOf, portsConflict } from './demand.ts';
import type { HostPort } from './demand.ts';

const container = (port: Partial<ContainerPort>, more: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'i',
  ports: [{ containerPort: 80, ...port }],
  ...more,
});
const pod = (containers: readonly Container[], initContainers: readonly Container[] = []): Pod =>
  makePod('p', { containers, initContainers });
const PORT: HostPort = { ip: '0.0.0.0', protocol: 'TCP', port: 80 };

const TAKEN: readonly [name: string, pod: Pod, ports: readonly HostPort[]][] = [
  ['none', pod([container({})]), []],
  ['zero is none', pod([container({ hostPort: 0 })]), []],
  ['any address, TCP', pod([container({ hostPort: 80 })]), [PORT]],
  [
    'as it says',
    pod([container({ hostPort: 53, hostIP: '192.0.2.1', protocol: 'UDP' })]),
    [{ ip: '192.0.2.1', protocol: 'UDP', port: 53 }],
  ],
  ['of a sidecar', pod([container({})], [container({ hostPort: 80 }, { restartPolicy: 'Always' })]), [PORT]],
  ['not of what ends before the pod runs', pod([container({})], [container({ hostPort: 80 })]), []],
  [
    'of every container',
    pod([container({ hostPort: 80 }), container({ hostPort: 81 })]),
    [PORT, { ...PORT, port: 81 }],
  ],
];
for (const [name, taker, ports] of TAKEN)
  test(`host ports: ${name}`, () => assert.deepEqual(hostPortsOf(taker), ports));

// Upstream knows one address that stands for all.
const CONFLICTS: readonly [name: string, a: Partial<HostPort>, b: Partial<HostPort>, conflict: boolean][] = [
  ['the same', {}, {}, true],
  ['another port', {}, { port: 81 }, false],
  ['another protocol', {}, { protocol: 'UDP' }, false],
  ['every address and one', {}, { ip: '192.0.2.1' }, true],
  ['the empty address is every one', { ip: '' }, { ip: '192.0.2.1' }, true],
  ['the same address', { ip: '192.0.2.1' }, { ip: '192.0.2.1' }, true],
  ['two addresses', { ip: '192.0.2.1' }, { ip: '192.0.2.2' }, false],
  ['every address and an IPv6 one', {}, { ip: '::1' }, true],
  ['an IPv4 address and all of IPv6', { ip: '192.0.2.1' }, { ip: '::' }, false],
];
for (const [name, a, b, conflict] of CONFLICTS)
  test(`host ports in each other's way: ${name}`, () => {
    assert.equal(portsConflict({ ...PORT, ...a }, { ...PORT, ...b }), conflict);
    assert.equal(portsConflict({ ...PORT, ...b }, { ...PORT, ...a }), conflict);
  });

const MI = 1024 * 1024;
const asking = (requests: Record<string, string>): Container => ({ name: 'c', image: 'i', resources: { requests } });
const BOTH = { cpu: '10m', memory: '16Mi' };

// What is left open counts as 100m and 200Mi when nodes are scored, of each container that leaves it open.
const SCORED: readonly [name: string, pod: Pod, milliCpu: number, memory: number][] = [
  ['nothing left open', pod([asking(BOTH), asking(BOTH)]), 20, 32 * MI],
  ['nothing said', pod([asking({})]), 100, 200 * MI],
  ['memory left open by one of two', pod([asking(BOTH), asking({ cpu: '10m' })]), 20, 216 * MI],
  ['CPU left open by what runs before', pod([asking(BOTH)], [asking({ memory: '8Mi' })]), 100, 16 * MI],
  [
    'what a resize has given, which says nothing of memory',
    {
      ...pod([asking(BOTH)]),
      status: {
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
        containerStatuses: [
          {
            ...{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 },
            allocatedResources: { cpu: '20m' },
            resources: { requests: { cpu: '20m' } },
          },
        ],
      },
    },
    20,
    200 * MI,
  ],
];
for (const [name, asked, milliCpu, memory] of SCORED)
  test(`stand-ins for what containers leave open: ${name}`, () => {
    const { scoringMilliCpu, scoringMemory } = demandOf(asked);
    assert.deepEqual([scoringMilliCpu, scoringMemory], [milliCpu, memory]);
  });
