import assert from 'node:assert/strict';
import test from 'node:test';
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
  const lines = [
    'apiserver_request_total{code="201",group="",resource="configmaps",subresource="",verb="CREATE",version="v1"} 1',
    'apiserver_request_total{code="200",group="",resource="configmaps",subresource="",verb="GET",version="v1"} 2',
    'apiserver_request_total{code="404",group="",resource="configmaps",subresource="",verb="GET",version="v1"} 1',
    'apiserver_request_duration_seconds_bucket{group="",resource="configmaps",subresource="",verb="GET",version="v1",le="+Inf"} 3',
    'apiserver_request_duration_seconds_bucket{group="",resource="configmaps",subresource="",verb="GET",version="v1",le="0.005"} 3',
    'apiserver_longrunning_requests{verb="WATCH"} 1',
    'apiserver_storage_objects{resource="configmaps"} 1',
    'apiserver_registered_watchers{resource="configmaps"} 1',
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
  ];
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
  watch.open.stop();
  assert.match(String((await ask('GET /metrics')).body['text']), /apiserver_longrunning_requests\{verb="WATCH"\} 0\n/);
});
