import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { countPlaces, portKey } from './endpoints.ts';
import { roomFor } from './room-for.ts';

const named = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: at + 1, protocol: 'TCP' }));

const service = (ports: number, more: object = {}): Service =>
  ({ metadata: {}, spec: { ports: named(ports), ...more } }) as unknown as Service;

const slice = (ports: number, endpoints: number): EndpointSlice =>
  ({
    metadata: {},
    addressType: 'IPv4',
    ports: named(ports),
    endpoints: Array.from({ length: endpoints }, () => ({ addresses: ['10.1.0.1'] })),
  }) as unknown as EndpointSlice;

test('what slices name for each port', () => {
  const odd = { ...slice(1, 5), ports: [{ name: 'x' }, { name: 'p0', port: 70_000 }, { name: 'p0', port: 1 }] };
  const counts = countPlaces([slice(2, 3), { ...odd, addressType: 'FQDN' }, odd] as unknown as EndpointSlice[]);
  assert.deepEqual(
    [...counts],
    [
      [portKey('IPv4', 'p0', 'tcp'), 8],
      [portKey('IPv4', 'p1', 'tcp'), 3],
    ],
  );
});

test('ports have room in their order, and the first whatever it asks for', () => {
  const addresses = (count: number): object => ({ externalIPs: Array.from({ length: count }, () => '192.0.2.1') });
  const rows: readonly (readonly [of: Service, slices: readonly EndpointSlice[], kept: number])[] = [
    [service(3), [slice(3, 2)], 3],
    [service(20_000), [slice(20_000, 1000)], 100],
    [service(20_000, addresses(1000)), [], 100],
    [service(2), Array.from({ length: 101 }, () => slice(2, 1000)), 1],
    [service(100, { sessionAffinity: 'ClientIP' }), [slice(100, 1000)], 10],
    [service(0), [slice(1, 1)], 0],
    [{ metadata: {} } as unknown as Service, [slice(1, 1)], 0],
  ];
  for (const [of, slices, kept] of rows) {
    const room = roomFor(of, slices);
    assert.equal(room.service.spec?.ports?.length ?? 0, kept);
    assert.equal(room.leftOut, (of.spec?.ports?.length ?? 0) - kept);
    assert.equal(room.keys.size, 2 * kept);
    if (room.leftOut === 0) assert.equal(room.service, of);
  }
});
