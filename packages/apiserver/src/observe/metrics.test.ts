import assert from 'node:assert/strict';
import test from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { readText, status, StatusError } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import { LOOPBACK_USER } from '../own-calls.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { Metrics } from './metrics.ts';
import { startTestServer } from '../testing/test-server.ts';
import { probe } from '../testing/watch-probe.ts';

const WATCHING =
  'apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"}';

test('requests by verb, resource and code; durations; watches; objects', async () => {
  const { ask, answer } = await startTestServer();
  const maps = '/api/v1/namespaces/default/configmaps';
  await ask(`POST ${maps}`, { metadata: { name: 'a' } });
  await ask(`GET ${maps}/a`);
  await ask(`GET ${maps}/a`);
  await ask(`GET ${maps}/none`);
  const watch = probe((await answer(`GET ${maps}?watch=true`)).reply);
  const text = String((await ask('GET /metrics')).body['text']);
  const request = (verb: string, scope: string): string =>
    `verb="${verb}",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="${scope}",component="apiserver"`;
  const lines = [
    `apiserver_request_total{${request('POST', 'resource')},code="201"} 1`,
    `apiserver_request_total{${request('GET', 'resource')},code="200"} 2`,
    `apiserver_request_total{${request('GET', 'resource')},code="404"} 1`,
    `apiserver_request_duration_seconds_bucket{${request('GET', 'resource')},le="+Inf"} 3`,
    `apiserver_request_duration_seconds_bucket{${request('GET', 'resource')},le="0.005"} 3`,
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"} 1',
    'etcd_requests_total{operation="create",group="",resource="configmaps"} 1',
    'etcd_request_duration_seconds_count{operation="create",group="",resource="configmaps"} 1',
    'kubernetes_build_info{major="1",minor="36",git_version="v1.36.0",git_commit="",git_tree_state="clean",build_date="2026-11-20T00:00:00Z",go_version="none",compiler="typescript",platform="node"} 1',
    `${WATCHING} 1`,
    'apiserver_request_sli_duration_seconds_count{verb="GET",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver"} 3',
    'authorization_attempts_total{result="allowed"} 6',
    'apiserver_watch_cache_events_received_total{group="",resource="configmaps"} 1',
    'apiserver_watch_cache_initializations_total{group="",resource="configmaps"} 1',
    'kubernetes_feature_enabled{name="SidecarContainers",stage=""} 1',
    'kubernetes_feature_enabled{name="ClusterTrustBundle",stage="BETA"} 0',
    'kubernetes_feature_enabled{name="KMSv1",stage="DEPRECATED"} 0',
    'watch_cache_capacity{group="",resource="configmaps"} 2048',
    'apiserver_current_inqueue_requests{request_kind="readOnly"} 0',
    'version_info{component="kube",binary="1.36",emulation="1.36",min_compat="1.35"} 1',
    'apiserver_storage_objects{resource="configmaps"} 1',
    'apiserver_resource_objects{group="",resource="configmaps"} 1',
    'apiserver_registered_watchers{resource="configmaps"} 1',
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
  ];
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
  watch.open.stop();
  assert.match(String((await ask('GET /metrics')).body['text']), new RegExp(`${WATCHING} 0\n`));
});

test('versions on their way out are shown once they are asked for', async () => {
  const { ask } = await startTestServer();
  const shown = async (): Promise<readonly string[]> =>
    String((await ask('GET /metrics')).body['text']).match(/^.*apiserver_requested_deprecated_apis.*$/gmu) ?? [];
  await ask('GET /api/v1/namespaces/default/configmaps');
  assert.deepEqual(await shown(), []);
  for (const path of ['namespaces/default/endpoints', 'namespaces/default/endpoints', 'componentstatuses'])
    await ask(`GET /api/v1/${path}`);
  const row = (resource: string): string =>
    `apiserver_requested_deprecated_apis{group="",version="v1",resource="${resource}",subresource="",removed_release=""} 1`;
  assert.deepEqual((await shown()).slice(1), [
    '# TYPE apiserver_requested_deprecated_apis gauge',
    row('endpoints'),
    row('componentstatuses'),
  ]);
});

test('what admission refuses, and by which plugin', async () => {
  const plugin: AdmissionPlugin = {
    name: 'No',
    handles: () => true,
    validate: () => Promise.reject(status.badRequest('no')),
  };
  const { ask } = await startTestServer({ policy: () => openPolicyWith({}, { admission: [plugin] }) });
  await ask('POST /api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const text = String((await ask('GET /metrics')).body['text']);
  for (const line of [
    'apiserver_admission_controller_admission_duration_seconds_count{name="No",operation="CREATE",rejected="true",type="validate"} 1',
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="validate"} 1',
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), text);
  }
});

test('what took too long is told of as given up; what somebody else refuses in that code is not', async () => {
  let refusal: StatusError = status.timeout('request did not complete within requested timeout', 0);
  const plugin: AdmissionPlugin = { name: 'No', handles: () => true, validate: () => Promise.reject(refusal) };
  const { ask } = await startTestServer({ policy: () => openPolicyWith({}, { admission: [plugin] }) });
  const make = () => ask('POST /api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  assert.equal((await make()).code, 504);
  refusal = new StatusError({ ...refusal.status, reason: 'Unknown', code: 504 });
  assert.equal((await make()).code, 504);
  const lines = String((await ask('GET /metrics')).body['text']).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('apiserver_request_terminations_total{')),
    [
      'apiserver_request_terminations_total{verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",code="504"} 1',
    ],
  );
});

test('who was known and who was not', () => {
  const metrics = new Metrics(new VirtualClock());
  for (const name of ['system:anonymous', 'alice', 'bob']) metrics.access.authenticated(name, 0.003);
  metrics.access.unauthenticated('failure', 0.001);
  metrics.access.authorized('no-opinion', 0.1);
  const text = metrics.render([]);
  for (const line of [
    'authentication_attempts{result="success"} 3',
    'authentication_attempts{result="failure"} 1',
    'authentication_duration_seconds_bucket{result="success",le="0.004"} 3',
    'authorization_attempts_total{result="no-opinion"} 1',
    'authorization_duration_seconds_count{result="no-opinion"} 1',
    'authenticated_user_requests{username="other"} 2',
    'authenticated_user_requests{username="system:anonymous"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), text);
  }
});

test('sizes of bodies, of answers and of the events of watches; calls of the process', async () => {
  const { answer, server } = await startTestServer();
  const wire = server.clientAs(LOOPBACK_USER);
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  const body = { metadata: { name: 'a' }, data: { k: 'v'.repeat(2000) } };
  await wire.call({ verb: 'create', resource, namespace: 'default', body });
  const { exchange } = await answer('GET /api/v1/namespaces/default/configmaps/a');
  exchange.sizes?.observe(2500);
  const meter = server.replying.figures.watchMeter(exchange.info);
  meter.sent(3000);
  const text = await readText(wire, '/metrics');
  for (const line of [
    'apiserver_response_sizes_bucket{verb="GET",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",le="10000"} 1',
    'apiserver_watch_events_total{group="",version="v1",resource="configmaps"} 1',
    'apiserver_watch_events_sizes_bucket{group="",version="v1",resource="configmaps",le="2048"} 0',
    'apiserver_watch_events_sizes_bucket{group="",version="v1",resource="configmaps",le="4096"} 1',
    'rest_client_requests_total{code="201",method="POST",host="in-process"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
  assert.match(text, /^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} [1-9]\d*$/m);
});

test('how health checks went, by path', async () => {
  const { ask, server } = await startTestServer();
  await ask('GET /readyz/shutdown');
  await ask('GET /livez');
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
  await ask('GET /livez');
  const text = String((await ask('GET /metrics/slis')).body['text']);
  for (const line of [
    'kubernetes_healthcheck{type="readyz",name="shutdown"} 1',
    'kubernetes_healthcheck{type="livez",name="poststarthook/rbac/bootstrap-roles"} 1',
    'kubernetes_healthchecks_total{type="livez",name="poststarthook/rbac/bootstrap-roles",status="error"} 1',
    'kubernetes_healthchecks_total{type="livez",name="poststarthook/rbac/bootstrap-roles",status="success"} 1',
    'kubernetes_healthchecks_total{type="livez",name="ping",status="success"} 2',
  ])
    assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
});
