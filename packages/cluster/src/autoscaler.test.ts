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
    assert.deepEqual([status?.currentReplicas, status?.currentMetrics?.length], [3, 1]);
  }));

test('an autoscaler follows what the kubelets of its pods say they use, up and down again', () =>
  withCluster(7, async (client, clock) => {
    const deployments = client.resource(DEPLOYMENTS, 'default');
    const template = (milli: number): object => ({
      metadata: { labels: LABELS, annotations: { 'simulated.binnacle.dev/cpu-usage-millicores': String(milli) } },
      spec: { containers: [{ name: 'c', image: 'example.org/web:1', resources: { requests: { cpu: '100m' } } }] },
    });
    await deployments.create({ metadata: { name: 'web' }, spec: { ...SPEC, template: template(200) } } as never);
    const autoscalers = client.resource(HORIZONTAL_POD_AUTOSCALERS, 'default');
    const target = { type: 'Utilization' as const, averageUtilization: 50 };
    await autoscalers.create({
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 6,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    });
    await clock.advance(180_000);
    // Each pod uses twice what it asked for, whatever their number: as many as there may be.
    assert.equal((await deployments.get('web')).spec.replicas, 6);
    const { status } = await autoscalers.get('web');
    assert.deepEqual(
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`),
      [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=True TooManyReplicas',
      ],
    );
    await deployments.patch('web', 'merge', { spec: { template: template(10) } });
    await clock.advance(900_000);
    assert.equal((await deployments.get('web')).spec.replicas, 1);
  }));
