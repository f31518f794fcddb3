import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import { heldAddresses, statusFor } from './door-status.ts';

test('an Ingress is where doors are open', () => {
  const ports = [{ port: 80, protocol: 'TCP' }];
  assert.deepEqual(statusFor(['192.0.2.1', 'fd00::1'], { http: { port: 80 }, https: { refused: 'taken' } }), [
    { ip: '192.0.2.1', ports },
    { ip: 'fd00::1', ports },
  ]);
  assert.deepEqual(statusFor(['192.0.2.1'], { http: { refused: 'taken' } }), []);
  assert.deepEqual(statusFor(['192.0.2.1'], {}), []);
});

test('an address whose port is a Service’s has the other one alone, or nothing', () => {
  const doors = { http: { port: 80 }, https: { port: 443 } };
  const [plain, tls] = [80, 443].map((port) => ({ port, protocol: 'TCP' }));
  const held = new Map([['192.0.2.1', 'ns/web']]);
  assert.deepEqual(statusFor(['192.0.2.1', '192.0.2.2'], doors, { http: held }), [
    { ip: '192.0.2.1', ports: [tls] },
    { ip: '192.0.2.2', ports: [plain, tls] },
  ]);
  assert.deepEqual(statusFor(['192.0.2.1'], doors, { http: held, https: held }), []);
});

function service(spec: object, ingress: readonly object[] = []): Service {
  return {
    metadata: { namespace: 'ns', name: 's' },
    spec,
    status: { loadBalancer: { ingress } },
  } as unknown as Service;
}

const balanced = (ip: string, port: number, more: object = {}): Service =>
  service({ ports: [{ port, protocol: 'TCP', ...more }] }, [{ ip }]);
const HERE = '192.0.2.1';
const AT_80 = { ports: [{ port: 80 }] };

const ROWS: readonly (readonly [name: string, service: Service, held: readonly string[]])[] = [
  ['a balancer’s address and port', balanced(HERE, 80), [HERE]],
  ['another address', balanced('192.0.2.9', 80), []],
  ['another port', balanced(HERE, 81), []],
  ['another protocol', balanced(HERE, 80, { protocol: 'UDP' }), []],
  ['a balancer that comes by the node port', service(AT_80, [{ ip: HERE, ipMode: 'Proxy' }]), []],
  [
    'a balancer that was given another port',
    service(AT_80, [{ ip: HERE, ports: [{ port: 81, protocol: 'TCP' }] }]),
    [],
  ],
  ['an external address', service({ ...AT_80, externalIPs: ['203.0.113.1', HERE] }), [HERE]],
  ['an external address in another spelling', service({ ...AT_80, externalIPs: ['FD00:0::1'] }), ['fd00::1']],
  ['an external address with another port', service({ ports: [{ port: 81 }], externalIPs: [HERE] }), []],
  ['of a Service that is a name', service({ ...AT_80, type: 'ExternalName', externalIPs: [HERE] }), []],
  ['of a Service without an address', service({ ...AT_80, clusterIP: 'None', externalIPs: [HERE] }), []],
  ['of a Service of the other family', service({ ...AT_80, ipFamilies: ['IPv6'], externalIPs: [HERE] }), []],
  ['a node port', service({ ports: [{ port: 8080, nodePort: 80 }] }), [HERE, 'fd00::1']],
  ['a node port of one family', service({ ports: [{ port: 1, nodePort: 80 }], ipFamilies: ['IPv4'] }), [HERE]],
  ['a node port of UDP', service({ ports: [{ port: 1, nodePort: 80, protocol: 'UDP' }] }), []],
];

for (const [name, one, held] of ROWS) {
  test(`who has port 80 where: ${name}`, () => {
    const found = heldAddresses([one], 80, [HERE, 'fd00::1', '127.0.0.1']);
    assert.deepEqual(
      [...found],
      held.map((address) => [address, 'ns/s']),
    );
  });
}
