/** How stateful sets are replaced, in upstream's names (pkg/controller/statefulset/metrics). */
import type { Rollout, RolloutMeasures } from '@binnacle/base';
import { CounterFamily } from './series.ts';
import type { Figures } from './series.ts';

const LABELS = ['statefulset_namespace', 'statefulset_name', 'pod_management_policy'];

export class RolloutFigures implements RolloutMeasures, Figures {
  readonly #sets = new Map<string, Rollout>();

  seen(set: string, rollout: Rollout): void {
    this.#sets.set(set, rollout);
  }

  gone(set: string): void {
    this.#sets.delete(set);
  }

  render(out: string[]): void {
    const most = gauges('max_unavailable', 'Pods that may be unavailable while a set is replaced.');
    const unavailable = gauges('unavailable_replicas', 'Pods of a set that are unavailable.');
    for (const [set, rollout] of this.#sets) {
      const [namespace = '', name = ''] = set.split('/');
      const values = [namespace, name, rollout.policy];
      most.set(values, rollout.most);
      unavailable.set(values, rollout.unavailable);
    }
    most.render(out);
    unavailable.render(out);
  }
}

function gauges(name: string, help: string): CounterFamily {
  return new CounterFamily({
    name: `statefulset_controller_statefulset_${name}`,
    help,
    labels: LABELS,
    type: 'gauge',
  });
}
