/** Servers whose certificates are such as upstream warns of: counted, and noted with the request they were asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import type { CertificateFlaw } from '@binnacle/base';
import { readAuditPolicy } from '../audit/policy.ts';
import { createTokenKeys } from '../node/token-keys.ts';
import { askEndpoint } from '../outbound/json-endpoint.ts';
import { createPolicy } from '../policy.ts';
import { FakeHttp } from '../testing/fake-http.ts';
import type { FakeAnswer } from '../testing/fake-http.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { CertificateFigures } from './certificate-figures.ts';
import type { AskedServers } from './certificate-figures.ts';

const SAN = 'relies on a legacy Common Name field instead of the SAN extension for subject validation';
const SHA1 = 'uses an insecure SHA-1 signature';
const SINK = { name: 'log', strict: false, close: () => Promise.resolve(), write: () => undefined };
const POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
const ROOT = '/apis/x.example.com/v1';

/** Everybody whose path has such a word has such a certificate. */
function flawed(answer: (path: string, body: unknown) => FakeAnswer | undefined): FakeHttp {
  return new FakeHttp((call, path) => {
    const flaws: readonly CertificateFlaw[] = ['missing-san', 'insecure-sha1'];
    for (const flaw of flaws) if (path.includes(flaw)) call.onFlaw?.(flaw);
    const sent = call.body instanceof Uint8Array ? (JSON.parse(new TextDecoder().decode(call.body)) as unknown) : {};
    return answer(path, sent);
  });
}

function shown(figures: CertificateFigures): readonly string[] {
  const out: string[] = [];
  figures.render(out);
  return out.filter((line) => !line.startsWith('#'));
}

async function started(http: FakeHttp, servers: AskedServers): Promise<[TestServer, CertificateFigures]> {
  const figures = new CertificateFigures();
  const counted = figures.counting(http, servers);
  const server = await startTestServer({
    http: counted,
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys(), http: counted }),
    audit: { policy: readAuditPolicy(POLICY), sinks: () => [SINK] },
  });
  await server.ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  return [server, figures];
}

const NONE = [
  'apiserver_webhooks_x509_missing_san_total 0',
  'apiserver_webhooks_x509_insecure_sha1_total 0',
  'apiserver_kube_aggregator_x509_missing_san_total 0',
  'apiserver_kube_aggregator_x509_insecure_sha1_total 0',
];

test('all four are shown from the start', () => assert.deepEqual(shown(new CertificateFigures()), NONE));

test('webhooks of admission: counted, and in the record of the request', async () => {
  const http = flawed((_path, body) => {
    const { request } = body as { request: { uid: string } };
    const response = { uid: request.uid, allowed: true };
    return { body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } };
  });
  const [server, figures] = await started(http, 'webhooks');
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const hook = { name: 'h.example.com', rules, sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const clientConfig = { url: 'https://hook.example.com:8443/missing-san/insecure-sha1' };
  const path = 'POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const made = await server.ask(path, { metadata: { name: 'h' }, webhooks: [{ ...hook, clientConfig }] });
  assert.equal(made.code, 201, JSON.stringify(made.body));
  const { exchange } = await server.answer('POST /api/v1/namespaces/a/configmaps', { metadata: { name: 'm' } });
  const noted = exchange.annotations ?? new Map<string, string>();
  assert.equal(noted.get('missing-san.invalid-cert.kubernetes.io/hook.example.com'), SAN);
  assert.equal(noted.get('insecure-sha1.invalid-cert.kubernetes.io/hook.example.com'), SHA1);
  const counted = NONE.map((line) => (line.includes('webhooks') ? line.replace(/0$/, '1') : line));
  assert.deepEqual(shown(figures), counted);
});

test('API servers behind this one: counted, and in the record of the request', async () => {
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'x.example.com/v1', resources: [] };
  const http = flawed((path) => ({ body: path === ROOT ? list : {} }));
  const [server, figures] = await started(http, 'kube_aggregator');
  const ports = [{ name: 'https', port: 443 }];
  await server.ask('POST /api/v1/namespaces/a/services', { metadata: { name: 'api' }, spec: { ports } });
  await server.ask('POST /apis/discovery.k8s.io/v1/namespaces/a/endpointslices', {
    metadata: { name: 'api', labels: { 'kubernetes.io/service-name': 'api' } },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 8443 }],
    endpoints: [{ addresses: ['10.1.0.5'], conditions: { ready: true } }],
  });
  const service = { namespace: 'a', name: 'api' };
  const priorities = { groupPriorityMinimum: 1000, versionPriority: 10 };
  const made = await server.ask('POST /apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.x.example.com' },
    spec: { group: 'x.example.com', version: 'v1', service, insecureSkipTLSVerify: true, ...priorities },
  });
  assert.equal(made.code, 201, JSON.stringify(made.body));
  for (let i = 0; i < 400; i++) await Promise.resolve();
  assert.deepEqual(shown(figures), NONE, 'the server asks for itself whether it is there');
  const { exchange, reply } = await server.answer(`GET ${ROOT}/missing-san`);
  if (reply.kind === 'stream') reply.cancel();
  assert.equal(reply.kind, 'stream', JSON.stringify(reply));
  assert.equal(exchange.annotations?.get('missing-san.invalid-cert.kubernetes.io/10.1.0.5'), SAN);
  assert.deepEqual(
    shown(figures),
    NONE.map((line) => (line.includes('aggregator_x509_missing') ? line.replace(/0$/, '1') : line)),
  );
});

test('whoever else is asked by a review is counted with webhooks; other calls are not', async () => {
  const figures = new CertificateFigures();
  const http = figures.counting(
    flawed(() => ({ body: { a: 1 } })),
    'webhooks',
  );
  const world = { http, clock: new VirtualClock(), random: createSeededRandom(1) };
  const endpoint = { url: 'https://who.example.com/insecure-sha1' };
  const retries = { tries: 1, firstWaitMs: 1, timeoutMs: 1000 };
  assert.deepEqual(await askEndpoint(world, endpoint, { body: {}, retries }), { a: 1 });
  await http.request({ method: 'GET', url: 'https://issuer.example.com/insecure-sha1' });
  assert.deepEqual(
    shown(figures),
    NONE.map((line) => (line.includes('webhooks_x509_insecure') ? line.replace(/0$/, '1') : line)),
  );
});
