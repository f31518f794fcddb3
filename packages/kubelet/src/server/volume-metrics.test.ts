import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodStatus } from '@binnacle/api/core/v1';
import type { PodDisk } from '../disk-figures.ts';
import type { VolumeFigures } from '../volume/volume-figures.ts';
import { testPod } from '../testing/node.ts';
import { volumeMetrics } from './volume-metrics.ts';

const amount = (n: number): { total: number; available: number; used: number } => ({
  total: n + 2,
  available: n + 1,
  used: n,
});
const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
const NONE = { bytes: 0, inodes: 0 };

function text(figures: readonly VolumeFigures[], onDisk: readonly VolumeFigures[] = []): Promise<string> {
  const status: PodStatus = { phase: 'Running' };
  const names = ['a', 'b'];
  const disk: PodDisk = { logs: new Map(), ephemeral: NONE, volumes: onDisk } as unknown as PodDisk;
  return volumeMetrics({
    pods: () => names.map((name) => ({ pod: testPod({ name, spec: { volumes } }), status })),
    podDisks: async () => new Map([['uid-a', disk]]),
    volumeStats: async () => figures,
  });
}

test('how full claims are: each once, whichever pods have it', async () => {
  const told = await text([
    { name: 'v', claim: 'data', bytes: amount(1), inodes: amount(5), condition: { abnormal: true, message: 'm' } },
    { name: 'own', bytes: amount(9) },
  ]);
  const of = '{namespace="default",persistentvolumeclaim="data"}';
  assert.deepEqual(
    told.split('\n').filter((line) => !line.startsWith('#')),
    [
      `kubelet_volume_stats_capacity_bytes${of} 3`,
      `kubelet_volume_stats_available_bytes${of} 2`,
      `kubelet_volume_stats_used_bytes${of} 1`,
      `kubelet_volume_stats_inodes${of} 7`,
      `kubelet_volume_stats_inodes_free${of} 6`,
      `kubelet_volume_stats_inodes_used${of} 5`,
      `kubelet_volume_stats_health_status_abnormal${of} 1`,
      '',
    ],
  );
});

test('volumes that the node looks at itself; what is not told is left out', async () => {
  const told = await text([], [{ name: 'v', claim: 'data', bytes: amount(4) }]);
  assert.match(told, /^kubelet_volume_stats_used_bytes\{.*"data"\} 4$/m);
  assert.doesNotMatch(told, /inodes|abnormal/);
  assert.equal(await text([{ name: 'own', bytes: amount(9) }]), '');
});
