/** What nodes and pods use, as `kubectl top` shows it, on a cluster as it comes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS } from '@binnacle/api';
import { findKubectl, kubectlOutput, startOneProcess, waitFor } from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';

const found = await findKubectl();

describe('metrics.k8s.io', { skip: found === undefined && 'this machine has no kubectl' }, () => {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 2 });
    const annotations = {
      'simulated.binnacle.dev/cpu-usage-millicores': '250',
      'simulated.binnacle.dev/memory-usage-bytes': String(64 * 2 ** 20),
    };
    await cluster.client.resource(PODS, 'default').create({
      metadata: { name: 'busy', labels: { app: 'busy' }, annotations },
      spec: {
        containers: [
          { name: 'c', image: 'a:1' },
          { name: 'd', image: 'a:1' },
        ],
      },
    });
    await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name: 'busy',
      what: 'busy runs',
      until: (all) => all[0] !== undefined && isPodReady(all[0]),
    });
  });
  after(() => cluster?.stop());

  const kubectl = (...args: readonly string[]): Promise<string> =>
    kubectlOutput(found as Kubectl, cluster.kubeconfig, args);
  /** Columns of each line below the headings. */
  const lines = (text: string): string[][] =>
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/));

  test('pods, by their containers and by label', async () => {
    assert.deepEqual(lines(await kubectl('top', 'pods')), [['busy', '500m', '128Mi']]);
    assert.deepEqual(lines(await kubectl('top', 'pods', '--containers', '-l', 'app=busy')), [
      ['busy', 'c', '250m', '64Mi'],
      ['busy', 'd', '250m', '64Mi'],
    ]);
    assert.deepEqual(lines(await kubectl('top', 'pod', 'busy')), [['busy', '500m', '128Mi']]);
    await assert.rejects(
      kubectl('top', 'pod', 'nobody'),
      /podmetrics\.metrics\.k8s\.io "default\/nobody" not found|"nobody" not found/,
    );
  });

  test('nodes, with the part of what they have', async () => {
    const nodes = lines(await kubectl('top', 'nodes'));
    assert.deepEqual(nodes.map(([, cpu]) => cpu).toSorted(), ['0m', '500m']);
  });

  test('the group is discovered, explained and shown as rows', async () => {
    assert.match(
      await kubectl('api-resources', '--api-group=metrics.k8s.io'),
      /nodes +metrics\.k8s\.io\/v1beta1 +false +NodeMetrics/,
    );
    assert.match(await kubectl('explain', 'podmetrics.containers', '--api-version=metrics.k8s.io/v1beta1'), /usage/);
    const [row] = lines(await kubectl('get', 'pods.metrics.k8s.io'));
    assert.deepEqual([row?.[0], row?.[2]], ['busy', '128Mi']);
    assert.match(row?.[1] ?? '', /^(?:500m|[45]\d{8}n)$/);
  });
});
