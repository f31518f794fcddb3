import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { createTokenKeys } from '../node/token-keys.ts';
import { createPolicy } from '../policy.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { Metrics } from './metrics.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const figures = async ({ ask }: TestServer): Promise<string> => String((await ask('GET /metrics')).body['text']);
function holds(text: string, lines: readonly string[]): void {
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
}

test('what was never used is shown as none, as upstream shows it', () => {
  const text = new Metrics(new VirtualClock()).render([]);
  holds(text, [
    'serviceaccount_legacy_tokens_total 0',
    'serviceaccount_stale_tokens_total 0',
    'serviceaccount_legacy_manual_token_uses_total 0',
    'serviceaccount_legacy_auto_token_uses_total 0',
    'serviceaccount_invalid_legacy_auto_token_uses_total 0',
    'serviceaccount_valid_tokens_total 0',
    'apiserver_tls_handshake_errors_total 0',
  ]);
  assert.ok(!text.includes('clusterip_allocator'), 'nobody gives out addresses');
});

test('uses of tokens: what is kept in Secrets counts twice', () => {
  const metrics = new Metrics(new VirtualClock());
  for (const use of [
    'valid',
    'valid',
    'stale',
    'legacyManual',
    'legacyAuto',
    'legacyAuto',
    'invalidLegacyAuto',
  ] as const)
    metrics.tokens.used(use);
  metrics.requests.handshakeFailed();
  holds(metrics.render([]), [
    'serviceaccount_valid_tokens_total 2',
    'serviceaccount_stale_tokens_total 1',
    'serviceaccount_legacy_tokens_total 3',
    'serviceaccount_legacy_manual_token_uses_total 1',
    'serviceaccount_legacy_auto_token_uses_total 2',
    'serviceaccount_invalid_legacy_auto_token_uses_total 1',
    'apiserver_tls_handshake_errors_total 1',
  ]);
});

test('addresses and ports of Services, given out, refused and left', async () => {
  const server = await startTestServer({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) =>
      createPolicy(world, {
        tokenKeys: createTokenKeys(),
        serviceCidrs: ['10.96.0.0/24'],
        nodePortRange: { first: 30_000, last: 30_009 },
      }),
  });
  await server.ask('POST /api/v1/namespaces', JSON.stringify({ metadata: { name: 'team' } }), JSON_BODY);
  const services = '/api/v1/namespaces/team/services';
  const make = async (name: string, spec: object, query = ''): Promise<number> => {
    const body = JSON.stringify({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
    return (await server.ask(`POST ${services}${query}`, body, JSON_BODY)).code;
  };
  assert.equal(await make('any', {}), 201);
  assert.equal(await make('asked', { clusterIP: '10.96.0.77' }), 201);
  assert.equal(await make('twice', { clusterIP: '10.96.0.77' }), 422);
  assert.equal(await make('dry', {}, '?dryRun=All'), 201);
  assert.equal(
    await make('port', {
      type: 'NodePort',
      ports: [
        { port: 80, nodePort: 30_001 },
        { name: 'b', port: 81 },
      ].map((one, at) => ({ name: `p${at}`, ...one })),
    }),
    201,
  );
  assert.equal(await make('taken', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }), 422);
  const text = await figures(server);
  const cidr = 'cidr="10.96.0.0/24"';
  holds(text, [
    `kube_apiserver_clusterip_allocator_allocation_total{${cidr},scope="static"} 1`,
    `kube_apiserver_clusterip_allocator_allocation_errors_total{${cidr},scope="static"} 1`,
    `kube_apiserver_clusterip_allocator_allocated_ips{${cidr}} 3`,
    `kube_apiserver_clusterip_allocator_available_ips{${cidr}} 251`,
    'kube_apiserver_nodeport_allocator_allocation_total{scope="static"} 1',
    'kube_apiserver_nodeport_allocator_allocation_total{scope="dynamic"} 1',
    'kube_apiserver_nodeport_allocator_allocation_errors_total{scope="static"} 1',
    'kube_apiserver_nodeport_allocator_allocated_ports 2',
    'kube_apiserver_nodeport_allocator_available_ports 8',
  ]);
  assert.match(
    text,
    /^kube_apiserver_clusterip_allocator_allocation_duration_seconds_count\{cidr="10\.96\.0\.0\/24"\} [34]$/m,
  );
});

test('lists that caches answer: how many, what was looked at, what was given', async () => {
  const server = await startTestServer();
  const maps = '/api/v1/namespaces/default/configmaps';
  for (const name of ['a', 'b', 'c']) {
    const body = JSON.stringify({ metadata: { name, labels: { is: name } } });
    assert.equal((await server.ask(`POST ${maps}`, body, JSON_BODY)).code, 201);
  }
  for (const query of ['', '?labelSelector=is%3Da', '?limit=1'])
    assert.equal((await server.ask(`GET ${maps}${query}`)).code, 200);
  const index = 'group="",index="",resource="configmaps"';
  holds(await figures(server), [
    `apiserver_cache_list_total{${index}} 3`,
    `apiserver_cache_list_fetched_objects_total{${index}} 9`,
    'apiserver_cache_list_returned_objects_total{group="",resource="configmaps"} 5',
  ]);
});
