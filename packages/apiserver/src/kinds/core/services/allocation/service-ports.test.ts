import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { carryPorts, findPortNeeds, nodePortsOf } from './service-ports.ts';

function service(type: string, ports: readonly object[], more: object = {}): Draft<Service> {
  return { metadata: { name: 's' }, spec: { type, ports, ...more } } as Draft<Service>;
}

describe('what an update takes over', () => {
  const before = service('NodePort', [{ name: 'a', port: 80, nodePort: 30_001 }]);
  const rows: readonly (readonly [string, Draft<Service>, readonly (number | undefined)[]])[] = [
    ['left out', service('NodePort', [{ name: 'a', port: 80 }]), [30_001]],
    ['another port of the same name', service('LoadBalancer', [{ name: 'a', port: 81 }]), [30_001]],
    ['another name', service('NodePort', [{ name: 'b', port: 80 }]), [undefined]],
    ['a type without node ports', service('ClusterIP', [{ name: 'a', port: 80 }]), [undefined]],
    [
      'one that another port has now',
      service('NodePort', [
        { name: 'a', port: 80 },
        { name: 'b', port: 81, nodePort: 30_001 },
      ]),
      [undefined, 30_001],
    ],
  ];
  for (const [name, after, expected] of rows) {
    test(name, () => {
      carryPorts(after, before as Service);
      assert.deepEqual(
        after.spec.ports?.map((port) => port.nodePort),
        expected,
      );
    });
  }
});

test('places wait for a port each; protocols on one port share it', () => {
  const object = service(
    'LoadBalancer',
    [
      { port: 53, protocol: 'TCP' },
      { port: 53, protocol: 'UDP' },
      { port: 80, nodePort: 30_009 },
    ],
    {
      externalTrafficPolicy: 'Local',
    },
  );
  const { wanted, places } = findPortNeeds(object);
  assert.deepEqual(wanted, [30_009]);
  assert.equal(places.length, 2);
  for (const [i, place] of places.entries()) place(30_100 + i);
  assert.deepEqual(
    object.spec.ports?.map((port) => port.nodePort),
    [30_100, 30_100, 30_009],
  );
  assert.equal(object.spec.healthCheckNodePort, 30_101);
  assert.deepEqual([...nodePortsOf(object as Service)], [30_100, 30_009, 30_101]);
});

test('a load balancer that wants none gets none', () => {
  const { places } = findPortNeeds(service('LoadBalancer', [{ port: 80 }], { allocateLoadBalancerNodePorts: false }));
  assert.equal(places.length, 0);
});
