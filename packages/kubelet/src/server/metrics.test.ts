import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, PodStatus } from '@binnacle/api/core/v1';
import type { ProbeCount } from '../probe/prober.ts';
import { testPod } from '../testing/node.ts';
import { metricsText } from './metrics.ts';
import { probeMetrics } from './probe-metrics.ts';
import { podReference } from './running.ts';

const status = (state: ContainerStatus['state']): ContainerStatus => ({
  name: 'c',
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...(state === undefined ? {} : { state }),
});
const [running, ended, waiting] = [{ running: {} }, { terminated: { exitCode: 0 } }, { waiting: {} }].map(status);

for (const [name, statuses, pods, inRunning, exited] of [
  ['none', [], 0, 0, 0],
  ['one that runs', [{ phase: 'Running', containerStatuses: [running] }], 1, 1, 0],
  ['what waits is none yet', [{ phase: 'Pending', containerStatuses: [waiting, status(undefined)] }], 0, 0, 0],
  ['without statuses', [{ phase: 'Pending' }], 0, 0, 0],
  [
    'of every sort',
    [
      {
        phase: 'Running',
        initContainerStatuses: [ended],
        containerStatuses: [running, ended],
        ephemeralContainerStatuses: [running],
      },
    ],
    1,
    2,
    2,
  ],
  ['ended', [{ phase: 'Succeeded', containerStatuses: [ended] }], 0, 0, 1],
] as const)
  test(`pods and containers in metrics: ${name}`, () => {
    const text = metricsText({
      nodeName: 'n',
      pods: () => statuses.map((one) => ({ pod: testPod(), status: one as PodStatus })),
      given: {
        cpus: undefined,
        memory: undefined,
        alignment: undefined,
        users: { counts: { started: 2, errors: 1 } },
      },
    });
    const values = text.split('\n').filter((line) => !line.startsWith('#'));
    assert.deepEqual(values, [
      'kubelet_node_name{node="n"} 1',
      `kubelet_running_pods ${pods}`,
      `kubelet_running_containers{container_state="running"} ${inRunning}`,
      `kubelet_running_containers{container_state="exited"} ${exited}`,
      'kubelet_started_user_namespaced_pods_total 2',
      'kubelet_started_user_namespaced_pods_errors_total 1',
      '',
    ]);
  });

test('what was given to containers alone is counted where somebody gives it', () => {
  const text = metricsText({
    nodeName: 'n',
    pods: () => [],
    given: {
      cpus: { counts: { requests: 3, errors: 1 } },
      memory: undefined,
      alignment: { counts: { requests: 2, errors: 0 } },
      users: { counts: { started: 0, errors: 0 } },
    },
  });
  assert.deepEqual(
    text.split('\n').filter((line) => /^kubelet_(cpu|memory|topology)_/.test(line)),
    [
      'kubelet_cpu_manager_pinning_requests_total 3',
      'kubelet_cpu_manager_pinning_errors_total 1',
      'kubelet_topology_manager_admission_requests_total 2',
      'kubelet_topology_manager_admission_errors_total 0',
    ],
  );
});

const counted = (counts: Partial<ProbeCount['counts']>, kind: ProbeCount['kind'] = 'liveness'): ProbeCount => ({
  pod: testPod(),
  container: 'main',
  kind,
  counts: { success: 0, failure: 0, error: 0, ...counts },
});
const line = (type: string, result: string, count: number): string =>
  `prober_probe_total{container="main",namespace="default",pod="web",pod_uid="uid-web",probe_type="${type}",result="${result}"} ${count}`;
for (const [name, probes, expected] of [
  ['none', [], ''],
  ['none that was asked yet', [counted({})], ''],
  [
    'of each kind',
    [counted({ success: 1 }), counted({ success: 2 }, 'readiness'), counted({ success: 3 }, 'startup')],
    [line('Liveness', 'successful', 1), line('Readiness', 'successful', 2), line('Startup', 'successful', 3)],
  ],
  [
    'of each result',
    [counted({ success: 1, failure: 2, error: 3 })],
    [line('Liveness', 'successful', 1), line('Liveness', 'failed', 2), line('Liveness', 'unknown', 3)],
  ],
] as const)
  test(`probes in metrics: ${name}`, () => {
    const text = probeMetrics({ probes: () => probes });
    if (expected === '') assert.equal(text, '');
    else assert.deepEqual(text.split('\n').slice(2, -1), expected);
  });

test('a pod as figures name it', () => {
  assert.deepEqual(podReference(testPod()), { name: 'web', namespace: 'default', uid: 'uid-web' });
  assert.deepEqual(podReference({ metadata: {}, spec: { containers: [] } }), { name: '', namespace: '', uid: '' });
});
