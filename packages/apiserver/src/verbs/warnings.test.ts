import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const NOT_STANDARD = (path: string): string =>
  `${path}: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")`;

test('what is taken as it is and should be known is told on create, on change, and of a status by itself', async () => {
  const { ask } = await startTestServer();
  const service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], externalName: 'x' } };
  const told = 'spec.externalName is ignored when spec.type is not "ExternalName"';
  const made = await ask(`POST ${SERVICES}`, service);
  assert.deepEqual([made.code, made.warnings], [201, [told]]);
  const patched = await ask(
    `PATCH ${SERVICES}/a`,
    { metadata: { labels: { a: 'b' } } },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.deepEqual([patched.code, patched.warnings], [200, [told]]);
  await ask(
    `PATCH ${SERVICES}/a`,
    { spec: { type: 'LoadBalancer' } },
    {
      'content-type': 'application/merge-patch+json',
    },
  );
  const status = { loadBalancer: { ingress: [{ ip: 'FD00::1' }] } };
  const stated = await ask(
    `PATCH ${SERVICES}/a/status`,
    { status },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.deepEqual([stated.code, stated.warnings], [200, [NOT_STANDARD('status.loadBalancer.ingress[0]')]]);
});

test('a version that is on its way out is told with every request', async () => {
  const { ask } = await startTestServer();
  const listed = await ask('GET /api/v1/namespaces/default/endpoints');
  assert.deepEqual(listed.warnings, ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']);
});
