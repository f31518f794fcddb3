import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES, PODS, PRIORITY_CLASSES } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { readText } from '@binnacle/machinery';
import { withCluster } from './testing/virtual-cluster.ts';

const PROFILE = 'profile="default-scheduler"';

const podOf = (name: string, spec: { readonly cpu?: string; readonly [field: string]: unknown } = {}) => {
  const { cpu = '1m', ...others } = spec;
  const containers = [{ name: 'c', image: 'example.org/c:1', resources: { requests: { cpu } } }];
  return { metadata: { name }, spec: { containers, terminationGracePeriodSeconds: 1, ...others } } as never;
};

/** Of one figure, by its labels as they stand there. */
async function figures(client: Client, name: string): Promise<{ readonly [labels: string]: number }> {
  const found: { [labels: string]: number } = {};
  for (const line of (await readText(client.wire, '/metrics')).split('\n')) {
    const [, labels = '', value] = new RegExp(`^scheduler_${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
    if (value !== undefined) found[labels] = Number(value);
  }
  return found;
}

test('/metrics tells what became of pods: tries, durations, queues, who refused them', () =>
  withCluster(21, async (client, clock) => {
    const pods = client.resource(PODS, 'default');
    const of = (name: string) => figures(client, name);
    const before = (await of('schedule_attempts_total'))[`result="scheduled",${PROFILE}`] ?? 0;
    for (const name of ['a', 'b', 'c']) await pods.create(podOf(name));
    await pods.create(podOf('large', { cpu: '1000' }));
    await pods.create(podOf('gated', { schedulingGates: [{ name: 'example.org/later' }] }));
    await clock.advance(5_000);
    const attempts = await of('schedule_attempts_total');
    assert.deepEqual(attempts, {
      [`result="scheduled",${PROFILE}`]: before + 3,
      [`result="unschedulable",${PROFILE}`]: 1,
    });
    assert.deepEqual(await of('scheduling_attempt_duration_seconds_count'), attempts);
    const bound = before + 3;
    assert.deepEqual(await of('scheduling_algorithm_duration_seconds_count'), { '': bound + 1 });
    assert.deepEqual(await of('pod_scheduling_attempts_sum'), { '': bound });
    assert.deepEqual(await of('pod_scheduling_sli_duration_seconds_count'), { 'attempts="1"': bound });
    assert.deepEqual(await of('pending_pods'), {
      'queue="active"': 0,
      'queue="backoff"': 0,
      'queue="unschedulable"': 1,
      'queue="gated"': 1,
    });
    assert.deepEqual(await of('unschedulable_pods'), {
      [`plugin="NodeResourcesFit",${PROFILE}`]: 1,
      [`plugin="SchedulingGates",${PROFILE}`]: 1,
    });
    assert.deepEqual(await of('queue_incoming_pods_total'), {
      'queue="active",event="UnschedulablePodAdd"': bound + 1,
      'queue="unschedulable",event="ScheduleAttemptFailure"': 1,
      'queue="unschedulable",event="UnschedulablePodAdd"': 1,
    });
    assert.deepEqual(await of('cache_size'), { 'type="nodes"': 2, 'type="pods"': bound, 'type="assumed_pods"': 0 });
    assert.deepEqual(await of('goroutines'), { 'operation="binding"': 0 });
    const points = await of('framework_extension_point_duration_seconds_count');
    const at = (point: string, status: string): number | undefined =>
      points[`extension_point="${point}",status="${status}",${PROFILE}`];
    assert.deepEqual(
      ['PreFilter', 'Filter', 'Reserve', 'Permit', 'PreBind', 'Bind', 'PostBind'].map((point) => at(point, 'Success')),
      [bound + 1, bound + 1, bound, bound, bound, bound, bound],
    );
    assert.equal(at('PostFilter', 'Unschedulable'), 1);
    const evaluations = await of('plugin_evaluation_total');
    assert.equal(evaluations[`plugin="NodeResourcesFit",extension_point="Filter",${PROFILE}`], bound + 1);
    assert.equal(evaluations[`plugin="InterPodAffinity",extension_point="Filter",${PROFILE}`], undefined);
    const executions = await of('plugin_execution_duration_seconds_count');
    assert.ok((executions['plugin="NodeResourcesFit",extension_point="Filter",status="Success"'] ?? 0) > 0);
    // The gate goes: the pod is bound at its first try, and was not on its way before.
    await pods.patch('gated', 'strategic', { spec: { schedulingGates: null } });
    await pods.delete('large');
    await clock.advance(5_000);
    assert.deepEqual(await of('unschedulable_pods'), {});
    const incoming = await of('queue_incoming_pods_total');
    assert.equal(incoming['queue="active",event="UnschedulablePodUpdate"'], 1);
    assert.deepEqual(await of('pod_scheduling_sli_duration_seconds_count'), { 'attempts="1"': bound + 1 });
    assert.ok((await of('pod_scheduling_sli_duration_seconds_sum'))['attempts="1"']! < 5);
  }));

test('/metrics tells how room was made for a pod', () =>
  withCluster(22, async (client, clock) => {
    const pods = client.resource(PODS, 'default');
    const [node] = (await client.resource(NODES).list()).items;
    const most = Number(node?.status?.allocatable?.['cpu']);
    assert.ok(most > 1, 'the nodes are alike, and have room');
    const cpu = String(most - 0.5);
    await client.resource(PRIORITY_CLASSES).create({ metadata: { name: 'high' }, value: 1_000 });
    for (const name of ['a', 'b']) await pods.create(podOf(name, { cpu }));
    await clock.advance(5_000);
    await pods.create(podOf('important', { cpu, priorityClassName: 'high' }));
    await clock.advance(30_000);
    assert.notEqual((await pods.get('important')).spec.nodeName, undefined);
    assert.deepEqual(await figures(client, 'preemption_attempts_total'), { '': 1 });
    assert.deepEqual(await figures(client, 'preemption_victims_count'), { '': 1 });
    assert.deepEqual(await figures(client, 'preemption_victims_sum'), { '': 1 });
    assert.deepEqual((await figures(client, 'pod_scheduling_sli_duration_seconds_count'))['attempts="2"'], 1);
    const status = 'extension_point="PostFilter",status="Success"';
    assert.equal(
      (await figures(client, 'framework_extension_point_duration_seconds_count'))[`${status},${PROFILE}`],
      1,
    );
  }));
