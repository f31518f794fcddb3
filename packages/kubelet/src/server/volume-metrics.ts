import type { Kubelet } from '../kubelet.ts';
import type { VolumeFigures } from '../volume/volume-figures.ts';
import { type Sample, exposition } from './exposition.ts';

/** Name after `kubelet_volume_stats_`, what it counts, and where that is; upstream's names. */
const GAUGES: readonly (readonly [string, string, (of: VolumeFigures) => number | undefined])[] = [
  ['capacity_bytes', 'Bytes that the volume holds', ({ bytes }) => bytes?.total],
  ['available_bytes', 'Bytes that are left in the volume', ({ bytes }) => bytes?.available],
  ['used_bytes', 'Bytes that are used in the volume', ({ bytes }) => bytes?.used],
  ['inodes', 'Inodes that the volume holds', ({ inodes }) => inodes?.total],
  ['inodes_free', 'Inodes that are left in the volume', ({ inodes }) => inodes?.available],
  ['inodes_used', 'Inodes that are used in the volume', ({ inodes }) => inodes?.used],
  [
    'health_status_abnormal',
    'Whether its driver finds something wrong with the volume: 1, or 0',
    ({ condition }) => (condition === undefined ? undefined : Number(condition.abnormal)),
  ],
];

/** How full the volumes are that pods here have by claims; each claim once, however many pods have it. */
export async function volumeMetrics(kubelet: Pick<Kubelet, 'pods' | 'podDisks' | 'volumeStats'>): Promise<string> {
  const claimed = kubelet.pods().filter(({ pod }) => hasClaim(pod.spec.volumes));
  if (claimed.length === 0) return '';
  const [disks, figures] = await Promise.all([
    kubelet.podDisks(),
    Promise.all(claimed.map(({ pod }) => kubelet.volumeStats(pod.metadata.uid ?? ''))),
  ]);
  const byClaim = new Map<string, { readonly labels: Sample['labels']; readonly of: VolumeFigures }>();
  for (const [i, { pod }] of claimed.entries()) {
    const { namespace = '', uid = '' } = pod.metadata;
    for (const of of [...(disks.get(uid)?.volumes ?? []), ...(figures[i] ?? [])]) {
      if (of.claim === undefined) continue;
      byClaim.set(`${namespace}/${of.claim}`, { labels: { namespace, persistentvolumeclaim: of.claim }, of });
    }
  }
  return exposition(
    GAUGES.map(([name, help, read]) => ({
      name: `kubelet_volume_stats_${name}`,
      help,
      type: 'gauge',
      samples: [...byClaim.values()].flatMap(({ labels, of }) => {
        const value = read(of);
        return value === undefined ? [] : [{ labels, value }];
      }),
    })),
  );
}

type Volumes = ReturnType<Kubelet['pods']>[number]['pod']['spec']['volumes'];

function hasClaim(volumes: Volumes): boolean {
  return (volumes ?? []).some((one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined);
}
