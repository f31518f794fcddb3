import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import { status as refusal } from '@binnacle/machinery';
import { DEPLOYMENTS, EVENTS, HORIZONTAL_POD_AUTOSCALERS, PODS } from '@binnacle/api';
import type { HorizontalPodAutoscaler, MetricSpec } from '@binnacle/api/autoscaling/v2';
import { createTestWorld } from '../test-world.ts';
import type { TestProcess, TestWorld } from '../test-world.ts';
import { createStandIn } from './test-metrics.ts';
import type { StandIn } from './test-metrics.ts';

const USAGE = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods';
const CPU: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

interface Scene {
  readonly world: TestWorld;
  readonly standIn: StandIn;
  readonly process: TestProcess;
}

/** A deployment of so many pods, all ready for an hour, each asking for 100m of CPU. */
function start(replicas: number): Scene {
  const standIn = createStandIn();
  const world: TestWorld = createTestWorld(1, { between: (wire) => standIn.wrap(wire) });
  const labels = { app: 'web' };
  world.api.seed(DEPLOYMENTS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  });
  run(world, replicas);
  return { world, standIn, process: world.start(['horizontal-pod-autoscaler-controller']) };
}

function run(world: TestWorld, replicas: number): void {
  const hourAgo = formatTime(world.clock.now() - 3_600_000);
  const container = { name: 'c', image: 'x', resources: { requests: { cpu: '100m' } } };
  for (let i = 0; i < replicas; i++) {
    world.api.seed(PODS, {
      metadata: { name: `web-${i}`, namespace: 'default', labels: { app: 'web' } },
      spec: { containers: [container] },
      status: {
        phase: 'Running',
        startTime: hourAgo,
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: hourAgo }],
      },
    });
  }
}

function measure({ world, standIn }: Scene, cpu: readonly string[]): void {
  const timestamp = formatTime(world.clock.now());
  const items = cpu.map((one, i) => ({
    metadata: { name: `web-${i}` },
    timestamp,
    window: '30s',
    containers: [{ name: 'c', usage: { cpu: one } }],
  }));
  standIn.answers.set(USAGE, JSON.stringify({ items }));
}

function scaleBy(world: TestWorld, spec: Partial<HorizontalPodAutoscaler['spec']> = {}, name = 'web'): void {
  world.api.seed(HORIZONTAL_POD_AUTOSCALERS, {
    metadata: { name, namespace: 'default' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [CPU],
      ...spec,
    },
  });
}

const replicas = ({ world }: Scene): unknown => world.api.objects(DEPLOYMENTS)[0]?.spec.replicas;
const told = ({ world }: Scene): string[] =>
  world.api.objects(EVENTS).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
const status = ({ world }: Scene) => world.api.objects(HORIZONTAL_POD_AUTOSCALERS)[0]?.status;
const conditions = (scene: Scene): string[] =>
  (status(scene)?.conditions ?? []).map((one) => `${one.type}=${one.status} ${one.reason}`);

test('a busy target grows, and shrinks five minutes after it became idle', async () => {
  const scene = start(2);
  measure(scene, ['100m', '100m']);
  scaleBy(scene.world);
  await scene.world.run(1000);
  assert.equal(replicas(scene), 4);
  assert.deepEqual(told(scene), [
    'Normal SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  assert.deepEqual(conditions(scene), [
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  const first = status(scene);
  assert.deepEqual([first?.currentReplicas, first?.desiredReplicas], [2, 4]);
  assert.deepEqual(first?.currentMetrics, [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } },
  ]);
  assert.notEqual(first?.lastScaleTime, undefined);
  run(scene.world, 4);
  measure(scene, ['10m', '10m', '10m', '10m']);
  await scene.world.run(60_000);
  assert.equal(replicas(scene), 4);
  assert.ok(conditions(scene).includes('AbleToScale=True ScaleDownStabilized'));
  await scene.world.run(300_000);
  assert.equal(replicas(scene), 1);
  assert.ok(told(scene).includes('Normal SuccessfulRescale New size: 1; reason: All metrics below target'));
  await scene.process.kill();
});

test('metrics that cannot be had are told, and nothing is scaled', async () => {
  const scene = start(2);
  scaleBy(scene.world);
  await scene.world.run(1000);
  assert.equal(replicas(scene), 2);
  assert.deepEqual(conditions(scene), [
    'AbleToScale=True SucceededGetScale',
    'ScalingActive=False FailedGetResourceMetric',
  ]);
  const [single, all] = told(scene);
  const why =
    'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: nobody serves it';
  assert.equal(single, `Warning FailedGetResourceMetric ${why}`);
  assert.equal(
    all,
    `Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${why}`,
  );
  await scene.process.kill();
});

test('of several metrics the highest counts; one that fails lets the target grow and not shrink', async () => {
  const scene = start(2);
  const external = (averageValue: string): MetricSpec => ({
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue } },
  });
  measure(scene, ['100m', '100m']);
  const metrics = [external('1'), CPU];
  scaleBy(scene.world, { metrics });
  await scene.world.run(1000);
  assert.equal(replicas(scene), 4, 'the queue is not known, and CPU asks for more');
  assert.deepEqual(
    status(scene)?.currentMetrics?.map(({ type }) => type),
    ['', 'Resource'],
  );
  scene.standIn.answers.set(
    '/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue',
    JSON.stringify({ items: [{ value: '7' }] }),
  );
  run(scene.world, 4);
  measure(scene, ['50m', '50m', '50m', '50m']);
  await scene.world.run(20_000);
  assert.equal(replicas(scene), 7);
  assert.ok(told(scene).some((line) => line.includes('reason: external metric queue(nil) above target')));
  await scene.process.kill();
});

test('the bounds hold without any metric, and a target of none is left alone', async () => {
  const scene = start(2);
  scaleBy(scene.world, { minReplicas: 3 });
  await scene.world.run(1000);
  assert.equal(replicas(scene), 3);
  assert.ok(
    told(scene).includes(
      'Normal SuccessfulRescale New size: 3; reason: Current number of replicas below Spec.MinReplicas',
    ),
  );
  const [web] = scene.world.api.objects(DEPLOYMENTS);
  assert.ok(web);
  scene.world.api.seed(DEPLOYMENTS, { ...web, spec: { ...web.spec, replicas: 0 } });
  await scene.world.run(20_000);
  assert.equal(replicas(scene), 0);
  assert.ok(conditions(scene).includes('ScalingActive=False ScalingDisabled'));
  await scene.process.kill();
});

test('two autoscalers of the same pods fight about nothing: both say so', async () => {
  const scene = start(2);
  measure(scene, ['100m', '100m']);
  scaleBy(scene.world, { maxReplicas: 2 }, 'a');
  scaleBy(scene.world, { maxReplicas: 2 }, 'b');
  await scene.world.run(40_000);
  const reasons = scene.world.api
    .objects(HORIZONTAL_POD_AUTOSCALERS)
    .map((one) => one.status?.conditions?.find(({ type }) => type === 'ScalingActive')?.message);
  const message = 'pods by selector app=web are controlled by multiple HPAs: [{a default} {b default}]';
  assert.deepEqual(reasons, [message, message]);
  await scene.process.kill();
});

test('a target that is not there is told', async () => {
  const scene = start(1);
  scaleBy(scene.world, { scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Robot', name: 'r' } });
  await scene.world.run(1000);
  assert.deepEqual(conditions(scene), ['AbleToScale=False FailedGetScale']);
  assert.deepEqual(told(scene), ['Warning FailedGetScale no matches for kind "Robot" in group "example.com"']);
  await scene.process.kill();
});

test('a manager that starts anew does not take an idle moment for five idle minutes', async () => {
  const scene = start(4);
  measure(scene, ['10m', '10m', '10m', '10m']);
  scaleBy(scene.world);
  await scene.world.run(60_000);
  await scene.process.kill();
  const again = scene.world.start(['horizontal-pod-autoscaler-controller']);
  await scene.world.run(60_000);
  assert.equal(replicas(scene), 4);
  await again.kill();
});

test('a status that cannot be written is told of', async () => {
  const scene = start(2);
  const { faults } = scene.world.network;
  faults.call = (call) =>
    call.subresource === 'status' ? { kind: 'refuse', error: refusal.internalError('the store is away') } : undefined;
  measure(scene, ['50m', '50m']);
  scaleBy(scene.world);
  await scene.world.run(1);
  faults.call = undefined;
  await scene.world.run(1000);
  const warnings = told(scene).filter((one) => one.startsWith('Warning'));
  assert.ok(warnings.length > 0);
  for (const one of warnings) assert.match(one, /^Warning FailedUpdateStatus .*the store is away/);
  assert.ok(conditions(scene).includes('ScalingActive=True ValidMetricFound'));
  await scene.process.kill();
});
