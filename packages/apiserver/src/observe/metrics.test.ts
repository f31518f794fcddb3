import assert from 'node:assert/strict';
import test from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { Metrics } from './metrics.ts';
import { startTestServer } from '../testing/test-server.ts';
import { probe } from '../testing/watch-probe.ts';

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
    'apiserver_longrunning_requests{verb="WATCH"} 1',
    'apiserver_storage_objects{resource="configmaps"} 1',
    'apiserver_resource_objects{group="",resource="configmaps"} 1',
    'apiserver_registered_watchers{resource="configmaps"} 1',
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
  ];
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
  watch.open.stop();
  assert.match(String((await ask('GET /metrics')).body['text']), /apiserver_longrunning_requests\{verb="WATCH"\} 0\n/);
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

test('who was known and who was not', () => {
  const metrics = new Metrics(new VirtualClock());
  for (const name of ['system:anonymous', 'alice', 'bob']) metrics.authenticated(name);
  metrics.unauthenticated();
  const text = metrics.render([]);
  for (const line of [
    'authentication_attempts{result="success"} 3',
    'authentication_attempts{result="failure"} 1',
    'authenticated_user_requests{username="other"} 2',
    'authenticated_user_requests{username="system:anonymous"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), text);
  }
});
