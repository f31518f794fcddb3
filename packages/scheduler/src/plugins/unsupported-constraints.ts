import type { Pod } from '@binnacle/api/core/v1';
import type { Plugin } from '../framework.ts';

interface Constraint {
  readonly name: string;
  asks(pod: Pod): boolean;
}

// Each line goes away with the plugin that understands it.
const CONSTRAINTS: readonly Constraint[] = [
  {
    name: 'spec.affinity.podAffinity (required)',
    asks: (pod) => (pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  },
  {
    name: 'spec.affinity.podAntiAffinity (required)',
    asks: (pod) =>
      (pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  },
  {
    name: 'spec.topologySpreadConstraints (DoNotSchedule)',
    asks: (pod) => (pod.spec.topologySpreadConstraints ?? []).some((c) => c.whenUnsatisfiable === 'DoNotSchedule'),
  },
  {
    name: 'spec.volumes (persistentVolumeClaim or ephemeral)',
    asks: (pod) =>
      (pod.spec.volumes ?? []).some((v) => v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined),
  },
  { name: 'spec.resourceClaims', asks: (pod) => (pod.spec.resourceClaims ?? []).length > 0 },
];

/**
 * Holds back pods with a constraint that no plugin understands yet: placing them would silently break a
 * promise to their author.
 */
export const unsupportedConstraints: Plugin = {
  name: 'UnsupportedConstraints',
  wakesOn: ['UnscheduledPodUpdate'],
  preFilter(demand) {
    const asked = CONSTRAINTS.filter((c) => c.asks(demand.pod)).map((c) => c.name);
    if (asked.length === 0) return undefined;
    const reason = `this scheduler does not support ${asked.join(', ')} yet`;
    return { refusal: { plugin: 'UnsupportedConstraints', reasons: [reason], unresolvable: true } };
  },
};
