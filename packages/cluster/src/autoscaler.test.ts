import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '@binnacle/api';
import { withCluster } from './testing/virtual-cluster.ts';

const LABELS = { app: 'web' };
const SPEC = {
  replicas: 1,
  selector: { matchLabels: LABELS },
  template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'example.org/web:1' }] } },
};

test('an autoscaler scales within its bounds under its own rights, and says that nobody serves metrics', () =>
  withCluster(6, async (client, clock) => {
    const deployments = client.resource(DEPLOYMENTS, 'default');
    await deployments.create({ metadata: { name: 'web' }, spec: SPEC } as never);
    const autoscalers = client.resource(HORIZONTAL_POD_AUTOSCALERS, 'default');
    await autoscalers.create({
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 3,
        maxReplicas: 5,
      },
    });
    await clock.advance(20_000);
    assert.equal((await deployments.get('web')).spec.replicas, 3);
    const { status } = await autoscalers.get('web');
    assert.deepEqual(
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`),
      ['AbleToScale=True SucceededGetScale', 'ScalingActive=False FailedGetResourceMetric'],
    );
    assert.deepEqual([status?.currentReplicas, status?.currentMetrics.length], [3, 1]);
  }));
