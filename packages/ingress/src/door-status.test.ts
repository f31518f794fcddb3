import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import { holderOf, statusFor } from './door-status.ts';

test('an Ingress is where doors are open', () => {
  const ports = [{ port: 80, protocol: 'TCP' }];
  assert.deepEqual(statusFor(['192.0.2.1', 'fd00::1'], { http: { port: 80 }, https: { refused: 'taken' } }), [
    { ip: '192.0.2.1', ports },
    { ip: 'fd00::1', ports },
  ]);
  assert.deepEqual(statusFor(['192.0.2.1'], { http: { refused: 'taken' } }), []);
  assert.deepEqual(statusFor(['192.0.2.1'], {}), []);
});

function balanced(ip: string, port: number, protocol = 'TCP'): Service {
  return {
    metadata: { namespace: 'ns', name: `s${port}` },
    spec: { ports: [{ port, protocol }] },
    status: { loadBalancer: { ingress: [{ ip }] } },
  } as unknown as Service;
}

const ROWS: readonly (readonly [name: string, service: Service, holder: string | undefined])[] = [
  ['the address and the port', balanced('192.0.2.1', 80), 'ns/s80'],
  ['another address', balanced('192.0.2.9', 80), undefined],
  ['another port', balanced('192.0.2.1', 81), undefined],
  ['another protocol', balanced('192.0.2.1', 80, 'UDP'), undefined],
];

for (const [name, service, holder] of ROWS) {
  test(`who has port 80: ${name}`, () => assert.equal(holderOf([service], 80, ['192.0.2.1']), holder));
}
