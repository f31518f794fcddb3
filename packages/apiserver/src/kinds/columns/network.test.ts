import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  [
    'service',
    'services',
    {
      metadata: meta(),
      spec: {
        type: 'NodePort',
        clusterIP: '10.96.0.9',
        clusterIPs: ['10.96.0.9'],
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    },
    ['x', 'NodePort', '10.96.0.9', '<none>', '80:30080/TCP,53/UDP', '90s', '<none>'],
  ],
  [
    'load balancer',
    'services',
    { metadata: meta(), spec: { type: 'LoadBalancer', clusterIPs: ['None'], selector: { a: 'b' } } },
    ['x', 'LoadBalancer', 'None', '<pending>', '<none>', '90s', 'a=b'],
  ],
  [
    'external name',
    'services',
    { metadata: meta(), spec: { type: 'ExternalName', externalName: 'example.com' } },
    ['x', 'ExternalName', '<none>', 'example.com', '<none>', '90s', '<none>'],
  ],
  [
    'endpoints',
    'endpoints',
    {
      metadata: meta(),
      subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [{ port: 80 }, { port: 81 }] }],
    },
    ['x', '10.0.0.1:80,10.0.0.2:80,10.0.0.1:81 + 1 more...', '90s'],
  ],
  ['no endpoints', 'endpoints', { metadata: meta() }, ['x', '<none>', '90s']],
  [
    'endpoint slice',
    'endpointslices.discovery.k8s.io',
    { metadata: meta(), addressType: 'IPv4', ports: [{ port: 80 }], endpoints: null },
    ['x', 'IPv4', '80', '<unset>', '90s'],
  ],
  [
    'ip address',
    'ipaddresses.networking.k8s.io',
    { metadata: meta(), spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
    ['x', 'services/n/s', '90s'],
  ],
  [
    'ingress',
    'ingresses.networking.k8s.io',
    { metadata: meta(), spec: { tls: [{}], rules: [{ host: 'a.example' }, {}] } },
    ['x', '<none>', 'a.example', '', '80, 443', '90s'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
