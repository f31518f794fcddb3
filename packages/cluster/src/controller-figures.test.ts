import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRON_JOBS, DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS, JOBS, PERSISTENT_VOLUMES, SERVICES } from '@binnacle/api';
import { readText } from '@binnacle/machinery';
import { withCluster } from './testing/virtual-cluster.ts';

const LABELS = { app: 'web' };
const CONTAINERS = [{ name: 'c', image: 'example.org/web:1' }];
const ENDS = { 'simulated.binnacle.dev/exit-after': '1s' };

test('after work was done, the figures of controllers tell of it under the names of upstream', () =>
  withCluster(11, async (client, clock) => {
    const template = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
    const deployment = { replicas: 3, selector: { matchLabels: LABELS }, template };
    const deployments = client.resource(DEPLOYMENTS, 'default');
    await deployments.create({ metadata: { name: 'web' }, spec: deployment } as never);
    const ports = [{ port: 80 }];
    await client.resource(SERVICES, 'default').create({
      metadata: { name: 'web' },
      spec: { selector: LABELS, ports, trafficDistribution: 'PreferClose' },
    } as never);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await client
      .resource(HORIZONTAL_POD_AUTOSCALERS, 'default')
      .create({ metadata: { name: 'web' }, spec: { scaleTargetRef, minReplicas: 4, maxReplicas: 5 } });
    const jobs = client.resource(JOBS, 'default');
    const ending = { metadata: { annotations: ENDS }, spec: { containers: CONTAINERS, restartPolicy: 'Never' } };
    const job = { completions: 2, parallelism: 1, ttlSecondsAfterFinished: 5, template: ending };
    await jobs.create({ metadata: { name: 'two' }, spec: job } as never);
    await jobs.create({ metadata: { name: 'theirs' }, spec: { ...job, managedBy: 'example.com/q' } } as never);
    const jobTemplate = { spec: { template: ending } };
    await client
      .resource(CRON_JOBS, 'default')
      .create({ metadata: { name: 'often' }, spec: { schedule: '* * * * *', jobTemplate } } as never);
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
      storageClassName: 'slow',
    };
    await client.resource(PERSISTENT_VOLUMES).create({ metadata: { name: 'v' }, spec } as never);
    await clock.advance(120_000);
    await client.resource(HORIZONTAL_POD_AUTOSCALERS, 'default').delete('web');
    await deployments.patch('web', 'merge', { spec: { replicas: 1 } });
    await clock.advance(10_000);
    const lines = new Set((await readText(client.wire, '/metrics')).split('\n'));
    const shown = [...lines];
    for (const line of EXPECTED) assert.ok(lines.has(line), `${line}\n— in —\n${near(shown, line)}`);
    for (const start of SOME) assert.ok(countOf(shown, start) > 0, `${start}\n— in —\n${near(shown, start)}`);
    assert.equal(shown.filter((line) => line.includes('hpa_name="web"')).length, 0);
  }));

const EXPECTED = [
  'job_controller_jobs_by_external_controller_total{controller_name="example.com/q"} 1',
  'ttl_after_finished_controller_job_deletion_duration_seconds_count 1',
  'horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers 0',
  'horizontal_pod_autoscaler_controller_reconciliations_total{action="scale_up",error="none"} 1',
  'endpoint_slice_controller_endpoints_desired 1',
  'endpoint_slice_controller_services_count_by_traffic_distribution{traffic_distribution="PreferClose"} 1',
  'node_collector_zone_size{zone=""} 2',
  'node_collector_zone_health{zone=""} 100',
  'node_collector_unhealthy_nodes_in_zone{zone=""} 0',
  'node_collector_evictions_total{zone=""} 0',
  'taint_eviction_controller_pod_deletions_total 0',
  'device_taint_eviction_controller_pod_deletions_total 0',
  'garbagecollector_controller_resources_sync_error_total 0',
  'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
  'pv_collector_unbound_pv_count{storage_class="slow"} 1',
  'ephemeral_volume_controller_create_total 0',
  'running_managed_controllers{name="job-controller",manager="kube-controller-manager"} 1',
];

/** More than none of each. */
const SOME = [
  'horizontal_pod_autoscaler_controller_metric_computation_total{action="none",error="internal",metric_type="Resource"}',
  'job_controller_job_pods_creation_total{reason="new",status="succeeded"}',
  'job_controller_job_syncs_total{completion_mode="NonIndexed",result="success",action="pods_created"}',
  'job_controller_job_sync_duration_seconds_count{completion_mode="NonIndexed",result="success",action="tracking"}',
  'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}',
  'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"}',
  'job_controller_terminated_pods_tracking_finalizer_total{event="add"}',
  'job_controller_terminated_pods_tracking_finalizer_total{event="delete"}',
  'cronjob_controller_job_creation_skew_duration_seconds_count',
  'replicaset_controller_sorting_deletion_age_ratio_count',
  'endpoint_slice_controller_changes{operation="update"}',
  'endpoint_slice_controller_syncs{result="success"}',
  'endpoint_slice_controller_endpoints_added_per_sync_count',
  'endpoint_slice_controller_endpointslices_changed_per_sync_count{topology="Disabled",traffic_distribution="PreferClose"}',
  'endpoint_slice_controller_num_endpoint_slices',
  'node_collector_update_node_health_duration_seconds_count',
  'root_ca_cert_publisher_sync_total{code="200"}',
];

function countOf(lines: readonly string[], start: string): number {
  const line = lines.find((one) => one.startsWith(`${start} `));
  return Number(line?.slice(start.length + 1) ?? 0);
}

function near(lines: readonly string[], wanted: string): string {
  const start = wanted.slice(0, 30);
  return lines.filter((line) => line.startsWith(start) && !line.includes('_bucket')).join('\n');
}
