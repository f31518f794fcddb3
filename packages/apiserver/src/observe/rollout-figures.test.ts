import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

function shown(metrics: Metrics): string[] {
  return metrics
    .render([])
    .split('\n')
    .filter((line) => line.startsWith('statefulset_'));
}

test('stateful sets are shown as they were seen last, until they are gone', () => {
  const metrics = new Metrics({ monotonic: () => 0 });
  const figures = metrics.controllers.rollouts;
  assert.deepEqual(shown(metrics), []);
  figures.seen('a/web', { policy: 'Parallel', most: 1, unavailable: 3 });
  figures.seen('a/web', { policy: 'Parallel', most: 2, unavailable: 1 });
  figures.seen('b/db', { policy: 'OrderedReady', most: 1, unavailable: 0 });
  const web = '{statefulset_namespace="a",statefulset_name="web",pod_management_policy="Parallel"}';
  const db = '{statefulset_namespace="b",statefulset_name="db",pod_management_policy="OrderedReady"}';
  assert.deepEqual(shown(metrics), [
    `statefulset_controller_statefulset_max_unavailable${web} 2`,
    `statefulset_controller_statefulset_max_unavailable${db} 1`,
    `statefulset_controller_statefulset_unavailable_replicas${web} 1`,
    `statefulset_controller_statefulset_unavailable_replicas${db} 0`,
  ]);
  figures.gone('a/web');
  figures.gone('a/never');
  assert.deepEqual(shown(metrics), [
    `statefulset_controller_statefulset_max_unavailable${db} 1`,
    `statefulset_controller_statefulset_unavailable_replicas${db} 0`,
  ]);
});
