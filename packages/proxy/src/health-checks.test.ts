import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { uniteSlices } from './endpoints.ts';
import { answerHealthCheck, healthCheckOf } from './health-checks.ts';

const slice = {
  addressType: 'IPv4',
  ports: [
    { name: 'a', port: 80 },
    { name: 'b', port: 81 },
  ],
  endpoints: [
    { addresses: ['10.0.0.1'], nodeName: 'here' },
    { addresses: ['10.0.0.2'], nodeName: 'here', conditions: { ready: false, serving: true, terminating: true } },
    { addresses: ['10.0.0.3'], nodeName: 'there' },
    { addresses: ['10.0.0.4'], nodeName: 'here', conditions: { ready: true } },
  ],
} as unknown as EndpointSlice;

function checked(spec: object): number | undefined {
  const service = { metadata: { name: 'web', namespace: 'ns' }, spec } as unknown as Service;
  return healthCheckOf(service, uniteSlices([slice], { nodeName: 'here' }))?.localEndpoints;
}

const LOCAL = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 };

test('who asks for a health check, and how many addresses of the node are ready', () => {
  assert.equal(checked(LOCAL), 2);
  assert.equal(checked({ ...LOCAL, externalTrafficPolicy: 'Cluster' }), undefined);
  assert.equal(checked({ ...LOCAL, type: 'NodePort' }), undefined);
  assert.equal(checked({ ...LOCAL, healthCheckNodePort: 0 }), undefined);
});

test('the answer', () => {
  const check = { namespace: 'ns', name: 'web', port: 30_000, localEndpoints: 2 };
  const { status, body, headers } = answerHealthCheck(check, true);
  assert.equal(status, 200);
  assert.equal(headers['x-load-balancing-endpoint-weight'], '2');
  const told =
    '{\n\t"service": {\n\t\t"namespace": "ns",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}';
  assert.equal(body, told);
  assert.equal(answerHealthCheck({ ...check, localEndpoints: 0 }, true).status, 503);
  assert.equal(answerHealthCheck(check, false).status, 503);
});
