import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { heldPorts, hostPorts } from './held-ports.ts';

const node = (name: string, labels = {}): Node =>
  ({
    metadata: { name, labels },
    status: { daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } },
  }) as unknown as Node;
const pod = (name: string, port: object, more: { nodeName?: string; phase?: string } = {}): Pod =>
  ({
    metadata: { name, namespace: 'ns' },
    spec: { nodeName: more.nodeName ?? 'a', containers: [{ name: 'c', ports: [{ containerPort: 80, ...port }] }] },
    status: { phase: more.phase ?? 'Running' },
  }) as unknown as Pod;

test('ports of kubelets, and host ports of pods that run on nodes whose addresses are given', () => {
  const excluded = node('b', { 'node.kubernetes.io/exclude-from-external-load-balancers': '' });
  const pods = [
    pod('web', { hostPort: 8080 }),
    pod('other', { hostPort: 8080 }),
    pod('names', { hostPort: 53, protocol: 'UDP' }),
    pod('plain', {}),
    pod('inside', { hostPort: 81, hostIP: '127.0.0.1' }),
    pod('ended', { hostPort: 82 }, { phase: 'Succeeded' }),
    pod('elsewhere', { hostPort: 83 }, { nodeName: 'b' }),
    pod('nowhere', { hostPort: 84 }, { nodeName: '' }),
  ];
  assert.deepEqual(
    [...heldPorts([node('a'), excluded], pods)],
    [
      ['tcp/10250', 'the kubelet of node a'],
      ['tcp/8080', 'pod ns/web'],
      ['udp/53', 'pod ns/names'],
    ],
  );
});

const PORTS: readonly (readonly [name: string, port: object, asked: readonly string[]])[] = [
  ['none', {}, []],
  ['one', { hostPort: 80 }, ['tcp/80']],
  ['by UDP, of an address', { hostPort: 53, protocol: 'UDP', hostIP: '192.0.2.1' }, ['udp/53']],
  ['of loopback', { hostPort: 80, hostIP: '::1' }, []],
];
for (const [name, port, asked] of PORTS)
  test(`what a pod asks of its node: ${name}`, () => assert.deepEqual(hostPorts(pod('p', port)), asked));
