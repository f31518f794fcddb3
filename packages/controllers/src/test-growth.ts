import { strict as assert } from 'node:assert';
import { formatMicroTime, formatTime } from '@binnacle/base';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  LEASES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  SERVICES,
  STATEFUL_SETS,
} from '@binnacle/api';
import type { MetricSpec } from '@binnacle/api/autoscaling/v2';
import { countSteps } from './test-steps.ts';
import type { Steps } from './test-steps.ts';
import { numbers, once, runDaemonSet, runParallelSet, runReplicaSet, seedReadyPod, template } from './test-scenario.ts';
import type { Scenario } from './test-scenario.ts';
import { createTestWorld } from './test-world.ts';
import type { TestWorld } from './test-world.ts';
import { startFakeNode } from './test-node.ts';

/** What one object may cost at 4 and 16 times as many, in multiples of what it costs at once. */
const GROWTH_MAX = 1.5;

const CPU: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const SET_CONTROLLERS = ['deployment-controller', 'replicaset-controller', 'statefulset-controller'];

/** One of each kind that owns pods by their labels, with a pod each: of a replication controller, a set, a deployment, a job. */
async function createSets(world: TestWorld, name: string, metadata: (name: string) => object): Promise<void> {
  const of = (kind: string) => {
    const labels = { app: 'shop', name: `${kind}-${name}` };
    return { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
  };
  const { client } = world;
  const { selector, ...controlled } = of('rc');
  const rc = { ...controlled, selector: selector.matchLabels, replicas: 1 };
  await client.resource(REPLICATION_CONTROLLERS, 'default').create({ metadata: metadata(name), spec: rc });
  await client.resource(DEPLOYMENTS, 'default').create({ metadata: metadata(name), spec: { ...of('d'), replicas: 1 } });
  const set = { ...of('set'), replicas: 1, serviceName: 's' };
  await client.resource(STATEFUL_SETS, 'default').create({ metadata: metadata(name), spec: set });
  await client.resource(JOBS, 'default').create({ metadata: metadata(name), spec: { template: once } });
}

/** What is measured, by name. */
export const SCENARIOS: { readonly [name: string]: Scenario } = {
  'nodes of one zone fall silent together': {
    which: ['node-lifecycle-controller'],
    size: 20,
    prepare: async (world, count) => {
      for (const i of numbers(count)) {
        const name = `n${i}`;
        const node = await world.client.resource(NODES).create({ metadata: { name }, spec: {} });
        const now = formatTime(world.clock.now());
        const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: now, lastTransitionTime: now };
        world.api.setStatus(NODES, node, { conditions: [ready] });
      }
      const leases = world.client.resource(LEASES, 'kube-node-lease');
      await leases.create({ metadata: { name: 'n0' }, spec: { holderIdentity: 'n0' } });
    },
    run: async (world) => {
      for (let at = 0; at < 300; at += 10) {
        const spec = { renewTime: formatMicroTime(world.clock.now()) };
        await world.client.resource(LEASES, 'kube-node-lease').patch('n0', 'merge', { spec });
        await world.run(10_000);
      }
    },
  },
  'many small replica sets': {
    which: ['replicaset-controller'],
    size: 10,
    run: async (world, count) => {
      startFakeNode(world);
      for (const i of numbers(count)) {
        const spec = { replicas: 3, selector: { matchLabels: { set: `s${i}` } } };
        const labels = { set: `s${i}` };
        const of = { ...spec, template: { ...template, metadata: { labels } } };
        await world.client.resource(REPLICA_SETS, 'default').create({ metadata: { name: `s${i}` }, spec: of });
      }
      await world.run(10_000);
      assert.equal(world.api.objects(PODS).length, 3 * count);
    },
  },
  'one large replica set': {
    which: ['replicaset-controller'],
    size: 50,
    run: async (world, count) => {
      await runReplicaSet(world, count);
      assert.equal(world.api.objects(REPLICA_SETS)[0]?.status?.readyReplicas, count);
    },
  },
  'many deployments': {
    which: ['deployment-controller', 'replicaset-controller'],
    size: 10,
    run: async (world, count) => {
      startFakeNode(world);
      for (const i of numbers(count)) {
        const labels = { app: `d${i}` };
        const spec = {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { ...template, metadata: { labels } },
        };
        await world.client.resource(DEPLOYMENTS, 'default').create({ metadata: { name: `d${i}` }, spec });
      }
      await world.run(30_000);
      assert.equal(world.api.objects(PODS).length, 2 * count);
    },
  },
  'sets of every kind, in a namespace with as many pods of nobody': {
    which: [...SET_CONTROLLERS, 'replicationcontroller-controller', 'job-controller'],
    size: 8,
    run: async (world, count) => {
      startFakeNode(world);
      const metadata = (name: string) => ({ name, labels: { app: 'shop', name } });
      for (const i of numbers(count)) await createSets(world, `s${i}`, metadata);
      for (const i of numbers(4 * count)) {
        const labels = { app: 'shop', name: `nobody${i}` };
        await world.client
          .resource(PODS, 'default')
          .create({ metadata: { name: `n${i}`, labels }, spec: template.spec });
        if (i % 4 === 0) await world.run(40);
      }
      await world.run(10_000);
      assert.equal(world.api.objects(PODS).length, 4 * count + 4 * count);
    },
  },
  'many services of one namespace, each with a pod': {
    which: ['endpoints-controller', 'endpointslice-controller'],
    size: 10,
    run: async (world, count) => {
      world.api.seed(NODES, { metadata: { name: 'n1' }, spec: {} });
      for (const i of numbers(count)) {
        const spec = { selector: { app: `s${i}` }, ports: [{ port: 80 }] };
        await world.client.resource(SERVICES, 'default').create({ metadata: { name: `s${i}` }, spec });
        seedReadyPod(world, i, `s${i}`);
      }
      await world.run(10_000);
      assert.equal(world.api.objects(ENDPOINT_SLICES).length, count);
    },
  },
  'one service, its pods become ready one after the other': {
    which: ['endpoints-controller', 'endpointslice-controller'],
    size: 50,
    run: async (world, count) => {
      world.api.seed(NODES, { metadata: { name: 'n1' }, spec: {} });
      const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
      await world.client.resource(SERVICES, 'default').create({ metadata: { name: 'web' }, spec });
      for (const i of numbers(count)) seedReadyPod(world, i, 'web');
      await world.run(10_000);
      const held = world.api.objects(ENDPOINT_SLICES).map((slice) => (slice.endpoints ?? []).length);
      assert.equal(
        held.reduce((sum, one) => sum + one, 0),
        count,
      );
    },
  },
  'many budgets of one namespace, the pods of each come one after the other': {
    which: ['disruption-controller'],
    size: 10,
    run: async (world, count) => {
      const budgets = world.client.resource(POD_DISRUPTION_BUDGETS, 'default');
      for (const i of numbers(count)) {
        const spec = { minAvailable: 1, selector: { matchLabels: { app: `b${i}` } } };
        await budgets.create({ metadata: { name: `b${i}` }, spec });
      }
      for (const i of numbers(2 * count)) {
        seedReadyPod(world, i, `b${i >> 1}`);
        if (i % 5 === 0) await world.run(20);
      }
      await world.run(10_000);
      assert.ok(world.api.objects(POD_DISRUPTION_BUDGETS).every(({ status }) => status?.currentHealthy === 2));
    },
  },
  'many autoscalers of one namespace, each with two pods': {
    which: ['horizontal-pod-autoscaler-controller'],
    size: 10,
    run: async (world, count) => {
      for (const i of numbers(count)) {
        const [name, labels] = [`a${i}`, { app: `a${i}` }];
        const spec = { replicas: 2, selector: { matchLabels: labels }, template };
        world.api.seed(DEPLOYMENTS, { metadata: { name, namespace: 'default' }, spec });
        for (const at of [2 * i, 2 * i + 1]) seedReadyPod(world, at, name);
        const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
        await world.client
          .resource(HORIZONTAL_POD_AUTOSCALERS, 'default')
          .create({ metadata: { name }, spec: { maxReplicas: 5, scaleTargetRef, metrics: [CPU] } });
      }
      await world.run(40_000);
      const current = world.api.objects(HORIZONTAL_POD_AUTOSCALERS).map(({ status }) => status?.currentReplicas);
      assert.ok(current.every((replicas) => replicas === 2));
    },
  },
  'one indexed job, its pods end one after the other': {
    which: ['job-controller'],
    size: 30,
    run: async (world, count) => {
      startFakeNode(world).ends = () => 'Succeeded';
      const spec = { completions: count, parallelism: count, completionMode: 'Indexed' as const, template: once };
      const chosen = { manualSelector: true, selector: { matchLabels: { a: 'b' } } };
      await world.client.resource(JOBS, 'default').create({ metadata: { name: 'j' }, spec: { ...spec, ...chosen } });
      await world.run(40_000);
      assert.equal(world.api.objects(JOBS)[0]?.status?.succeeded, count);
    },
  },
  'one daemon set on many nodes': {
    which: ['daemonset-controller'],
    size: 30,
    run: async (world, count) => {
      await runDaemonSet(world, count);
      assert.equal(world.api.objects(DAEMON_SETS)[0]?.status?.numberReady, count);
    },
  },
  'one parallel stateful set': {
    which: ['statefulset-controller'],
    size: 30,
    run: async (world, count) => {
      await runParallelSet(world, count);
      assert.equal(world.api.objects(STATEFUL_SETS)[0]?.status?.readyReplicas, count);
    },
  },
  'dependents of one owner that is deleted': {
    which: ['garbage-collector-controller'],
    size: 40,
    prepare: async (world, count) => {
      const maps = world.client.resource(CONFIG_MAPS, 'default');
      const owner = await maps.create({ metadata: { name: 'owner' } });
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' };
      for (const i of numbers(count)) {
        await maps.create({ metadata: { name: `d${i}`, ownerReferences: [reference] } });
      }
    },
    run: async (world) => {
      await world.run(1000);
      await world.client.resource(CONFIG_MAPS, 'default').delete('owner');
      await world.run(120_000);
      assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
    },
  },
};

/** Work for each object. */
async function costPerObject(scenario: Scenario, times: number): Promise<Steps> {
  const steps: Steps = { looks: 0, calls: 0, items: 0, bytes: 0 };
  const world = createTestWorld(1, { between: countSteps(steps) });
  const count = scenario.size * times;
  await scenario.prepare?.(world, count);
  const process = world.start(scenario.which);
  await scenario.run(world, count);
  await process.kill();
  return {
    looks: steps.looks / count,
    calls: steps.calls / count,
    items: steps.items / count,
    bytes: steps.bytes / count,
  };
}

/** Throws when one object costs more at so many times as many than at once. */
export async function checkGrowth(scenario: Scenario, multiples: readonly number[]): Promise<void> {
  const once = await costPerObject(scenario, 1);
  for (const times of multiples) {
    const many = await costPerObject(scenario, times);
    for (const what of ['looks', 'calls', 'items', 'bytes'] as const) {
      const told = `${times}×: ${JSON.stringify(many)}, 1×: ${JSON.stringify(once)}`;
      assert.ok(many[what] <= once[what] * GROWTH_MAX, `${what} at ${told}`);
    }
  }
}
