import type { Kubelet } from '../kubelet.ts';

/** The kubelet's own metrics in Prometheus' text format. */
export function metricsText(kubelet: Kubelet): string {
  const pods = kubelet.pods();
  const running = pods.filter((p) => p.status.phase === 'Running');
  const containers = pods.flatMap((p) => p.status.containerStatuses ?? []);
  const states = { running: 0, waiting: 0, exited: 0 };
  for (const { state } of containers) {
    if (state?.running) states.running++;
    else if (state?.terminated) states.exited++;
    else states.waiting++;
  }
  return [
    '# HELP kubelet_node_name The node name of this kubelet.',
    '# TYPE kubelet_node_name gauge',
    `kubelet_node_name{node="${kubelet.nodeName}"} 1`,
    '# HELP kubelet_running_pods Number of pods that have a running pod sandbox',
    '# TYPE kubelet_running_pods gauge',
    `kubelet_running_pods ${running.length}`,
    '# HELP kubelet_running_containers Number of containers by state',
    '# TYPE kubelet_running_containers gauge',
    ...Object.entries(states).map(
      ([state, count]) => `kubelet_running_containers{container_state="${state}"} ${count}`,
    ),
    '',
  ].join('\n');
}
