import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES } from '@binnacle/api';
import { createSeededRandom } from '@binnacle/base';
import { MemoryCache } from '../testing/memory-cache.ts';
import { findServiceEndpoint } from './service-endpoint.ts';

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
