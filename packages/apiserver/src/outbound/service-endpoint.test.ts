import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SERVICES } from '@binnacle/api';
import { createSeededRandom } from '@binnacle/base';
import { MemoryCache } from '../testing/memory-cache.ts';
import { findServiceEndpoint, servingAddresses } from './service-endpoint.ts';

const cache = new MemoryCache();
const metadata = (name: string): object => ({ namespace: 'a', name });
cache.put(SERVICES, {
  metadata: metadata('hook'),
  spec: {
    ports: [
      { name: 'https', port: 443 },
      { name: 'other', port: 80 },
    ],
  },
} as never);
cache.put(SERVICES, {
  metadata: metadata('far'),
  spec: { type: 'ExternalName', externalName: 'example.com' },
} as never);
cache.put({ group: 'discovery.k8s.io', resource: 'endpointslices' }, {
  metadata: { ...metadata('hook-1'), labels: { 'kubernetes.io/service-name': 'hook' } },
  ports: [{ name: 'https', port: 8443 }],
  endpoints: [
    { addresses: ['192.0.2.1'], conditions: { ready: false } },
    { addresses: ['192.0.2.2'], conditions: { ready: true } },
  ],
} as never);

const ROWS: readonly (readonly [name: string, port: number, found: object])[] = [
  ['hook', 443, { host: '192.0.2.2', port: 8443 }],
  ['hook', 80, { missing: 'no endpoints available for service "hook"' }],
  ['hook', 81, { missing: 'no service port 81 found for service "hook"' }],
  ['gone', 443, { missing: 'service "gone" not found' }],
  ['far', 9443, { host: 'example.com', port: 9443 }],
];

for (const [name, port, found] of ROWS) {
  test(`${name}:${port}`, () => {
    const world = { cache, random: createSeededRandom(1) };
    assert.deepEqual(findServiceEndpoint(world, { namespace: 'a', name, port }), found);
  });
}

describe('the ready addresses behind a port', () => {
  const slices = { group: 'discovery.k8s.io', resource: 'endpointslices' };
  const slice = (name: string, more: object): never =>
    ({ metadata: { ...metadata(name), labels: { 'kubernetes.io/service-name': 'web' } }, ...more }) as never;
  const own = new MemoryCache();
  own.put(
    slices,
    slice('web-1', {
      ports: [{ name: 'http', port: 80 }, { port: 70 }, { name: 'later' }],
      endpoints: [
        { addresses: ['192.0.2.1', '192.0.2.9'], targetRef: { kind: 'Pod', name: 'p' } },
        { addresses: ['192.0.2.2'], conditions: { ready: false } },
        { addresses: ['192.0.2.3'], conditions: { serving: false } },
        { addresses: [], conditions: { ready: true } },
      ],
    }),
  );
  own.put(slices, slice('web-2', { ports: [{ name: 'http', port: 81 }], endpoints: [{ addresses: ['2001:db8::1'] }] }));
  own.put(slices, slice('web-3', { ports: null, endpoints: [{ addresses: ['192.0.2.4'] }] }));
  own.put(slices, slice('web-4', { ports: [{ name: 'http', port: 80 }], endpoints: null }));
  own.put(slices, { metadata: { ...metadata('bare') }, ports: [{ name: 'http', port: 80 }] } as never);
  own.put(slices, {
    ...(slice('far', { ports: [{ name: 'http', port: 80 }], endpoints: [{ addresses: ['192.0.2.5'] }] }) as object),
    metadata: { namespace: 'b', name: 'far', labels: { 'kubernetes.io/service-name': 'web' } },
  } as never);

  for (const [name, portName, found] of [
    ['by its name, of all slices, one address each', 'http', ['192.0.2.1:80', '192.0.2.3:80', '2001:db8::1:81']],
    ['a port without a name', '', ['192.0.2.1:70', '192.0.2.3:70']],
    ['a port without a number', 'later', []],
    ['no such port', 'constructor', []],
  ] as const) {
    test(name, () => {
      const addresses = servingAddresses(own, { namespace: 'a', name: 'web', portName });
      assert.deepEqual(
        addresses.map(({ host, port }) => `${host}:${port}`),
        found,
      );
    });
  }
  test('whose they are, as the slice says', () => {
    const [first, second] = servingAddresses(own, { namespace: 'a', name: 'web', portName: 'http' });
    assert.deepEqual([first?.targetRef, second?.targetRef], [{ kind: 'Pod', name: 'p' }, undefined]);
  });
});
