import type { Kubelet } from '../kubelet.ts';
import { type Sample, exposition } from './exposition.ts';

const KINDS = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' } as const;
const RESULTS = { success: 'successful', failure: 'failed', error: 'unknown' } as const;

/** `/metrics/probes`: how often each probe of the containers that run came to which result. */
export function probeMetrics(kubelet: Pick<Kubelet, 'probes'>): string {
  const samples: Sample[] = kubelet.probes().flatMap(({ pod, container, kind, counts }) =>
    (['success', 'failure', 'error'] as const).flatMap((result) => {
      const labels = {
        container,
        namespace: pod.metadata.namespace ?? '',
        pod: pod.metadata.name ?? '',
        pod_uid: pod.metadata.uid ?? '',
        probe_type: KINDS[kind],
        result: RESULTS[result],
      };
      return counts[result] === 0 ? [] : [{ labels, value: counts[result] }];
    }),
  );
  return exposition([
    {
      name: 'prober_probe_total',
      type: 'counter',
      help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
      samples,
    },
  ]);
}
