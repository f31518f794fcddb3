import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { serviceRecord, sliceRecord } from './services.ts';

const METADATA = { name: 'web', namespace: 'ns' };
const PORTS = [{ name: 'http', protocol: 'UDP', port: 80 }, { port: 81 }];

test('Services', () => {
  const rows: readonly (readonly [string, object, object])[] = [
    [
      'with addresses',
      { clusterIPs: ['10.0.0.1', 'fd00::1'] },
      { headless: false, addresses: ['10.0.0.1', 'fd00::1'] },
    ],
    ['of an old client', { clusterIP: '10.0.0.1' }, { headless: false, addresses: ['10.0.0.1'] }],
    ['headless', { clusterIP: 'None', clusterIPs: ['None'] }, { headless: true, addresses: [] }],
    ['not allocated yet', { clusterIP: '' }, { headless: false, addresses: [] }],
    [
      'an alias',
      { type: 'ExternalName', externalName: 'a.b' },
      { headless: false, addresses: [], externalName: 'a.b' },
    ],
    ['with a name that does not count', { type: 'ClusterIP', externalName: 'a.b' }, { headless: false, addresses: [] }],
  ];
  for (const [name, spec, wanted] of rows) {
    const record = serviceRecord({ metadata: METADATA, spec: { ...spec, ports: PORTS } } as unknown as Service);
    assert.deepEqual(
      record,
      {
        ...METADATA,
        externalName: '',
        ports: [
          { name: 'http', protocol: 'udp', port: 80 },
          { name: '', protocol: 'tcp', port: 81 },
        ],
        ...wanted,
      },
      name,
    );
  }
});

test('slices: only what is ready, or does not say', () => {
  const endpoint = (address: string, ready?: boolean): object => ({
    addresses: [address],
    conditions: ready === undefined ? {} : { ready },
  });
  const endpoints = [endpoint('10.0.0.1', true), endpoint('10.0.0.2', false), endpoint('10.0.0.3')];
  const labels = { 'kubernetes.io/service-name': 'web' };
  const made = { metadata: { ...METADATA, labels }, endpoints, ports: [{ name: 'any' }] } as unknown as EndpointSlice;
  assert.deepEqual(
    sliceRecord(made)?.endpoints.map(({ address }) => address),
    ['10.0.0.1', '10.0.0.3'],
  );
  assert.deepEqual(sliceRecord(made)?.ports, []);
  assert.equal(sliceRecord({ ...made, metadata: METADATA } as unknown as EndpointSlice), undefined);
});
