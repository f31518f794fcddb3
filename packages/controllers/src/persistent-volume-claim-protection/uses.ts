import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { ephemeralClaimName, isMadeFor } from '../claims-of-pods.ts';

/** Whether a pod may have the claim's data in use: it is on a node, ended or not. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { nodeName = '', volumes = [] } = pod.spec;
  const { name = '' } = claim.metadata;
  if (nodeName === '') return false;
  return volumes.some((volume) => {
    if (volume.persistentVolumeClaim?.claimName === name) return true;
    if (volume.ephemeral === undefined || isShutDown(pod)) return false;
    return ephemeralClaimName(pod, volume) === name && isMadeFor(claim, pod);
  });
}

/** Its kubelet is done with it, or it was removed without asking. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
