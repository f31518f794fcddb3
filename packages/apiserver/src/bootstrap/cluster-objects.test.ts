import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  kubernetesEndpointSlice,
  kubernetesEndpoints,
  kubernetesService,
  systemNamespaces,
  systemPriorityClasses,
} from './cluster-objects.ts';

test('the four namespaces', () => {
  assert.deepEqual(
    systemNamespaces().map(({ object }) => object.metadata.name),
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
  );
});

test('the values of the system classes', () => {
  assert.deepEqual(
    systemPriorityClasses().map(({ object }) => [object.metadata.name, 'value' in object && object.value]),
    [
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ],
  );
});

test('the Service of the API server and what is behind it', () => {
  const { object } = kubernetesService(['10.96.0.1', 'fd00::1'], 6443);
  const { spec } = object as { spec?: { clusterIPs?: unknown; ports?: unknown } };
  assert.deepEqual(spec?.clusterIPs, ['10.96.0.1']);
  assert.deepEqual(spec?.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }]);
  const { object: endpoints } = kubernetesEndpoints(['192.0.2.1'], 6443);
  assert.equal(endpoints.metadata.labels?.['endpointslice.kubernetes.io/skip-mirror'], 'true');
  const { object: slice } = kubernetesEndpointSlice(['fd00::7'], 6443);
  assert.equal('addressType' in slice && slice.addressType, 'IPv6');
});
