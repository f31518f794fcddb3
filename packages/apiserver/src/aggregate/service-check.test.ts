import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { checkService } from './service-check.ts';

const API = { metadata: {}, spec: { service: { namespace: 'n', name: 's', port: 443 } } } as APIService;
const SERVICE = { metadata: {}, spec: { type: 'ClusterIP', ports: [{ name: 'p', port: 443 }] } } as Service;
const slice = (ready: boolean | undefined, portName: string): EndpointSlice =>
  ({
    metadata: {},
    addressType: 'IPv4',
    ports: [{ name: portName, port: 1 }],
    endpoints: [{ addresses: ['10.0.0.1'], conditions: ready === undefined ? {} : { ready } }],
  }) as EndpointSlice;

// Provenance: kube-aggregator's remote availability controller, v1.36.
for (const [name, service, slices, reason, message] of [
  ['no service', undefined, [], 'ServiceNotFound', 'service/s in "n" is not present'],
  [
    'another port',
    { ...SERVICE, spec: { ...SERVICE.spec, ports: [{ port: 80 }] } },
    [],
    'ServicePortError',
    'service/s in "n" is not listening on port 443',
  ],
  ['no slices', SERVICE, [], 'EndpointsNotFound', 'cannot find endpointslices for service/s in "n"'],
  [
    'nobody ready',
    SERVICE,
    [slice(false, 'p')],
    'MissingEndpoints',
    'endpointslices for service/s in "n" have no addresses with port name "p"',
  ],
  [
    'ready by another port',
    SERVICE,
    [slice(true, 'q')],
    'MissingEndpoints',
    'endpointslices for service/s in "n" have no addresses with port name "p"',
  ],
  ['ready', SERVICE, [slice(false, 'p'), slice(true, 'p')], undefined, undefined],
  ['nothing said of readiness', SERVICE, [slice(undefined, 'p')], undefined, undefined],
  ['by its name elsewhere', { metadata: {}, spec: { type: 'ExternalName' } }, [], undefined, undefined],
] as const) {
  test(`the service of an APIService: ${name}`, () => {
    const found = checkService(API, { service: service as Service | undefined, slices });
    assert.deepEqual([found?.reason, found?.message], [reason, message]);
  });
}
