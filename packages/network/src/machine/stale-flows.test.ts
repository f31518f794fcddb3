import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceRules } from '../rules.ts';
import { serviceRules } from '../testing/service-rules.ts';
import { staleFlows } from './stale-flows.ts';

function service(hosts: readonly string[], more: Partial<ServiceRules> = {}): ServiceRules {
  return serviceRules('a', {
    protocol: 'udp',
    port: 53,
    clusterIP: '10.96.0.10',
    external: { addresses: [], nodePort: 30053, fate: 'cluster', insideFate: 'cluster', keepsSource: false },
    backends: { cluster: hosts.map((address) => ({ address, port: 5353, local: true })), local: [] },
    ...more,
  });
}

const CLUSTER_IP = '--orig-dst 10.96.0.10 --orig-port-dst 53';
const NODE_PORT = '--orig-port-dst 30053';
const GONE = '--reply-src 10.1.0.1 --reply-port-src 5353';

const ROWS: readonly (readonly [string, ServiceRules | undefined, ServiceRules | undefined, readonly string[]])[] = [
  [
    'a backend went',
    service(['10.1.0.1', '10.1.0.2']),
    service(['10.1.0.2']),
    [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`],
  ],
  ['the Service went', service(['10.1.0.1']), undefined, [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`]],
  ['the first backend came', service([]), service(['10.1.0.1']), [CLUSTER_IP, NODE_PORT]],
  ['one more came', service(['10.1.0.1']), service(['10.1.0.1', '10.1.0.2']), []],
  ['TCP ends by itself', service(['10.1.0.1'], { protocol: 'tcp' }), undefined, []],
];

for (const [name, before, after, flows] of ROWS) {
  test(name, () => {
    const told = staleFlows(before, after).map((args) => args.join(' '));
    assert.deepEqual(
      told,
      flows.map((flow) => `-D -f ipv4 -p udp ${flow}`),
    );
  });
}
