import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger, VirtualClock } from '@binnacle/base';
import type { KubeletConfig } from '../config.ts';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { answerRequest } from './answer.ts';

async function ask(
  path: string,
  method = 'GET',
  config: Partial<KubeletConfig> = {},
): Promise<{ status: number; body: string }> {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config });
  const livenessProbe = { exec: { command: ['true'] } };
  const annotations = { 'simulated.binnacle.dev/memory-usage-bytes': '4096' };
  t.source.put(testPod({ container: { livenessProbe }, metadata: { annotations } }));
  await pass(t.clock, 100);
  files.append('/var/log/pods/default_web_uid-web/main/0.log', '2026-01-01T00:00:01Z stdout F hello\n');
  const url = new URL(path, 'https://x');
  const answer = await answerRequest(
    t.kubelet,
    { method, path: url.pathname, query: new Map(url.searchParams) },
    t.clock.now(),
  );
  let body = '';
  if (typeof answer.body === 'string') body = answer.body;
  else for await (const part of answer.body) body += new TextDecoder().decode(part);
  await t.scope.close();
  return { status: answer.status, body };
}

test('healthz', async () => assert.deepEqual(await ask('/healthz'), { status: 200, body: 'ok' }));
test('logs', async () =>
  assert.deepEqual(await ask('/containerLogs/default/web/main'), { status: 200, body: 'hello\n' }));
test('logs with a bad option', async () =>
  assert.equal((await ask('/containerLogs/default/web/main?tailLines=x')).status, 400));
test('logs of a pod that is not here', async () =>
  assert.equal((await ask('/containerLogs/default/no/main')).status, 404));
test('another method', async () => assert.equal((await ask('/pods', 'POST')).status, 405));
test('another path', async () => assert.equal((await ask('/nowhere')).status, 404));

const refusals: readonly [string, string, string, number, string][] = [
  ['POST', '/checkpoint/default/no/main', 'a pod that is not here', 404, 'pod does not exist'],
  ['POST', '/checkpoint/default/web/no', 'no container of it', 404, 'container no does not exist'],
  [
    'POST',
    '/checkpoint/default/web/main?timeout=1&timeout=x',
    'no time',
    404,
    'cannot parse value of timeout parameter: "x"',
  ],
  [
    'POST',
    '/checkpoint/default/web/main',
    'a runtime that cannot',
    500,
    'checkpointing of default/web/main failed (this container runtime makes no checkpoints)',
  ],
  [
    'POST',
    '/checkpoint/default/web/main?timeout=-1',
    'less than no time',
    500,
    'checkpointing of default/web/main failed (CheckpointContainer requires the timeout value to be > 0)',
  ],
  ['GET', '/checkpoint/default/web/main', 'to be read', 405, 'Method Not Allowed'],
];
for (const [method, path, name, status, body] of refusals)
  test(`a checkpoint, ${name}`, async () => assert.deepEqual(await ask(path, method), { status, body }));

test('pods with their statuses', async () => {
  const list = JSON.parse((await ask('/pods')).body) as {
    kind: string;
    items: { metadata: { name: string }; status: { phase: string } }[];
  };
  assert.deepEqual(
    [list.kind, list.items[0]?.metadata.name, list.items[0]?.status.phase],
    ['PodList', 'web', 'Running'],
  );
});

test('what runs, by names and images alone', async () => {
  assert.deepEqual(JSON.parse((await ask('/runningpods/')).body), {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: [
      {
        metadata: { name: 'web', namespace: 'default', uid: 'uid-web' },
        spec: { containers: [{ name: 'main', image: 'docker.io/library/busybox:1', resources: {} }] },
        status: {},
      },
    ],
  });
});

const commands: readonly [path: string, status: number, body: RegExp][] = [
  ['/run/default/web/main?cmd=echo%20hello', 200, /^hello\n$/],
  ['/run/default/web/uid-web/main?cmd=echo%20hello', 200, /^hello\n$/],
  ['/run/default/web/uid-other/main?cmd=echo%20hello', 404, /^pod does not exist$/],
  ['/run/default/no/main?cmd=echo', 404, /^pod does not exist$/],
  ['/run/default/web/no?cmd=echo', 500, /^container not found \("no"\)$/],
  ['/run/default/web/main', 400, /^cmd is required$/],
  ['/run/default/web/main?cmd=false', 500, /^command 'false' exited with 1: $/],
  ['/run/default/web', 404, /^404 page not found$/],
  ['/run/default/web/uid-web/main/more?cmd=echo', 404, /^404 page not found$/],
];
for (const [path, status, body] of commands)
  test(`a command: ${path}`, async () => {
    const answer = await ask(path, 'POST');
    assert.equal(answer.status, status, answer.body);
    assert.match(answer.body, body);
  });

test('health, as a whole and one by one', async () => {
  assert.deepEqual(await ask('/healthz?verbose'), {
    status: 200,
    body: '[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n',
  });
  assert.match((await ask('/healthz?verbose&exclude=log')).body, /^\[\+\]log excluded: ok$/m);
  assert.deepEqual(await ask('/healthz/syncloop'), { status: 200, body: 'ok' });
  assert.equal((await ask('/healthz/etcd')).status, 404);
  assert.deepEqual(await ask('/metrics/slis'), { status: 200, body: '' });
});

test('without debugging handlers there are neither streams nor logs', async () => {
  const off = { hasDebugging: false };
  const disabled = { status: 405, body: 'Debug endpoints are disabled.' };
  assert.deepEqual(await ask('/containerLogs/default/web/main', 'GET', off), disabled);
  assert.deepEqual(await ask('/run/default/web/main?cmd=id', 'POST', off), disabled);
  assert.equal((await ask('/pods', 'GET', off)).status, 200);
});

describe('the log level', () => {
  const log = createLogger({ component: 'kubelet', verbosity: 1, clock: new VirtualClock(), write: () => undefined });
  const put = async (
    value: string | undefined,
    of: { readonly method?: string; readonly config?: Partial<KubeletConfig>; readonly path?: string } = {},
  ): Promise<string> => {
    const { kubelet, clock, scope } = await startTestNode({
      log,
      ...(of.config === undefined ? {} : { config: of.config }),
    });
    const asked = { method: of.method ?? 'PUT', path: of.path ?? '/debug/flags/v', query: new Map<string, string>() };
    const text = value === undefined ? {} : { text: async () => value };
    const { status, body } = await answerRequest(kubelet, { ...asked, ...text }, clock.now());
    await scope.close();
    assert.ok(typeof body === 'string');
    return `${status} ${body}`;
  };

  test('is changed by PUT', async () => {
    assert.equal(await put('4'), '200 successfully set klog.logging.verbosity to 4\n');
    assert.equal(log.level?.verbosity, 4);
    assert.equal(await put('1'), '200 successfully set klog.logging.verbosity to 1\n');
  });

  test('stays for what is no level, for other methods and where it may not be changed', async () => {
    assert.equal(await put('x'), '400 strconv.ParseUint: parsing "x": invalid syntax\n');
    assert.equal(await put(undefined), '400 strconv.ParseUint: parsing "": invalid syntax\n');
    assert.equal(await put('4', { method: 'GET' }), '406 unsupported http method\n');
    assert.equal(await put('4', { config: { hasDebugFlags: false } }), '405 flags endpoint is disabled.');
    assert.equal(await put('4', { config: { hasDebugging: false } }), '404 404 page not found');
    assert.equal(await put('4', { path: '/debug/flags' }), '404 404 page not found');
    assert.equal(log.level?.verbosity, 1);
  });
});

describe('the kubelet about itself', () => {
  const asked = async (path: string, accept?: string, flags?: ReadonlyMap<string, string>): Promise<string> => {
    const { kubelet, clock, scope } = await startTestNode(flags === undefined ? {} : { flags });
    const request = {
      method: 'GET',
      path,
      query: new Map<string, string>(),
      ...(accept === undefined ? {} : { accept }),
    };
    const { status, body } = await answerRequest(kubelet, request, clock.now());
    await scope.close();
    assert.ok(typeof body === 'string');
    return `${status} ${body}`;
  };
  const flags = new Map([['v', '2']]);

  test('how it is', async () => {
    assert.match(
      await asked('/statusz'),
      /^200 \nkubelet statusz\n[^]*\nPaths: \/configz \/flagz \/healthz \/metrics\n$/,
    );
    const accept = 'application/json;as=Statusz;v=v1beta1;g=config.k8s.io';
    assert.match(await asked('/statusz', accept), /"metadata":\{"name":"kubelet"\}.*"binaryVersion":"1\.36\.\d+"/);
  });

  test('what it was started with, where that is known', async () => {
    assert.match(await asked('/flagz', undefined, flags), /^200 \nkubelet flagz\n[^]*\nv=2\n$/);
    assert.equal(await asked('/flagz'), '404 404 page not found');
  });

  test('in no other form, and nothing below', async () => {
    assert.match(
      await asked('/flagz', 'application/json', flags),
      /^406 only the following media types are accepted: /,
    );
    assert.equal(await asked('/statusz/more'), '404 404 page not found');
  });
});

test('metrics and statistics', async () => {
  assert.match((await ask('/metrics')).body, /^kubelet_running_pods 1$/m);
  const stats = JSON.parse((await ask('/stats/summary')).body) as {
    node: { nodeName: string };
    pods: { podRef: { name: string }; containers: { name: string; memory: { workingSetBytes: number } }[] }[];
  };
  assert.deepEqual([stats.node.nodeName, stats.pods[0]?.podRef.name], ['node-1', 'web']);
  assert.deepEqual(stats.pods[0]?.containers[0]?.memory.workingSetBytes, 4096);
});

test('statistics of processors and memory alone, and of nothing else below that path', async () => {
  const stats = JSON.parse((await ask('/stats/summary?only_cpu_and_memory=true')).body) as {
    node: object;
    pods: { containers: object[] }[];
  };
  assert.deepEqual(Object.keys(stats.node), ['nodeName', 'startTime']);
  assert.deepEqual(Object.keys(stats.pods[0] ?? {}), ['podRef', 'startTime', 'containers', 'cpu', 'memory']);
  assert.deepEqual(Object.keys(stats.pods[0]?.containers[0] ?? {}), ['name', 'startTime', 'cpu', 'memory']);
  for (const path of ['/stats', '/stats/container']) assert.equal((await ask(path)).status, 404);
});

test('resources of containers, pods and the node, as makers of metrics.k8s.io read them', async () => {
  const { status, body } = await ask('/metrics/resource');
  assert.equal(status, 200);
  const of = '{container="main",namespace="default",pod="web"}';
  for (const line of [
    `container_memory_working_set_bytes${of} 4096 `,
    `container_start_time_seconds${of} `,
    `container_cpu_usage_seconds_total${of} `,
    'pod_memory_working_set_bytes{namespace="default",pod="web"} 4096 ',
    'node_memory_working_set_bytes 4096 ',
    'resource_scrape_error 0',
  ])
    assert.ok(body.includes(`\n${line}`), line);
});

test("containers under cAdvisor's names, and what the machine has", async () => {
  const { body } = await ask('/metrics/cadvisor');
  assert.match(body, /^container_memory_usage_bytes\{container="main",id="\/kubepods\/besteffort\/poduid-web\//m);
  assert.match(body, /^machine_cpu_cores 4$/m);
});

test('probes by their results', async () => {
  const { body } = await ask('/metrics/probes');
  assert.match(
    body,
    /^prober_probe_total\{container="main",namespace="default",pod="web",pod_uid="uid-web",probe_type="Liveness",result="successful"\} [1-9]/m,
  );
});

test('other metrics there are none', async () => assert.equal((await ask('/metrics/constructor')).status, 404));
