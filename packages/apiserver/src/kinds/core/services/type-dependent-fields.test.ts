import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { dropTypeDependentFields } from './type-dependent-fields.ts';

const ADDRESS = {
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
};
const PORT = { name: 'a', port: 80, nodePort: 30_001 };
const NODE_PORT = { ...ADDRESS, type: 'NodePort', ports: [PORT], externalTrafficPolicy: 'Cluster' };
const BALANCER = {
  ...NODE_PORT,
  type: 'LoadBalancer',
  externalTrafficPolicy: 'Local',
  healthCheckNodePort: 30_002,
  allocateLoadBalancerNodePorts: true,
  loadBalancerClass: 'example.com/own',
};
const CLUSTER_IP = { ...ADDRESS, type: 'ClusterIP', ports: [{ name: 'a', port: 80 }] };

// Upstream: pkg/registry/core/service, dropTypeDependentFields. `gone` and `left` name fields of the spec.
const ROWS: readonly [name: string, before: object, after: object, wanted: object][] = [
  ['NodePort to ClusterIP', NODE_PORT, { ...NODE_PORT, type: 'ClusterIP' }, CLUSTER_IP],
  ['LoadBalancer to ClusterIP', BALANCER, { ...BALANCER, type: 'ClusterIP' }, CLUSTER_IP],
  [
    'LoadBalancer to NodePort keeps what both have',
    BALANCER,
    { ...BALANCER, type: 'NodePort' },
    { ...NODE_PORT, externalTrafficPolicy: 'Local' },
  ],
  [
    'LoadBalancer that is no longer Local',
    BALANCER,
    { ...BALANCER, externalTrafficPolicy: 'Cluster' },
    { ...BALANCER, externalTrafficPolicy: 'Cluster', healthCheckNodePort: undefined },
  ],
  [
    'NodePort to ExternalName',
    NODE_PORT,
    { ...NODE_PORT, type: 'ExternalName', externalName: 'e.example' },
    { type: 'ExternalName', externalName: 'e.example', ports: [{ name: 'a', port: 80 }] },
  ],
  [
    'a changed address stays, for validation to refuse',
    CLUSTER_IP,
    { ...CLUSTER_IP, type: 'ExternalName', clusterIP: '10.0.0.9' },
    { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.1'], type: 'ExternalName', ports: CLUSTER_IP.ports },
  ],
  [
    'a new node port stays, for validation to refuse',
    NODE_PORT,
    { ...NODE_PORT, type: 'ClusterIP', ports: [{ ...PORT, nodePort: 30_009 }] },
    { ...CLUSTER_IP, ports: [{ ...PORT, nodePort: 30_009 }] },
  ],
  ['the same type', NODE_PORT, { ...NODE_PORT }, NODE_PORT],
  [
    'external addresses still need the policy',
    NODE_PORT,
    { ...NODE_PORT, type: 'ClusterIP', externalIPs: ['192.0.2.1'] },
    { ...CLUSTER_IP, externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Cluster' },
  ],
];

for (const [name, before, after, wanted] of ROWS) {
  test(name, () => {
    const object = serviceOf(after);
    dropTypeDependentFields(object, serviceOf(before) as Service);
    assert.deepEqual(JSON.parse(JSON.stringify(object.spec)), JSON.parse(JSON.stringify(wanted)));
  });
}

test('the status of a balancer goes with it', () => {
  const before = { ...serviceOf(BALANCER), status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
  const after = { ...serviceOf({ ...BALANCER, type: 'NodePort' }), status: before.status } as Draft<Service>;
  dropTypeDependentFields(after, before as unknown as Service);
  assert.deepEqual(after.status, { loadBalancer: {} });
  assert.deepEqual(before.status.loadBalancer.ingress, [{ ip: '192.0.2.1' }]);
});

function serviceOf(spec: object): Draft<Service> {
  return structuredClone({ metadata: { name: 's' }, spec }) as unknown as Draft<Service>;
}
