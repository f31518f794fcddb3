import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { ServiceTable } from './service-table.ts';

const NODE = { nodeName: 'here', zone: '', addresses: [] };

function service(name: string, labels: { readonly [key: string]: string } = {}): Service {
  return {
    metadata: { name, namespace: 'ns', labels },
    spec: { clusterIPs: ['10.96.0.7'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  } as unknown as Service;
}

function slice(name: string, of: string, addresses: readonly string[]): EndpointSlice {
  return {
    metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  } as unknown as EndpointSlice;
}

const ID = 'ns/web/http/tcp/IPv4';

test('a change is told once, and only where rules differ', () => {
  const table = new ServiceTable(NODE);
  table.setSlice(slice('one', 'web', ['10.1.0.2', '10.1.0.1']));
  table.setService(service('web'));
  table.setService(service('other'));
  assert.deepEqual([...table.changes().keys()].toSorted(), ['ns/other/http/tcp/IPv4', ID]);
  assert.equal(table.isDirty, false);
  assert.equal(table.changes().size, 0);
  table.setSlice(slice('one', 'web', ['10.1.0.1', '10.1.0.2']));
  assert.equal(table.isDirty, true);
  assert.equal(table.changes().size, 0, 'another order is no change');
  table.setSlice(slice('two', 'web', ['10.1.0.3']));
  assert.deepEqual(
    table
      .changes()
      .get(ID)
      ?.backends.cluster.map(({ address }) => address),
    ['10.1.0.1', '10.1.0.2', '10.1.0.3'],
  );
  table.removeSlice(slice('one', 'web', []));
  table.removeSlice(slice('two', 'web', []));
  assert.equal(table.changes().get(ID)?.internalFate, 'reject');
  table.removeService(service('web'));
  assert.deepEqual([...table.changes()], [[ID, undefined]]);
});

test('all rules are told again, and changes go on from there', () => {
  const table = new ServiceTable(NODE);
  table.setService(service('web'));
  assert.equal(table.changes().size, 1);
  assert.equal(table.all().size, 1);
  assert.equal(table.changes().size, 0);
});

test('what another proxy serves is not ours, and can become so', () => {
  const table = new ServiceTable(NODE);
  table.setService(service('web'));
  table.changes();
  table.setService(service('web', { 'service.kubernetes.io/service-proxy-name': 'other' }));
  assert.deepEqual([...table.changes()], [[ID, undefined]]);
});

test("a node's new zone asks for all rules again", () => {
  const table = new ServiceTable(NODE);
  const hinted = slice('one', 'web', ['10.1.0.1', '10.1.0.2']);
  const endpoints = hinted.endpoints?.map((end, at) => ({ ...end, hints: { forZones: [{ name: `z${at}` }] } }));
  table.setSlice({ ...hinted, endpoints } as EndpointSlice);
  table.setService(service('web'));
  assert.equal(table.changes().get(ID)?.backends.cluster.length, 2);
  table.setNode({ ...NODE, zone: 'z1' });
  assert.deepEqual(
    table
      .changes()
      .get(ID)
      ?.backends.cluster.map(({ address }) => address),
    ['10.1.0.2'],
  );
});

test('names of prototypes are names', () => {
  const table = new ServiceTable(NODE);
  for (const name of ['constructor', '__proto__', 'toString']) {
    table.setService(service(name));
    assert.deepEqual([...table.changes().keys()], [`ns/${name}/http/tcp/IPv4`]);
  }
});

test('thousands of ports of thousands of endpoints: the first are served, and it is told once', () => {
  const told: string[] = [];
  const table = new ServiceTable(NODE, ({ metadata }, leftOut) => told.push(`${metadata.name} ${leftOut}`));
  const addresses = Array.from({ length: 1000 }, (_, at) => `10.1.${at >> 8}.${at & 255}`);
  const ports = Array.from({ length: 20_000 }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
  const many = { ...slice('one', 'many', addresses), ports } as unknown as EndpointSlice;
  table.setSlice(many);
  assert.equal(table.changes().size, 0, 'no Service, no rules');
  const large = service('many');
  table.setService({ ...large, spec: { ...large.spec, ports } } as unknown as Service);
  assert.equal(table.changes().size, 100);
  table.setSlice({ ...many, metadata: { ...many.metadata, name: 'two' } });
  assert.equal(table.changes().size, 50, 'half of them went');
  assert.deepEqual(told, ['many 19900']);
  table.setService(large);
  table.setService({ ...large, spec: { ...large.spec, ports } } as unknown as Service);
  table.changes();
  assert.deepEqual(told, ['many 19900']);
});
