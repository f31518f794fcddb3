import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import type { TestObject } from '../testing/test-server.ts';
import { withoutTrustBundleProjection } from './unprojected-trust-bundles.ts';

const volumesOf = (asks: boolean): object[] => [
  { name: 'plain', emptyDir: {} },
  {
    name: 'trust',
    projected: {
      sources: [
        { configMap: { name: 'c' } },
        asks ? { clusterTrustBundle: { name: 'b', path: 'ca.pem' } } : { downwardAPI: {} },
      ],
    },
  },
];
const podSpec = (asks: boolean, restartPolicy = 'Always'): object => ({
  containers: [{ name: 'c', image: 'i' }],
  restartPolicy,
  volumes: volumesOf(asks),
});
const template = (asks: boolean, restartPolicy?: string): object => ({
  metadata: { labels: { a: 'b' } },
  spec: podSpec(asks, restartPolicy),
});
const selected = (asks: boolean): object => ({ selector: { matchLabels: { a: 'b' } }, template: template(asks) });

/** Where each kind has the definition of a pod, and an object of it. */
const ROWS: readonly (readonly [path: string, of: (asks: boolean) => object, at: string])[] = [
  ['/api/v1/namespaces/default/pods', (asks) => ({ spec: podSpec(asks) }), 'spec'],
  ['/api/v1/namespaces/default/podtemplates', (asks) => ({ template: template(asks) }), 'template.spec'],
  [
    '/api/v1/namespaces/default/replicationcontrollers',
    (asks) => ({ spec: { selector: { a: 'b' }, template: template(asks) } }),
    'spec.template.spec',
  ],
  ...['daemonsets', 'deployments', 'replicasets', 'statefulsets'].map(
    (resource) =>
      [
        `/apis/apps/v1/namespaces/default/${resource}`,
        (asks: boolean) => ({ spec: selected(asks) }),
        'spec.template.spec',
      ] as const,
  ),
  [
    '/apis/batch/v1/namespaces/default/jobs',
    (asks) => ({ spec: { template: template(asks, 'Never') } }),
    'spec.template.spec',
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    (asks) => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: { template: template(asks, 'Never') } } } }),
    'spec.jobTemplate.spec.template.spec',
  ],
];

function sourcesOf(object: TestObject, at: string): readonly object[] {
  const spec = at.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], object);
  const [, volume] = (spec as { volumes: { projected: { sources: object[] } }[] }).volumes;
  return volume?.projected.sources ?? [];
}

const namesIn = (sources: readonly object[]): string[] => sources.map((source) => Object.keys(source).join());

describe('what asks for trust bundles', () => {
  it('is left out before anything else is done with a new object; kinds without pods are as they were', () => {
    const seen: string[][] = [];
    const strategy = {
      prepareForCreate: (object: object) => void seen.push(namesIn(sourcesOf(object as TestObject, 'spec'))),
    };
    const secrets = { strategy: {} };
    const kinds = withoutTrustBundleProjection({ pods: { strategy, generation: true }, secrets });
    const pod = { metadata: { name: 'x' }, spec: podSpec(true) } as TestObject;
    kinds['pods']?.strategy?.prepareForCreate?.(pod, { name: 'a', groups: [] });
    assert.deepEqual(seen, [['configMap', '']]);
    assert.deepEqual([kinds['pods']?.generation, kinds['secrets']], [true, secrets]);
    const other = { metadata: { name: 'y' }, spec: {} } as TestObject;
    kinds['jobs.batch']?.strategy?.prepareForUpdate?.(other, { metadata: { name: 'y' } });
    assert.deepEqual(other.spec, {});
  });

  for (const [path, of, at] of ROWS) {
    it(`is left out of ${path.split('/').at(-1)} without the feature gate, and kept where it was`, async () => {
      const off = await startTestServer();
      const made = await off.ask(`POST ${path}`, { metadata: { name: 'x' }, ...of(true) });
      assert.equal(made.code, 201, String(made.body['message']));
      assert.deepEqual(namesIn(sourcesOf(made.body, at)), ['configMap', '']);
      await off.server.close();

      const on = await startTestServer({ trustBundleProjection: true });
      const kept = await on.ask(`POST ${path}`, { metadata: { name: 'x' }, ...of(true) });
      assert.deepEqual(namesIn(sourcesOf(kept.body, at)), ['configMap', 'clusterTrustBundle']);
      await on.server.close();

      const again = await startTestServer({ store: on.store });
      const label = JSON.stringify({ metadata: { labels: { c: 'd' } } });
      const patched = await again.ask(`PATCH ${path}/x`, label, { 'content-type': 'application/merge-patch+json' });
      assert.equal(patched.code, 200, String(patched.body['message']));
      assert.deepEqual(namesIn(sourcesOf(patched.body, at)), ['configMap', 'clusterTrustBundle']);
      await again.server.close();
    });
  }

  it('does not come by a change either', async () => {
    const { ask, server } = await startTestServer();
    const path = '/apis/apps/v1/namespaces/default/deployments';
    assert.equal((await ask(`POST ${path}`, { metadata: { name: 'x' }, spec: selected(false) })).code, 201);
    const change = JSON.stringify({ spec: { template: { spec: { volumes: volumesOf(true) } } } });
    const patched = await ask(`PATCH ${path}/x`, change, { 'content-type': 'application/merge-patch+json' });
    assert.equal(patched.code, 200, String(patched.body['message']));
    assert.deepEqual(namesIn(sourcesOf(patched.body, 'spec.template.spec')), ['configMap', '']);
    await server.close();
  });
});
