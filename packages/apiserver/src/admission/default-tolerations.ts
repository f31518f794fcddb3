import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import type { AdmissionPlugin } from '../ports/admission.ts';

/** How long a pod stays on a node that fails, unless it says otherwise. */
const DEFAULT_SECONDS = 300;

/** A pod stays five minutes on a node that is not ready or not reachable, unless it says otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  changes: ['spec.tolerations'],
  handles: (operation, info, subresource) =>
    (operation === 'CREATE' || operation === 'UPDATE') &&
    info.group === '' &&
    info.resource === 'pods' &&
    subresource === '',
  admit({ object }) {
    const pod = object as Draft<Pod>;
    const given = pod.spec.tolerations ?? [];
    const missing = [wellknown.TAINT_NOT_READY, wellknown.TAINT_UNREACHABLE].filter((key) => !covers(given, key));
    if (missing.length === 0) return;
    pod.spec.tolerations = [
      ...given,
      ...missing.map((key) => ({
        key,
        operator: 'Exists' as const,
        effect: 'NoExecute' as const,
        tolerationSeconds: DEFAULT_SECONDS,
      })),
    ];
  },
};

function covers(tolerations: readonly Toleration[], key: string): boolean {
  return tolerations.some(
    (one) => ((one.key ?? '') === '' || one.key === key) && ((one.effect ?? '') === '' || one.effect === 'NoExecute'),
  );
}
