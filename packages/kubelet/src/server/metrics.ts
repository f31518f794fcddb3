import type { Kubelet } from '../kubelet.ts';

/** Who gives something to containers alone; undefined: nobody does. */
interface Counting {
  readonly given: {
    readonly [of in 'cpus' | 'memory' | 'alignment']:
      | { readonly counts: { readonly requests: number; readonly errors: number } }
      | undefined;
  } & { readonly users: { readonly counts: { readonly started: number; readonly errors: number } } };
}

/** The kubelet's own metrics in Prometheus' text format. A container that waits is none yet: upstream counts what the runtime has. */
export function metricsText(kubelet: Pick<Kubelet, 'nodeName' | 'pods'> & Counting): string {
  const pods = kubelet.pods();
  const running = pods.filter((p) => p.status.phase === 'Running');
  const states = { running: 0, exited: 0 };
  for (const { status } of pods) {
    const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
    for (const { state } of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]) {
      if (state?.running) states.running++;
      else if (state?.terminated) states.exited++;
    }
  }
  return [
    '# HELP kubelet_node_name The node name of this kubelet.',
    '# TYPE kubelet_node_name gauge',
    `kubelet_node_name{node="${kubelet.nodeName}"} 1`,
    '# HELP kubelet_running_pods Number of pods that have a running pod sandbox',
    '# TYPE kubelet_running_pods gauge',
    `kubelet_running_pods ${running.length}`,
    '# HELP kubelet_running_containers Number of containers currently running',
    '# TYPE kubelet_running_containers gauge',
    ...Object.entries(states).map(
      ([state, count]) => `kubelet_running_containers{container_state="${state}"} ${count}`,
    ),
    ...given(kubelet),
    '',
  ].join('\n');
}

/** How often pods asked for what is given to them alone, and could not have it; nothing where nothing is. */
function given({ given: { cpus, memory, alignment, users } }: Counting): string[] {
  const counters: readonly (readonly [string, string, number | undefined])[] = [
    ['cpu_manager_pinning_requests_total', 'Number of times CPUs were asked for alone', cpus?.counts.requests],
    ['cpu_manager_pinning_errors_total', 'Number of times CPUs could not be given alone', cpus?.counts.errors],
    ['memory_manager_pinning_requests_total', 'Number of times memory was asked for alone', memory?.counts.requests],
    ['memory_manager_pinning_errors_total', 'Number of times memory could not be given alone', memory?.counts.errors],
    ['topology_manager_admission_requests_total', 'Number of pods that were aligned', alignment?.counts.requests],
    ['topology_manager_admission_errors_total', 'Number of pods that could not be aligned', alignment?.counts.errors],
    ['started_user_namespaced_pods_total', 'Number of pods with users of their own begun', users.counts.started],
    ['started_user_namespaced_pods_errors_total', 'Number of those that could not be begun', users.counts.errors],
  ];
  return counters.flatMap(([name, help, count]) =>
    count === undefined
      ? []
      : [`# HELP kubelet_${name} ${help}`, `# TYPE kubelet_${name} counter`, `kubelet_${name} ${count}`],
  );
}
