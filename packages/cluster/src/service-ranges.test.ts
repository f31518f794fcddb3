import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_CIDRS } from '@binnacle/api';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { dnsAddressIn, serverAddressIn, serviceRangesTold } from './service-ranges.ts';

for (const [range, server, names] of [
  ['10.96.0.0/16', '10.96.0.1', '10.96.0.10'],
  ['10.200.7.128/25', '10.200.7.129', '10.200.7.138'],
  ['10.96.7.9/12', '10.96.0.1', '10.96.0.10'],
  ['fd00:10:96::/112', 'fd00:10:96::1', 'fd00:10:96::a'],
] as const) {
  test(`names of ${range} are asked at ${names}`, () => assert.equal(dnsAddressIn(range), names));
  test(`the server is reached at ${server} of ${range}`, () => assert.equal(serverAddressIn(range), server));
}

test('what is no range has no address', () => assert.throws(() => dnsAddressIn('names'), { code: 'bad-range' }));

test('all ranges of Services, where the server tells them', async () => {
  const api = createMemoryApi({ clock: new VirtualClock(), random: createSeededRandom(1) });
  for (const [name, cidr] of [
    ['kubernetes', '10.96.0.0/16'],
    ['more', '10.97.0.0/16'],
  ] as const)
    api.seed(SERVICE_CIDRS, { metadata: { name }, spec: { cidrs: [cidr] } });
  assert.deepEqual((await serviceRangesTold(createClient(api.connect())))?.toSorted(), [
    '10.96.0.0/16',
    '10.97.0.0/16',
  ]);
});

const RESOURCE = { group: 'networking.k8s.io', resource: 'servicecidrs' };
const REFUSALS: readonly (readonly [name: string, error: Error, isBorne: boolean])[] = [
  ['a server that does not know them', status.notFound(RESOURCE, ''), true],
  ['one that does not tell a proxy', status.forbidden(RESOURCE, '', 'not for you'), true],
  ['one that is out of order', new TypeError('no server'), false],
];
for (const [name, error, isBorne] of REFUSALS) {
  test(`ranges of Services: ${name}`, async () => {
    const client = { resource: () => ({ list: () => Promise.reject(error) }) } as unknown as Client;
    if (isBorne) assert.equal(await serviceRangesTold(client), undefined);
    else await assert.rejects(serviceRangesTold(client), error);
  });
}
