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
    const given = pod.spec.tolerations ?? NONE;
    const needsReady = !covers(given, wellknown.TAINT_NOT_READY);
    const needsReachable = !covers(given, wellknown.TAINT_UNREACHABLE);
    if (!needsReady && !needsReachable) return;
    // By hand: nearly every pod comes here, with none of its own.
    const all: Toleration[] = given.length === 0 ? [] : [...given];
    if (needsReady) all.push(tolerationOf(wellknown.TAINT_NOT_READY));
    if (needsReachable) all.push(tolerationOf(wellknown.TAINT_UNREACHABLE));
    pod.spec.tolerations = all;
  },
};

const NONE: readonly Toleration[] = [];

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: DEFAULT_SECONDS };
}

function covers(tolerations: readonly Toleration[], key: string): boolean {
  return tolerations.some(
    (one) => ((one.key ?? '') === '' || one.key === key) && ((one.effect ?? '') === '' || one.effect === 'NoExecute'),
  );
}
