import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { EndpointTable } from './endpoint-table.ts';

const SERVICE = {
  metadata: { name: 'web', namespace: 'ns' },
  spec: {
    ports: [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'tls', port: 443, protocol: 'TCP', appProtocol: 'https' },
      { name: 'rpc', port: 9000, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
    ],
  },
} as unknown as Service;

type Condition = 'ready' | 'starting' | 'leaving';
const CONDITIONS = {
  ready: { ready: true },
  starting: { ready: false },
  leaving: { ready: false, serving: true, terminating: true },
};

function slice(name: string, endpoints: { [address: string]: Condition }, port = 8080): EndpointSlice {
  return {
    metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: Object.entries(endpoints).map(([address, condition]) => ({
      addresses: [address],
      conditions: CONDITIONS[condition],
      nodeName: 'n',
      targetRef: { kind: 'Pod', namespace: 'ns', name: `pod-${address}` },
    })),
    ports: [
      { name: 'http', port, protocol: 'TCP' },
      { name: 'tls', port: 8443, protocol: 'TCP' },
    ],
  } as unknown as EndpointSlice;
}

const at = (table: EndpointTable, port: number | string, name = 'web'): string => {
  const found = table.find({ kind: 'service', namespace: 'ns', name, port });
  return found.kind === 'nobody' ? found.why : found.places.map((one) => `${one.address}:${one.port}`).join();
};

test('who is ready, over all slices; by number and by name', () => {
  const table = new EndpointTable();
  table.setService(SERVICE);
  table.setSlice(slice('a', { '10.0.0.1': 'ready', '10.0.0.2': 'starting', '10.0.0.3': 'leaving' }));
  table.setSlice(slice('b', { '10.0.0.4': 'ready', '10.0.0.1': 'ready' }));
  assert.equal(at(table, 80), '10.0.0.1:8080,10.0.0.4:8080');
  assert.equal(at(table, 'http'), '10.0.0.1:8080,10.0.0.4:8080');
  const found = table.find({ kind: 'service', namespace: 'ns', name: 'web', port: 'tls' });
  const [place] = found.kind === 'places' ? found.places : [];
  assert.deepEqual(place, {
    address: '10.0.0.1',
    port: 8443,
    nodeName: 'n',
    pod: { namespace: 'ns', name: 'pod-10.0.0.1' },
  });
  table.setSlice(slice('a', { '10.0.0.9': 'ready' }, 9090));
  assert.equal(at(table, 80), '10.0.0.9:9090,10.0.0.4:8080,10.0.0.1:8080');
});

test('an address counts once however it is written, and what is none is nobody', () => {
  const table = new EndpointTable();
  table.setService(SERVICE);
  table.setSlice(slice('a', { '010.0.0.1': 'ready', '10.0.0.1': 'ready', 'example.com': 'ready' }));
  assert.equal(at(table, 80), '10.0.0.1:8080');
});

test('where nobody is ready, those on their way out', () => {
  const table = new EndpointTable();
  table.setService(SERVICE);
  table.setSlice(slice('a', { '10.0.0.2': 'starting', '10.0.0.3': 'leaving' }));
  assert.equal(at(table, 80), '10.0.0.3:8080');
  table.removeSlice(slice('a', {}));
  assert.equal(at(table, 80), '');
});

test('how a backend wants to be spoken to', () => {
  const table = new EndpointTable();
  table.setService(SERVICE);
  const protocols = ['http', 'tls', 'rpc'].map((port) => {
    const found = table.find({ kind: 'service', namespace: 'ns', name: 'web', port });
    return found.kind === 'places' ? found.protocol : found.why;
  });
  assert.deepEqual(protocols, ['http', 'https', 'h2c']);
});

test('what nobody answers for is said', () => {
  const table = new EndpointTable();
  assert.match(at(table, 80), /Service ns\/web does not exist/);
  table.setService(SERVICE);
  assert.match(at(table, 53), /no TCP port 53/);
  assert.match(at(table, 'none'), /no TCP port none/);
  table.setService({ ...SERVICE, spec: { ...SERVICE.spec, type: 'ExternalName' } } as Service);
  assert.match(at(table, 80), /outside of the cluster/);
  const resource = table.find({ kind: 'resource', described: 'Bucket b' });
  assert.match(resource.kind === 'nobody' ? resource.why : '', /Bucket b is no Service/);
  table.setService(SERVICE);
  table.removeService(SERVICE);
  assert.match(at(table, 80), /does not exist/);
});
