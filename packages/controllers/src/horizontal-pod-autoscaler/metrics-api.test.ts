import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { RawReply } from '@binnacle/machinery';
import { MetricsApi } from './metrics-api.ts';

function apiOf(answers: { readonly [path: string]: unknown }): { readonly api: MetricsApi; readonly asked: string[] } {
  const asked: string[] = [];
  const raw = async ({ path }: { readonly path: string }): Promise<RawReply> => {
    asked.push(path);
    const answer = new Map(Object.entries(answers)).get(path.split('?')[0] ?? '');
    const text =
      typeof answer === 'string'
        ? answer
        : JSON.stringify(answer ?? { kind: 'Status', message: 'not there', code: 404 });
    return { status: answer === undefined ? 404 : 200, headers: {}, body: once(text) };
  };
  return {
    api: new MetricsApi(
      { raw },
      async () => 'deployments.apps',
      () => 1_000_000,
    ),
    asked,
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const USAGE = '/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods';
const CUSTOM = '/apis/custom.metrics.k8s.io';
const usage = (cpu: string, name = 'c') => ({ name, usage: { cpu, memory: '1Mi' } });
const at = '2026-01-01T00:00:00Z';

test('usage of a pod is that of its containers; one that is not told of all is missing', async () => {
  const items = [
    {
      metadata: { name: 'a' },
      timestamp: at,
      window: '1m30.5s',
      containers: [usage('100m'), usage('250000000n', 'd')],
    },
    { metadata: { name: 'b' }, timestamp: at, window: 'soon', containers: [usage('1'), { name: 'd', usage: {} }] },
    { metadata: { name: 'quick' }, timestamp: at, window: '500ms', containers: [usage('2')] },
    { metadata: { name: 'odd' }, timestamp: at, window: 30, containers: [usage('3')] },
  ];
  const { api, asked } = apiOf({ [USAGE]: { items: [...items, { metadata: { name: 'none' }, containers: [] }] } });
  const of = { namespace: 'ns', selector: 'app in (web,db)', resource: 'cpu' };
  const all = await api.usage(of, {});
  assert.deepEqual(
    [...all],
    [
      ['a', { milli: 350, atMs: Date.parse(at), windowMs: 90_500 }],
      ['quick', { milli: 2000, atMs: Date.parse(at), windowMs: 500 }],
      ['odd', { milli: 3000, atMs: Date.parse(at), windowMs: 60_000 }],
    ],
  );
  assert.equal(asked[0], `${USAGE}?labelSelector=app+in+%28web%2Cdb%29`);
  const one = await apiOf({ [USAGE]: { items } }).api.usage({ ...of, container: 'c' }, {});
  assert.deepEqual(
    [...one].map(([name, { milli, windowMs }]) => [name, milli, windowMs]),
    [
      ['a', 100, 90_500],
      ['b', 1000, 60_000],
      ['quick', 2000, 500],
      ['odd', 3000, 60_000],
    ],
  );
});

test('custom metrics: of pods, of an object, of the namespace, under the newest version', async () => {
  const value = (name: string, text: string) => ({
    describedObject: { name },
    value: text,
    timestamp: at,
    windowSeconds: 30,
  });
  const v2 = `${CUSTOM}/v1beta2/namespaces/ns`;
  const { api, asked } = apiOf({
    [CUSTOM]: { versions: [{ version: 'v1beta1' }, { version: 'v1beta2' }] },
    [`${v2}/pods/*/q%2Fs`]: { items: [value('a', '1500m')] },
    [`${v2}/deployments.apps/web/hits`]: { items: [value('web', '7')] },
    [`${v2}/metrics/load`]: { items: [value('ns', '2k')] },
    [`${v2}/services/two/hits`]: { items: [value('a', '1'), value('b', '2')] },
  });
  const metric = { name: 'q/s', selector: { matchLabels: { verb: 'get' } } };
  const pods = await api.ofPods({ namespace: 'ns', selector: 'app=web', metric }, {});
  assert.deepEqual([...pods], [['a', { milli: 1500, atMs: Date.parse(at), windowMs: 30_000 }]]);
  assert.match(asked[1] ?? '', /labelSelector=app%3Dweb&metricLabelSelector=verb%3Dget$/);
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  assert.equal(await api.ofObject({ namespace: 'ns', object, metric: { name: 'hits' } }, {}), 7000);
  const namespace = { kind: 'Namespace', name: 'other' };
  assert.equal(await api.ofObject({ namespace: 'ns', object: namespace, metric: { name: 'load' } }, {}), 2_000_000);
});

test('the values of an external metric are added', async () => {
  const { api } = apiOf({
    '/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue': { items: [{ value: '3' }, { value: '500m' }] },
  });
  assert.equal(await api.external({ namespace: 'ns', metric: { name: 'queue' } }, {}), 3500);
});

for (const [name, answer, message] of [
  ['nobody serves it', undefined, /^unable to fetch metrics from resource metrics API: not there/],
  ['nothing was measured', { items: [] }, /^no metrics returned from resource metrics API$/],
  ['no JSON', '<html>', /^unable to fetch metrics from resource metrics API: /],
  ['null', 'null', /^no metrics returned/],
  ['no list', { items: { length: 3 } }, /^no metrics returned/],
  ['nothing in the list', { items: [null, 3] }, /^no metrics returned/],
  [
    'no quantity',
    { items: [{ metadata: { name: 'a' }, containers: [{ name: 'c', usage: { cpu: 'lots' } }] }] },
    /no quantity/,
  ],
] as const) {
  test(`a metrics API that is not as it should be: ${name}`, async () => {
    const { api } = apiOf(answer === undefined ? {} : { [USAGE]: answer });
    await assert.rejects(api.usage({ namespace: 'ns', selector: '', resource: 'cpu' }, {}), {
      code: 'metric',
      message,
    });
  });
}

test('what is no object in an answer counts as nothing', async () => {
  const { api } = apiOf({
    [USAGE]: {
      items: [
        null,
        { metadata: { name: 'a' }, timestamp: at, containers: [null, usage('1')] },
        { metadata: { name: 'b' }, timestamp: at, containers: 7 },
      ],
    },
    [CUSTOM]: { versions: 5 },
    [`${CUSTOM}/v1beta1/namespaces/ns/metrics/load`]: { items: [null, { value: '2' }] },
  });
  const all = await api.usage({ namespace: 'ns', selector: '', resource: 'cpu' }, {});
  assert.deepEqual([...all.keys()], ['a']);
  const object = { kind: 'Namespace', name: 'ns' };
  assert.equal(await api.ofObject({ namespace: 'ns', object, metric: { name: 'load' } }, {}), 2000);
});

test('a container that a pod lacks is named', async () => {
  const { api } = apiOf({
    [USAGE]: {
      items: [
        { metadata: { name: 'b' }, timestamp: at, containers: [{ ...usage('1'), name: 'x' }] },
        { metadata: { name: 'a' }, timestamp: at, containers: [usage('1')] },
      ],
    },
  });
  await assert.rejects(api.usage({ namespace: 'ns', selector: '', resource: 'cpu', container: 'x' }, {}), {
    code: 'metric',
    message: 'failed to get container metrics: container x not present in metrics for pod ns/a',
  });
});
